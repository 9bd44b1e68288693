package record

import (
	"cmp"
	"slices"

	"payonce/attempt"
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
func (p *ClosedPeriod) Limit(held, most cost.Money, known bool) {
	var provisional cost.Money
	for f, n := range CountProvisional(p.Provisional) {
		provisional += p.Prices[enrich.Field(f)].Times(n)
	}
	// Settle books up to this much for them. So what is booked and held never grows.
	most = max(most, p.Lost-(p.Booked-provisional))
	if known && p.Booked-provisional <= p.Lost {
		p.Excess = max(0, held-most)
	}
}

// Settle enters the charge of a call of the period that was in doubt. The period cannot have
// cost more than the account lost, so charges of it may have to be corrected: correction counts
// those of earlier answers, and the call's own charge is returned as it is then. Rest is what the
// other calls of the period hold that are in doubt.
func (p *ClosedPeriod) Settle(id attempt.ID, hold cost.Hold, charge cost.Charge, rest cost.Money) (settled cost.Charge, correction cost.Correction) {
	p.Booked += charge.Amount
	answers := CountProvisional(p.Provisional)
	all := CountProvisional(append(slices.Clone(p.Provisional), Provisional{ID: id, Fields: charge.Paid}))
	correction = cost.CorrectTo(p.Lost, p.Booked, all, p.Prices)
	if p.Booked-correction.Amount(p.Prices) < p.Lost {
		correction = cost.Correction{} // the journal would book less than the account may have charged
	}
	var free enrich.Fields
	for f, n := range correction {
		p.Booked -= p.Prices[enrich.Field(f)].Times(n)
		if n > answers[f] {
			correction[f]--
			free = free.With(enrich.Field(f))
		}
	}
	settled = charge.Correct(free, hold.Prices)
	p.Excess = min(rest, max(0, p.Excess-(hold.Amount()-settled.Amount)))
	return settled, correction
}
