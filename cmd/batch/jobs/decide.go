package jobs

import (
	"hash/fnv"
	"slices"
	"time"

	"payonce/checkpoint/record"
)

// SchedulePlan says when a job is due and what happens to occurrences that could not run in time.
type SchedulePlan struct {
	Job   string
	Times Times
	Zone  *time.Location
	// CatchUp is how long after its time an occurrence may still start.
	CatchUp time.Duration
	// Jitter spreads the starts of jobs over a time span. Every occurrence has its own part of it, which
	// does not change.
	Jitter time.Duration
	// Overlaps says that an occurrence that became due while an earlier one ran starts after it. Without
	// it that occurrence is skipped.
	Overlaps bool
}

// ScheduleState is what is known of a job before a decision.
type ScheduleState struct {
	// Decided is the last occurrence that was decided; zero for a job that has not started yet.
	Decided LocalTime
	// PausedAt is the time since which no occurrence starts; zero for a job that is not paused.
	PausedAt time.Time
	// Pauses are earlier pauses. Occurrences that became due in one do not run.
	Pauses []record.Pause
	// Unfinished is an occurrence that began and did not end; zero for none.
	Unfinished LocalTime
	// Until is when the unfinished occurrence goes on; zero for at once.
	Until time.Time
	// Began and Ended are the times of the last run.
	Began, Ended time.Time
	// Ran reports whether an occurrence began before. It is asked about occurrences that follow Decided.
	Ran func(LocalTime) bool
}

func (s *ScheduleState) isPaused() bool { return !s.PausedAt.IsZero() }

// pausedAt reports whether the job was paused at a time.
func (s *ScheduleState) pausedAt(at time.Time) bool {
	return s.isPaused() && at.After(s.PausedAt) ||
		slices.ContainsFunc(s.Pauses, func(p record.Pause) bool { return at.After(p.Began) && !at.After(p.Ended) })
}

// PassedReason says why occurrences did not run.
type PassedReason string

// The reasons.
const (
	Missed  PassedReason = "missed"  // the catch-up window had passed
	overlap PassedReason = "overlap" // an earlier occurrence still ran, or waited
	Paused  PassedReason = "paused"  // the job was paused
)

// Passed are occurrences of one reason, without another one between them.
type Passed struct {
	First, Last LocalTime
	Count       int64
	Reason      PassedReason
}

// Decision says what happens to the occurrences of a job now.
type Decision struct {
	// Passed are the occurrences that do not run any more.
	Passed []Passed
	// Run is the occurrence that starts now; zero for none.
	Run LocalTime
	// Waits says that the unfinished occurrence goes on at a later time, and no other one starts before. A pause of the
	// job does not end the wait.
	Waits bool
	// Abandoned says that the unfinished occurrence does not start again: its catch-up window has passed.
	Abandoned bool
	// Decided is the last occurrence that is decided after this.
	Decided LocalTime
	// Next is the first occurrence that is not due yet; zero when there is none.
	Next LocalTime
	// Wake is when there is something to decide again, when nothing starts now; zero for never.
	Wake time.Time
}

// Due returns when an occurrence may start.
func (p SchedulePlan) Due(l LocalTime) time.Time {
	due := l.In(p.Zone)
	if p.Jitter <= 0 {
		return due
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(p.Job + "\n" + l.String())) // never fails
	return due.Add(time.Duration(hash.Sum64() % uint64(p.Jitter)).Truncate(time.Second))
}

