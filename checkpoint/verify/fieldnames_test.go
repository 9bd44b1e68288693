package verify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
)

// TestProblemsNameTheFieldsOfTheirAccounts damages the records of two accounts. Their interfaces have other
// fields than v1, and different ones from each other.
func TestProblemsNameTheFieldsOfTheirAccounts(t *testing.T) {
	m := &memory{records: map[string][]byte{}}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	soil, rain := enrich.Named("soil", "crop"), enrich.Named("rain", "wind")
	soil.Interface, rain.Interface = "ground", "weather"
	rate := checkpoint.Rate{Slots: 100, Window: time.Minute}
	j, err := checkpoint.New(m, checkpoint.Options{Catalogue: soil, Rate: rate, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	number, err := j.Account(
		checkpoint.AccountID{Interface: "weather", Service: "https://weather.example", Key: "key"},
		checkpoint.AccountOptions{Rate: rate, Catalogue: rain})
	if err != nil {
		t.Fatal(err)
	}
	second, err := j.For(number)
	if err != nil {
		t.Fatal(err)
	}
	who := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyName: "Acme"}
	keys := map[string]string{} // of the field records, by the names of the fields
	for _, account := range []struct {
		*checkpoint.Journal
		catalogue enrich.Catalogue
	}{{j, soil}, {second, rain}} {
		decision, err := account.Begin(attempt.Request{
			Lookup: enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(1)}, Run: "run",
			Rates: cost.AllowancePerField(account.catalogue).At(cost.Prices{1: cost.Cent}),
		})
		granted, ok := decision.(attempt.Granted)
		if !ok || err != nil {
			t.Fatalf("decision %T, error %v", decision, err)
		}
		ticket, err := granted.Ticket()
		if err != nil {
			t.Fatal(err)
		}
		before := m.keys()
		if _, err := account.Settle(ticket.ID, enrich.Answered{Status: enrich.Matched, Returned: enrich.FieldsOf(1), Data: "x"}); err != nil {
			t.Fatal(err)
		}
		for _, key := range m.keys() {
			if key[0] == record.FieldPrefix && !slices.Contains(before, key) {
				keys[account.catalogue.Name(1)] = key
			}
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	problems := func(m *memory) string {
		var all []string
		if _, err := verify.Check(m, soil, nil, func(p verify.Problem) { all = append(all, p.Record+" "+p.Text) }); err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, "\n")
	}
	if found := problems(m); found != "" {
		t.Fatalf("a sound journal: %s", found)
	}
	for name, key := range keys {
		scope := map[string]string{"crop": record.ScopeAll, "wind": number.Scope(record.ScopeAll)}[name]
		totals, known, err := record.Load[cost.Totals](m, record.NameKey(record.TotalsPrefix, scope))
		if err != nil || !known {
			t.Fatalf("the sums of %q: %t, %v", scope, known, err)
		}
		totals.Asked[1]++
		for what, damaged := range map[string]*memory{
			"field " + name + " of identity": m.with(key, record.Encode(&record.FieldEntry{State: attempt.Missing, Attempt: 1 + attempt.ID(scopeNumber(scope)), At: now})),
			"have asked of " + name + " 2":   m.with(string(record.NameKey(record.TotalsPrefix, scope)), record.Encode(&totals)),
		} {
			if found := problems(damaged); !strings.Contains(found, what) {
				t.Errorf("%q is not in:\n%s", what, found)
			}
		}
	}
	if len(keys) != 2 {
		t.Errorf("%d field records", len(keys))
	}
}

// scopeNumber returns the account of the scope: 0, or 1.
func scopeNumber(scope string) int {
	if scope == record.ScopeAll {
		return 0
	}
	return 1
}

func (m *memory) keys() (keys []string) {
	for key := range m.records {
		keys = append(keys, key)
	}
	return keys
}
