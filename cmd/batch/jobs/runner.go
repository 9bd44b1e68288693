// This file runs the occurrences of jobs that are due, each once.

package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// Runner runs a job.
type Runner struct {
	// Load reads the job. Every occurrence gets a job of its own.
	Load func() (*Job, error)
	Now  func() time.Time
	// Sleep waits for the delay of an occurrence, or returns the error of the context. Without it, Due does not wait.
	Sleep  func(context.Context, time.Duration) error
	Note   func(string)
	Stderr io.Writer // of the commands of lists
	// Occurred is called for each occurrence when its record is durable: of one that did not run, that waits or
	// that ended. It may be nil.
	Occurred func(Event)
}

// Event is what became of an occurrence.
type Event struct {
	At         time.Time
	Job        *Job
	Occurrence record.Occurrence
}

// RunRequest says which occurrence runs.
type RunRequest struct {
	// At is the only occurrence that runs; zero for all that are due.
	At LocalTime
	// Once runs the job now, whatever its schedule says. An occurrence that waits goes on.
	Once bool
	// ByHand says that a job without a schedule was started. One that waits goes on in its own time.
	ByHand bool
}

// StartResult says what a start of a job did.
type StartResult struct {
	Ran    []record.Occurrence
	Passed []record.Occurrence // decided by this start, without a run
	Busy   bool                // another process runs the job
	Done   bool                // the occurrence that was named had run before
	Job    record.Job
	Next   time.Time // when the job is due next; zero without a schedule
	Waits  time.Time // when the occurrence that waits goes on; zero when none waits
	Wake   time.Time // when there may be something to run or to send; zero for not before somebody starts the job
	Alerts time.Time // when there are alerts to send; zero when none waits
	Exit   int       // of the first run that failed
	Err    error     // of that run

	commands Commands        // about the job
	causes   map[string]bool // of failures of this start that counted, since an occurrence came to its end
}

// Due runs every occurrence that is due, as Run does. A job without a schedule only goes on.
func (r Runner) Due(ctx context.Context) (*StartResult, error) {
	return r.run(ctx, RunRequest{}, false)
}

// Run runs every occurrence that is due, the oldest first. Only one process runs a job at a time: the system
// gives its lock back when the process ends, however it ends. On a shared journal the process that has the job is in the
// record of the job, and has it while its epoch is live.
//
// An occurrence that reaches a limit that ends by itself waits until then. Its process ends meanwhile.
func (r Runner) Run(ctx context.Context, q RunRequest) (*StartResult, error) {
	return r.run(ctx, q, true)
}

func (r Runner) run(ctx context.Context, q RunRequest, byHand bool) (result *StartResult, err error) {
	job, err := r.Load()
	if err != nil {
		return nil, err
	}
	j, err := findJournal(job)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return nil, err
	}
	patience := time.Duration(0)
	if job.Plan.Overlaps {
		patience = job.Plan.CatchUp
	}
	release, err := lock(ctx, j.dir, job.Name, patience)
	if errors.Is(err, ErrRunning) {
		return &StartResult{Busy: true, Wake: r.Now().Add(busyTime)}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }() // closing a file that was not written
	if byHand && job.Plan.Times.IsZero() && q == (RunRequest{}) {
		q.Once, q.ByHand = true, true
	}
	result = &StartResult{commands: job.Commands(), causes: map[string]bool{}}
	m := &member{journal: j, doing: "jobs run " + job.Name}
	defer m.close()
	until := r.Now().Add(patience)
	for more := true; more && err == nil; {
		more, err = r.step(ctx, m, q, result)
		if result.Busy && err == nil && r.Now().Before(until) {
			err = sleep(ctx, busyPause)
			more, result.Busy = err == nil, false
		}
	}
	if result.Busy {
		result.Wake = r.Now().Add(busyTime)
	}
	if result.interrupted() {
		result.Wake = r.Now().Add(busyTime)
	}
	if !result.Alerts.IsZero() && (result.Wake.IsZero() || result.Alerts.Before(result.Wake)) {
		result.Wake = result.Alerts
	}
	return result, err
}

