package checkpoint

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
)

// attemptsTogether is how many attempts are read at a time.
const attemptsTogether = 4096

// ended is an attempt as the records tell it.
type ended struct {
	id       attempt.ID
	in       record.Intent
	res      attempt.Resolution
	resolved bool
}

// eachAttempt visits the attempts from first to last in the order of their Begin.
// Some at a time are joined with their resolutions in two passes over the store,
// which is many times as fast as looking each one up.
func eachAttempt(s Store, first, last attempt.ID, visit func(ended) error) error {
	for ; first <= last; first += attemptsTogether {
		end := min(first+attemptsTogether-1, last)
		attempts := make([]ended, 0, end-first+1)
		err := record.ScanIDs(s, record.IntentPrefix, first, end, func(id attempt.ID, key, value []byte) error {
			attempts = append(attempts, ended{id: id})
			return record.Decode(key, value, &attempts[len(attempts)-1].in)
		})
		if err != nil {
			return err
		}
		next := 0
		err = record.ScanIDs(s, record.ResolutionPrefix, first, end, func(id attempt.ID, key, value []byte) error {
			for next < len(attempts) && attempts[next].id < id {
				next++
			}
			if next == len(attempts) || attempts[next].id != id {
				return nil // of no attempt that was there a moment ago
			}
			attempts[next].resolved = true
			return record.Decode(key, value, &attempts[next].res)
		})
		if err != nil {
			return err
		}
		for _, a := range attempts {
			if err := visit(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Attempts visits the attempts of a period in the order of their Begin: those that
// ended at from or later and before to, and those without an outcome that began
// then. A zero time bounds nothing. So every attempt belongs to exactly one month,
// with all that it cost, and the charges of all months add up to the account's.
//
// It reads the records from the first to the last attempt that ended on the days of
// the period, some at a time: the journal goes on meanwhile.
func (j *Journal) Attempts(from, to time.Time, visit func(attempt.Entry) error) error {
	within := func(t time.Time) bool { return !t.Before(from) && (to.IsZero() || t.Before(to)) }
	attempts := j.attemptsIn(from, to, within)
	return eachAttempt(j.store, attempts.First, attempts.Last, func(a ended) error {
		entry, err := j.entry(a)
		if err != nil || !within(entry.Time()) {
			return err
		}
		return visit(entry)
	})
}

// attemptsIn returns the span that holds every attempt of a period.
func (j *Journal) attemptsIn(from, to time.Time, within func(time.Time) bool) record.Span {
	j.mu.Lock()
	defer j.mu.Unlock()
	attempts := record.Span{First: 1} // which holds none
	add := func(s record.Span) {
		if attempts.Last == 0 {
			attempts = s
		}
		attempts = attempts.With(s.First).With(s.Last)
	}
	for day, s := range j.state.sums.Days {
		if day >= record.DayOf(from) && (to.IsZero() || day <= record.DayOf(to)) {
			add(s)
		}
	}
	for id, a := range j.state.open {
		if within(a.At) {
			add(record.Span{First: id, Last: id})
		}
	}
	return attempts
}

// entry returns an attempt as bookkeeping sees it.
func (j *Journal) entry(a ended) (attempt.Entry, error) {
	entry := attempt.Entry{
		ID: a.id, Begun: a.in.At, Run: a.in.Run, Job: a.in.JobName(),
		Operation: a.in.Hold.Fields.Operation(), Pattern: a.in.Pattern,
		Asked: a.in.Hold.Fields, Prices: a.in.Hold.Prices,
	}
	if !a.resolved {
		if entry.State = j.stateOf(a.id); entry.State != 0 {
			return entry, nil
		}
		var err error // it ended since its records were read
		if a.res, _, err = j.Resolution(a.id); err != nil {
			return entry, err
		}
	}
	entry.State, entry.Ended, entry.Charge = a.res.State, a.res.At, a.res.Charge
	entry.MayBeFree = j.Provisional()[a.id]
	entry.RequestID, entry.Reason = a.res.RequestID, a.res.Reason
	if a.res.Answer != nil {
		entry.Returned = record.Returned(a.res)
	}
	return entry, nil
}

// stateOf returns the state of an attempt without an outcome, 0 when it has one.
func (j *Journal) stateOf(id attempt.ID) attempt.State {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a := j.state.open[id]; a != nil {
		return a.state
	}
	return 0
}
