package checkpoint

import (
	"fmt"
	"slices"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// A charge is provisional when it was booked as paid although the free allowance may
// have paid it, because a call in doubt held the unit. Until the account tells, the
// journal counts the price: a ceiling must hold either way. A quiet snapshot corrects
// the charges: the journal cannot have paid more than the account lost.

// noteProvisional notes which charges of an answer are provisional. There are at most as
// many as free units that calls in doubt hold.
func (b *ledgerState) noteProvisional(id attempt.ID, charge cost.Charge) {
	listed, allowance := candidates(b.persisted.Provisional), b.allowance()
	var fields enrich.Fields
	for f := range charge.Paid.Each() {
		if listed[f] < min(allowance.Doubted[f], allowance.Left[f]-allowance.Held[f]) {
			fields = fields.With(f)
		}
	}
	if fields != 0 {
		// The list is replaced and never changed: it may be on its way to the disk.
		b.persisted.Provisional = append(slices.Clone(b.persisted.Provisional), record.Provisional{ID: id, Fields: fields})
	}
}

// candidates counts provisional charges by field.
func candidates(list []record.Provisional) (counts enrich.ByField[int64]) {
	for _, p := range list {
		for f := range p.Fields.Each() {
			counts[f]++
		}
	}
	return counts
}

// closePeriod ends the time since the base, of which a snapshot of the account is the
// end, and returns the writes that correct its provisional charges. The period is kept
// while calls in doubt can make it cost less or more than what is booked. The lock is
// held, and no call is in flight.
func (j *Journal) closePeriod(evidence cost.Evidence) ([]Write, error) {
	p := &j.state.persisted
	var correction cost.Correction
	// What somebody assumed may be wrong, and a strict run books more than it was charged.
	if p.DecidableFrom == p.BaseFirst && !p.Strict {
		evidence.Booked = j.state.sums.Totals(ScopeAccount)
		correction = evidence.Correct(candidates(p.Provisional))
	}
	list, writes, err := j.correct(p.Provisional, correction)
	if err != nil {
		return nil, err
	}
	p.Provisional = nil
	lost := cost.MaxMoney // no bound
	if change, why := evidence.Change(); why == "" && !p.Strict {
		lost = change.Money
	}
	totals := j.state.sums.Totals(ScopeAccount)
	if len(list) > 0 && totals.Open > 0 || totals.Settled+totals.Held > lost {
		p.Closed = append(slices.Clone(p.Closed), record.ClosedPeriod{
			First: p.BaseFirst, Next: p.NextID, Lost: lost, Booked: totals.Settled, Prices: p.Prices, Provisional: list,
		})
		j.state.dropPeriods()
	}
	return writes, nil
}

// dropPeriods drops the closed periods of which no call is in doubt any more.
func (b *ledgerState) dropPeriods() {
	over := func(c record.ClosedPeriod) bool {
		for id, a := range b.open {
			if c.Holds(id) && !a.resolving {
				return false
			}
		}
		return true
	}
	b.persisted.Closed = slices.DeleteFunc(slices.Clone(b.persisted.Closed), over)
}

// settlePeriod enters the charge of a doubt in the period that it belongs to. The period
// cannot have cost more than the account lost: so charges of it are corrected, and the
// doubt's own is returned with its correction. The lock is held.
func (j *Journal) settlePeriod(d attempt.Doubt, charge cost.Charge) (cost.Charge, []Write, error) {
	p := &j.state.persisted
	at := slices.IndexFunc(p.Closed, func(c record.ClosedPeriod) bool { return c.Holds(d.ID) })
	if at < 0 {
		return charge, nil, nil
	}
	p.Closed = slices.Clone(p.Closed)
	period := &p.Closed[at]
	period.Booked += charge.Amount
	counts := candidates(append(slices.Clone(period.Provisional), record.Provisional{ID: d.ID, Fields: charge.Paid}))
	correction := cost.CorrectTo(period.Lost, period.Booked, counts, period.Prices)
	for f, n := range correction {
		period.Booked -= period.Prices[enrich.Field(f)].Times(n)
	}
	before := candidates(period.Provisional)
	list, writes, err := j.correct(period.Provisional, correction)
	if err != nil {
		return charge, nil, err
	}
	period.Provisional = list
	after := candidates(list)
	var free enrich.Fields
	for f, n := range correction {
		if n > before[f]-after[f] {
			free = free.With(enrich.Field(f))
		}
	}
	return charge.Correct(free, d.Hold.Prices), writes, nil
}

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

// correctCharge books fields of a resolved attempt as free that were booked as paid. This
// is the one change that a resolution sees besides erasure.
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
	res.Charge = res.Charge.Correct(free, in.Hold.Prices)
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
		if known && slices.Contains(in.Scopes(), scope) {
			for f := range fields.Each() {
				amount += in.Hold.Prices[f]
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
