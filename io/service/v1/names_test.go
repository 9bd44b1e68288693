package v1

import (
	"net/http"
	"strings"
	"testing"

	"payonce/enrich"
)

func TestInvalidRequestNamesAreRefused(t *testing.T) {
	long := strings.Repeat("a", maxName+1)
	tests := []struct {
		name  string
		names Names
		want  string // part of the error, "" for none
	}{
		{"defaults", Names{}, ""},
		{"defaults given", DefaultNames(), ""},
		{"some given", Names{FirstName: "given_name", LastName: "family.name", CompanyName: "$company", Enrich: "v2/people/enrich"}, ""},
		{"two members alike", Names{FirstName: "name", LastName: "name"}, `"name" is given twice`},
		{"a member like a default", Names{FirstName: "last_name"}, `"last_name" is given twice`},
		{"a switch like a member", Names{IncludeEmail: "first_name"}, `"first_name" is given twice`},
		{"two paths alike", Names{Enrich: "account/status"}, `"account/status" is given twice`},
		{"absolute path", Names{Enrich: "/contacts/enrich"}, "not a path relative"},
		{"address", Names{Enrich: "https://example.com/enrich"}, "not a path relative"},
		{"other host", Names{AccountStatus: "//example.com/status"}, "not a path relative"},
		{"path that climbs", Names{AccountStatus: "../contacts/enrich"}, "not a path relative"},
		{"path that climbs inside", Names{AccountStatus: "account/../contacts/enrich"}, "not a path relative"},
		{"path with a dot", Names{AccountStatus: "./contacts/enrich"}, "not a path relative"},
		{"path that ends in a slash", Names{AccountStatus: "contacts/enrich/"}, "not a path relative"},
		{"path with a query", Names{OpenAPI: "openapi?x=1"}, "not a path relative"},
		{"path with a fragment", Names{OpenAPI: "openapi#x"}, "not a path relative"},
		{"encoded path", Names{AccountStatus: "account%2fstatus"}, "not a path relative"},
		{"path with a space", Names{OpenAPI: "open api"}, "not a path relative"},
		{"long path", Names{OpenAPI: long}, "not a path relative"},
		{"member with a quote", Names{FirstName: `first"name`}, "not a name of a body member"},
		{"member with a space", Names{FirstName: "first name"}, "not a name of a body member"},
		{"member with a line end", Names{FirstName: "first\nname"}, "not a name of a body member"},
		{"member outside ASCII", Names{FirstName: "prénom"}, "not a name of a body member"},
		{"long member", Names{FirstName: long}, "not a name of a body member"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewClient(Config{BaseURL: "https://api.example.com", Key: testKey, Names: test.names})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestConfiguredRequestNamesAreSent(t *testing.T) {
	names := Names{
		AccountStatus: "me", FindWorkEmail: "email", FindPhone: "phone", Enrich: "both", OpenAPI: "api",
		ProfileURL: "url", FirstName: "first", LastName: "last", CompanyDomain: "domain", CompanyName: "company",
		IncludeEmail: "want_email", IncludePhone: "want_phone", IncludeProfile: "want_profile",
	}
	byCompany := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyName: "Engines"}
	requests := make(chan sent, 1)
	server := serve(t, record(requests, respond(http.StatusOK, foundBoth)))
	client, err := NewClient(Config{BaseURL: server.URL + "/api/v1", Key: testKey, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, test := range []struct {
		call       func()
		path, body string
	}{
		{func() { _, _ = client.Status(t.Context()) }, "/api/v1/me", ""},
		{func() { _, _ = client.OpenAPI(t.Context()) }, "/api/v1/api", ""},
		{
			func() {
				client.Find(t.Context(), enrich.Lookup{Identity: byCompany, Fields: enrich.FieldsOf(WorkEmail)})
			},
			"/api/v1/email", `{"company":"Engines","first":"Ada","last":"Lovelace"}`,
		},
		{
			func() {
				client.Find(t.Context(), enrich.Lookup{Identity: enrich.Identity{ProfileURL: "x"}, Fields: enrich.FieldsOf(BusinessPhone)})
			},
			"/api/v1/phone", `{"url":"x"}`,
		},
		{func() { find(client) }, "/api/v1/both", `{"domain":"example.com","first":"Ada","last":"Lovelace","want_email":true,"want_phone":true,"want_profile":false}`},
	} {
		test.call()
		if got := <-requests; got.Path != test.path || got.Body != test.body {
			t.Errorf("%s %s, want %s %s", got.Path, got.Body, test.path, test.body)
		}
	}
}

// The profile comes with enrich alone, whatever else is wanted.
func TestIncludeProfile(t *testing.T) {
	const profile = `{"object":"enrichment_result","status":"partial","data":{"full_name":"Ada","profile": {"headline": "Countess", "n": 1e400}}}`
	for fields, want := range map[enrich.Fields]string{
		enrich.FieldsOf(WorkEmail):     `{"include_email":true,"include_phone":false,"include_profile":true,"pro_network_url":"x"}`,
		enrich.FieldsOf(BusinessPhone): `{"include_email":false,"include_phone":true,"include_profile":true,"pro_network_url":"x"}`,
		AllFields:                      `{"include_email":true,"include_phone":true,"include_profile":true,"pro_network_url":"x"}`,
	} {
		lookup := enrich.Lookup{Identity: enrich.Identity{ProfileURL: "x"}, Fields: fields}
		requests := make(chan sent, 1)
		server := serve(t, record(requests, respond(http.StatusOK, profile)))
		overREST, err := NewClient(Config{BaseURL: server.URL, Key: testKey, IncludeProfile: true})
		if err != nil {
			t.Fatal(err)
		}
		answer := wantAnswered(t, overREST.Find(t.Context(), lookup))
		overREST.Close()
		if got := <-requests; got.Path != "/contacts/enrich" || got.Body != want {
			t.Errorf("%s %s, want enrich with %s", got.Path, got.Body, want)
		}
		if answer.Profile != `{"headline":"Countess","n":1e400}` {
			t.Errorf("profile %s", answer.Profile)
		}

		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			if string(m.arguments) != want || m.tool != "service_enrich_contact" {
				t.Errorf("%s %s, want enrich with %s", m.tool, m.arguments, want)
			}
			respondRPC(w, m.ID, toolResult(profile))
		})
		overMCP, err := NewClient(Config{BaseURL: serve(t, f.ServeHTTP).URL, Transport: MCP, Key: testKey, IncludeProfile: true})
		if err != nil {
			t.Fatal(err)
		}
		if again := wantAnswered(t, overMCP.Find(t.Context(), lookup)); again.Profile != answer.Profile {
			t.Errorf("profile over MCP %s, over REST %s", again.Profile, answer.Profile)
		}
		overMCP.Close()
	}
}

func TestProfileIsBounded(t *testing.T) {
	result := func(profile string) string {
		return `{"object":"enrichment_result","status":"matched","data":{"work_email":"a@b.example","profile":` + profile + `}}`
	}
	fits := `{"a":"` + strings.Repeat("x", maxProfile-len(`{"a":""}`)) + `"}`
	for profile, want := range map[string]string{
		fits:                                fits,
		fits + strings.Repeat(" ", 1000):    fits,
		strings.Replace(fits, "a", "aa", 1): "",
		"null":                              "", `"text"`: "", "[]": "", "{}": "{}", `{"a":"` + "\xff" + `"}`: "{\"a\":\"\uFFFD\"}",
		`{ "b" : [ 1 , { } ] , "a" : "\u0000" }`: `{"b":[1,{}],"a":"\u0000"}`,
	} {
		answer, err := decodeResult([]byte(result(profile)))
		if err != nil || answer.WorkEmail != "a@b.example" || answer.Profile != want {
			t.Errorf("profile of %d bytes, want %d (%v)", len(answer.Profile), len(want), err)
		}
	}
}
