package checkpoint

import (
	"fmt"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Settle records the answer to an attempt and what it cost. It returns when both
// are durable; until then nobody else sees the answer.
func (j *Journal) Settle(id attempt.ID, answer enrich.Answer) (cost.Charge, error) {
	var charge cost.Charge
	err := j.resolve(id, func(a *openAttempt, now time.Time) (attempt.Resolution, fieldStates) {
		returned := answer.Returned()
		charge = a.Hold.Settle(returned)
		states := fieldStates{}
		for f := range a.Hold.Fields.Each() {
			states[f] = attempt.Missing
			if returned.Has(f) {
				states[f] = attempt.Found
			}
		}
		return attempt.Resolution{State: attempt.Settled, At: now, Run: a.Run, Charge: charge, Answer: &answer, RequestID: answer.RequestID, Sent: true}, states
	})
	return charge, err
}

// Void records that an attempt was not charged; its hold returns.
func (j *Journal) Void(id attempt.ID, v attempt.Voiding) error {
	return j.resolve(id, func(a *openAttempt, now time.Time) (attempt.Resolution, fieldStates) {
		if v.PauseUntil.After(j.books.persisted.PausedUntil) {
			j.books.persisted.PausedAt, j.books.persisted.PausedUntil = now, v.PauseUntil
		}
		res := attempt.Resolution{State: attempt.Voided, At: now, Run: a.Run, Reason: v.Reason, RequestID: v.RequestID, Rejected: v.Reject, Sent: v.Sent}
		if !v.Reject {
			return res, nil
		}
		states := fieldStates{}
		for f := range a.Hold.Fields.Each() {
			states[f] = attempt.Rejected
		}
		return res, states
	})
}

// fieldStates are the states that fields get by a resolution.
type fieldStates map[enrich.Field]attempt.FieldState

// resolve writes the one resolution of an attempt in flight.
func (j *Journal) resolve(id attempt.ID, end func(*openAttempt, time.Time) (attempt.Resolution, fieldStates)) error {
	j.mu.Lock()
	a, err := j.inFlight(id)
	if err != nil {
		j.mu.Unlock()
		return err
	}
	now := j.now()
	res, states := end(a, now)
	writes := j.apply(id, res, states, now)
	durable := j.enqueue(a.Scopes, func() { j.books.leave(id) }, writes...)
	j.mu.Unlock()
	return <-durable
}

// apply enters a resolution into the books and returns the writes that record it.
func (j *Journal) apply(id attempt.ID, res attempt.Resolution, states fieldStates, now time.Time) []Write {
	writes := []Write{{idKey(resolutionPrefix, id), encode(res)}, {idKey(openPrefix, id), nil}}
	for f, state := range states {
		if j.books.open[id].Erased {
			continue // its fields are forgotten already
		}
		entry := fieldEntry{State: state, Attempt: id, At: now, Earlier: j.books.open[id].Earlier[f]}
		writes = append(writes, Write{fieldKey(j.books.open[id].Key, f), encode(entry)})
	}
	j.books.resolve(id, res, now)
	return writes
}

// Park records that the outcome of an attempt is unknown. Its hold stays.
func (j *Journal) Park(id attempt.ID, cause string) error {
	j.mu.Lock()
	if _, err := j.inFlight(id); err != nil {
		j.mu.Unlock()
		return err
	}
	d := doubt{At: j.now(), Cause: cause}
	j.books.park(id, d, d.At)
	durable := j.enqueue(nil, nil, Write{idKey(doubtPrefix, id), encode(d)})
	j.mu.Unlock()
	return <-durable
}

func (j *Journal) inFlight(id attempt.ID) (*openAttempt, error) {
	if j.failure != nil {
		return nil, j.failure
	}
	a := j.books.open[id]
	if a == nil || a.state != attempt.Intended || a.resolving {
		return nil, fmt.Errorf("attempt %d is not in flight: an attempt is resolved once", id)
	}
	return a, nil
}
