package v2

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox/kit"
)

// inbox is a transport whose receiver accepts every notification.
type inbox chan map[string]any

func (i inbox) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	i <- members
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// TestChangeOfAWatchedField: it shows in the record, is an event and is notified; other changes are not.
func TestChangeOfAWatchedField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		received := make(inbox, 10)
		s := opened(t, func(c *Config) { c.Transport = received })
		c, _ := s.world.ByID("1")
		before := s.fieldOf(c, "company_email")
		s.must(201, "POST", "/companies/1/watch/start", `{"fields":["company_email","vat_number"]}`)
		s.must(200, "PUT", "/companies/watch/callback", `{"callback":"http://127.0.0.1:9/secret"}`)
		change := func(field, value string) {
			if _, _, err := s.Change(c, field, value); err != nil {
				t.Error(err)
			}
		}
		change("company_email", "new@acme.example")
		change("company_fax", "1234")
		synctest.Wait()
		want := map[string]any{
			"company_data": map[string]any{
				"id": 1.0, "name": c.Name(), "registration_number": c.Registration(), "country_code": c.Country().Code,
				"date": "2026-11-23T10:00:00Z",
			},
			"field": "company_email", "status": "UPDATE", "new_value": "new@acme.example", "old_value": before,
		}
		if len(received) != 1 {
			t.Fatalf("%d notifications", len(received))
		}
		if diff := cmp.Diff(want, <-received); diff != "" {
			t.Errorf("the notification (-want +got):\n%s", diff)
		}
		record := s.must(200, "GET", "/companies/1", "").object(t)
		if diff := cmp.Diff([]any{"new@acme.example"}, record["company_email"]); diff != "" || len(record["company_fax"].([]any)) != 1 {
			t.Errorf("the record has %v", record)
		}
	})
}

// TestEvents: newest first, between two days that both belong to the span, and by fields.
func TestEvents(t *testing.T) {
	s := opened(t, nil)
	c, _ := s.world.ByID("1")
	s.must(201, "POST", "/companies/1/watch/start", "")
	for i, field := range []string{"company_email", "company_phone", "company_email"} {
		s.now = time.Date(2026, 11, 23+i, 23, 59, 59, 0, time.UTC)
		if _, watched, err := s.Change(c, field, "value "+field); err != nil || !watched {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"":                      "2026-11-25 2026-11-24 2026-11-23",
		"?from_date=2026-11-24": "2026-11-25 2026-11-24",
		"?to_date=2026-11-24":   "2026-11-24 2026-11-23",
		"?from_date=2026-11-24&to_date=2026-11-24": "2026-11-24",
		"?fields=company_phone":                    "2026-11-24",
		"?per_page=2&page=2":                       "2026-11-23",
		"?page=9":                                  "",
	} {
		var list watchList[eventItem]
		s.must(200, "GET", "/companies/1/watch/events"+query, "").decode(t, &list)
		var days []string
		for _, e := range list.Data {
			days = append(days, e.Created[:10])
			if e.Status != "UPDATED" || e.Message == "" || !strings.HasPrefix(e.Type, "company_") {
				t.Errorf("%+v", e)
			}
		}
		if got := strings.Join(days, " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

// TestWatchesSurviveARestart: subscriptions, changes, events and the callback are read from the file again.
func TestWatchesSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	at := func(c *Config) { c.Path = path }
	s := opened(t, at)
	c, _ := s.world.ByID("1")
	s.must(201, "POST", "/companies/1/watch/start", `{"fields":["name","company_fax"]}`)
	s.must(201, "POST", "/companies/2/watch/start", "")
	s.must(200, "PUT", "/companies/1/watch/fields/remove", `{"fields":["company_fax"]}`)
	s.must(200, "DELETE", "/companies/2/watch/stop", "")
	s.must(200, "PUT", "/companies/watch/callback", `{"callback":"http://127.0.0.1:9/x"}`)
	if _, _, err := s.Change(c, "name", "Renamed"); err != nil {
		t.Fatal(err)
	}
	reads := []string{"/companies/watch", "/companies/1/watch/events", "/companies/watch/callback", "/metrics"}
	var before []string
	for _, read := range reads {
		before = append(before, s.must(200, "GET", read, "").text)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, at)
	for i, read := range reads {
		if got := s.must(200, "GET", read, "").text; got != before[i] {
			t.Errorf("%s: %s, before the restart %s", read, got, before[i])
		}
	}
	if got := s.must(200, "GET", "/companies/1", "").object(t); got["name"] != "Renamed" || !strings.Contains(before[0], "Renamed") {
		t.Errorf("the name is %v", got["name"])
	}
}

// TestAdminCalls sets limits, begins days and periods, adds keys and reads the log over the admin interface.
func TestAdminCalls(t *testing.T) {
	s := opened(t, nil)
	admin := kit.AdminInterface{Token: "token", Calls: s.AdminCalls(), NotFound: IsUnknown, Invalid: IsInvalid}.Handler()
	call := func(status int, method, path, body string) map[string]any {
		t.Helper()
		r, err := http.NewRequest(method, path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer token")
		got := recorded(admin, r)
		if got.status != status {
			t.Fatalf("%s %s: %d %s", method, path, got.status, got.text)
		}
		return got.object(t)
	}
	s.must(200, "GET", "/companies/1", "")
	s.must(404, "GET", "/companies/999999", "")
	log := call(200, "GET", "/v2/log", "")["log"].([]any)
	counted, refused := log[0].(map[string]any), log[1].(map[string]any)
	if counted["path"] != "/v2/companies/1" || counted["module"] != "companies" || counted["units"] != json.Number("1") || counted["about"] != "1" || refused["code"] != "not_found" {
		t.Errorf("the log is %v", log)
	}
	call(200, "PUT", "/v2/daily/companies", `{"limit":1}`)
	s.must(429, "GET", "/companies/1", "")
	call(200, "POST", "/v2/day", "")
	s.must(200, "GET", "/companies/1", "")
	call(200, "PUT", "/v2/daily/companies", `{"limit":null}`)
	s.must(200, "GET", "/companies/1", "")
	call(200, "PUT", "/v2/totals/companies", `{"total":3}`)
	s.must(429, "GET", "/companies/1", "")
	call(200, "DELETE", "/v2/counters", "")
	s.must(200, "GET", "/companies/1", "")
	call(200, "POST", "/v2/usage", `{"module":"companies","units":2}`)
	if got := s.used(kit.Companies); got != 3 {
		t.Errorf("%d units, want 3", got)
	}
	call(400, "POST", "/v2/usage", `{"module":"companies","units":1}`)
	key := call(200, "POST", "/v2/keys", "")
	s.key = key["value"].(string)
	s.must(200, "GET", "/metrics", "")
	call(200, "DELETE", "/v2/keys/"+key["id"].(string), "")
	s.must(401, "GET", "/metrics", "")
	call(404, "DELETE", "/v2/keys/key_9", "")
	call(404, "PUT", "/v2/totals/money", `{"total":1}`)
	call(404, "PUT", "/v2/companies/999999", `{"field":"name","value":"x"}`)
	call(400, "PUT", "/v2/companies/1", `{"field":"colour","value":"x"}`)
	if got := call(200, "PUT", "/v2/companies/1", `{"field":"name","value":"x"}`); got["watched"] != false {
		t.Errorf("%v", got)
	}
	call(200, "GET", "/v2/audit", "")
	call(200, "GET", "/v2/deliveries", "")
	if modules := call(200, "GET", "/v2/units", "")["modules"].([]any); len(modules) != 6 {
		t.Errorf("%v", modules)
	}
}
