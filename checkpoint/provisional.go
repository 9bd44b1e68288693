package checkpoint

import (
	"fmt"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// closePeriod ends the time from the base to a snapshot of the account, and returns the writes
// that correct its provisional charges. The lock is held, and no call is in flight.
func (j *Journal) closePeriod(evidence cost.Evidence, why string) (writes []Write, err error) {
	err = j.own().ClosePeriod(j.state.persisted.NextID, evidence, why, j.correcting(&writes))
	return writes, err
}

// settlePeriod enters the charge of a doubt in the period that it belongs to, and returns it with
// its correction and the writes that correct charges of answers. The lock is held.
func (j *Journal) settlePeriod(d attempt.Doubt, charge cost.Charge) (settled cost.Charge, writes []Write, err error) {
	held := func(period record.ClosedPeriod) (rest cost.Amounts) {
		for id, a := range j.state.open {
			if id != d.ID && a.Account == d.Account && period.Holds(id) && !a.resolving {
				rest = rest.Plus(a.Hold.Amounts())
			}
		}
		return rest
	}
	settled, err = j.state.accounts[d.Account].SettlePeriod(d, charge, held, j.correcting(&writes))
	return settled, writes, err
}

// correcting returns a function that corrects charges and adds the writes to those of the caller.
func (j *Journal) correcting(writes *[]Write) CorrectFree {
	return func(list []record.Provisional, correction cost.Correction) ([]record.Provisional, error) {
		rest, corrections, err := j.correct(list, correction)
		*writes = append(*writes, corrections...)
		return rest, err
	}
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
	of := j.state.accounts[in.Account]
	j.state.sums.Correct(j.state.sums.Of(in, of.Catalogue), before, res.Charge, id < of.BaseFirst)
	write, _, err := record.Change(j.store, record.IDKey(record.ResolutionPrefix, id), func(r *attempt.Resolution) { r.Charge = res.Charge })
	return write, err
}

// Provisional returns the attempts with provisional charges, and the fields: those that
// were booked as paid and may turn out to have been free.
func (j *Journal) Provisional() map[attempt.ID]enrich.Fields {
	j.look()
	defer j.mu.Unlock()
	return j.state.provisional()
}

// MayBeFree returns how much of what is settled in a scope may turn out to have been free.
func (j *Journal) MayBeFree(scope string) (sum cost.Money, err error) {
	accounts, err := j.AccountMayBeFree(scope)
	for _, amount := range accounts {
		sum += amount
	}
	return sum, err
}

// AccountMayBeFree returns how much of what each account settled in scopes may turn out to have been free. The scopes
// have no attempt in common.
func (j *Journal) AccountMayBeFree(scopes ...string) ([]cost.Money, error) {
	catalogues := j.Catalogues()
	amounts := make([]cost.Money, len(catalogues))
	for id, fields := range j.Provisional() {
		in, known, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
		if err != nil {
			return nil, err
		}
		counts := func(scope string) bool { return slices.Contains(scopes, scope) }
		if known && slices.ContainsFunc(in.Scopes(catalogues[in.Account]), counts) {
			for f := range fields.Each() {
				amounts[in.Account] += in.Hold.Rates[f].Price()
			}
		}
	}
	return amounts, nil
}

// AwaitsAccount reports whether an idle snapshot of the account can show more: about its
// calls in doubt, or about provisional charges.
func (j *Journal) AwaitsAccount() bool {
	j.look()
	defer j.mu.Unlock()
	return len(j.own().Provisional) > 0 ||
		slices.ContainsFunc(j.state.doubts(j.own()), func(d attempt.Doubt) bool { return d.Decidable })
}
