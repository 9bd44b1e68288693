package pipeline

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// What the lookups cost so far says how many more the money covers; before that, what was certain at the start.
func TestRemainingLookupsFollowFromTheMoneyLeft(t *testing.T) {
	t.Parallel()
	rate := checkpoint.Rate{Slots: 30, Window: time.Minute}
	a := ahead{steps: []aheadStep{{others: 800, covered: 20, rate: rate}, {others: 50, covered: 50, rate: rate}}, money: 3 * cost.Dollar}
	for name, test := range map[string]struct {
		step  int
		now   dispatch.Tally
		spent cost.Money
		want  []int64 // of this step and those after it
	}{
		"at the start":           {0, dispatch.Tally{}, 0, []int64{20, 50}},
		"too few to learn from":  {0, dispatch.Tally{Lookups: 5, Spent: 15 * cost.Cent}, 15 * cost.Cent, []int64{15, 50}},
		"every third one costs":  {0, dispatch.Tally{Lookups: 30, Spent: 150 * cost.Cent}, 150 * cost.Cent, []int64{30, 50}},
		"nothing is left":        {0, dispatch.Tally{Lookups: 60, Spent: 300 * cost.Cent}, 300 * cost.Cent, []int64{0, 50}},
		"no more than there are": {0, dispatch.Tally{Lookups: 790, Spent: cost.Cent}, cost.Cent, []int64{10, 50}},
		"the last step":          {1, dispatch.Tally{Lookups: 8}, 300 * cost.Cent, []int64{42}},
		"nothing costs so far":   {0, dispatch.Tally{Lookups: 25}, 0, []int64{20, 50}},
		"other ceilings bind":    {1, dispatch.Tally{Lookups: 30, Spent: cost.Cent}, cost.Cent, []int64{20}},
	} {
		legs := a.legs(test.step, test.now, test.spent)
		for i, want := range test.want {
			if len(legs) != len(test.want) || legs[i].Lookups != want {
				t.Errorf("%s: %+v, want %v", name, legs, test.want)
				break
			}
		}
	}
	if got, want := a.remaining(time.Time{}), time.Minute; got != want { // 20 lookups, then 50
		t.Errorf("the plan says %s, want %s", got, want)
	}
	begin := time.Now()
	a.pause = begin.Add(90 * time.Second)
	if got, want := a.remaining(begin), 150*time.Second; got != want {
		t.Errorf("during a pause the plan says %s, want %s", got, want)
	}
}
