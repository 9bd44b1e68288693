package checkpoint

import (
	"fmt"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Settle records the answer to an attempt and what it cost. It returns when both
// are durable; until then nobody else sees the answer.
func (j *Journal) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	var charge cost.Charge
	err := j.resolve(id, answer.Names, func(a *openAttempt, now time.Time) (attempt.Resolution, fieldStates) {
		charge = a.Hold.Answered(answer)
		var states fieldStates
		for f := range a.Hold.Fields.Each() {
			states[f] = attempt.Missing
			if answer.Returned.Has(f) {
				states[f] = attempt.Found
			}
		}
		return attempt.Resolution{
			State: attempt.Settled, At: now, Run: a.Run, Charge: charge, Sent: true,
			Status: answer.Status, Returned: answer.Returned, Data: answer.Data, RequestID: answer.RequestID,
		}, states
	})
	return charge, err
}

// Release records that an attempt was not charged; its hold returns.
func (j *Journal) Release(id attempt.ID, why attempt.Release) error {
	return j.resolve(id, nil, func(a *openAttempt, now time.Time) (attempt.Resolution, fieldStates) {
		a.account.Pause(now, why.PauseUntil)
		a.account.ReachLimit(now, a.Hold, why.Reason, why.Limit)
		res := attempt.Resolution{State: attempt.Released, At: now, Run: a.Run, Reason: why.Reason, RequestID: why.RequestID, Rejected: why.Reject, Sent: why.Sent}
		var states fieldStates
		for f := range a.Hold.Fields.Each() {
			if why.Reject {
				states[f] = attempt.Rejected
			}
		}
		return res, states
	})
}

// fieldStates are the states that fields get by a resolution; those that it says
// nothing about stay Unasked.
type fieldStates enrich.ByField[attempt.FieldState]

// resolve writes the one resolution of an attempt in flight. Names are the identities that its answer names.
func (j *Journal) resolve(id attempt.ID, names []enrich.Identity, end func(*openAttempt, time.Time) (attempt.Resolution, fieldStates)) error {
	j.lock()
	a, err := j.inFlight(id)
	if err != nil {
		j.mu.Unlock()
		return err
	}
	now := j.nowAtMost()
	res, states := end(a, now)
	j.state.resolve(id, res, now)
	op := j.reserve(func() { j.state.leave(id) })
	j.queued += longTexts(res)
	j.mu.Unlock()
	op.aliased.alias, op.aliased.keys = attempt.AsAliases(a.Key, id, names, func(name enrich.Identity) enrich.Key {
		return record.KeyIn(a.Account, j.secret, record.HashKey(j.secret, name))
	})
	op.fill(a.resolutionWrites(id, res, states)...)
	return <-op.durable
}

// resolutionWrites returns the writes that record how an attempt ended.
func (a *openAttempt) resolutionWrites(id attempt.ID, res attempt.Resolution, states fieldStates) []Write {
	writes := make([]Write, 0, 2+len(states))
	writes = append(writes, Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&res)})
	if a.state == attempt.InDoubt {
		writes = append(writes, Write{Key: record.IDKey(record.OpenPrefix, id)})
	}
	for f, state := range states {
		if state == attempt.Unasked {
			continue
		}
		if a.Erased {
			state = attempt.Forgotten // as it is already; now it points to the charge
		}
		f := enrich.Field(f)
		entry := record.FieldEntry{State: state, Attempt: id, At: res.At, Earlier: a.Earlier[f]}
		writes = append(writes, Write{Key: record.FieldKey(a.Key, f), Value: record.Encode(&entry)})
	}
	return writes
}

// MarkInDoubt records that the outcome of an attempt is unknown. Its hold stays.
func (j *Journal) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	j.lock()
	a, err := j.inFlight(id)
	if err != nil {
		j.mu.Unlock()
		return err
	}
	d := record.Doubt{At: j.nowAtMost(), Cause: why.Cause}
	a.account.Pause(d.At, why.PauseUntil)
	j.state.markInDoubt(id, d, d.At)
	durable := j.enqueue(nil, doubtWrites(id, d)...)
	j.mu.Unlock()
	return <-durable
}

// doubtWrites returns the writes that put an attempt in doubt.
func doubtWrites(id attempt.ID, d record.Doubt) []Write {
	return []Write{{Key: record.IDKey(record.DoubtPrefix, id), Value: record.Encode(&d)}, {Key: record.IDKey(record.OpenPrefix, id), Value: record.Encode(&record.OpenMark{})}}
}

func (j *Journal) inFlight(id attempt.ID) (*openAttempt, error) {
	if j.failure != nil {
		return nil, j.failure
	}
	a := j.state.open[id]
	if a == nil || a.state != attempt.Intended || a.resolving {
		return nil, fmt.Errorf("attempt %d is not in flight: an attempt is resolved once", id)
	}
	if a.Epoch != j.shared.turn.Epoch {
		return nil, fmt.Errorf("attempt %d is in flight in another process, which alone can say how it ended", id)
	}
	return a, nil
}
