package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

// showing returns an account with the given balance and free emails left.
func showing(balance cost.Money, emails int64) cost.Account {
	var a cost.Account
	a.Balance.Available = cost.Known(balance)
	a.Free[email] = cost.Known(emails)
	return a
}

// TestDriftOf goes through what the journal can have done around a snapshot. Money and
// free units follow the same rules.
func TestDriftOf(t *testing.T) {
	const dollar = cost.Dollar
	// Of six ever held, one unit was given back, two are held and three settled.
	six := totalsOf(6, 2, 3)
	for name, tt := range map[string]struct {
		before, after cost.Totals
		gone          int64 // from the account, of money in dollars and of free units
		drift         int64
	}{
		"nothing happened":           {totalsOf(0, 0, 0), totalsOf(0, 0, 0), 0, 0},
		"a deposit":                  {totalsOf(0, 0, 0), totalsOf(0, 0, 0), -25, 0},
		"somebody else":              {totalsOf(0, 0, 0), totalsOf(0, 0, 0), 4, 4},
		"settled":                    {totalsOf(3, 0, 3), totalsOf(3, 0, 3), 3, 0},
		"settled, and somebody else": {totalsOf(3, 0, 3), totalsOf(3, 0, 3), 4, 1},
		"held, charged or not":       {six, six, 3, 0},
		"held, and charged":          {six, six, 5, 0},
		"more than was held, but for what came back": {six, six, 6, 1},
		"given back while the account was looked at": {totalsOf(2, 2, 0), totalsOf(2, 0, 1), 2, 0},
		"begun while the account was looked at":      {six, totalsOf(8, 4, 3), 7, 0},
		"begun, and somebody else":                   {six, totalsOf(8, 4, 3), 9, 2},
	} {
		t.Run(name, func(t *testing.T) {
			now := showing(100*dollar-dollar.Times(tt.gone), 100-tt.gone)
			got := cost.DriftOf(showing(100*dollar, 100), now, tt.before, tt.after, tariff, false)
			want := cost.Drift{Lost: of(dollar.Times(tt.drift), enrich.ByField[int64]{tt.drift})}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Zero() != (tt.drift == 0) {
				t.Errorf("%+v is nothing: %t", got, got.Zero())
			}
		})
	}
}

// totalsOf returns sums with the same number of dollars and free emails: how many were ever
// held, are held, and are settled.
func totalsOf(everHeld, held, settled int64) cost.Totals {
	dollars := func(n int64) cost.Amounts { return of(cost.Dollar.Times(n), enrich.ByField[int64]{n}) }
	return cost.Totals{EverHeld: dollars(everHeld), Held: dollars(held), Settled: dollars(settled)}
}

// TestValuesThatASnapshotOmitsAreNotCountedAsDrift: what one of the snapshots leaves out is not zero.
func TestValuesThatASnapshotOmitsAreNotCountedAsDrift(t *testing.T) {
	shown := showing(100*cost.Dollar, 100)
	for name, pair := range map[string][2]cost.Account{"before": {{}, shown}, "after": {shown, {}}} {
		if got := cost.DriftOf(pair[0], pair[1], cost.Totals{}, cost.Totals{}, tariff, false); !got.Zero() {
			t.Errorf("not told %s: %+v", name, got)
		}
	}
}

// TestFreeUnitsOfOwnCallsAreNotCountedAsDrift has a journal that pays for every email, as with --strict,
// and a service that takes free units for them.
func TestFreeUnitsOfOwnCallsAreNotCountedAsDrift(t *testing.T) {
	totals := cost.Totals{Open: 2, Charged: enrich.ByField[int64]{email: 3}}
	for gone, want := range map[int64]int64{0: 0, 3: 0, 5: 0, 6: 1} {
		got := cost.DriftOf(showing(0, 100), showing(0, 100-gone), totals, totals, tariff, true)
		if got.Lost[freeEmails] != want {
			t.Errorf("%d units gone: drift %+v, want %d", gone, got, want)
		}
		counted := cost.DriftOf(showing(0, 100), showing(0, 100-gone), totals, totals, tariff, false)
		if counted.Lost[freeEmails] != gone {
			t.Errorf("%d units gone, free units booked: drift %+v", gone, counted)
		}
	}
}
