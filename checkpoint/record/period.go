package record

import (
	"cmp"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// CountProvisional counts provisional charges by field.
func CountProvisional(list []Provisional) (counts enrich.ByField[int64]) {
	for _, p := range list {
		for f := range p.Fields.Each() {
			counts[f]++
		}
	}
	return counts
}

// PeriodOf returns the place of the period that holds an attempt, or -1. The periods are in the
// order of their attempts, as the ledger state keeps them.
func PeriodOf(periods []ClosedPeriod, id attempt.ID) int {
	at, _ := slices.BinarySearchFunc(periods, id, func(p ClosedPeriod, id attempt.ID) int {
		return cmp.Compare(p.Next, id+1) // the first period that ends after the attempt
	})
	if at == len(periods) || !periods[at].Holds(id) {
		return -1
	}
	return at
}

// Limit notes what the calls in doubt of the period hold, and the most that they can have been
// charged together, if that is known.
func (p *ClosedPeriod) Limit(held, most cost.Amounts, known bool) {
	corrected := cost.Correction(CountProvisional(p.Provisional)).Amounts(p.Rates)
	booked := p.Booked.Minus(corrected.Most(cost.Amounts{})) // at least
	// Settle books up to this much for them. So what is booked and held never grows.
	most = most.Most(p.Lost.Minus(booked))
	for m := range p.Excess {
		if known && booked[m] <= p.Lost[m] {
			p.Excess[m] = max(0, held[m]-most[m])
		}
	}
}

// Settle enters the charge of a call of the period that was in doubt. The period cannot have
// cost more than the account lost, so charges of it may have to be corrected: correction counts
// those of earlier answers, and the call's own charge is returned as it is then. Rest is what the
// other calls of the period hold that are in doubt.
func (p *ClosedPeriod) Settle(id attempt.ID, hold cost.Hold, charge cost.Charge, rest cost.Amounts) (settled cost.Charge, correction cost.Correction) {
	p.Booked = p.Booked.Plus(charge.Amounts)
	answers := CountProvisional(p.Provisional)
	all := CountProvisional(append(slices.Clone(p.Provisional), Provisional{ID: id, Fields: charge.Paid}))
	correction = cost.CorrectTo(p.Lost.Money(), p.Booked.Money(), all, p.Rates)
	if p.Booked.Minus(correction.Amounts(p.Rates)).Money() < p.Lost.Money() {
		correction = cost.Correction{} // the journal would book less than the account may have charged
	}
	p.Booked = p.Booked.Minus(correction.Amounts(p.Rates))
	var free enrich.Fields
	for f, n := range correction {
		if n > answers[f] {
			correction[f]--
			free = free.With(enrich.Field(f))
		}
	}
	settled = p.limit(charge.Correct(free, hold.Rates), hold.Rates)
	p.Excess = p.Excess.Minus(hold.Amounts().Minus(settled.Amounts)).Most(cost.Amounts{}).Least(rest)
	return settled, correction
}

// limit returns a charge that is booked because somebody said so, reduced to what is left of the account's loss.
// What was booked already includes it. Units of free allowances are not reduced: whether one or money paid for
// a value is corrected before.
func (p *ClosedPeriod) limit(charge cost.Charge, rates cost.Rates) cost.Charge {
	left := p.Lost.Minus(p.Booked.Minus(charge.Amounts)).Most(cost.Amounts{})
	if rates.Fractions() {
		left[cost.USD] += int64(cost.Cent) - 1 // the account shows whole cents
	}
	shown := p.Shown
	for _, rate := range rates {
		if rate.Allowance != cost.USD {
			shown &^= cost.MetersOf(rate.Allowance)
		}
	}
	least := charge.Limit(left, shown, rates)
	p.Booked = p.Booked.Minus(charge.Amounts).Plus(least.Amounts)
	return least
}
