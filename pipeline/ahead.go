// This file estimates how much a run still sends, and for how long.

package pipeline

import (
	"math"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// ahead is what a start will send, as it was estimated before its first lookup. A plan and the progress of a run take
// their times from it.
type ahead struct {
	steps []aheadStep
	money cost.Money // left under the ceilings on money; MaxMoney without one
	spent cost.Money // before, by the same start
	pause time.Time  // that the service asked for; zero for none
}

type aheadStep struct {
	others  int64 // lookups of the step that the ceilings on other things than money cover
	covered int64 // lookups that all ceilings cover: probably where the match rates are known, else certainly
	rate    checkpoint.Rate
}

// A start shows what its lookups cost, on average, once it has sent fewToLearn.
const fewToLearn = 10

// lookAhead estimates what the steps will send. Each step takes what the steps before it leave under the ceilings. Shown
// are the ceilings as a plan shows them.
func (r *RunSteps) lookAhead(at time.Time, shown []report.Ceiling) ahead {
	limits, lefts := r.limits(), []int64(nil)
	a := ahead{money: cost.MaxMoney, spent: r.Tally().Spent}
	for _, l := range limits {
		left := r.leftUnder(l, at)
		if lefts = append(lefts, left); l.Meter == cost.USD {
			a.money = min(a.money, cost.Money(left))
		}
	}
	for _, s := range r.Steps {
		step := aheadStep{others: s.withinLimits(), covered: s.Counts.Lookup, rate: s.Account.Rate}
		for i, l := range limits {
			covered := s.covered(l, lefts[i])
			if step.covered = min(step.covered, covered); l.Meter != cost.USD {
				step.others = min(step.others, covered)
			}
		}
		step.covered = min(step.covered, step.others)
		for i, l := range limits {
			lefts[i] = max(lefts[i]-s.uses(l, step.covered), 0)
		}
		a.steps = append(a.steps, step)
		if journal := s.Account.Journal; journal != nil && journal.PausedUntil().After(a.pause) {
			a.pause = journal.PausedUntil()
		}
	}
	if probably := probablyCovered(shown); len(a.steps) == 1 && probably > a.steps[0].covered {
		a.steps[0].covered = min(probably, a.steps[0].others)
	}
	return a
}

// probablyCovered returns how many lookups the binding ceiling probably covers; 0 where that is not known.
func probablyCovered(ceilings []report.Ceiling) int64 {
	for _, ceiling := range ceilings {
		if ceiling.Binding && ceiling.ProbablyCovers != nil {
			return *ceiling.ProbablyCovers
		}
	}
	return 0
}

// withinLimits returns how many lookups of the step use nothing of which the account has reached a limit.
func (s *RunStep) withinLimits() (lookups int64) {
	if s.Account.Journal == nil {
		return s.Counts.Lookup
	}
	reached := s.Account.Journal.Limits()
	rates := s.Account.Rates()
	for fields, n := range s.Counts.Lookups {
		most, _ := rates.Total(fields) // they have prices
		free := true
		for _, limit := range reached {
			for m := range limit.Meters.Each() {
				free = free && most[m] == 0
			}
		}
		if free {
			lookups += n
		}
	}
	return lookups
}

// limitedBy reports whether a ceiling can limit the step.
func (s *RunStep) limitedBy(l limit) bool {
	return (l.account == nil || l.account == s.Account) && (l.Meter == cost.Lookups || s.Account.Consumes(l.Meter))
}

// covered returns how many lookups of the step what is left under a ceiling certainly covers.
func (s *RunStep) covered(l limit, left int64) int64 {
	switch {
	case !s.limitedBy(l):
		return s.Counts.Lookup
	case l.Meter == cost.Lookups:
		return left
	case l.Meter == cost.USD:
		covers, err := cost.LookupCosts{lookupCostOf(s.Account, s.Counts.Lookups)}.Covers(cost.Money(left))
		if err != nil {
			return s.Counts.Lookup // the run is refused
		}
		return covers
	}
	using := int64(0)
	rates := s.Account.Rates()
	for fields, n := range s.Counts.Lookups {
		if most, _ := rates.Total(fields); most[l.Meter] > 0 {
			using += n
		}
	}
	return s.Counts.Lookup - max(using-left/s.Account.MostOf(l.Meter), 0) // the others are sent all the same
}

// uses returns what some lookups of the step use of a ceiling at most.
func (s *RunStep) uses(l limit, lookups int64) int64 {
	switch {
	case !s.limitedBy(l):
		return 0
	case l.Meter == cost.Lookups:
		return lookups
	case l.Meter == cost.USD:
		most, err := cost.LookupCosts{lookupCostOf(s.Account, s.Counts.Lookups)}.MostExpensive(lookups)
		if err != nil {
			return math.MaxInt64
		}
		return int64(most)
	}
	return min(lookups*s.Account.MostOf(l.Meter), s.most()[l.Meter])
}

// covered returns how many lookups the ceilings cover.
func (a ahead) covered() (lookups int64) {
	for _, s := range a.steps {
		lookups += s.covered
	}
	return lookups
}

// remaining returns how long the lookups take before the first of them is sent.
func (a ahead) remaining(at time.Time) time.Duration {
	var legs []cost.Leg
	for _, s := range a.steps {
		legs = append(legs, s.leg(s.covered))
	}
	wait := time.Duration(0)
	if !a.pause.IsZero() {
		wait = a.pause.Sub(at)
	}
	return cost.Remaining(legs, wait)
}

// leg returns some lookups of the step.
func (s aheadStep) leg(lookups int64) cost.Leg {
	return cost.Leg{Lookups: max(lookups, 0), Slots: s.rate.Slots, Window: s.rate.Window}
}

// legs returns what is left to send while a step sends. Now is what the lookups of the step came to so far, and spent
// what all lookups of the start have cost. What those of the step cost says how many more the money covers.
func (a ahead) legs(step int, now dispatch.Tally, spent cost.Money) (legs []cost.Leg) {
	money := a.money - (spent - a.spent)
	for i, s := range a.steps[min(step, len(a.steps)):] {
		if i > 0 {
			legs = append(legs, s.leg(s.covered))
			continue
		}
		left := s.covered - now.Lookups
		switch {
		case now.Lookups < fewToLearn || a.money == cost.MaxMoney:
		case now.Spent == 0: // all money is left
			left = min(s.others-now.Lookups, s.covered)
		default:
			each := float64(now.Spent) / float64(now.Lookups)
			left = min(s.others-now.Lookups, int64(float64(max(money, 0))/each))
		}
		legs = append(legs, s.leg(left))
	}
	return legs
}
