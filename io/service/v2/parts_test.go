package v2

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"payonce/enrich"
)

// withoutPaths returns an answer without the parts at some paths.
func withoutPaths(t *testing.T, answered enrich.Answered, paths ...string) enrich.Answered {
	t.Helper()
	parts, err := Parts(answered)
	if err != nil {
		t.Fatal(err)
	}
	drop := map[int]bool{}
	for i, part := range parts {
		if slices.Contains(paths, part.Path) {
			drop[i] = true
		}
	}
	if len(drop) != len(paths) {
		t.Fatalf("the parts are %+v, want %q", parts, paths)
	}
	rest := answered
	if rest.Data, err = WithoutParts(answered, drop); err != nil {
		t.Fatal(err)
	}
	return rest
}

// TestEveryMemberThatCanNameAPersonIsAPart takes the name out of an answer to each operation, from each member of the
// specification that can hold a name, an email, a phone or a profile of a person, and from members that it does not
// show. The rest of the answer is read as before.
func TestEveryMemberThatCanNameAPersonIsAPart(t *testing.T) {
	for _, test := range []struct {
		operation Operation
		body      string
		paths     []string
	}{
		{OpGetOwnership, `{"shareholders":[{"id":1,"name":"Zyxanna Quorlley","quantity":3},{"id":2,"name":"Bob Ray"}],"data":["Zyxanna Quorlley",{"owner":"Zyxanna Quorlley"}],"group_structure":[{"id":5,"name":"Zyxanna Quorlley"},{"id":6,"x":{"person":"Zyxanna Quorlley"}}]}`, []string{"shareholders[0]", "data[0]", "data[1].owner", "group_structure[0]", "group_structure[1].x.person"}},
		{OpGetInsights, `{"id":1,"domain":"x.example","raw":"Registrant: Zyxanna Quorlley","contact_name":"Zyxanna Quorlley","contact_email":"zyxanna.quorlley@x.example","visits":[{"id":1,"value":5}]}`, []string{"raw", "contact_…"}},
		{OpGetCompany, `{"id":1,"name":"Acme","brands":"Zyxanna Quorlley","company_email":["info@acme.example","zyxanna.quorlley@acme.example"],"social":"https://s.example/zyxanna-quorlley","key_executives":[{"name":"Zyxanna Quorlley","title":"CEO"},{"name":"Bob Ray"}]}`, []string{"brands", "company_email[1]", "social", "key_executives[0]"}},
		{OpEmployees, `{"total_employees":2,"data":[{"id":"1","name":"Bob Ray"},{"id":"2","name":"Zyxanna Quorlley","company_name":"Acme"}]}`, []string{"data[1]"}},
		{OpEnrichEmployeeSearch, `{"total_employees":2,"data":[{"id":"1","first_name":"Zyxanna","last_name":"Quorlley","pro_network":"https://p.example/in/zyxanna-quorlley","email":"zyxanna.quorlley@acme.example"},{"id":"2","name":"Bob Ray"}]}`, []string{"data[0]"}},
		{OpOverview, `{"total_results":1,"data":[{"id":"1","name":"Zyxanna Quorlley Ltd"},{"id":"2","name":"Acme"}]}`, []string{"data[0]"}},
		{OpOwnershipSearch, `[{"id":1,"name":"Zyxanna Quorlley"},{"id":2,"name":"Acme"}]`, []string{"[0]"}},
		{OpEnrichEmail, `{"id":"1","full_name":"Bob Ray","function_original_name":"aide of Zyxanna Quorlley"}`, []string{"function_original_name"}},
		{OpGetFinancials, `{"2024":{"Currency":"EUR","Auditor":"Zyxanna Quorlley","Turnover":5}}`, []string{"2024.Auditor"}},
	} {
		t.Run(test.operation.String(), func(t *testing.T) {
			rest := withoutPaths(t, readAs(t, test.operation, test.body), test.paths...)
			a, err := DecodeAnswer(rest)
			if err != nil || a.Operation != test.operation || !a.RetrievedAt.Equal(at()) {
				t.Errorf("%+v, error %v", a, err)
			}
			for _, part := range []string{"zyxanna", "quorlley"} {
				if strings.Contains(strings.ToLower(rest.Data), part) {
					t.Errorf("%s is in %s", part, a.Body)
				}
			}
			for _, kept := range []string{"Bob Ray", "Acme", `"visits":[{"id":1,"value":5}]`, `"Turnover":5`, `"id":6`, "info@acme.example"} {
				others := strings.ReplaceAll(test.body, `,"company_name":"Acme"`, "") // which goes with the person
				if strings.Contains(others, kept) && !strings.Contains(string(a.Body), kept) {
					t.Errorf("%s is gone from %s", kept, a.Body)
				}
			}
			var values enrich.Values
			if err := (Decoder{}).Values(rest, &values); err != nil {
				t.Error(err)
			}
			for f := range rest.Returned.Each() {
				if values.Fields[f] == "" {
					t.Errorf("field %d was returned and has no value", f)
				}
			}
		})
	}
}