// busyTime is the time after which a job is looked at again that another process ran, or whose journal another
// process owned.
const busyTime = time.Minute

// busyPause is the time after which a waiting start checks again whether another machine runs the job.
const busyPause = 2 * time.Second

// step waits for the delay of an occurrence, or runs one; false when nothing is left to do.
func (r Runner) step(ctx context.Context, m *member, q RunRequest, result *StartResult) (bool, error) {
	job, err := r.Load()
	if err != nil {
		return false, err
	}
	sent := func() []checkpoint.AlertResult { return nil }
	c, err := r.decide(ctx, m, job, q, func(open []record.Alert) { sent = r.send(ctx, job, open, sent) })
	if err != nil {
		r.noteUnrecorded(job, sent(), err)
		return false, err
	}
	if c.busy {
		result.Busy = true
		return false, nil
	}
	for _, passed := range c.passed {
		r.tell(Event{c.now, job, passed})
	}
	result.Passed = append(result.Passed, c.passed...)
	result.Job, result.Done, result.Waits, result.Wake = c.job, c.done && c.waits.IsZero(), c.waits, c.wake
	next, due := job.Plan.NextAfter(c.now)
	result.Next = due
	if c.claimed != nil {
		sent = r.send(ctx, job, c.open, sent)
		open, err := r.occurrence(ctx, m, job, c, result)
		result.Alerts = r.deliver(ctx, m, job, open, sent())
		return q == (RunRequest{}) && ctx.Err() == nil && !result.interrupted(), err
	}
	result.Alerts = r.deliver(ctx, m, job, c.open, sent())
	if q == (RunRequest{}) && r.Sleep != nil && c.waits.IsZero() && result.Job.PausedAt.IsZero() && !next.IsZero() && !next.In(job.Plan.Zone).After(c.now) {
		r.Note(fmt.Sprintf("%s starts at %s, delayed by jitter", job.Name, due.In(job.Plan.Zone).Format("15:04:05")))
		return true, r.Sleep(ctx, due.Sub(c.now))
	}
	return false, nil
}

// decide decides which occurrence starts. It does not own the journal while there is nothing to record. Before it waits
// for another process that owns the journal, it calls send with the alerts that wait for their channels.
func (r Runner) decide(ctx context.Context, m *member, job *Job, q RunRequest, send func([]record.Alert)) (c *claim, err error) {
	j, changes := m.journal, true
	choose := func(s record.Store) (err error) {
		// The wait for the store may have been long, so the time is read here.
		c = newClaim(job, q, r.Now())
		if changes, err = c.choose(s); err == nil {
			c.open, err = checkpoint.OpenAlerts(s, job.Name)
		}
		return err
	}
	if q == (RunRequest{}) {
		err := j.read(ctx, m.doing, choose)
		switch {
		case err != nil || c == nil:
		case !changes && (len(c.open) == 0 || !j.isShared()):
			return c, nil
		case !j.isShared(): // else another machine may send them
			send(c.open)
		}
	}
	// Another start may have claimed the occurrence since, so this one decides again.
	err = m.change(ctx, func(s record.Store, peers workspace.Peers) error {
		c = newClaim(job, q, r.Now())
		c.peers = peers
		if err := c.decide(s); err != nil {
			return err
		}
		c.open, err = checkpoint.OpenAlerts(s, job.Name)
		return err
	})
	return c, err
}

func (r Runner) tell(e Event) {
	if r.Occurred != nil {
		r.Occurred(e)
	}
}

// interrupted reports whether the last run ended before its end and goes on with the next start.
func (r *StartResult) interrupted() bool {
	return len(r.Ran) > 0 && goesOn(int(r.Ran[len(r.Ran)-1].Exit))
}

// The exit codes of a run that matter to a job.
const (
	exitDone        = 0
	exitCeiling     = 3
	exitDoubt       = 5
	exitInterrupted = 6
	exitApproval    = 7
	exitLocked      = 11
)

