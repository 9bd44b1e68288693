package dispatch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// settling is a journal with one lost call, and an account that has reservations at first.
type settling struct {
	lost  time.Time
	reads int
}

func (s *settling) Doubts() []attempt.Doubt { return []attempt.Doubt{{Decidable: true, Since: s.lost}} }
func (s *settling) LastEnded() time.Time    { return s.lost }
func (s *settling) Drain(context.Context) (func() error, string, error) {
	return func() error { return nil }, "", nil
}

func (s *settling) Reconcile(cost.Account, bool) (attempt.ReconcileResult, error) {
	return attempt.ReconcileResult{Why: "decided"}, nil
}

func (s *settling) Status(context.Context) (account cost.Account, _ error) {
	if s.reads++; s.reads < 3 {
		account.Balance.Reserved = cost.Known(cost.Cent)
	}
	return account, nil
}

// Whoever waits for a reconciliation hears until when: for the settle delay, and then for each look at an account that
// does not come to rest.
func TestAReconciliationSaysUntilWhenItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		account := &settling{lost: began}
		var until []time.Duration
		r := &Reconciler{
			Arbiter: account, Status: account, SettleDelay: 45 * time.Second, Now: time.Now,
			Waits: func(at time.Time) { until = append(until, at.Sub(began)) },
		}
		<-time.After(15 * time.Second)
		if _, err := r.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{45 * time.Second, 50 * time.Second, 55 * time.Second}; !slices.Equal(until, want) || time.Since(began) != want[2] {
			t.Errorf("it says that it waits until %v, and ends after %s, not %v", until, time.Since(began), want)
		}
	})
}
