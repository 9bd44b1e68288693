package zoho

import (
	"net/http"
	"strings"
	"testing"

	"payonce/io/crm"
	"payonce/io/service"
)

// TestTheTokenGoesToTheDataCenterAlone compares addresses that an answer with a token can name.
func TestTheTokenGoesToTheDataCenterAlone(t *testing.T) {
	c, err := New(Config{ClientID: "a", ClientSecret: "b", RefreshToken: "c", DataCenter: "eu"})
	if err != nil {
		t.Fatal(err)
	}
	for domain, want := range map[string]string{
		"": "www.zohoapis.eu", "https://www.zohoapis.eu": "www.zohoapis.eu", "https://sandbox.zohoapis.eu": "sandbox.zohoapis.eu",
		"https://www.zohoapis.com": "", "https://zohoapis.eu.example": "", "https://evilzohoapis.eu": "", "http://www.zohoapis.eu": "", "x": "",
	} {
		address, err := c.apiAt(domain)
		if (want == "") != (err != nil) || err == nil && address.Host != want {
			t.Errorf("%q: %v, %v", domain, address.URL, err)
		}
		if err != nil && crm.ProblemOf(err) != crm.Refused {
			t.Errorf("%q: %v", domain, err)
		}
	}
}

const id = "4876876000000600000"

func said(status int, body string) answer {
	return newAnswer(service.Response{Status: status, Header: http.Header{"X-Request-Id": {"r-1"}}, Body: []byte(body)})
}

func ofRecord(code, details string) string {
	return `{"data":[{"code":"` + code + `","details":` + details + `,"message":"secret@value.example","status":"error"}]}`
}

// TestOutcomes has an answer to a change for each outcome.
func TestOutcomes(t *testing.T) {
	confirmed := `{"data":[{"code":"SUCCESS","details":{"id":"` + id + `","Modified_Time":"2026-11-28T05:30:00+05:30"},"status":"success"}]}`
	for _, c := range []struct {
		status int
		body   string
		want   crm.Outcome
		error  crm.Problem
	}{
		{200, confirmed, crm.Outcome{Result: crm.Written, Modified: "2026-11-28T05:30:00+05:30"}, ""},
		{200, strings.Replace(confirmed, id, "1", 1), crm.Outcome{Result: crm.Unknown}, ""},
		{200, `{"data":[]}`, crm.Outcome{Result: crm.Unknown}, ""},
		{200, `{"data":[` + strings.Repeat(`{"code":"SUCCESS","details":{"id":"`+id+`"}},`, 2) + `{}]}`, crm.Outcome{Result: crm.Unknown}, ""},
		{200, ``, crm.Outcome{Result: crm.Unknown}, ""},
		{200, ofRecord("DUPLICATE_DATA", `{"api_name":"Email","duplicate_record":{"id":"77"}}`), crm.Outcome{Result: crm.Duplicate, Code: "DUPLICATE_DATA", Field: "Email", Other: "77"}, ""},
		{207, ofRecord("INVALID_DATA", `{"api_name":"Email","maximum_length":100}`), crm.Outcome{Result: crm.Rejected, Code: "INVALID_DATA", Field: "Email"}, ""},
		{400, ofRecord("INVALID_DATA", `{"id":"`+id+`"}`), crm.Outcome{Result: crm.Gone, Code: "INVALID_DATA"}, ""},
		{400, ofRecord("INVALID_DATA", `{"api_name":"id"}`), crm.Outcome{Result: crm.Gone, Code: "INVALID_DATA", Field: "id"}, ""},
		{400, ofRecord("INVALID_DATA", `{}`), crm.Outcome{Result: crm.Rejected, Code: "INVALID_DATA"}, ""},
		{400, ofRecord("RECORD_LOCKED", `{}`), crm.Outcome{Result: crm.Locked, Code: "RECORD_LOCKED"}, ""},
		{400, ofRecord("NOT_APPROVED", `{}`), crm.Outcome{Result: crm.Locked, Code: "NOT_APPROVED"}, ""},
		{400, ofRecord("SOMETHING_NEW", `{"api_name":"Email"}`), crm.Outcome{Result: crm.Rejected, Code: "SOMETHING_NEW", Field: "Email"}, ""},
		{400, ofRecord("a code with secret@value.example", `{"api_name":"secret@value.example"}`), crm.Outcome{Result: crm.Unknown}, ""},
		{412, ``, crm.Outcome{Result: crm.Changed}, ""},
		{412, `{"code":"ALREADY_MODIFIED","status":"error"}`, crm.Outcome{Result: crm.Changed, Code: "ALREADY_MODIFIED"}, ""},
		{403, `{"code":"NO_PERMISSION","details":{"permissions":["Crm_Implied_Api_Access"]},"status":"error"}`, crm.Outcome{}, crm.Refused},
		{403, `{"code":"NO_PERMISSION","details":{},"status":"error"}`, crm.Outcome{Result: crm.Rejected, Code: "NO_PERMISSION"}, ""},
		{401, `{"code":"AUTHENTICATION_FAILURE","status":"error"}`, crm.Outcome{}, crm.Refused},
		{401, `{"code":"OAUTH_SCOPE_MISMATCH","status":"error"}`, crm.Outcome{}, crm.Refused},
		{500, `{"code":"INTERNAL_ERROR","status":"error"}`, crm.Outcome{Result: crm.Unknown, Code: "INTERNAL_ERROR"}, ""},
		{502, `<html>`, crm.Outcome{Result: crm.Unknown}, ""},
		{429, `<html>`, crm.Outcome{Result: crm.Unknown}, ""},
		{403, `<html>`, crm.Outcome{Result: crm.Unknown}, ""},
		{301, ``, crm.Outcome{Result: crm.Unknown}, ""},
	} {
		got, problem := outcomeOf(said(c.status, c.body), id)
		if problem != nil {
			if problem.Problem != c.error {
				t.Errorf("%d %s: %v", c.status, c.body, problem)
			}
			continue
		}
		if (got.Err != nil) != (got.Result == crm.Unknown) || got.RequestID != "r-1" {
			t.Errorf("%d %s: %+v", c.status, c.body, got)
		}
		if got.Err, got.RequestID = nil, ""; got != c.want || c.error != "" {
			t.Errorf("%d %s:\n got %+v\nwant %+v", c.status, c.body, got, c.want)
		}
	}
}

