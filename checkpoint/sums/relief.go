package sums

import (
	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// Doubt is a call in doubt: the sums that it counts in and the money that it holds.
type Doubt struct {
	ID   attempt.ID
	Sums []*Sum
	Held cost.Money
}

// Relieve reduces what each scope holds to what its calls in doubt can have been charged
// together. The account tells only the sum over all calls of a period, not which of them were
// charged. So a scope that has some of the calls holds the least of two amounts: the sum of
// their holds, and what all calls of the period can have been charged.
func (s *Sums) Relieve(periods []record.ClosedPeriod, doubts []Doubt) {
	relief, order := reliefOf(periods, doubts)
	for _, sum := range append(order, s.relieved...) {
		if by := relief[sum] - sum.relief; by != 0 {
			sum.Totals.Held -= by
			sum.relief = relief[sum]
			s.Touch(sum)
		}
	}
	s.relieved = order
}

// RecallRelief notes by how much the totals were reduced that were read from the store.
func (s *Sums) RecallRelief(periods []record.ClosedPeriod, doubts []Doubt) {
	relief, order := reliefOf(periods, doubts)
	for _, sum := range order {
		sum.relief = relief[sum]
	}
	s.relieved = order
}

// Relief returns by how much less a scope holds than the sum of the holds.
func (s *Sums) Relief(scope string) cost.Money {
	if sum := s.Scopes[scope]; sum != nil {
		return sum.relief
	}
	return 0
}

// reliefOf returns the reductions, and their sums in the order of the doubts. Periods and doubts are
// in the order of the attempts. The totals of the account begin at its base and hold nothing for
// earlier calls.
func reliefOf(periods []record.ClosedPeriod, doubts []Doubt) (relief map[*Sum]cost.Money, order []*Sum) {
	relief = map[*Sum]cost.Money{}
	for _, p := range periods {
		if p.Excess == 0 {
			continue
		}
		for len(doubts) > 0 && doubts[0].ID < p.First {
			doubts = doubts[1:]
		}
		var all cost.Money
		held := map[*Sum]cost.Money{}
		for ; len(doubts) > 0 && p.Holds(doubts[0].ID); doubts = doubts[1:] {
			d := doubts[0]
			all += d.Held
			for _, sum := range d.Sums {
				if sum.Name == record.ScopeAccount {
					continue
				}
				if _, known := relief[sum]; !known {
					relief[sum], order = 0, append(order, sum)
				}
				held[sum] += d.Held
			}
		}
		for sum, own := range held {
			relief[sum] += max(0, p.Excess-(all-own))
		}
	}
	return relief, order
}
