package jobrun

import (
	"context"
	"time"

	"payonce/checkpoint/claims"
	"payonce/checkpoint/outbox"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/internal/delivery"
	"payonce/internal/jobs"
	"payonce/internal/problem"
	"payonce/notify/rules"
)

// Known is what the journal knows of a job.
type Known struct {
	Job     record.Job
	History []record.Occurrence // the oldest first
	// Failures are the channels that do not accept alerts of the job.
	Failures []delivery.Failure
}

// Waiting returns the occurrence that waits, and false for none.
func (k Known) Waiting() (record.Occurrence, bool) {
	for _, one := range k.History {
		if one.At == k.Job.Unfinished && !one.Until.IsZero() {
			return one, true
		}
	}
	return record.Occurrence{}, false
}

// Look reads what the journal knows of a job, also while another process owns the journal.
func Look(ctx context.Context, job *jobs.Job) (known Known, err error) {
	known.Job.Name = job.Name
	b, err := openBook(job)
	if err != nil {
		return known, err
	}
	err = b.read(ctx, "jobs history", func(s store.Store) (err error) {
		if known.Job, err = claims.Job(s, job.Name); err == nil {
			known.History, err = claims.History(s, job.Name)
		}
		if err != nil {
			return err
		}
		open, err := outbox.Open(s, job.Name)
		known.Failures = delivery.Failures(open)
		return err
	})
	return known, err
}

// change changes what the journal knows of a job.
func change(ctx context.Context, job *jobs.Job, doing string, wait time.Duration, do func(s store.Store, known record.Job) error) error {
	b, err := openBook(job)
	if err != nil {
		return err
	}
	b.wait = wait
	return b.own(ctx, doing, func(s store.Store) error {
		known, err := claims.Job(s, job.Name)
		if err != nil {
			return err
		}
		return do(s, known)
	})
}

// Pause keeps a job from starting. Occurrences that become due meanwhile do not run.
func Pause(ctx context.Context, job *jobs.Job, note string, now time.Time, wait time.Duration) error {
	return change(ctx, job, "jobs pause", wait, func(s store.Store, known record.Job) error {
		if known.PausedAt.IsZero() {
			known.PausedAt = now.UTC()
		}
		known.PauseNote = note
		return claims.Save(s, known)
	})
}

// Resume lets a job start again. It records the occurrences that were due while the job was paused, and returns
// how many there were.
func Resume(ctx context.Context, job *jobs.Job, note string, now time.Time, wait time.Duration) (passed int64, err error) {
	err = change(ctx, job, "jobs resume", wait, func(s store.Store, known record.Job) error {
		if known.PausedAt.IsZero() {
			return problem.Usagef("the job %s is not paused", job.Name)
		}
		c := newClaim(job, Request{}, now)
		if err := c.decide(s); err != nil {
			return err
		}
		for _, one := range c.passed {
			passed += one.Count
		}
		c.job.PausedAt, c.job.PauseNote, c.job.Failures = time.Time{}, note, 0
		return claims.Save(s, c.job)
	})
	return passed, err
}

// LastRun returns the occurrence that began last, and false when none has.
func (k Known) LastRun() (last record.Occurrence, found bool) {
	for _, one := range k.History {
		if one.Starts > 0 && (!found || one.Began.After(last.Began)) {
			last, found = one, true
		}
	}
	return last, found
}

// LastSuccess returns when an occurrence last came to its end without a failure; zero for never.
func (k Known) LastSuccess() (last time.Time) {
	for _, one := range k.History {
		if Succeeded(one) && one.Ended.After(last) {
			last = one.Ended
		}
	}
	return last
}

// Succeeded reports whether an occurrence came to its end without a failure.
func Succeeded(one record.Occurrence) bool { return rules.CameToEnd(one) }
