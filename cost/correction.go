package cost

import "payonce/enrich"

// Correction counts, for each field, the charges that were booked as paid although the free
// allowance must have paid them.
type Correction enrich.ByField[int64]

// Correct returns how many of the candidates were free. Candidates are charges that were booked
// as paid although the free allowance may have paid them. It returns the smallest correction
// with which the journal has booked no more money than the account lost. If no others used
// the account, the journal then equals the account. It corrects nothing when the evidence
// cannot be used.
func (e Evidence) Correct(candidates enrich.ByField[int64]) Correction {
	change, why := e.usable()
	if why != "" {
		return Correction{}
	}
	gone := change.Lost.Minus(e.Booked.Settled)
	for f := range candidates {
		if m := e.Rates[enrich.Field(f)].Allowance; m != USD {
			candidates[f] = max(min(candidates[f], gone[m]), 0)
		}
	}
	return CorrectTo(change.Lost.Money(), e.Booked.Settled.Money(), candidates, e.Rates)
}

// CorrectTo returns the cheapest correction of the candidates that brings the money that was booked
// down to what the account lost. It corrects nothing when no correction suffices.
func CorrectTo(lost, booked Money, candidates enrich.ByField[int64], rates Rates) Correction {
	excess := booked - lost
	if excess <= 0 || rounded(booked, lost) {
		return Correction{}
	}
	var best Correction
	least := Money(-1)
	var try func(f enrich.Field, chosen Correction, freed Money)
	try = func(f enrich.Field, chosen Correction, freed Money) {
		if f == enrich.MaxFields {
			enough := freed >= excess || rounded(booked-freed, lost)
			if enough && (least < 0 || freed < least) {
				best, least = chosen, freed
			}
			return
		}
		for n := range candidates[f] + 1 {
			chosen[f] = n
			try(f+1, chosen, freed+rates[f].Price().Times(n))
		}
	}
	try(0, Correction{}, 0)
	return best
}

// Amounts returns by how much what was booked falls with the correction. That of an allowance
// grows, so its amount is negative.
func (c Correction) Amounts(rates Rates) (amounts Amounts) {
	for f, n := range c {
		if rate := rates[enrich.Field(f)]; n > 0 {
			amounts = amounts.Plus(rate.Uses.Minus(rate.Free()).Times(n))
		}
	}
	return amounts
}

// Zero reports whether there is nothing to correct.
func (c Correction) Zero() bool { return c == Correction{} }

// Correct moves charges of fields from money to the free allowance.
func (c Charge) Correct(free enrich.Fields, rates Rates) Charge {
	for f := range (free & c.Paid).Each() {
		c.Amounts = c.Amounts.Minus(rates[f].Uses).Plus(rates[f].Free())
	}
	c.Free, c.Paid = c.Free|free&c.Paid, c.Paid.Without(free)
	return c
}
