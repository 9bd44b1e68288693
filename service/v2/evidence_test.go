package v2

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
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
	reads := []string{"Callback", "ContactUsage", "Status", "Usage", "WatchEvents", "WatchFields", "Watched"}
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
		for _, meter := range units.Meters() {
			used := 5
			if meter == units.Companies {
				used = companies
			}
			metrics += fmt.Sprintf(`{"codename": %q, "used": %d, "total": %d},`, units.Name(meter), used, total)
		}
		return `[{"codename": "all", "metrics": [` + metrics[:len(metrics)-1] + `]}]`
	}
	var modules units.Modules
	fields := enrich.FieldsOf(v2fields.Company)
	lost := []enrich.Fields{fields}
	for _, test := range []struct {
		before, after int
		total         int // afterwards, 100 before
		exclusive     bool
		want          cost.Finding
	}{
		{5, 5, 100, false, cost.NotCharged},
		{5, 5, 100, true, cost.NotCharged},
		{5, 6, 100, true, cost.Charged},
		{5, 6, 100, false, cost.Undecided}, // somebody else may have used the unit
		{5, 4, 100, true, cost.Undecided},  // a new period proves nothing
		{5, 6, 101, true, cost.Charged},    // what is left is the same, and a unit was used
		{5, 5, 99, true, cost.NotCharged},
	} {
		evidence := cost.Evidence{
			Base: usageOf(t, all(test.before, 100)).Account(), Now: usageOf(t, all(test.after, test.total)).Account(),
			Tariff: modules.Tariff(), Rates: modules.Tariff().At(cost.Prices{v2fields.Company: 0}), Exclusive: test.exclusive,
		}
		judgements, why := evidence.Judge(lost)
		if len(judgements) != 1 || judgements[0].Finding != test.want || (why == "") != (test.want != cost.Undecided) {
			t.Errorf("from %d to %d of %d: %+v, %q, want %s", test.before, test.after, test.total, judgements, why, test.want)
		}
	}
}
