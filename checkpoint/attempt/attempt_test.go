package attempt

import (
	"testing"
	"time"

	"payonce/enrich"
)

func TestAskableDependsOnStateAndReaskOptions(t *testing.T) {
	decided := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	later := decided.Add(time.Second)
	for _, c := range []struct {
		state FieldState
		reask Reask
		want  bool
	}{
		{Unasked, Reask{}, true},
		{Found, Reask{}, false},
		{Found, Reask{Before: later, Forfeited: true}, false},
		{Found, Reask{Found: decided}, false},
		{Found, Reask{Found: later}, true},
		{Found, Reask{Found: later}.Of(enrich.Identity{Search: "s"}), true},
		{Found, Reask{Found: later}.Of(enrich.Identity{ProfileURL: "p"}), false},
		{Found, Reask{Found: later}.Of(enrich.Identity{Company: enrich.Company{ID: "1"}}), false},
		{Missing, Reask{Found: later}, false},
		{Missing, Reask{}, false},
		{Missing, Reask{Before: decided}, false},
		{Missing, Reask{Before: later}, true},
		{Rejected, Reask{}, false},
		{Rejected, Reask{Before: later}, true},
		{OutcomeUnknown, Reask{Before: later, Found: later, Forfeited: true}, false},
		{PaidAndGone, Reask{Before: later}, false},
		{PaidAndGone, Reask{Forfeited: true}, true},
		{Forgotten, Reask{Before: later, Found: later, Forfeited: true}, false},
	} {
		var r Record
		r.States[enrich.Field(1)], r.At[enrich.Field(1)] = c.state, decided
		if got := r.Askable(enrich.Field(1), c.reask); got != c.want {
			t.Errorf("a field in state %d is askable with %+v: %t, want %t", c.state, c.reask, got, c.want)
		}
	}
}

// TestEntryTime shows that an attempt belongs to the day of its outcome, and to that of
// its beginning while it has none.
func TestEntryTime(t *testing.T) {
	begun := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	ended := begun.Add(2 * time.Second)
	if got := (Entry{Begun: begun}).Time(); !got.Equal(begun) {
		t.Errorf("without an outcome it belongs to %s", got)
	}
	if got := (Entry{Begun: begun, Ended: ended}).Time(); !got.Equal(ended) {
		t.Errorf("with an outcome it belongs to %s", got)
	}
}