// Decide decides about every occurrence that is due. When several may run, the oldest one starts: decide
// again when it has ended.
func (p SchedulePlan) Decide(s ScheduleState, now time.Time) Decision {
	d := Decision{Decided: p.start(s, now)}
	oldest := now.Add(-p.CatchUp)
	if !s.Unfinished.IsZero() {
		switch {
		case s.Unfinished.In(p.Zone).Before(oldest):
			d.Abandoned = true
		case s.Until.After(now) && !s.Until.After(now.Add(p.CatchUp)): // farther only when the clock was set back
			d.Waits, d.Wake = true, s.Until
		case s.isPaused(): // it goes on after the pause
		default:
			d.Run = s.Unfinished
		}
	}
	if p.Times.IsZero() {
		return d
	}
	if d.Waits || s.isPaused() && !d.Abandoned && !s.Until.IsZero() {
		s.Ended = now.Add(1) // to wait is to run
	}
	due := func(l LocalTime) bool { return !l.IsZero() && !p.Due(l).After(now) }
	d.Next = p.Times.Next(d.Decided)
	for ; d.Run.IsZero() && due(d.Next); d.Next = p.Times.Next(d.Next) {
		if d.Waits && p.Overlaps {
			break // it starts after the one that waits
		}
		reason, passes := p.reason(&s, d.Next, oldest)
		ran := s.Ran(d.Next) // before the clock was set back
		if s.isPaused() && !passes && !ran && !d.Waits {
			break // it was due before the pause, and starts after it
		}
		switch {
		case ran:
		case d.Waits && !passes:
			d.pass(d.Next, overlap)
		case passes:
			d.pass(d.Next, reason)
		default:
			d.Run = d.Next
		}
		d.Decided = d.Next
	}
	for due(d.Next) { // these are decided when the run has ended
		d.Next = p.Times.Next(d.Next)
	}
	if !d.Waits && !d.Next.IsZero() {
		d.Wake = p.Due(d.Next)
	}
	return d
}

// Waits reports whether an occurrence can wait until a time: its catch-up window has not passed then.
func (p SchedulePlan) Waits(l LocalTime, until time.Time) bool {
	return !until.After(l.In(p.Zone).Add(p.CatchUp))
}

// start returns the last occurrence that needs no decision.
func (p SchedulePlan) start(s ScheduleState, now time.Time) LocalTime {
	if p.Times.IsZero() {
		return s.Decided
	}
	today := localTimeOf(now.In(p.Zone).Add(farFromChange))
	switch {
	case s.Decided.IsZero():
		// A job begins with the newest occurrence that is due.
		newest := p.Times.Previous(today)
		for !newest.IsZero() && p.Due(newest).After(now) {
			newest = p.Times.Previous(newest)
		}
		if newest.IsZero() {
			return localTimeOf(now.In(p.Zone))
		}
		return p.Times.Previous(newest)
	case p.Due(s.Decided).After(now):
		// The clock was set back. What began is known; everything else is decided when it is due again.
		decided := s.Decided
		for !decided.IsZero() && p.Due(decided).After(now) {
			decided = p.Times.Previous(minLocal(decided, today))
		}
		return decided
	}
	return s.Decided
}

func minLocal(a, b LocalTime) LocalTime {
	if b.Before(a) {
		return b
	}
	return a
}

// reason returns why an occurrence that is due does not run; false when it may.
func (p SchedulePlan) reason(s *ScheduleState, l LocalTime, oldest time.Time) (PassedReason, bool) {
	due := p.Due(l)
	switch {
	case s.pausedAt(due):
		return Paused, true
	case l.In(p.Zone).Before(oldest):
		return Missed, true
	case !p.Overlaps && due.After(s.Began) && due.Before(s.Ended):
		return overlap, true
	}
	return "", false
}

// pass adds an occurrence that does not run.
func (d *Decision) pass(l LocalTime, reason PassedReason) {
	if n := len(d.Passed); n > 0 && d.Passed[n-1].Reason == reason {
		d.Passed[n-1].Last, d.Passed[n-1].Count = l, d.Passed[n-1].Count+1
		return
	}
	d.Passed = append(d.Passed, Passed{First: l, Last: l, Count: 1, Reason: reason})
}

// between returns how many occurrences are due after one time and up to another, and the last of them.
func (p SchedulePlan) between(after, until time.Time) (n int64, last LocalTime) {
	for {
		next, due := p.NextAfter(after)
		if next.IsZero() || due.After(until) {
			return n, last
		}
		n, last, after = n+1, next, due
	}
}

// NextAfter returns the first occurrence that is due after a time, and when; zero when there is none.
func (p SchedulePlan) NextAfter(now time.Time) (LocalTime, time.Time) {
	if p.Times.IsZero() {
		return LocalTime{}, time.Time{}
	}
	next := p.Times.Next(localTimeOf(now.In(p.Zone).Add(-p.Jitter - farFromChange)))
	for !next.IsZero() && !p.Due(next).After(now) {
		next = p.Times.Next(next)
	}
	if next.IsZero() {
		return next, time.Time{}
	}
	return next, p.Due(next)
}
