package checkpoint_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// intent is a lookup of an email for 15 cents in a run.
func intent(run string) record.Intent {
	return record.Intent{At: noon, Run: run, Pattern: enrich.ByName.String(), Hold: cost.Hold{
		Fields: enrich.FieldsOf(v1.WorkEmail), Rates: cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
	}}
}

// released is the outcome of a lookup that was not charged, settled of one that was.
var released = attempt.Resolution{State: attempt.Released}

func settled(in record.Intent) attempt.Resolution {
	return attempt.Resolution{State: attempt.Forfeited, Charge: in.Hold.Settle(in.Hold.Fields)}
}

func TestAHoldEndsAsItsChargeInEveryScope(t *testing.T) {
	for name, c := range map[string]struct {
		ends    attempt.Resolution
		charged cost.Money
	}{
		"charged":  {settled(intent("a")), 15 * cost.Cent},
		"released": {released, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, in := checkpoint.NewSums(), intent("a")
			s.Hold(s.Of(in, enrich.Named("a", "b")), in.Hold)
			if len(in.Scopes(enrich.Named("a", "b"))) == 0 || len(s.Scopes) != len(in.Scopes(enrich.Named("a", "b"))) {
				t.Fatalf("%d sums for the scopes %q", len(s.Scopes), in.Scopes(enrich.Named("a", "b")))
			}
			for scope, sum := range s.Scopes {
				if sum.Totals.Held.Money() != 15*cost.Cent || sum.InFlight.Held.Money() != 15*cost.Cent || sum.Totals.Open != 1 {
					t.Errorf("%s: $%s is held, $%s of it in flight, by %d attempts", scope, sum.Totals.Held.Money(), sum.InFlight.Held.Money(), sum.Totals.Open)
				}
			}
			checkpoint.LandHold(s.Of(in, enrich.Named("a", "b")), in.Hold)
			s.Release(s.Of(in, enrich.Named("a", "b")), in.Hold, c.ends, false)
			for _, scope := range in.Scopes(enrich.Named("a", "b")) {
				got := s.Totals(scope)
				if got.Held.Money() != 0 || got.Open != 0 || s.Scope(scope).InFlight.Held != (cost.Amounts{}) || got.Settled.Money() != c.charged || got.EverHeld.Money() != 15*cost.Cent {
					t.Errorf("%s: %+v", scope, got)
				}
			}
		})
	}
}

// TestAccountSumsExcludeAttemptsFromBeforeTheBase releases an attempt from before the base: the account shows
// already what it cost.
func TestAccountSumsExcludeAttemptsFromBeforeTheBase(t *testing.T) {
	s, in := checkpoint.NewSums(), intent("a")
	s.Release(s.Of(in, enrich.Named("a", "b")), in.Hold, settled(in), true)
	s.Correct(s.Of(in, enrich.Named("a", "b")), cost.Charge{}, cost.Charge{Amounts: cost.OfMoney(cost.Cent)}, true)
	for _, scope := range in.Scopes(enrich.Named("a", "b")) {
		want := 16 * cost.Cent
		if scope == record.ScopeAccount {
			want = 0
		}
		if got := s.Totals(scope).Settled.Money(); got != want {
			t.Errorf("%s: $%s is settled, want $%s", scope, got, want)
		}
	}
}

// TestTakeChangesReturnsEachChangeOnce takes changes, and changes what has changed already.
func TestTakeChangesReturnsEachChangeOnce(t *testing.T) {
	s, in := checkpoint.NewSums(), intent("a")
	for range 2 {
		s.Hold(s.Of(in, enrich.Named("a", "b")), in.Hold)
		s.Hold(s.Of(in, enrich.Named("a", "b")), in.Hold)
		s.EndOn(noon, 7)
		writes := s.TakeChanges()
		if len(writes) != len(in.Scopes(enrich.Named("a", "b")))+1 { // and the day
			t.Fatalf("%d writes for %d scopes and a day", len(writes), len(in.Scopes(enrich.Named("a", "b"))))
		}
		for _, w := range writes {
			for _, scope := range in.Scopes(enrich.Named("a", "b")) {
				totals := s.Totals(scope)
				if bytes.Equal(w.Key, record.NameKey(record.TotalsPrefix, scope)) && !bytes.Equal(w.Value, record.Encode(&totals)) {
					t.Errorf("the write of %s does not hold its totals", scope)
				}
			}
		}
		if again := s.TakeChanges(); len(again) > 0 {
			t.Errorf("%d writes although nothing changed", len(again))
		}
	}
}

// TestADayKeepsItsFirstAndItsLastAttempt ends attempts out of their order.
func TestADayKeepsItsFirstAndItsLastAttempt(t *testing.T) {
	s := checkpoint.NewSums()
	for _, id := range []attempt.ID{5, 2, 9, 4} {
		s.EndOn(noon.In(time.FixedZone("east", 5*60*60)), id)
	}
	if got, want := s.Days["2026-03-01"], (record.Span{First: 2, Last: 9}); got != want || len(s.Days) != 1 {
		t.Errorf("%+v, want %+v; %d days", got, want, len(s.Days))
	}
}

// TestSumsStayExactForMoreRunsThanAreCached has more runs than are remembered.
func TestSumsStayExactForMoreRunsThanAreCached(t *testing.T) {
	s := checkpoint.NewSums()
	const runs = 3000
	for round := range 2 {
		for n := range runs {
			in := intent(fmt.Sprint(n))
			s.Hold(s.Of(in, enrich.Named("a", "b")), in.Hold)
			if got := s.Totals(record.RunScope(in.Run)).Open; got != int64(round+1) {
				t.Fatalf("run %d has %d attempts that are open, want %d", n, got, round+1)
			}
		}
	}
	if got := s.Totals(record.ScopeAll).Open; got != 2*runs {
		t.Errorf("%d attempts are open, want %d", got, 2*runs)
	}
}
