package checkpoint

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// A charge is provisional when it was booked as paid and the free allowance may have paid it,
// because a call in doubt held the unit. Until the account shows more, the journal counts the
// price, so that ceilings hold either way. An idle snapshot corrects the charges: the journal
// cannot have paid more than the account lost.

// NoteProvisional notes which charges of an answer are provisional. There are at most as
// many as free units that calls in doubt hold.
func (a *accountState) NoteProvisional(id attempt.ID, hold cost.Hold, charge cost.Charge) {
	listed, allowance := record.CountProvisional(a.Provisional), a.Allowance()
	var fields enrich.Fields
	for f := range charge.Paid.Each() {
		m := hold.Rates[f].Allowance
		if m != cost.USD && listed[f] < min(allowance.Doubted[m], allowance.Left[m]-allowance.Held[m]) {
			fields = fields.With(f)
		}
	}
	if fields != 0 {
		// The list is replaced and never changed: it may be on its way to the disk.
		a.Provisional = append(slices.Clone(a.Provisional), record.Provisional{ID: id, Fields: fields})
	}
}

// CorrectFree books charges of a list as free that were booked as paid, those of the earliest attempts
// first. It returns the charges that stay provisional.
type CorrectFree func(list []record.Provisional, correction cost.Correction) (rest []record.Provisional, err error)

// ClosePeriod ends the time from the base to a snapshot of the account, before the attempt next, and
// corrects its provisional charges. The period is kept while calls of it are in doubt, with the reason why. No call
// is in flight.
func (a *accountState) ClosePeriod(next attempt.ID, evidence cost.Evidence, why string, correct CorrectFree) (err error) {
	totals := a.sum.Totals
	certain := totals.Returned
	var correction cost.Correction
	// What somebody assumed may be wrong, and a strict run books more than it was charged.
	if a.DecidableFrom == a.BaseFirst {
		certain = totals.Charged
		if !a.Strict {
			evidence.Booked = totals
			correction = evidence.Correct(record.CountProvisional(a.Provisional))
		}
	}
	list, err := correct(a.Provisional, correction)
	if err != nil {
		return err
	}
	a.Provisional = nil
	totals = a.sum.Totals
	period := record.ClosedPeriod{
		First: a.BaseFirst, Next: next, From: evidence.Base.ReadAt, To: evidence.Now.ReadAt,
		Lost: cost.OfMoney(cost.MaxMoney), Booked: totals.Settled, Rates: a.Rates, Provisional: list, Why: why,
	}
	if change, notShown := evidence.Change(); notShown == "" && !a.Strict {
		period.Lost, period.Shown = change.Lost, change.Shown
		most, known := evidence.MostInDoubt(certain)
		period.Limit(totals.Held, most, known)
	}
	if totals.Open > 0 {
		a.Closed = append(slices.Clone(a.Closed), period)
	}
	return nil
}

// DropPeriods drops the closed periods of which no call is in doubt any more. Unresolved are the open
// attempts of the account that have no resolution. It takes the time of one look at each of them, so
// it runs once for many calls that are decided together.
func (a *accountState) DropPeriods(unresolved []attempt.ID) {
	needed := make([]bool, len(a.Closed))
	for _, id := range unresolved {
		if at := record.PeriodOf(a.Closed, id); at >= 0 {
			needed[at] = true
		}
	}
	var kept []record.ClosedPeriod // a new list: the old one may be on its way to the disk
	for at, period := range a.Closed {
		if needed[at] {
			kept = append(kept, period)
		}
	}
	a.Closed = kept
}

// SettlePeriod enters the charge of a doubt in the closed period that it belongs to, corrects charges
// of answers of the period, and returns the charge with its correction. Held returns what the other
// calls of a period hold that are in doubt.
func (a *accountState) SettlePeriod(d attempt.Doubt, charge cost.Charge, held func(record.ClosedPeriod) cost.Amounts, correct CorrectFree) (cost.Charge, error) {
	at := record.PeriodOf(a.Closed, d.ID)
	if at < 0 {
		return charge, nil
	}
	a.Closed = slices.Clone(a.Closed)
	period := &a.Closed[at]
	charge, correction := period.Settle(d.ID, d.Hold, charge, held(*period))
	list, err := correct(period.Provisional, correction)
	period.Provisional = list
	return charge, err
}

// MovementOf returns what the account lost in the closed period of a call.
func (a *accountState) MovementOf(id attempt.ID) attempt.Movement {
	at := record.PeriodOf(a.Closed, id)
	if at < 0 {
		return attempt.Movement{}
	}
	c := &a.Closed[at]
	return attempt.Movement{From: c.From, To: c.To, Lost: c.Lost, Booked: c.Booked}
}

// WhyInDoubt returns why the snapshots around a call left it in doubt; "" while none was compared.
func (a *accountState) WhyInDoubt(id attempt.ID) string {
	if at := record.PeriodOf(a.Closed, id); at >= 0 {
		return a.Closed[at].Why
	}
	return ""
}

// ProvisionalFields adds the fields whose charge is provisional to those of the attempts in fields.
func (a *accountState) ProvisionalFields(fields map[attempt.ID]enrich.Fields) {
	lists := [][]record.Provisional{a.Provisional}
	for _, period := range a.Closed {
		lists = append(lists, period.Provisional)
	}
	for _, p := range slices.Concat(lists...) {
		fields[p.ID] = p.Fields
	}
}
