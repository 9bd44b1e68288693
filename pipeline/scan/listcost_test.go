package scan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// recorder knows persons by their keys, and each one's outcomes.
type recorder struct {
	people   map[enrich.Key]attempt.Record
	outcomes map[attempt.ID]attempt.Outcome
}

func (recorder) KeyOf([]byte) enrich.Key { return enrich.Key{} }
func (r recorder) People() int64         { return int64(len(r.people)) }

func (r recorder) RecordOf(key enrich.Key, _ enrich.Fields) (attempt.Record, error) {
	return r.people[key], nil
}

func (r recorder) Records(_, _ enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	for key := range r.people {
		if err := visit(key, func() (attempt.Record, error) { return r.RecordOf(key, enrich.PossibleFields) }); err != nil {
			return err
		}
	}
	return nil
}

func (r recorder) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, id := range ids {
			known = append(known, r.outcomes[id])
		}
		return known, nil
	}
}

// charged is an answer for which fields were charged.
func charged(id attempt.ID, run string, amount cost.Money, paid, free enrich.Fields) attempt.Outcome {
	return attempt.Outcome{ID: id, Ended: attempt.Resolution{
		State: attempt.Settled, Run: run, Status: enrich.Matched,
		Charge: cost.Charge{Amounts: cost.OfMoney(amount), Paid: paid, Free: free},
	}}
}

// ann's lookups count once each: one for both fields, an earlier one whose answer is lost. Bob's is not
// ended. Cy is in the journal and not in the list.
func journal() (r recorder, ann, bob, cy enrich.Key) {
	ann, bob, cy = enrich.Key{1}, enrich.Key{2}, enrich.Key{3}
	both := enrich.FieldsOf(0) | enrich.FieldsOf(1)
	return recorder{
		people: map[enrich.Key]attempt.Record{
			ann: {Attempts: enrich.ByField[attempt.ID]{7, 7}, Earlier: enrich.ByField[[]attempt.ID]{{3}}},
			bob: {Attempts: enrich.ByField[attempt.ID]{9}},
			cy:  {Attempts: enrich.ByField[attempt.ID]{8}},
		},
		outcomes: map[attempt.ID]attempt.Outcome{
			3: {ID: 3, Ended: attempt.Resolution{State: attempt.Forfeited, Run: "first", Charge: cost.Charge{Amounts: cost.OfMoney(15 * cost.Cent), Paid: enrich.FieldsOf(0)}}},
			7: charged(7, "second", 60*cost.Cent, enrich.FieldsOf(1), both&^enrich.FieldsOf(1)),
			8: charged(8, "second", cost.Dollar, both, 0),
			9: {ID: 9, Doubt: "EOF"},
		},
	}, ann, bob, cy
}

func TestListCostCountsOnlyPersonsOfTheList(t *testing.T) {
	t.Parallel()
	r, ann, bob, _ := journal()
	want := ListCost{
		Lookups: 1, Charged: 75 * cost.Cent, Bought: enrich.ByField[int64]{2, 1}, Open: 1,
		Runs: map[string]cost.Money{"first": 15 * cost.Cent, "second": 60 * cost.Cent},
	}
	for name, ask := range map[string]func(*CostWatcher) error{
		"one by one": func(w *CostWatcher) error {
			for _, key := range []enrich.Key{ann, bob, ann} { // twice is once
				if _, err := w.RecordOf(key, enrich.PossibleFields); err != nil {
					return err
				}
			}
			return nil
		},
		"in passing": func(w *CostWatcher) error {
			return w.Records(enrich.Key{}, enrich.Key{}, func(key enrich.Key, record func() (attempt.Record, error)) error {
				if slices.Contains([]enrich.Key{ann, bob}, key) {
					_, err := record()
					return err
				}
				return nil
			})
		},
	} {
		w := WatchCost(r)
		if err := ask(w); err != nil {
			t.Fatal(err)
		}
		got, err := w.Cost(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestListCostOfAnUnknownListIsZero(t *testing.T) {
	t.Parallel()
	r, _, _, _ := journal()
	got, err := WatchCost(r).Cost(r)
	if err != nil || got.Lookups+got.Open != 0 || got.Charged != 0 {
		t.Errorf("%+v, error %v", got, err)
	}
}
