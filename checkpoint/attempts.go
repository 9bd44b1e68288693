package checkpoint

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

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
	mayBeFree := j.Provisional() // once: it holds all provisional charges
	return eachAttempt(j.store, attempts.First, attempts.Last, func(a *attemptRecord) error {
		entry, err := j.entry(a, mayBeFree)
		if err != nil || !within(entry.Time()) {
			return err
		}
		return visit(entry)
	})
}

// attemptsIn returns the span that holds every attempt of a period.
func (j *Journal) attemptsIn(from, to time.Time, within func(time.Time) bool) record.Span {
	j.look()
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

// entry returns an attempt as bookkeeping sees it. Of mayBeFree it takes the fields whose charge is
// provisional.
func (j *Journal) entry(a *attemptRecord, mayBeFree map[attempt.ID]enrich.Fields) (attempt.Entry, error) {
	entry := attempt.Entry{
		ID: a.ID, Account: a.Intent.Account, Begun: a.Intent.At, Run: a.Intent.Run, Job: a.Intent.JobName(),
		Pattern: a.Intent.Pattern, Asked: a.Intent.Hold.Fields, Rates: a.Intent.Hold.Rates,
	}
	if !a.Resolved {
		if entry.State = j.stateOf(a.ID); entry.State != 0 {
			return entry, nil
		}
		var err error // it ended since its records were read
		if a.Ended, _, err = j.Resolution(a.ID); err != nil {
			return entry, err
		}
	}
	entry.State, entry.Ended, entry.Charge = a.Ended.State, a.Ended.At, a.Ended.Charge
	entry.NotSent = entry.State == attempt.Released && !a.Ended.Sent
	entry.MayBeFree = mayBeFree[a.ID]
	entry.RequestID, entry.Reason, entry.Returned = a.Ended.RequestID, a.Ended.Reason, a.Ended.Returned
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
