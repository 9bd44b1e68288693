package jobs

import (
	"context"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
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
	j, err := findJournal(job)
	if err != nil {
		return known, err
	}
	err = j.read(ctx, "jobs history", func(s record.Store) (err error) {
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
func change(ctx context.Context, job *Job, doing string, wait time.Duration, do func(s record.Store, known record.Job, peers workspace.Peers) error) error {
	j, err := findJournal(job)
	if err != nil {
		return err
	}
	j.wait = wait
	return j.own(ctx, doing, func(s record.Store, peers workspace.Peers) error {
		known, err := checkpoint.JobRecord(s, job.Name)
		if err != nil {
			return err
		}
		return do(s, known, peers)
	})
}

// pauseJob keeps a job from starting. Occurrences that become due meanwhile do not run.
func pauseJob(ctx context.Context, job *Job, note string, now time.Time, wait time.Duration) error {
	return change(ctx, job, "jobs pause", wait, func(s record.Store, known record.Job, _ workspace.Peers) error {
		if known.PausedAt.IsZero() {
			known.PausedAt = now.UTC()
		}
		known.PauseNote = note
		return checkpoint.SaveJob(s, known)
	})
}

// resumed says what became of the occurrences of a job that was paused.
type resumed struct {
	passed int64             // that were due while the job was paused, and do not run
	last   LocalTime         // of them
	goesOn record.Occurrence // that had not come to its end, and goes on; without a time for none
	ended  []record.Occurrence
}

// resumeJob lets a job start again. It records the occurrences that were due while the job was paused. An occurrence
// that waits goes on at the time for which it waits.
func resumeJob(ctx context.Context, job *Job, note string, now time.Time, wait time.Duration) (r resumed, err error) {
	err = change(ctx, job, "jobs resume", wait, func(s record.Store, known record.Job, peers workspace.Peers) (err error) {
		if known.PausedAt.IsZero() {
			return problem.Usagef("the job %s is not paused", job.Name)
		}
		r, err = resume(s, job, note, now, peers)
		return err
	})
	if err != nil {
		return r, err
	}
	j, err := findJournal(job)
	if err != nil {
		return r, err
	}
	return r, touch(j.dir, job.Name)
}

// mostPauses is how many pauses are kept until the occurrences of their times are decided.
const mostPauses = 100

// resume records in a store that a paused job starts again. A crash before it does not count as a failure any more:
// otherwise the next start would count it once more, and pause the job again.
func resume(s record.Store, job *Job, note string, now time.Time, peers workspace.Peers) (r resumed, err error) {
	c := newClaim(job, RunRequest{}, now)
	c.peers = peers
	if err := c.decide(s); err != nil {
		return r, err
	}
	began := c.job.PausedAt
	decided, err := localOf(c.job, c.job.Decided)
	if err != nil {
		return r, err
	}
	pauses := slices.DeleteFunc(slices.Clone(c.job.Pauses), func(p record.Pause) bool {
		return !decided.IsZero() && !job.Plan.Due(decided).Before(p.Ended)
	})
	if !job.Plan.Times.IsZero() {
		pauses = append(pauses, record.Pause{Began: began, Ended: now.UTC()})
	}
	c.job.Pauses = pauses[max(0, len(pauses)-mostPauses):]
	c.job.PausedAt, c.job.PauseNote, c.job.Failures = time.Time{}, note, 0
	r.passed, r.last = job.Plan.between(began, now)
	history, err := checkpoint.JobHistory(s, job.Name)
	if err != nil {
		return r, err
	}
	var seen []record.Occurrence
	for _, one := range history {
		at, err := localOf(c.job, one.At)
		if err != nil {
			return r, err
		}
		switch {
		case one.At == c.job.Unfinished && c.busy: // another machine runs it
		case one.At == c.job.Unfinished:
			if one.Starts > 0 && one.Ended.IsZero() { // its process was killed, and somebody has looked at that now
				one.Ended, one.Exit, one.Reason = now.UTC(), exitInterrupted, "interrupted"
				seen = append(seen, one)
			}
			r.goesOn = one
		case one.Reason == record.NotFinished && at.In(job.Plan.Zone).Add(job.Plan.CatchUp).After(began):
			r.ended = append(r.ended, one)
		}
	}
	return r, checkpoint.ClaimOccurrences(s, checkpoint.Claims{Job: c.job, Passed: seen})
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

// The states of occurrences in metrics.
const (
	stateDone     = "done"     // it came to its end, also at a ceiling
	stateFailed   = "failed"   // also one that was given up
	stateApproval = "approval" // it needs an approval
	stateWaiting  = "waiting"  // for the end of a limit
	stateRunning  = "running"  // or was interrupted, and goes on
	stateMissed   = "missed"
	stateSkipped  = "skipped" // an earlier one ran or waited
	statePaused   = "paused"  // the job was paused
)

// Occurrences counts the occurrences of the history by their states. Each state has a number.
func (k Known) Occurrences() map[string]int64 {
	counts := map[string]int64{
		stateDone: 0, stateFailed: 0, stateApproval: 0, stateWaiting: 0, stateRunning: 0, stateMissed: 0, stateSkipped: 0, statePaused: 0,
	}
	for _, one := range k.History {
		counts[stateName(one)] += one.Count
	}
	return counts
}

func stateName(one record.Occurrence) string {
	switch {
	case one.Starts == 0 && one.Reason == string(Missed):
		return stateMissed
	case one.Starts == 0 && one.Reason == string(overlap):
		return stateSkipped
	case one.Starts == 0:
		return statePaused
	case one.Reason == record.NotFinished:
		return stateFailed
	case !one.Until.IsZero():
		return stateWaiting
	case one.Ended.IsZero() || goesOn(int(one.Exit)):
		return stateRunning
	case succeeded(one):
		return stateDone
	case one.Exit == exitApproval:
		return stateApproval
	}
	return stateFailed
}

// succeeded reports whether an occurrence came to its end without a failure.
func succeeded(one record.Occurrence) bool { return notify.CameToEnd(one) }
