package v2

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

// methodsOf returns the names of the exported methods of a value.
func methodsOf(value any) []string {
	names := map[string]bool{}
	for method := range reflect.TypeOf(value).Methods() {
		names[method.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// TestTheFreeClientsCannotUseUnits lists the methods of the clients that code without the right to
// spend is given.
func TestTheFreeClientsCannotUseUnits(t *testing.T) {
	reads := []string{"Callback", "ContactUsage", "Inspect", "InspectNowhere", "Status", "Usage", "WatchEvents", "WatchFields", "Watched"}
	if diff := cmp.Diff(reads, methodsOf(&StatusClient{})); diff != "" {
		t.Errorf("methods of a StatusClient (-want +got):\n%s", diff)
	}
	changes := slices.Sorted(slices.Values(append(reads, "AddWatchFields", "RemoveWatchFields", "SetCallback", "WatchStop")))
	if diff := cmp.Diff(changes, methodsOf(&WatchClient{})); diff != "" {
		t.Errorf("methods of a WatchClient (-want +got):\n%s", diff)
	}
	if paid := len(methodsOf(&Client{})) - len(changes); paid != 19+len([]string{"Send", "Close"}) {
		t.Errorf("a Client has %d methods more, want one for each of the 19 paid operations, Send and Close", paid)
	}
}

// TestCountersDecideLostCalls gives the counters of an account to the evidence: of a lost call for a
// company that the counters do not show, it is proved that it was not counted.
func TestCountersDecideLostCalls(t *testing.T) {
	all := func(companies, total int) string {
		var metrics string
		for _, meter := range Meters() {
			used := 5000
			if meter == MeterCompanies {
				used = companies
			}
			metrics += fmt.Sprintf(`{"codename": %q, "used": %d, "total": %d},`, MeterName(meter), used, total)
		}
		return `[{"codename": "all", "metrics": [` + metrics[:len(metrics)-1] + `]}]`
	}
	var modules Modules
	fields := enrich.FieldsOf(FieldCompany)
	lost := []enrich.Fields{fields}
	for _, test := range []struct {
		before, after int
		total         int // afterwards, 100 before
		exclusive     bool
		want          cost.Result
	}{
		{5000, 5000, 100_000, false, cost.NotCharged},
		{5000, 5000, 100_000, true, cost.NotCharged},
		{5000, 5001, 100_000, true, cost.Charged},
		{5000, 5001, 100_000, false, cost.Undecided}, // somebody else may have used the unit
		{5000, 4999, 100_000, true, cost.Undecided},  // a new period proves nothing
		{5000, 5001, 100_001, true, cost.Charged},    // what is left is the same, and a unit was used
		{5000, 5000, 99_999, true, cost.NotCharged},
	} {
		evidence := cost.Evidence{
			Base: usageOf(t, all(test.before, 100_000)).Account(), Now: usageOf(t, all(test.after, test.total)).Account(),
			Tariff: modules.Tariff(), Rates: modules.Tariff().At(cost.Prices{FieldCompany: 0}), Exclusive: test.exclusive,
			Booked: cost.Totals{Open: 1}, Pace: cost.Pace{Calls: 60, Window: time.Minute},
			Lost: []cost.Operation{{Name: "company", Meters: cost.MetersOf(MeterCompanies)}},
		}
		results, why := evidence.Reconcile(lost)
		if len(results) != 1 || results[0].Result != test.want || (why == "") != (test.want != cost.Undecided) {
			t.Errorf("from %d to %d of %d: %+v, %q, want %s", test.before, test.after, test.total, results, why, test.want)
		}
	}
}

// counting answers the questions about the counters of an account.
func counting(metrics, contacts http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/contacts") {
			contacts(w, r)
			return
		}
		metrics(w, r)
	}
}

const contactsUsed = `[{"metrics": [{"codename": "contacts", "used": %d, "total": 100}]}]`

// TestASnapshotCountsEmailsAndPhones: the span is the same for all snapshots and ends after each.
func TestASnapshotCountsEmailsAndPhones(t *testing.T) {
	metrics := respond(200, fmt.Sprintf(contactsUsed, 7), "Date", "Fri, 20 Nov 2026 12:00:00 GMT")
	for name, c := range map[string]struct {
		contacts http.HandlerFunc
		emails   cost.Optional[int64]
		fails    bool
	}{
		"counted":        {respond(200, `{"email_count": 4, "phone_count": 2}`), cost.Known[int64](4), false},
		"left out":       {respond(200, `{"phone_count": 2}`), cost.Optional[int64]{}, false},
		"not offered":    {respond(404, notFoundBody), cost.Optional[int64]{}, false},
		"a wrong span":   {respond(400, `{"date_from": ["too early"]}`), cost.Optional[int64]{}, false},
		"an invalid key": {respond(401, `{"detail": "Invalid token."}`), cost.Optional[int64]{}, true},
		"too fast":       {respond(429, `{"detail": "slow down"}`), cost.Optional[int64]{}, true},
		"a failure":      {respond(502, "<html>"), cost.Optional[int64]{}, true},
	} {
		stand := newStand(t, counting(metrics, c.contacts))
		account, err := stand.client().Status(t.Context())
		if (err != nil) != c.fails {
			t.Errorf("%s: error %v", name, err)
		}
		if got := account.Used[MeterEmails]; got != c.emails || !c.fails && account.Used[MeterContacts] != cost.Known[int64](7) {
			t.Errorf("%s: used %v", name, account.Used)
		}
		asked := stand.arrived()
		want := "GET /v2/metrics/contacts?date_from=2020-01-01+00%3A00%3A00&date_to=2026-11-22+12%3A00%3A00"
		if len(asked) != 2 || asked[1].line != want {
			t.Errorf("%s: asked %v, want %s", name, asked, want)
		}
	}
}

// TestCountsOfContactDataDecideWhatALostCallUsed: an email that was not given was not paid for, though the call was.
func TestCountsOfContactDataDecideWhatALostCallUsed(t *testing.T) {
	snapshot := func(used, emails, phones int) cost.Account {
		client := newStand(t, counting(
			respond(200, fmt.Sprintf(contactsUsed, used), "Date", "Fri, 20 Nov 2026 12:00:00 GMT"),
			respond(200, fmt.Sprintf(`{"email_count": %d, "phone_count": %d}`, emails, phones)),
		)).client()
		account, err := client.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return account
	}
	var modules Modules
	rates := modules.Tariff().At(cost.Prices{FieldEmail: 0, FieldPhone: 0})
	for name, c := range map[string]struct {
		after cost.Account
		lost  enrich.Field
		want  cost.Result
	}{
		"nothing was counted":       {snapshot(7, 4, 2), FieldEmail, cost.NotCharged},
		"a call without its email":  {snapshot(8, 4, 2), FieldEmail, cost.Charged},
		"a call with its email":     {snapshot(8, 5, 2), FieldEmail, cost.Charged},
		"a phone, which it has not": {snapshot(8, 4, 3), FieldEmail, cost.Undecided},
		"an email without a call":   {snapshot(7, 5, 2), FieldPhone, cost.NotCharged},
	} {
		evidence := cost.Evidence{
			Base: snapshot(7, 4, 2), Now: c.after, Tariff: modules.Tariff(), Rates: rates, Exclusive: true,
			Booked: cost.Totals{Open: 1}, Spans: cost.MetersOf(MeterEmails, MeterPhones),
		}
		results, why := evidence.Reconcile([]enrich.Fields{enrich.FieldsOf(c.lost)})
		if results[0].Result != c.want {
			t.Errorf("%s: %s (%s), want %s", name, results[0].Result, why, c.want)
		}
	}
}

// TestAModuleThatIsNotShownLeavesOnlyItsCallsUndecided: a service that leaves a module out still tells what became of
// calls that other modules count. When a counter fell, all of them began again, and none tells anything.
func TestAModuleThatIsNotShownLeavesOnlyItsCallsUndecided(t *testing.T) {
	shown := func(financials string) cost.Account {
		return usageOf(t, `[{"metrics": [{"codename": "companies", "used": 5000, "total": 100}`+financials+`]}]`).Account()
	}
	const before = `, {"codename": "financials", "used": 3, "total": 100}`
	var modules Modules
	rates := modules.Tariff().At(cost.Prices{FieldCompany: 0, FieldFinancials: 0})
	lost := []enrich.Fields{enrich.FieldsOf(FieldCompany), enrich.FieldsOf(FieldFinancials)}
	for name, c := range map[string]struct{ before, after string }{
		"left out later": {before, ""},
		"left out first": {"", before},
		"never shown":    {"", ""},
		"began again":    {before, `, {"codename": "financials", "used": 0, "total": 100}`},
	} {
		for _, exclusive := range []bool{false, true} {
			evidence := cost.Evidence{
				Base: shown(c.before), Now: shown(c.after), Tariff: modules.Tariff(), Rates: rates, Exclusive: exclusive,
				Booked: cost.Totals{Open: 2}, Pace: cost.Pace{Calls: 60, Window: time.Minute},
			}
			results, why := evidence.Reconcile(lost)
			company, because := cost.NotCharged, "the account does not show what was used of financials"
			if name == "began again" {
				company, because = cost.Undecided, "the counters of the account may have begun again"
			}
			if results[0].Result != company || results[1].Result != cost.Undecided || !strings.HasPrefix(why, because) {
				t.Errorf("%s: %s and %s: %q", name, results[0].Result, results[1].Result, why)
			}
		}
	}
}
