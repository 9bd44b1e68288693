package v2

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
)

// usageOf returns a snapshot of some counters.
func usageOf(t *testing.T, body string) Usage {
	t.Helper()
	usage, err := newStand(t, respond(200, body, "Date", "Fri, 20 Nov 2026 10:00:00 GMT")).client().Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return usage
}

// counters writes counters as the service does, in two groups.
func counters(companies, contacts, watch string) string {
	return fmt.Sprintf(`[{"name": "Data", "codename": "data", "metrics": [{"name": "Companies", "codename": "companies", "used": %s, "total": 1000},
		{"name": "Contacts", "codename": "contacts", "used": %s, "total": null}]}, {"metrics": [{"codename": "watch", "used": %s, "total": "50"}]}, null,
		{"codename": "empty", "metrics": null}]`, companies, contacts, watch)
}

// TestAnAccountShowsWhatIsLeftOfEachModule reads counters as the evidence of lost calls needs them.
func TestAnAccountShowsWhatIsLeftOfEachModule(t *testing.T) {
	account := usageOf(t, counters("3", "7", "1")).Account()
	want := cost.Account{ReadAt: noon().Add(-2 * time.Hour), KeyValid: cost.Known(true)}
	want.Left[MeterCompanies], want.Left[MeterWatch] = cost.Known(int64(997)), cost.Known(int64(49))
	want.Used[MeterCompanies], want.Used[MeterContacts], want.Used[MeterWatch] = cost.Known(int64(3)), cost.Known(int64(7)), cost.Known(int64(1))
	want.Reserved[MeterCompanies], want.Reserved[MeterContacts], want.Reserved[MeterWatch] = cost.Known(int64(0)), cost.Known(int64(0)), cost.Known(int64(0))
	if diff := cmp.Diff(want, account); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
	if !account.Idle() {
		t.Error("the account is not quiet")
	}
}

// TestCountersAreComparedWithinAPeriod compares snapshots: some counters grew, some fell, some are
// not told.
func TestCountersAreComparedWithinAPeriod(t *testing.T) {
	before := usageOf(t, counters("3", "7", "5"))
	for _, test := range []struct {
		after string
		want  Change
	}{
		{counters("3", "7", "5"), Change{Known: cost.MetersOf(MeterCompanies, MeterContacts, MeterWatch)}},
		{
			counters("5", "8", "4"), Change{
				Used:  cost.Amounts{MeterCompanies: 2, MeterContacts: 1},
				Known: cost.MetersOf(MeterCompanies, MeterContacts), Fell: cost.MetersOf(MeterWatch),
			},
		},
		{counters("null", `"x"`, "6"), Change{Used: cost.Amounts{MeterWatch: 1}, Known: cost.MetersOf(MeterWatch)}},
		{`[]`, Change{}},
		{`null`, Change{}},
		// A counter that is there twice tells nothing.
		{`[{"metrics": [{"codename": "watch", "used": 6}, {"codename": "watch", "used": 7}]}]`, Change{}},
	} {
		if diff := cmp.Diff(test.want, usageOf(t, test.after).Since(before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.after, diff)
		}
	}
}

// TestUsageThatCannotBeReadIsAnError reads bodies that are no counters.
func TestUsageThatCannotBeReadIsAnError(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"metrics": []}`, `<html>`, `"x"`} {
		client := newStand(t, respond(200, body)).client()
		if usage, err := client.Usage(t.Context()); err == nil {
			t.Errorf("%s: %+v", body, usage)
		}
		if _, err := client.Status(t.Context()); err == nil {
			t.Errorf("%s: it is an account", body)
		}
		if body == `{}` || body == `"x"` {
			if _, err := client.ContactUsage(t.Context(), noon(), noon()); err == nil {
				t.Errorf("%s: it has counts of contact data", body)
			}
		}
	}
}

// TestContactCountsAreComparedWithinOneSpan compares readings of time spans.
func TestContactCountsAreComparedWithinOneSpan(t *testing.T) {
	reading := func(from, to int, emails, phones string) ContactUsage {
		body := fmt.Sprintf(`{"email_count": %s, "phone_count": %s}`, emails, phones)
		at := func(minute int) time.Time { return noon().Add(time.Duration(minute) * time.Minute) }
		usage, err := newStand(t, respond(200, body)).client().ContactUsage(t.Context(), at(from), at(to))
		if err != nil {
			t.Fatal(err)
		}
		return usage
	}
	before := reading(0, 10, "3", "4")
	for _, test := range []struct {
		after ContactUsage
		want  string
	}{
		{reading(0, 20, "5", "4"), "{2 true} {0 true}"},
		{reading(0, 20, "2", "null"), "{0 false} {0 false}"},
		{reading(5, 20, "5", "5"), "{0 false} {0 false}"}, // another span
		{reading(0, 5, "5", "5"), "{0 false} {0 false}"},
	} {
		emails, phones := test.after.Since(before)
		if got := fmt.Sprint(emails, phones); got != test.want {
			t.Errorf("%+v: %s, want %s", test.after, got, test.want)
		}
	}
	client := newStand(t, respond(200, "{}")).client()
	if _, err := client.ContactUsage(t.Context(), noon(), noon().Add(-time.Second)); err == nil {
		t.Error("a span that ends before it begins is asked for")
	}
}

// TestInvalidV2ConfigurationsAreRefused gives what is wrong with a configuration.
func TestInvalidV2ConfigurationsAreRefused(t *testing.T) {
	whole := Config{BaseURL: "https://api.example.com/v2", Key: testKey}
	if _, err := NewClient(whole); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"no address":     func(c *Config) { c.BaseURL = "" },
		"plain http":     func(c *Config) { c.BaseURL = "http://api.example.com/v2" },
		"with the key":   func(c *Config) { c.BaseURL = "https://" + testKey + "@api.example.com/v2" },
		"no key":         func(c *Config) { c.Key = "" },
		"key with lines": func(c *Config) { c.Key = "a\nb" },
		"time-out":       func(c *Config) { c.Timeout = -1 },
		"connections":    func(c *Config) { c.MaxConnections = -1 },
		"modules":        func(c *Config) { c.Modules.Codenames = map[cost.Meter]string{MeterWatch: "contacts"} },
	} {
		config := whole
		change(&config)
		if _, err := NewClient(config); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
}
