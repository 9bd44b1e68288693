package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

// atRealRate runs lookups at the rate of the service, with responses that take a second. One in
// 40 responses is lost: before anything was charged, or after all fields were. It returns how
// many were lost, how many of these were decided, and how many of them had not been charged.
func atRealRate(t *testing.T, seed uint64, shared bool, charged func(r *rand.Rand) bool) (lost, decided, uncharged, released int) {
	random := rand.New(rand.NewPCG(seed, 1))
	script := func(c call) reply {
		if c.try > 1 || random.IntN(40) > 0 {
			return answers(time.Second)
		}
		lost++
		if charged(random) {
			return loses(time.Second, c.fields)
		}
		uncharged++
		return loses(time.Second, 0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.rate, r.concurrency, r.spacing, r.shared = serviceRate, 16, serviceRate.Spacing(), shared
		r.open()
		var lookups []enrich.Lookup
		for i, lookup := range people(400, email) {
			lookup.Fields = []enrich.Fields{email, phone, email | phone}[i%3]
			lookups = append(lookups, lookup)
		}
		if o := r.run(lookups); o.stop != nil {
			t.Fatalf("the run stopped: %v", o.stop)
		}
		decided = lost - len(r.journal.Doubts())
		err := r.journal.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
			if e.State == attempt.Released {
				released++
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	return lost, decided, uncharged, released
}

// TestLostCallsAreDecidedAtTheRateOfTheService: at least 95 % of the lost calls are decided on an
// exclusive account. On a shared one every call is that was not charged, while nobody else
// spends and no other call that was lost with it was charged.
func TestLostCallsAreDecidedAtTheRateOfTheService(t *testing.T) {
	for _, c := range []struct {
		name    string
		shared  bool
		charged func(*rand.Rand) bool
	}{
		{"exclusive, half were charged", false, func(r *rand.Rand) bool { return r.IntN(2) == 0 }},
		{"exclusive, all were charged", false, func(*rand.Rand) bool { return true }},
		{"shared, none was charged", true, func(*rand.Rand) bool { return false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lost, decided, uncharged, released int
			for seed := range uint64(6) {
				l, d, u, v := atRealRate(t, seed, c.shared, c.charged)
				lost, decided, uncharged, released = lost+l, decided+d, uncharged+u, released+v
			}
			figures := fmt.Sprintf("%d lost, %d decided; %d not charged, %d voided", lost, decided, uncharged, released)
			t.Log(figures)
			if lost < 50 || decided*100 < lost*95 || c.shared && released != uncharged {
				t.Errorf("%s; want 95 %% decided, and on a shared account all that were not charged", figures)
			}
		})
	}
}
