package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// recover rebuilds the ledger state from the store. It reads the sums, the open attempts, and the
// attempts that may still occupy a slot of the window. It does not read all answers. If the store may
// have lost records in a crash (whole is false), it also counts the keys. It commits names, and marks
// the attempts that were in flight as in doubt.
func (j *Journal) recover(whole bool, names []Write) error {
	ledger, err := j.store.Get(record.StateKey)
	if err != nil {
		return err
	}
	if ledger != nil {
		var state record.State
		if err := record.DecodeComputed(record.StateKey, ledger, &state); err != nil {
			return err
		}
		j.state.persisted, j.own().Account = state.Progress, state.Account
		if err := j.recoverAccounts(state.Others); err != nil {
			return err
		}
	}
	j.state.opened = j.state.persisted.NextID
	now := j.now()
	for _, a := range j.state.accounts {
		a.ClampTimes(now)
	}
	if !whole {
		if err := record.VerifyPresence(j.store, j.state.persisted); err != nil {
			return err
		}
	}
	if err := j.recoverSums(); err != nil {
		return err
	}
	if len(names) > 0 { // nothing is written before all computed records were read
		if err := j.store.Commit(names); err != nil {
			return err
		}
	}
	if err := j.recoverOpen(now); err != nil || j.readOnly() {
		return err // who only reads needs no slots
	}
	return j.makeReady(j.number, AccountOptions{Rate: j.first.Rate, Tariff: j.first.Tariff})
}

func (j *Journal) recoverSums() error {
	totals := map[string]cost.Totals{}
	err := errors.Join(record.LoadComputed(j.store, record.TotalsPrefix, totals), record.LoadComputed(j.store, record.DayPrefix, j.state.sums.Days))
	for scope, t := range totals {
		j.state.sums.Scope(scope).Totals = t
	}
	return err
}

// recoverOpen loads the attempts that have no resolution. Attempts that were in flight when the last
// process ended may have been charged, so they become in doubt.
func (j *Journal) recoverOpen(now time.Time) error {
	ids := slices.Clone(j.state.persisted.InFlight)
	err := record.EachID(j.store, record.OpenPrefix, func(id attempt.ID) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	var doubts []Write
	var live []attempt.ID
	for _, id := range slices.Compact(ids) {
		a, write, err := j.loadOpen(id, now)
		if err != nil {
			return err
		}
		j.state.enter(id, a)
		if a.state == attempt.Intended && !j.readOnly() {
			FlyHold(a.sums, a.Hold)
			live = append(live, id)
		}
		doubts = append(doubts, write...)
	}
	j.state.sums.LoadAdjustments(j.state.doubtful())
	if len(doubts) == 0 {
		return nil
	}
	j.state.persisted.InFlight = live
	_, change := newChange()
	return j.store.Commit(append(doubts, change, Write{Key: record.StateKey, Value: record.Encode(j.state.record())}))
}

// loadOpen reads an open attempt. If it is not in doubt yet, loadOpen also returns the writes that
// mark it as in doubt. In a journal that is only read it stays in flight.
func (j *Journal) loadOpen(id attempt.ID, now time.Time) (*openAttempt, []Write, error) {
	in, found, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, fmt.Errorf("%w: open attempt %d has no intent", ErrCorrupt, id)
	}
	if j.state.accountOf(in.Account) == nil {
		return nil, nil, fmt.Errorf("%w: open attempt %d is for account %d, which is missing", ErrCorrupt, id, in.Account)
	}
	a := j.state.newAttempt(in)
	a.state = attempt.InDoubt
	a.doubt, found, err = record.Load[record.Doubt](j.store, record.IDKey(record.DoubtPrefix, id))
	if err != nil || found {
		return a, nil, err
	}
	if j.readOnly() || j.shared.turn.IsLive(in.Epoch) { // its process waits for the answer
		a.state = attempt.Intended
		return a, nil, nil
	}
	a.doubt = leftBehind(now)
	return a, doubtWrites(id, a.doubt), nil
}