// goesOn reports whether the same occurrence starts again after a run with an exit code.
func goesOn(exit int) bool { return exit == exitInterrupted || exit == exitLocked }

// isEnd reports whether a run with an exit code wrote all that it could.
func isEnd(exit int) bool { return exit == exitDone || exit == exitCeiling || exit == exitDoubt }

// occurrence runs a claimed occurrence and records how it ended. It returns the alerts that wait for their channels.
func (r Runner) occurrence(ctx context.Context, m *member, job *Job, c *claim, result *StartResult) ([]record.Alert, error) {
	claimed := *c.claimed
	at, err := parseLocalTime(claimed.At)
	if err != nil {
		return nil, err
	}
	outcome := r.start(ctx, m.journal, job, at, claimed.Unapproved)
	ended, noFailure := conclude(job.Plan, claimed, at, outcome, r.Now())
	for _, name := range []string{"output", "rejects", "new-values"} {
		path := job.Run.Flags.Lookup(name)
		if path == nil || path.Value.String() == "" {
			continue
		}
		if absolute, err := filepath.Abs(path.Value.String()); err == nil && !slices.Contains(ended.Outputs, absolute) {
			ended.Outputs = append(ended.Outputs, absolute)
		}
	}
	if isEnd(outcome.Exit) && !c.late && job.Latest != "" {
		// What fails here does not undo the run.
		if err := link(job.Output(), job.Latest); err != nil {
			r.Note(fmt.Sprintf("the link to the newest output: %v", err))
		}
	}
	if !noFailure && result.Exit == 0 {
		result.Exit, result.Err = outcome.Exit, outcome.Err
	}
	e := ending{job: job, ended: ended, noFailure: noFailure, facts: outcome.Facts, note: r.Note}
	recording, stop := lingering(ctx)
	defer stop()
	err = m.change(recording, func(s record.Store, _ workspace.Peers) error { return result.record(s, &e, outcome) })
	result.Ran = append(result.Ran, e.ended)
	if err != nil {
		return nil, err
	}
	result.Job = e.state
	r.tell(Event{e.ended.Ended, job, e.ended})
	r.clear(m.journal, job, at, goesOn(outcome.Exit) || !ended.Until.IsZero())
	return e.open, nil
}

// record records how an occurrence ended. Failures of one start count once for each cause.
func (result *StartResult) record(s record.Store, e *ending, outcome RunOutcome) error {
	cause := cmp.Or(outcome.CauseKind, outcome.Reason)
	e.counted = result.causes[cause]
	if err := e.write(s); err != nil {
		return err
	}
	if isEnd(outcome.Exit) {
		clear(result.causes)
	} else if e.failed {
		result.causes[cause] = true
	}
	return nil
}

// conclude returns the record of an occurrence that ended or waits, and whether nobody has to act.
func conclude(plan SchedulePlan, claimed record.Occurrence, at LocalTime, outcome RunOutcome, now time.Time) (ended record.Occurrence, noFailure bool) {
	ended = claimed
	ended.Ended, ended.Exit, ended.Reason, ended.Cause = now.UTC(), int64(outcome.Exit), outcome.Reason, outcome.Cause
	if !outcome.Until.IsZero() && plan.Waits(at, outcome.Until) {
		ended.Until = outcome.Until.UTC()
	}
	ended.Possible = 0
	if outcome.Exit == exitApproval {
		ended.Possible = outcome.Facts.Unapproved
	}
	switch {
	case outcome.Exit != exitApproval:
		ended.Unapproved = time.Time{}
	case ended.Unapproved.IsZero():
		ended.Unapproved = ended.Ended
	}
	ended.Fields, ended.InDoubt = added(claimed.Fields, outcome.Facts.Fields), outcome.Facts.InDoubt
	if sums := outcome.OfRun; sums != nil { // what a start that was killed did is in them
		ended.Found, ended.Lookups, ended.Spent = sums.Found, sums.Lookups, sums.Spent
	}
	return ended, outcome.Exit == exitDone || outcome.Exit == exitCeiling || !outcome.Until.IsZero()
}

