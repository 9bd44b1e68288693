package scan

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

func TestARowStateReturnsTheValuesItHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawFields := rapid.Custom(func(t *rapid.T) enrich.Fields { return enrich.Fields(rapid.Byte().Draw(t, "fields")) })
		pattern, fields := enrich.Pattern(rapid.IntRange(0, enrich.NumPatterns-1).Draw(t, "pattern")), drawFields.Draw(t, "missing")
		key := enrich.Key{15: rapid.Byte().Draw(t, "key")}
		s := namesSubject(pattern, fields)
		for _, s := range []RowState{s, s.AsFirst(key), s.AsKnown()} {
			if s.Pattern() != pattern || s.Fields() != fields || s.HasFields() != (fields != 0) {
				t.Fatalf("%x became pattern %d, fields %x", s, s.Pattern(), s.Fields())
			}
			if s.Lookup() != namesSubject(pattern, fields) || s.Lookup() >= numLookupStates {
				t.Fatalf("the lookup of %x is %x", s, s.Lookup())
			}
		}
		for _, s := range []RowState{s, s.AsKnown()} { // those of an index
			if _, nobody := s.Reason(); nobody {
				t.Fatalf("%x names nobody", s)
			}
		}
		if RowState(0).IsFirst() || !s.AsFirst(key).IsFirst() || !s.AsFirst(key).IsOf(key) {
			t.Fatalf("%x does not tell which row is the first occurrence", s)
		}
		for bit := range 4 {
			if s.AsFirst(key).IsOf(enrich.Key{15: key[15] ^ 1<<bit}) || s.AsKnown().AsFirst(key) != s.AsFirst(key) {
				t.Fatalf("%x of another key is not noticed by bit %d", s, bit)
			}
		}
		if s.IsKnown() || !s.AsKnown().IsKnown() {
			t.Fatalf("%x does not tell which persons the journal knows", s)
		}
		other := drawFields.Draw(t, "other")
		if got := s.AsFirst(key).WithFields(other); got != namesSubject(pattern, other).AsFirst(key) {
			t.Fatalf("with other fields the state is %x", got)
		}
		reason := rapid.Byte().Draw(t, "reason")
		if number, nobody := namesNobody(reason).Reason(); !nobody || number != reason {
			t.Fatalf("the reason %d became %d, %t", reason, number, nobody)
		}
	})
}
