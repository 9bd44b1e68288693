package checkpoint

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestRecallWithoutSubjectsReturnsTheSameOutcomes compares what it tells with and without, but for that,
// of journals in every form: with answers, doubts, what is forgotten, pruned, forfeited,
// in flight and not there.
func TestRecallWithoutSubjectsReturnsTheSameOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for name, make := range map[string]func(t *testing.T) *rig{
		"version 7": func(t *testing.T) *rig { return versionRig(t, "testdata/journal-v7") },
		"memory":    func(t *testing.T) *rig { return erasedHere(newRig(t)) },
		"badger":    func(t *testing.T) *rig { return erasedHere(newBadgerRig(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := make(t)
			last := attempt.ID(r.People())
			for _, memory := range []int64{0, 1} {
				with, without := r.Recall(memory, true), r.Recall(memory, false)
				rapid.Check(t, func(t *rapid.T) { compareRecalls(t, last, with, without) })
			}
		})
	}
}

type recall = func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)

// compareRecalls draws attempts, of which some may not be there.
func compareRecalls(t *rapid.T, last attempt.ID, with, without recall) {
	share := rapid.IntRange(1, 40).Draw(t, "one in")
	var ids []attempt.ID
	for id := attempt.ID(1); id <= last; id++ {
		if rapid.IntRange(1, share).Draw(t, "asked") == 1 {
			ids = append(ids, id)
		}
	}
	missing := rapid.IntRange(1, 10).Draw(t, "missing") == 1
	if missing {
		ids = append(ids, last+attempt.ID(rapid.Uint64Range(1, 1<<40).Draw(t, "behind the last")))
	}
	want, wantErr := with(ids, nil)
	got, err := without(ids, nil)
	if missing != errors.Is(err, ErrCorrupt) || missing != errors.Is(wantErr, ErrCorrupt) {
		t.Fatalf("missing %t: error %v, and %v with who", missing, err, wantErr)
	}
	for i := range want {
		want[i].Who = enrich.Identity{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("without who (-with +without):\n%s", diff)
	}
}

// erasedHere adds attempts of all kinds, of which some persons are forgotten, and of all
// before some the values are gone.
func erasedHere(r *rig) *rig {
	all := outcomesOfAllKinds(r, 150)
	for i, id := range all {
		if i%7 == 0 {
			_, err := r.Settle(id, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", BusinessPhone: "+15550100"}))
			r.check(err)
		}
	}
	_, err := r.Prune(start.AddDate(1, 0, 0))
	r.check(err)
	for n := range 10 {
		_, err := r.erase(Person{Identity: person(9 * n)})
		r.check(err)
	}
	for n := range 200 {
		ticket := r.grant(request(person(1000+n), v1.AllFields))
		switch {
		case n%11 == 0: // stays open
		case n%11 == 1:
			r.check(r.Release(ticket.ID, attempt.Release{Reason: "invalid", Reject: true, Sent: true}))
		default:
			r.settle(ticket, v1.Answer{Status: enrich.Partial, WorkEmail: fmt.Sprintf("p%d@b.example", n), Unresolved: []string{"business_phone"}})
		}
	}
	return r
}

// TestRecallIsSafeForConcurrentUse has goroutines that ask for the same attempts, which lie
// apart, while others end.
func TestRecallIsSafeForConcurrentUse(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *rig{"memory": newRig, "badger": newBadgerRig} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			all := outcomesOfAllKinds(r, 300)
			recall := r.Recall(0, true)
			var done sync.WaitGroup
			for offset := range 4 {
				done.Go(func() {
					for n := range 60 {
						ids := []attempt.ID{all[n+offset], all[n+100], all[n+200+offset]}
						known, err := recall(ids, nil)
						if err != nil || len(known) != len(ids) {
							t.Errorf("%d outcomes, error %v", len(known), err)
						}
						for i, outcome := range known {
							if outcome.ID != ids[i] || outcome.Who != person(int(ids[i]-all[0])) {
								t.Errorf("attempt %d is told as %+v", ids[i], outcome)
							}
						}
					}
				})
			}
			for i := 0; i < len(all); i += 7 {
				_, err := r.Settle(all[i], v1.EncodeAnswer(found))
				r.check(err)
			}
			done.Wait()
			known, err := recall(all, nil)
			if err != nil || len(known) != len(all) {
				t.Fatalf("%d outcomes, error %v", len(known), err)
			}
			for i, outcome := range known {
				r.checkOutcome(outcome, person(i))
			}
		})
	}
}