// added returns the counts of fields with more of them.
func added(counts, more []record.FieldCount) []record.FieldCount {
	counts = slices.Clone(counts)
	for _, count := range more {
		i := slices.IndexFunc(counts, func(was record.FieldCount) bool { return was.Name == count.Name })
		if i < 0 {
			counts = append(counts, count)
			continue
		}
		counts[i].Asked, counts[i].Found = counts[i].Asked+count.Asked, counts[i].Found+count.Found
	}
	return counts
}

// lingerTime is how long an interrupted start waits for another process that owns the journal, to record how an
// occurrence ended. An occurrence without this record goes on with the next start.
const lingerTime = 10 * time.Second

// lingering returns a context that ends some time after another one: an interrupt ends a run, and not at once
// the record of it.
func lingering(ctx context.Context) (context.Context, func()) {
	lingering, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lingerTime, cancel) })
	return lingering, func() { stop(); cancel() }
}

// start resolves the list and runs it.
func (r Runner) start(ctx context.Context, j *jobJournal, job *Job, at LocalTime, unapproved time.Time) RunOutcome {
	if err := job.prepare(at, j.wait); err != nil {
		return job.Run.Fail(err)
	}
	spool := j.spool(job.Name, at)
	if err := os.MkdirAll(filepath.Dir(spool), 0o700); err != nil {
		return job.Run.Fail(err)
	}
	list, err := r.listOf(ctx, job, at, spool)
	if err != nil {
		outcome := job.Run.Fail(err)
		if missing, is := errors.AsType[*listError](err); is {
			outcome.Cause, outcome.CauseKind = missing.cause, missing.kind
		}
		return outcome
	}
	return job.Run.Start(ctx, list, unapproved)
}

// prepare sets the flags of the run of an occurrence, which waits up to a time for another process that owns the journal.
func (j *Job) prepare(at LocalTime, wait time.Duration) error {
	flags := j.Run.Flags
	values := map[string]string{"job": j.Name, "name": runName(j.Name, at), "wait": wait.String()}
	for _, name := range outputKeys {
		if flag := flags.Lookup(name); flag != nil && flag.Value.String() != "" {
			values[name] = named(flag.Value.String(), at)
		}
	}
	for name, value := range values {
		if err := flags.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// runName returns the name of the run of an occurrence.
func runName(job string, at LocalTime) string {
	return fmt.Sprintf("%s-%s-%s", job, at.Date(), at.Clock())
}

// clear removes the lists that commands and queries wrote for a job: all, or those of earlier occurrences when the one
// at a time goes on and reads its list again.
func (r Runner) clear(j *jobJournal, job *Job, at LocalTime, goesOn bool) {
	spool := j.spool(job.Name, at)
	written, err := os.ReadDir(filepath.Dir(spool))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Note(fmt.Sprintf("the lists of earlier occurrences are not removed: %v", err))
	}
	for _, entry := range written {
		ending := filepath.Ext(entry.Name())
		if ending != commandEnding && ending != queryEnding || goesOn && strings.HasPrefix(entry.Name(), prefixOf(filepath.Base(spool))) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(spool), entry.Name())); err != nil {
			r.Note(fmt.Sprintf("the list of an occurrence is not removed: %v", err))
		}
	}
}

// defaultPatience is how long a start waits for another process that owns the journal, at least.
const defaultPatience = time.Minute

// patience returns how long a start of a job waits for another process that owns the journal: jobs of one
// journal run one after the other.
func patience(job *Job) time.Duration { return max(cmp.Or(job.Plan.CatchUp, 0), defaultPatience) }

// notDue says that a job has no such occurrence.
func notDue(at LocalTime, why string) error {
	return problem.Usagef("there is no occurrence %s: %s", at, why)
}
