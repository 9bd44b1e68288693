package jobs

import (
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/problem"
)

// Known is what the journal knows of a job.
type Known struct {
	Job     record.Job
	History []record.Occurrence // the oldest first
	// Failures are the channels that do not accept alerts of the job.
	Failures []notify.ChannelFailure
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

// readKnown reads what the journal knows of a job, also while another process owns the journal.
func readKnown(ctx context.Context, job *Job) (known Known, err error) {
	known.Job.Name = job.Name
	b, err := openBook(job)
	if err != nil {
		return known, err
	}
	err = b.read(ctx, "jobs history", func(s record.Store) (err error) {
		if known.Job, err = checkpoint.JobRecord(s, job.Name); err == nil {
			known.History, err = checkpoint.JobHistory(s, job.Name)
		}
		if err != nil {
			return err
		}
		open, err := checkpoint.OpenAlerts(s, job.Name)
		known.Failures = notify.ChannelFailures(open)
		return err
	})
	return known, err
}

// change changes what the journal knows of a job.
func change(ctx context.Context, job *Job, doing string, wait time.Duration, do func(s record.Store, known record.Job) error) error {
	b, err := openBook(job)
	if err != nil {
		return err
	}
	b.wait = wait
	return b.own(ctx, doing, func(s record.Store) error {
		known, err := checkpoint.JobRecord(s, job.Name)
		if err != nil {
			return err
		}
		return do(s, known)
	})
}

// pauseJob keeps a job from starting. Occurrences that become due meanwhile do not run.
func pauseJob(ctx context.Context, job *Job, note string, now time.Time, wait time.Duration) error {
	return change(ctx, job, "jobs pause", wait, func(s record.Store, known record.Job) error {
		if known.PausedAt.IsZero() {
			known.PausedAt = now.UTC()
		}
		known.PauseNote = note
		return checkpoint.SaveJob(s, known)
	})
}

// resumeJob lets a job start again. It records the occurrences that were due while the job was paused, and returns
// how many there were.
func resumeJob(ctx context.Context, job *Job, note string, now time.Time, wait time.Duration) (passed int64, err error) {
	err = change(ctx, job, "jobs resume", wait, func(s record.Store, known record.Job) error {
		if known.PausedAt.IsZero() {
			return problem.Usagef("the job %s is not paused", job.Name)
		}
		c := newClaim(job, RunRequest{}, now)
		if err := c.decide(s); err != nil {
			return err
		}
		for _, one := range c.passed {
			passed += one.Count
		}
		c.job.PausedAt, c.job.PauseNote, c.job.Failures = time.Time{}, note, 0
		return checkpoint.SaveJob(s, c.job)
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
		if succeeded(one) && one.Ended.After(last) {
			last = one.Ended
		}
	}
	return last
}

// succeeded reports whether an occurrence came to its end without a failure.
func succeeded(one record.Occurrence) bool { return notify.CameToEnd(one) }
