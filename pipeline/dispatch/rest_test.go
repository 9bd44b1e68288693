package dispatch

import (
	"testing"

	"payonce/enrich"
)

// TestALookupThatAsksForItsFieldsTogetherIsDroppedWithOneOfThem keeps a call that returns everything from being sent when
// one of its fields must not be asked for.
func TestALookupThatAsksForItsFieldsTogetherIsDroppedWithOneOfThem(t *testing.T) {
	d := &dispatcher{Lookups: &Lookups{Whole: map[enrich.Pattern]enrich.Fields{enrich.ByContactID: 7}}}
	byID, byName := enrich.Identity{ContactID: "7"}, enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}
	for _, test := range []struct {
		id            enrich.Identity
		without, want enrich.Fields
	}{
		{byID, 0, 7}, {byID, 1, 0}, {byID, 4, 0}, {byID, 7, 0}, {byID, 8, 7}, {byName, 0, 7}, {byName, 4, 3}, {byName, 7, 0},
	} {
		lookup := enrich.Lookup{Identity: test.id, Fields: 7}
		if got := d.rest(lookup, test.without); got != test.want {
			t.Errorf("%s without %b asks for %b, want %b", test.id, test.without, got, test.want)
		}
		d.pending = &task{lookup: lookup}
		if d.drop(test.without); (d.pending == nil) != (test.want == 0) {
			t.Errorf("%s without %b is dropped: %t", test.id, test.without, d.pending == nil)
		}
	}
}