// TestALongAnswerLosesThePersonToo: it is compressed, and members of it were left out.
func TestALongAnswerLosesThePersonToo(t *testing.T) {
	var holders []string
	for i := range 2000 {
		holders = append(holders, fmt.Sprintf(`{"id":%d,"name":"Holder %d"}`, i, i))
	}
	holders = append(holders, `{"id":2000,"name":"Zyxanna Quorlley"}`)
	answered := readAs(t, OpGetOwnership, `{"shareholders":[`+strings.Join(holders, ",")+`]}`)
	if strings.Contains(answered.Data, "Quorlley") {
		t.Fatal("the answer is not compressed")
	}
	rest := withoutPaths(t, answered, "shareholders[2000]")
	o, err := Read(rest, Answer.Ownership)
	isHer := func(s Shareholder) bool { return strings.Contains(s.Name.Value, "Quorlley") }
	if err != nil || len(o.Shareholders) != 2000 || slices.ContainsFunc(o.Shareholders, isHer) {
		t.Errorf("%d shareholders are left, error %v", len(o.Shareholders), err)
	}

	short := keepWithin(OpGetInsights, fmt.Sprintf(`{"raw":%q,"id":5,"domain":"acme.example","contact_name":"Zyxanna Quorlley"}`, random(5000)))
	a, err := DecodeAnswer(withoutPaths(t, short, "contact_…"))
	if err != nil || !slices.Equal(a.LeftOut, []string{"raw"}) || strings.Contains(string(a.Body), "Quorlley") || !strings.Contains(string(a.Body), "acme.example") {
		t.Errorf("%+v, error %v", a, err)
	}
}

// FuzzWithoutParts: an answer without all its parts is still one of the operation, and has no part.
func FuzzWithoutParts(f *testing.F) {
	for o := range Operations() {
		f.Add(uint8(o), []byte(`{"data":[{"id":1,"name":"A"}],"shareholders":[{"name":"B"}],"contact_name":"C","full_name":"D"}`))
	}
	f.Fuzz(func(t *testing.T, number uint8, body []byte) {
		o := Operation(int(number) % len(Operations()))
		answered := encode(o, body, at(), enrich.Company{})
		parts, err := Parts(answered)
		if err != nil {
			t.Fatal(err)
		}
		drop := map[int]bool{}
		for i := range parts {
			drop[i] = true
		}
		rest := answered
		if rest.Data, err = WithoutParts(answered, drop); err != nil {
			t.Fatal(err)
		}
		a, err := DecodeAnswer(rest)
		if err != nil || a.Operation != o {
			t.Fatalf("%+v, error %v", a, err)
		}
		var values enrich.Values
		_ = (Decoder{}).Values(rest, &values) // it may have no values, and must not panic
	})
}
