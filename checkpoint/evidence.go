package checkpoint

import (
	"fmt"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Evidence returns what an idle snapshot of the account and the journal show together about some doubts.
func (a *accountState) Evidence(now cost.Account, exclusive bool, doubts []attempt.Doubt) cost.Evidence {
	assumed := a.DecidableFrom != a.BaseFirst
	evidence := cost.Evidence{
		Base: a.Base, Now: now, Booked: a.sum.Totals, Rates: a.Rates, Tariff: a.Tariff,
		// What somebody assumed since the base may be wrong: it is part of no exact explanation.
		Exclusive: exclusive && !assumed, Assumed: assumed,
		CreditAdded: a.CreditAdded, Seen: a.Seen, Pace: a.pace(),
		Answered: map[cost.Operation]int64{}, Confirmed: a.Confirmed, Spans: a.Spans,
	}
	for _, answered := range a.Answered {
		evidence.Answered[answered.Operation] = answered.Calls
	}
	for _, d := range doubts {
		if o, counts := a.operation(d.Identity, d.Hold.Fields, d.Hold.Amounts()); counts && d.Decidable {
			evidence.Lost = append(evidence.Lost, o)
		}
	}
	return evidence
}

// pace returns the most calls that others can send: as many as the rate limit of one key allows.
func (a *accountState) pace() cost.Pace { return cost.Pace{Calls: a.RateSlots, Window: a.RateWindow} }

// operation returns the operation of a call that uses or holds some amounts. It returns false for a call that no module
// counts. A call whose subject was erased is of an operation without a name, which nothing confirms.
func (a *accountState) operation(id enrich.Identity, fields enrich.Fields, amounts cost.Amounts) (o cost.Operation, counts bool) {
	o.Meters = a.Tariff.ModulesOf(amounts)
	switch {
	case id == enrich.Identity{}:
	case a.Tariff.Operation != nil:
		o.Name = a.Tariff.Operation(enrich.Lookup{Identity: id, Fields: fields})
	default:
		o.Name = a.Catalogue.Operation(fields) + " by " + id.Pattern().String()
	}
	return o, o.Meters != 0
}

// Read notes a reading of the account that was made while calls may have been in flight. Totals are those before it
// was asked for. It reports whether the reading shows something that has to be known at the next start: what was read
// before no longer proves as much.
func (a *accountState) Read(reading cost.Account, totals cost.Totals) (notable bool) {
	before, credit := a.Seen, a.CreditAdded
	last := before.Last
	if last.ReadAt.IsZero() {
		last = a.Base
	}
	a.CreditAdded = credit || reading.Gained(a.Base) || reading.Gained(last)
	a.Seen = before.With(a.Base, reading, totals, a.sum.Totals, a.Tariff, a.pace())
	return a.CreditAdded != credit || a.Seen.BeganAgain != before.BeganAgain || a.Seen.Renewed != before.Renewed
}

// Answer counts an answered call, unless an answer has confirmed the module of its operation.
func (a *accountState) Answer(id enrich.Identity, fields enrich.Fields, charge cost.Amounts) {
	o, counts := a.operation(id, fields, charge)
	if !counts || o.Name == "" || slices.Contains(a.Confirmed, o) {
		return
	}
	answered := slices.Clone(a.Answered) // the old list may be on its way to the disk
	if at := slices.IndexFunc(answered, func(n record.AnsweredCalls) bool { return n.Operation == o }); at >= 0 {
		answered[at].Calls++
	} else {
		answered = append(answered, record.AnsweredCalls{Operation: o, Calls: 1})
	}
	a.Answered = answered
}

// confirm keeps what an idle snapshot confirms, and drops what it contradicts: a counter that rose by less than was
// booked on it does not count all the operations that it is assumed to count, or not in the time span.
func (a *accountState) confirm(now cost.Account) {
	evidence := a.Evidence(now, false, nil)
	operations, spans := evidence.Confirm()
	var lacking cost.Meters
	if change, why := evidence.Change(); why == "" && !evidence.Assumed {
		for m := range change.Shown.Each() {
			if change.Lost[m] < evidence.Booked.Settled[m] {
				lacking |= cost.MetersOf(m)
			}
		}
	}
	confirmed := slices.DeleteFunc(slices.Clone(a.Confirmed), func(o cost.Operation) bool {
		replaced := slices.ContainsFunc(operations, func(c cost.Operation) bool { return c.Name == o.Name })
		return replaced || o.Meters&lacking != 0
	})
	a.Confirmed, a.Spans = append(confirmed, operations...), a.Spans&^lacking|spans
	a.Answered = nil
}

// reconcileDoubts says what the evidence proves about every doubt of its account. It changes nothing.
func reconcileDoubts(doubts []attempt.Doubt, evidence cost.Evidence) attempt.ReconcileResult {
	var reconciled attempt.ReconcileResult
	var decidable []int
	var asked []enrich.Fields
	for i, d := range doubts {
		reconciled.Cases = append(reconciled.Cases, attempt.Case{Doubt: d})
		if !d.Decidable {
			continue
		}
		decidable, asked = append(decidable, i), append(asked, d.Hold.Fields)
		for f := range d.Hold.Fields.Each() {
			if d.Hold.Rates[f] != evidence.Rates[f] {
				reconciled.Why = "the prices changed in between"
			}
		}
	}
	if reconciled.Why != "" || len(decidable) == 0 {
		return reconciled
	}
	reconciled.Unexplained, _ = evidence.Unexplained()
	var results []cost.CallResult
	results, reconciled.Why = evidence.Reconcile(asked)
	for n, i := range decidable {
		reconciled.Cases[i].CallResult = results[n]
	}
	keepSendable(&reconciled)
	chargeCases(reconciled.Cases, evidence)
	return reconciled
}

// keepSendable leaves calls in doubt that were not charged and that a process may still send.
func keepSendable(reconciled *attempt.ReconcileResult) {
	for i, c := range reconciled.Cases {
		if c.Sender != "" && c.Result == cost.NotCharged {
			reconciled.Cases[i].CallResult = cost.CallResult{}
			reconciled.Why = mayBeSent(c.Sender, c.Arrived)
		}
	}
}

// mayBeSent says what keeps a call in doubt, and what to do.
func mayBeSent(sender string, arrived time.Time) string {
	if !arrived.IsZero() {
		return fmt.Sprintf("%s stopped, and its calls may arrive until %s; run batch reconcile again after that", sender, arrived.UTC().Format(time.RFC3339))
	}
	return sender + " stopped, is not known to be dead, and may still send the call when it goes on; end it, and then run batch reconcile on its machine"
}

// chargeCases says what the calls that were charged cost. The free units that the account
// lost and that no answer has used paid for them, first those of the calls that held one.
func chargeCases(cases []attempt.Case, evidence cost.Evidence) {
	change, _ := evidence.Change()
	spare := change.Lost.Minus(evidence.Booked.Settled)
	for i, c := range cases {
		used := c.Fields & c.Hold.Free
		if c.Decidable && c.Result == cost.Undecided {
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
		undecided = undecided || c.Decidable && c.Result == cost.Undecided
		if c.Result == cost.Charged {
			spare = spare.Minus(c.Charge.Amounts.Minus(c.Charge.Varying(c.Hold.Rates)))
		}
	}
	spare = spare.Most(cost.Amounts{})
	for i, c := range cases {
		if c.Result != cost.Charged {
			continue
		}
		most := c.Charge.Varying(c.Hold.Rates).Only(change.Shown)
		varying := most.Least(spare)
		if varying != most {
			cases[i].Charge.Amounts, cases[i].Charge.Reported = c.Charge.Amounts.Minus(most).Plus(varying), true
		}
		if !undecided {
			spare = spare.Minus(varying)
		}
	}
}
