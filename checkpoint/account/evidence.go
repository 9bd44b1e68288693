package account

import (
	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Evidence returns what a quiet snapshot of the account and the journal tell together.
func (a *Account) Evidence(now cost.Account, exclusive bool) cost.Evidence {
	return cost.Evidence{
		Base: a.Base, Now: now, Booked: a.sum.Totals, Rates: a.Rates, Tariff: a.Tariff,
		// What somebody assumed since the base may be wrong: it is part of no exact explanation.
		Exclusive:   exclusive && a.DecidableFrom == a.BaseFirst,
		CreditAdded: a.CreditAdded,
	}
}

// Judge says what the evidence proves about every doubt of its account. It changes nothing.
func Judge(doubts []attempt.Doubt, evidence cost.Evidence) attempt.Findings {
	var findings attempt.Findings
	var decidable []int
	var asked []enrich.Fields
	for i, d := range doubts {
		findings.Cases = append(findings.Cases, attempt.Case{Doubt: d})
		if !d.Decidable {
			continue
		}
		decidable, asked = append(decidable, i), append(asked, d.Hold.Fields)
		for f := range d.Hold.Fields.Each() {
			if d.Hold.Rates[f] != evidence.Rates[f] {
				findings.Why = "the prices changed in between"
			}
		}
	}
	if findings.Why != "" || len(decidable) == 0 {
		return findings
	}
	findings.Unexplained, _ = evidence.Unexplained()
	var judgements []cost.Judgement
	judgements, findings.Why = evidence.Judge(asked)
	for n, i := range decidable {
		findings.Cases[i].Judgement = judgements[n]
	}
	chargeCases(findings.Cases, evidence)
	return findings
}

// chargeCases says what the calls that were charged cost. The free units that the account
// lost and that no answer has used paid for them, first those of the calls that held one.
func chargeCases(cases []attempt.Case, evidence cost.Evidence) {
	change, _ := evidence.Change()
	spare := change.Lost.Minus(evidence.Booked.Settled)
	for i, c := range cases {
		used := c.Fields & c.Hold.Free
		if c.Decidable && c.Finding == cost.Undecided {
			used = c.Hold.Free // it may have used them
		}
		for f := range used.Each() {
			spare[c.Hold.Rates[f].Allowance]--
		}
		cases[i].Charge = c.Hold.Settle(c.Fields)
	}
	for i, c := range cases {
		var free enrich.Fields
		for f := range c.Charge.Paid.Each() {
			if m := c.Hold.Rates[f].Allowance; m != cost.USD && spare[m] > 0 {
				spare[m]--
				free = free.With(f)
			}
		}
		cases[i].Charge = c.Charge.Correct(free, c.Hold.Rates)
	}
	limitVarying(cases, evidence)
}

// limitVarying reduces what charged calls consumed of meters that vary to what the account lost. While
// others stay undecided, nobody knows whose the rest is, so each call can have consumed all of it.
func limitVarying(cases []attempt.Case, evidence cost.Evidence) {
	change, why := evidence.Change()
	if why != "" {
		return
	}
	spare, _ := evidence.Unexplained()
	undecided := false
	for _, c := range cases {
		undecided = undecided || c.Decidable && c.Finding == cost.Undecided
		if c.Finding == cost.Charged {
			spare = spare.Minus(c.Charge.Amounts.Minus(c.Charge.Varying(c.Hold.Rates)))
		}
	}
	spare = spare.Most(cost.Amounts{})
	for i, c := range cases {
		if c.Finding != cost.Charged {
			continue
		}
		most := c.Charge.Varying(c.Hold.Rates).Only(change.Told)
		varying := most.Least(spare)
		if varying != most {
			cases[i].Charge.Amounts, cases[i].Charge.Reported = c.Charge.Amounts.Minus(most).Plus(varying), true
		}
		if !undecided {
			spare = spare.Minus(varying)
		}
	}
}
