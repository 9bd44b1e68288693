package simulation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

func TestCeilingsAreKeptAndUsedUp(t *testing.T) {
	const price = 15 * cost.Cent
	returns := map[string]func(call) enrich.Fields{
		"everything found": func(call) enrich.Fields { return email },
		"half of it found": func(c call) enrich.Fields { return email & enrich.Fields(c.n%2) },
	}
	for title, returned := range returns {
		for _, limit := range []cost.Money{0, price - 1, price, 95 * cost.Cent, 105 * cost.Cent} {
			t.Run(title+" under "+limit.String(), func(t *testing.T) {
				script := func(c call) reply { return answersWith(time.Duration(c.n%4)*time.Second, returned(c)) }
				withRig(t, script, func(t *testing.T, r *rig) {
					r.concurrency = 4
					r.maxSpend(limit)
					o := r.run(people(40, email))
					if r.service.charged > limit || r.service.charged+price <= limit {
						t.Errorf("charged %s under a ceiling of %s: not within one lookup's price", r.service.charged, limit)
					}
					if o.word() != "ceiling:max-spend" || o.tally.Spent != r.service.charged {
						t.Errorf("stop %q, tally %s; want ceiling:max-spend and %s", o.word(), o.tally.Spent, r.service.charged)
					}
					testResumes(t, r, limit)
				})
			})
		}
	}
}

// testResumes runs 40 people again: under the same ceiling nothing is sent, under
// one of two more lookups it goes on.
func testResumes(t *testing.T, r *rig, limit cost.Money) {
	sent, charged := len(r.service.calls), r.service.charged
	if again := r.run(people(40, email)); len(r.service.calls) != sent || again.word() != "ceiling:max-spend" {
		t.Errorf("the same again sent %d lookups and stopped with %q", len(r.service.calls)-sent, again.word())
	}
	r.maxSpend(limit + 30*cost.Cent)
	r.run(people(40, email))
	if more := r.service.charged - charged; more != 30*cost.Cent {
		t.Errorf("under a ceiling raised by 0.30, %s more was charged", more)
	}
	asked := r.service.asked()
	slices.Sort(asked)
	if len(slices.Compact(asked)) != len(r.service.calls) {
		t.Errorf("somebody was asked for twice: %v", r.service.calls)
	}
}

func TestACeilingCoversTheFirstRowsOfTheList(t *testing.T) {
	script := func(c call) reply { return answers(time.Duration(7-c.n) * time.Second) }
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 4
		r.maxSpend(5 * 15 * cost.Cent)
		r.run(people(10, email))
		asked := r.service.asked()
		slices.Sort(asked)
		if diff := cmp.Diff(names(5), asked); diff != "" {
			t.Errorf("asked under a ceiling for five (-want +got):\n%s", diff)
		}
	})
}

func TestACeilingStopsOnlyAfterCallsInFlightHaveEnded(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" {
			return answersWith(10*time.Second, 0)
		}
		return answers(time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 4
		r.maxSpend(30 * cost.Cent)
		o := r.run(people(3, email))
		if o.stop != nil || o.tally.Answered != 3 {
			t.Errorf("stop %q, %d answers; want 3: what p1 held came back", o.word(), o.tally.Answered)
		}
	})
}

func TestTheAccountsBalanceIsACeiling(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.service.account.Balance.Available = cost.Known(40 * cost.Cent)
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.maxSpend(cost.Dollar)
		o := r.run(people(5, email))
		if o.word() != "ceiling:account balance" || r.service.charged != 30*cost.Cent {
			t.Errorf("stop %q after %s; want ceiling:account balance after 0.30", o.word(), r.service.charged)
		}
	})
}

func TestTheFreeAllowanceIsUsedBeforeMoney(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		r.service.account.Free[v1.WorkEmail] = cost.Known(int64(4))
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.maxSpend(30 * cost.Cent)
		o := r.run(people(9, email))
		if o.tally.Answered != 6 || o.tally.Spent != 30*cost.Cent || r.service.charged != o.tally.Spent {
			t.Errorf("tally %+v, charged %s; want 4 free answers and 2 paid", o.tally, r.service.charged)
		}
	})
}
