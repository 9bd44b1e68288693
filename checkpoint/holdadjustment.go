package checkpoint

import (
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// SumDoubt is a call in doubt: the sums that it counts in and what it holds.
type SumDoubt struct {
	ID   attempt.ID
	Sums []SumCount
	Held cost.Amounts
}

// AccountSums has what reduces the holds of one account: its closed periods and its calls in doubt, both in
// the order of the attempts.
type AccountSums struct {
	Periods []record.ClosedPeriod
	Doubts  []SumDoubt
}

// AdjustHolds reduces what each scope holds to what its calls in doubt can have been charged
// together. The account shows only the sum over all calls of a period, not which of them were
// charged. So a scope that has some of the calls holds the least of two amounts: the sum of
// their holds, and what all calls of the period can have been charged.
func (s *Sums) AdjustHolds(accounts []AccountSums) {
	adjustment, order := adjustmentsOf(accounts)
	for _, sum := range append(order, s.adjusted...) {
		if by := adjustment[sum].Minus(sum.adjustment); by != (cost.Amounts{}) {
			sum.Totals.Held = sum.Totals.Held.Minus(by)
			sum.adjustment = adjustment[sum]
			s.Touch(sum)
		}
	}
	s.adjusted = order
}

// dropAdjustments forgets by how much the totals were reduced, before others are read from the store.
func (s *Sums) dropAdjustments() {
	for _, sum := range s.adjusted {
		sum.adjustment = cost.Amounts{}
	}
}

// LoadAdjustments notes by how much the totals were reduced that were read from the store.
func (s *Sums) LoadAdjustments(accounts []AccountSums) {
	adjustment, order := adjustmentsOf(accounts)
	for _, sum := range order {
		sum.adjustment = adjustment[sum]
	}
	s.adjusted = order
}

// adjustmentsOf returns the adjustments, and their sums in the order of the doubts. The totals of an account
// begin at its base and hold nothing for earlier calls.
func adjustmentsOf(accounts []AccountSums) (adjustment map[*Sum]cost.Amounts, order []*Sum) {
	adjustment = map[*Sum]cost.Amounts{}
	for _, account := range accounts {
		order = account.adjust(adjustment, order)
	}
	return adjustment, order
}

// adjust adds the adjustments of an account.
func (a AccountSums) adjust(adjustment map[*Sum]cost.Amounts, order []*Sum) []*Sum {
	doubts := a.Doubts
	for _, p := range a.Periods {
		if p.Excess == (cost.Amounts{}) {
			continue
		}
		for len(doubts) > 0 && doubts[0].ID < p.First {
			doubts = doubts[1:]
		}
		var all cost.Amounts
		held := map[*Sum]cost.Amounts{}
		for ; len(doubts) > 0 && p.Holds(doubts[0].ID); doubts = doubts[1:] {
			d := doubts[0]
			all = all.Plus(d.Held)
			for _, sum := range d.Sums {
				if sum.As.SinceBase {
					continue
				}
				if _, known := adjustment[sum.Sum]; !known {
					adjustment[sum.Sum], order = cost.Amounts{}, append(order, sum.Sum)
				}
				held[sum.Sum] = held[sum.Sum].Plus(sum.As.Of(d.Held))
			}
		}
		for sum, own := range held {
			adjustment[sum] = adjustment[sum].Plus(lessTogether(p.Excess, all, own))
		}
	}
	return order
}

// lessTogether returns by how much less some calls in doubt of a closed period hold together than the sum of their
// holds, which is own. All is the sum of the holds of all its calls in doubt, which exceeds by excess what they can have
// been charged together. The others may not have been charged at all.
func lessTogether(excess, all, own cost.Amounts) cost.Amounts {
	return excess.Minus(all.Minus(own)).Most(cost.Amounts{})
}
