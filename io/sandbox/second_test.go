package sandbox_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"payonce/io/sandbox"
	"payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
)

// asV2 signs a request with the key of the second interface.
func asV2(r *http.Request) { r.Header.Set("Authorization", "Token "+v2.DefaultKey) }

// TestBothInterfacesKnowTheSamePeople: on one port, the email that v1 finds is that of v2, by profile and by name and
// company, and the company of the person is one of v2.
func TestBothInterfacesKnowTheSamePeople(t *testing.T) {
	config := everybody()
	known := world.World{People: world.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	w := open(t, config)
	checked := 0
	for number := range 8 {
		c, _ := known.ByID(strconv.Itoa(number + 1))
		e, _ := known.Employee(c, number%c.Staff())
		for _, person := range []string{
			`{"pro_network_url":"` + e.Profile() + `"}`,
			`{"first_name":"` + e.First + `","last_name":"` + e.Last + `","company_domain":"` + c.Domain() + `"}`,
			`{"first_name":"` + e.First + `","last_name":"` + e.Last + `","company_name":"` + c.Name() + `"}`,
		} {
			one := w.post(emailPath, person)
			other, err := w.send(http.MethodPost, "/v2/enrichment/employee/linkedin", `{"linkedin":"`+e.Profile()+`"}`, asV2)
			if err != nil || one.code != 200 || other.code != 200 {
				t.Fatalf("%s: %d %d %v", person, one.code, other.code, err)
			}
			email := one.body["data"].(map[string]any)["work_email"].(string)
			if found, known := other.body["email"]; known {
				checked++
				if found != email {
					t.Errorf("%s: v1 knows %s, v2 %s", person, email, found)
				}
			}
			_, domain, _ := strings.Cut(email, "@")
			company, err := w.send(http.MethodPost, "/v2/enrichment/url", `{"url":"`+domain+`"}`, asV2)
			if err != nil || company.code != 200 || company.body["id"] != other.body["company_id"] {
				t.Errorf("%s: the company at %s is %v %v, of the person %v", person, domain, company.body["id"], err, other.body["company_id"])
			}
		}
	}
	if checked == 0 {
		t.Error("v2 knows nobody's email")
	}
	w.audited()
}

// TestFaultsOfBothInterfaces: one rule strikes calls of both, a rule with a path those of one.
func TestFaultsOfBothInterfaces(t *testing.T) {
	for text, want := range map[string][2]bool{ // whether v1 and v2 break
		"lost-after":               {true, true},
		"lost-after:path=/v2":      {false, true},
		"lost-after:path=/api/v1":  {true, false},
		"rate_limited:max=0":       {false, false},
		"internal_error":           {false, false},
		"credits_exhausted":        {false, false},
		"lost-before:path=/v2/own": {false, false},
	} {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		config := everybody()
		config.Faults = []sandbox.Fault{fault}
		w := open(t, config)
		_, first := w.send(http.MethodPost, emailPath, ada)
		_, second := w.send(http.MethodGet, "/v2/companies/1", "", asV2)
		if got := [2]bool{isBroken(first), isBroken(second)}; got != want {
			t.Errorf("%s: broken %v, want %v", text, got, want)
		}
	}
}

// TestTheAdminInterfaceHasBoth: a fault that it adds strikes v2, and it shows what v2 counted.
func TestTheAdminInterfaceHasBoth(t *testing.T) {
	w := open(t, everybody())
	d := w.admin()
	d.must("POST /faults", `{"faults":["limit:max=1,happened=true,path=/v2"]}`)
	r, err := w.send(http.MethodGet, "/v2/companies/1", "", asV2)
	if err != nil || r.code != http.StatusTooManyRequests || r.body["error_guard"] != "limit" {
		t.Errorf("%d %s %v", r.code, r.text, err)
	}
	log := d.must("GET /v2/log", "").body["log"].([]any)
	if entry := log[0].(map[string]any); len(log) != 1 || entry["units"] != 1.0 || entry["code"] != "limit" {
		t.Errorf("the log is %v", log)
	}
	if r := d.call("PUT /v2/totals/money", `{"total":1}`); r.code != http.StatusNotFound {
		t.Errorf("%d %s", r.code, r.text)
	}
}

// TestTheLedgerOfTheSecondInterface is kept in files beside those of the first interface, from the first call on.
func TestTheLedgerOfTheSecondInterface(t *testing.T) {
	config := everybody()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	w := open(t, config)
	if _, err := os.Stat(config.LedgerPath + ".v2"); !os.IsNotExist(err) {
		t.Errorf("a file before the first call: %v", err)
	}
	if r, err := w.send(http.MethodGet, "/v2/companies/1", "", asV2); err != nil || r.code != 200 {
		t.Fatalf("%d %v", r.code, err)
	}
	second, err := sandbox.New(config) // another process
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if used := second.Second().Units().Usage()[0].Used; used != 1 {
		t.Errorf("%d units after a restart, want 1", used)
	}
}