// TestAnswersForTokens has the answers of the accounts server.
func TestAnswersForTokens(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   crm.Problem
	}{
		{200, `{"access_token":"1000.abc","api_domain":"https://www.zohoapis.com","expires_in":3600}`, ""},
		{200, `{"access_token":"1000.abc","expires_in":"soon"}`, ""},
		{200, `{"access_token":"a b"}`, crm.Unreachable},
		{200, `{"error":"invalid_code"}`, crm.Refused},
		{400, `{"error":"invalid_client"}`, crm.Refused},
		{400, `{"error":"Access Denied","status":"failure"}`, crm.Exhausted},
		{200, `{"error":"Access Denied"}`, crm.Exhausted},
		{429, `<html>`, crm.Exhausted},
		{500, `{"error":"internal"}`, crm.Unreachable},
		{200, `<html>`, crm.Unreachable},
	} {
		given, problem := decodeToken(c.status, []byte(c.body))
		switch {
		case (problem == nil) != (c.want == ""), problem != nil && problem.Problem != c.want:
			t.Errorf("%d %s: %v", c.status, c.body, problem)
		case problem == nil && (given.access == "" || given.life <= 0 || given.life > tokenLife):
			t.Errorf("%d %s: %+v", c.status, c.body, given)
		}
	}
}

// TestFieldsAreDecoded has the ways in which a field can be read only, and phones of both kinds.
func TestFieldsAreDecoded(t *testing.T) {
	fields, err := decodeFields([]byte(`{"fields":[
		{"api_name":"Email","field_label":"Email","data_type":"email","length":100,"unique":{"casesensitive":false},"operation_type":{"api_update":true}},
		{"api_name":"Phone","field_label":"Phone","data_type":"phone","length":"30","unique":{}},
		{"api_name":"Mobile","field_label":"Cell","data_type":"phone","length":30},
		{"api_name":"Number","field_label":"Mobiltelefon","data_type":"phone","length":30},
		{"api_name":"A","data_type":"text","read_only":true},
		{"api_name":"B","data_type":"website","field_read_only":true},
		{"api_name":"C","data_type":"picklist","operation_type":{"api_update":false}},
		{"field_label":"no name"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []crm.Field{
		{Name: "Email", Label: "Email", Type: crm.Email, MaxLength: 100},
		{Name: "Phone", Label: "Phone", Type: crm.Phone, MaxLength: 30},
		{Name: "Mobile", Label: "Cell", Type: crm.Phone, MaxLength: 30, Mobile: true},
		{Name: "Number", Label: "Mobiltelefon", Type: crm.Phone, MaxLength: 30, Mobile: true},
		{Name: "A", Type: crm.Text, ReadOnly: true},
		{Name: "B", Type: crm.Website, ReadOnly: true},
		{Name: "C", Type: crm.Other, ReadOnly: true},
	}
	if len(fields) != len(want) {
		t.Fatalf("%+v", fields)
	}
	for i := range want {
		if fields[i] != want[i] {
			t.Errorf("got %+v, want %+v", fields[i], want[i])
		}
	}
}

// FuzzAnswers reads answers of any kind. A change counts as written only if the answer names its record, and what is
// shown of an answer is a word.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"code":"SUCCESS","details":{"id":"` + id + `","Modified_Time":"x"},"status":"success"}]}`,
		`{"data":[{"id":"1","Modified_Time":"2026-11-28T05:30:00+05:30","Email":null,"Account_Name":{"id":"2","name":"A"},"Email_Opt_Out":true}],"info":{"more_records":true,"next_page_token":"t"}}`,
		ofRecord("DUPLICATE_DATA", `{"api_name":"Email","duplicate_record":{"id":"77"}}`),
		`{"fields":[{"api_name":"Email","data_type":"email","length":1e99,"unique":[]}]}`, `{"access_token":"x","expires_in":-1}`, `{"data":[[]]}`, `[`, ``,
	} {
		f.Add(200, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		a := said(status, body)
		outcome, problem := outcomeOf(a, id)
		if outcome.Result == crm.Written && (!strings.Contains(body, id) || !a.succeeded()) {
			t.Errorf("written: %d %q", status, body)
		}
		if problem == nil && outcome.Result == "" {
			t.Errorf("no outcome: %d %q", status, body)
		}
		for _, shown := range []string{outcome.Code, outcome.Field, outcome.Other, outcome.RequestID} {
			if word(shown) != shown {
				t.Errorf("%q is shown", shown)
			}
		}
		if p, err := decodePage([]byte(body), []string{"Email", accountField}); err == nil {
			for _, r := range p.records {
				if plainID(r.ID) == "" || r.Values["Email"] == "" && len(r.Values) > 1 {
					t.Errorf("%+v", r)
				}
			}
		}
		if fields, err := decodeFields([]byte(body)); err == nil && (len(fields) == 0 || fields[0].Name == "" || fields[0].MaxLength < 0) {
			t.Errorf("%+v", fields)
		}
		if given, problem := decodeToken(status, []byte(body)); problem == nil && (given.access == "" || given.life <= 0) {
			t.Errorf("%+v", given)
		}
	})
}
