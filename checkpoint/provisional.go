package checkpoint

import (
	"cmp"
	"fmt"
	"slices"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/sums"
	"payonce/cost"
	"payonce/enrich"
)

// A charge is provisional when it was booked as paid and the free allowance may have paid it,
// because a call in doubt held the unit. Until the account shows more, the journal counts the
// price, so that ceilings hold either way. A quiet snapshot corrects the charges: the journal
// cannot have paid more than the account lost.

// noteProvisional notes which charges of an answer are provisional. There are at most as
// many as free units that calls in doubt hold.
func (b *ledgerState) noteProvisional(id attempt.ID, charge cost.Charge) {
	listed, allowance := record.CountProvisional(b.persisted.Provisional), b.allowance()
	var fields enrich.Fields
	for f := range charge.Paid.Each() {
		m := b.open[id].Hold.Rates[f].Allowance
		if m != cost.USD && listed[f] < min(allowance.Doubted[m], allowance.Left[m]-allowance.Held[m]) {
			fields = fields.With(f)
		}
	}
	if fields != 0 {
		// The list is replaced and never changed: it may be on its way to the disk.
		b.persisted.Provisional = append(slices.Clone(b.persisted.Provisional), record.Provisional{ID: id, Fields: fields})
	}
}

// closePeriod ends the time from the base to a snapshot of the account, and returns the writes
// that correct its provisional charges. The period is kept while calls of it are
// in doubt. The lock is held, and no call is in flight.
func (j *Journal) closePeriod(evidence cost.Evidence) ([]Write, error) {
	p := &j.state.persisted
	totals := j.state.sums.Totals(ScopeAccount)
	certain := totals.Returned
	var correction cost.Correction
	// What somebody assumed may be wrong, and a strict run books more than it was charged.
	if p.DecidableFrom == p.BaseFirst {
		certain = totals.Charged
		if !p.Strict {
			evidence.Booked = totals
			correction = evidence.Correct(record.CountProvisional(p.Provisional))
		}
	}
	list, writes, err := j.correct(p.Provisional, correction)
	if err != nil {
		return nil, err
	}
	p.Provisional = nil
	totals = j.state.sums.Totals(ScopeAccount)
	period := record.ClosedPeriod{
		First: p.BaseFirst, Next: p.NextID, From: evidence.Base.ReadAt, To: evidence.Now.ReadAt,
		Lost: cost.OfMoney(cost.MaxMoney), Booked: totals.Settled, Rates: p.Rates, Provisional: list,
	}
	if change, why := evidence.Change(); why == "" && !p.Strict {
		period.Lost = change.Lost
		most, known := evidence.MostInDoubt(certain)
		period.Limit(totals.Held, most, known)
	}
	if totals.Open > 0 {
		p.Closed = append(slices.Clone(p.Closed), period)
	}
	return writes, nil
}

// dropPeriods drops the closed periods of which no call is in doubt any more. It takes the time of
// one look at each open call, so it runs once for many calls that are decided together.
func (b *ledgerState) dropPeriods() {
	if len(b.persisted.Closed) == 0 {
		return
	}
	needed := make([]bool, len(b.persisted.Closed))
	for id, a := range b.open {
		if at := record.PeriodOf(b.persisted.Closed, id); at >= 0 && !a.resolving {
			needed[at] = true
		}
	}
	var kept []record.ClosedPeriod // a new list: the old one may be on its way to the disk
	for at, period := range b.persisted.Closed {
		if needed[at] {
			kept = append(kept, period)
		}
	}
	b.persisted.Closed = kept
}

// settlePeriod enters the charge of a doubt in the period that it belongs to, and returns it with
// its correction and the writes that correct charges of answers. The lock is held.
func (j *Journal) settlePeriod(d attempt.Doubt, charge cost.Charge) (cost.Charge, []Write, error) {
	p := &j.state.persisted
	at := record.PeriodOf(p.Closed, d.ID)
	if at < 0 {
		return charge, nil, nil
	}
	p.Closed = slices.Clone(p.Closed)
	period := &p.Closed[at]
	var rest cost.Amounts
	for id, a := range j.state.open {
		if id != d.ID && period.Holds(id) && !a.resolving {
			rest = rest.Plus(a.Hold.Amounts())
		}
	}
	charge, correction := period.Settle(d.ID, d.Hold, charge, rest)
	list, writes, err := j.correct(period.Provisional, correction)
	period.Provisional = list
	return charge, writes, err
}

// movementOf returns what the account lost in the closed period of a call.
func (b *ledgerState) movementOf(id attempt.ID) attempt.Movement {
	at := record.PeriodOf(b.persisted.Closed, id)
	if at < 0 {
		return attempt.Movement{}
	}
	c := &b.persisted.Closed[at]
	return attempt.Movement{From: c.From, To: c.To, Lost: c.Lost, Booked: c.Booked}
}

// inDoubt returns the calls in doubt for the sums, in the order of their Begin.
func (b *ledgerState) inDoubt() (doubts []sums.Doubt) {
	for id, a := range b.open {
		if a.state == attempt.InDoubt && !a.resolving {
			doubts = append(doubts, sums.Doubt{ID: id, Sums: a.sums, Held: a.Hold.Amounts()})
		}
	}
	slices.SortFunc(doubts, func(a, b sums.Doubt) int { return cmp.Compare(a.ID, b.ID) })
	return doubts
}

// relieve reduces the holds of calls in doubt to what they can have been charged together.
func (b *ledgerState) relieve() { b.sums.Relieve(b.persisted.Closed, b.inDoubt()) }

// correct moves charges from money to the free allowance, those of the earliest attempts
// first. It returns the charges that stay provisional, and the writes.
func (j *Journal) correct(list []record.Provisional, correction cost.Correction) (rest []record.Provisional, writes []Write, err error) {
	for _, p := range list {
		var free enrich.Fields
		for f := range p.Fields.Each() {
			if correction[f] > 0 {
				correction[f]--
				free = free.With(f)
			}
		}
		if free != 0 {
			write, err := j.correctCharge(p.ID, free)
			if err != nil {
				return nil, nil, err
			}
			writes = append(writes, write)
		}
		if p.Fields = p.Fields.Without(free); p.Fields != 0 {
			rest = append(rest, p)
		}
	}
	return rest, writes, nil
}

// correctCharge books fields of a resolved attempt as free that were booked as paid. Nothing else
// changes a resolution, except erasure.
func (j *Journal) correctCharge(id attempt.ID, free enrich.Fields) (Write, error) {
	in, known, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
	res, resolved, resErr := record.Load[attempt.Resolution](j.store, record.IDKey(record.ResolutionPrefix, id))
	switch {
	case err != nil:
		return Write{}, err
	case resErr != nil:
		return Write{}, resErr
	case !known || !resolved:
		return Write{}, fmt.Errorf("%w: attempt %d has a provisional charge and no outcome", ErrCorrupt, id)
	}
	before := res.Charge
	res.Charge = res.Charge.Correct(free, in.Hold.Rates)
	j.state.sums.Correct(in, before, res.Charge, id < j.state.persisted.BaseFirst)
	write, _, err := record.Change(j.store, record.IDKey(record.ResolutionPrefix, id), func(r *attempt.Resolution) { r.Charge = res.Charge })
	return write, err
}

// Provisional returns the attempts with provisional charges, and the fields: those that
// were booked as paid and may turn out to have been free.
func (j *Journal) Provisional() map[attempt.ID]enrich.Fields {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.provisional()
}

func (b *ledgerState) provisional() map[attempt.ID]enrich.Fields {
	lists := [][]record.Provisional{b.persisted.Provisional}
	for _, period := range b.persisted.Closed {
		lists = append(lists, period.Provisional)
	}
	fields := map[attempt.ID]enrich.Fields{}
	for _, p := range slices.Concat(lists...) {
		fields[p.ID] = p.Fields
	}
	return fields
}

// MayBeFree returns how much of what is settled in a scope may turn out to have been
// free.
func (j *Journal) MayBeFree(scope string) (amount cost.Money, err error) {
	for id, fields := range j.Provisional() {
		in, known, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
		if err != nil {
			return 0, err
		}
		if known && slices.Contains(in.Scopes(j.catalogue), scope) {
			for f := range fields.Each() {
				amount += in.Hold.Rates[f].Price()
			}
		}
	}
	return amount, nil
}

// AwaitsAccount reports whether a quiet snapshot of the account can tell more: about
// calls in doubt, or about provisional charges.
func (j *Journal) AwaitsAccount() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.state.persisted.Provisional) > 0 ||
		slices.ContainsFunc(j.doubts(), func(d attempt.Doubt) bool { return d.Decidable })
}
