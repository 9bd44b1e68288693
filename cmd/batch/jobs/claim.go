package jobs

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// claim decides which occurrence starts, and records that.
type claim struct {
	plan       SchedulePlan
	pauseAfter int64
	noRunAfter time.Duration
	receivers  []notify.Receiver // of alerts
	reports    []record.Alert    // on periods that have ended, for the channels that get them
	commands   Commands          // for alerts
	now        time.Time
	request    RunRequest
	peers      workspace.Peers

	alerts  []record.Alert // that follow from the decision
	open    []record.Alert // that wait for their channels
	job     record.Job
	passed  []record.Occurrence
	claimed *record.Occurrence
	done    bool
	busy    bool      // another process has the job
	late    bool      // a later occurrence than the claimed one has run
	waits   time.Time // when the unfinished occurrence goes on; zero when none waits
	wake    time.Time // when there is something to decide again; zero for never
}

// newClaim returns a claim of a job that has decided nothing yet.
func newClaim(job *Job, q RunRequest, now time.Time) *claim {
	return &claim{
		plan: job.Plan, pauseAfter: job.PauseAfter, noRunAfter: job.NoRunAfter, receivers: job.Receivers(), commands: job.Commands(),
		reports: dueReports(job.Name, job.Alerts, now),
		request: q, now: now,
	}
}

// decide decides on what the store holds, and records it.
func (c *claim) decide(s record.Store) (err error) {
	if _, err := c.choose(s); err != nil || c.done || c.busy {
		return err
	}
	c.job.Process = c.peers.Own
	alerts, err := checkpoint.AddAlerts(s, notify.AddressAlerts(c.alerts, c.receivers))
	if err != nil {
		return err
	}
	reports, err := checkpoint.AddReports(s, c.reports)
	if err != nil {
		return err
	}
	return checkpoint.ClaimOccurrences(s, checkpoint.Claims{Job: c.job, Passed: c.passed, Claim: c.claimed, More: slices.Concat(alerts, reports)})
}

// choose decides on what the store holds. It reports whether there is something to record.
func (c *claim) choose(s record.Store) (changes bool, err error) {
	if c.job, err = checkpoint.JobRecord(s, c.plan.Job); err != nil {
		return false, err
	}
	if c.busy = c.peers.Runs(c.job.Process); c.busy {
		return false, nil
	}
	if c.request != (RunRequest{}) {
		return true, c.chooseOne(s)
	}
	was := c.job
	if err := c.lookForNoRun(s); err != nil {
		return false, err
	}
	reports, err := checkpoint.AddReports(s, c.reports)
	if err != nil {
		return false, err
	}
	err = c.chooseDue(s)
	return len(reports) > 0 || c.claimed != nil || len(c.passed) > 0 || !reflect.DeepEqual(c.job, was), err
}

// lookForNoRun adds an alert when no run has come to its end for too long.
func (c *claim) lookForNoRun(s record.Store) error {
	if c.noRunAfter <= 0 {
		return nil
	}
	recent, err := checkpoint.NewestOccurrences(s, c.job.Name, c.now, 1)
	if err != nil || slices.ContainsFunc(recent, func(one record.Occurrence) bool {
		return notify.CameToEnd(one) && one.Ended.Add(c.noRunAfter).After(c.now)
	}) {
		return err
	}
	history, err := checkpoint.JobHistory(s, c.job.Name)
	if err != nil {
		return err
	}
	if alert, since := notify.AlertsOfNoRun(c.job, history, c.noRunAfter, c.now, c.commands.About(record.Occurrence{Job: c.job.Name})); alert != nil {
		c.alerts, c.job.NoRunSince = append(c.alerts, *alert), since
	}
	return nil
}

// chooseDue decides on the occurrences that are due.
func (c *claim) chooseDue(s record.Store) error {
	state, err := recordedState(s, c.job)
	if err != nil {
		return err
	}
	d := c.plan.Decide(state.ScheduleState, c.now)
	if d.Waits {
		c.waits = state.Until
	}
	if state.err != nil {
		return state.err
	}
	for _, passed := range d.Passed {
		one := c.record(passed)
		was, _, err := checkpoint.OccurrenceRecord(s, one.Job, one.At)
		if err != nil {
			return err
		}
		if was.Count <= one.Count { // else the clock was set back, and the record has earlier ones too
			c.passed = append(c.passed, one)
			c.alerts = append(c.alerts, notify.AlertsOfPassed(one, passed.Reason == Missed, c.job, c.now, c.commands.About(one)))
		}
	}
	c.job.Decided, c.wake = d.Decided.String(), d.Wake
	if d.Abandoned {
		if err := c.abandon(s); err != nil {
			return err
		}
	}
	if !d.Run.IsZero() {
		return c.take(s, d.Run)
	}
	return nil
}

// chooseOne decides on the occurrence that was asked for.
func (c *claim) chooseOne(s record.Store) error {
	at := c.request.At
	unfinished, until, err := unfinishedOf(s, c.job)
	if err != nil {
		return err
	}
	switch {
	case c.request.ByHand && !unfinished.IsZero() && until.After(c.now) && c.plan.Waits(unfinished, until):
		c.waits, c.done = until, true
		return nil
	case c.request.Once && !unfinished.IsZero() && (c.plan.Times.IsZero() || until.After(c.now) || !c.job.PausedAt.IsZero()):
		at = unfinished // it goes on, within the same ceiling
	case c.request.Once:
		var err error
		if at, err = c.unclaimed(s); err != nil {
			return err
		}
	case c.plan.Times.IsZero() || c.plan.Times.Next(c.plan.Times.Previous(at)) != at:
		if _, found, err := checkpoint.OccurrenceRecord(s, c.job.Name, at.String()); err != nil || !found {
			if err == nil {
				err = notDue(at, "the schedule is "+c.plan.Times.String())
			}
			return err
		}
	case at.In(c.plan.Zone).After(c.now):
		return notDue(at, "it is in the future")
	}
	if err := c.goesOnFirst(at); err != nil {
		return err
	}
	was, found, err := checkpoint.OccurrenceRecord(s, c.job.Name, at.String())
	if err != nil {
		return err
	}
	if found && was.Starts > 0 && !was.Ended.IsZero() && (was.Exit == exitDone || was.Exit == exitDoubt) {
		c.done = true
		return nil
	}
	return c.take(s, at)
}

// goesOnFirst fails when another occurrence than the one at a time was interrupted and still goes on with
// the next start.
func (c *claim) goesOnFirst(at LocalTime) error {
	unfinished, err := localOf(c.job, c.job.Unfinished)
	if err != nil || unfinished.IsZero() || unfinished == at {
		return err
	}
	if c.plan.Due(unfinished).Add(c.plan.CatchUp).Before(c.now) {
		return nil // it is abandoned
	}
	return problem.Usagef("the occurrence %s of %s has not come to its end and goes on first; to go on with it now, run %s",
		unfinished, c.job.Name, c.commands.Run(c.job.Name, unfinished.String()))
}

// unclaimed returns the time of an occurrence that starts now. An occurrence has its name by the second, so
// a second start within one second gets the next second. The names of the schedule's occurrences are not used.
func (c *claim) unclaimed(s record.Store) (LocalTime, error) {
	for now := c.now; ; now = now.Add(time.Second) {
		at := localTimeOf(now.In(c.plan.Zone))
		if times := c.plan.Times; !times.IsZero() && times.Next(times.Previous(at)) == at {
			continue
		}
		if _, found, err := checkpoint.OccurrenceRecord(s, c.job.Name, at.String()); !found || err != nil {
			return at, err
		}
	}
}

// take claims an occurrence, unless the job is paused because of it.
func (c *claim) take(s record.Store, at LocalTime) error {
	was, found, err := checkpoint.OccurrenceRecord(s, c.job.Name, at.String())
	if err != nil {
		return err
	}
	if found && was.Starts > 0 && was.Ended.IsZero() { // the process ended in the middle
		running := c.job.PausedAt.IsZero()
		fail(&c.job, c.pauseAfter, c.now)
		if running && !c.job.PausedAt.IsZero() {
			c.alerts = append(c.alerts, notify.AlertsOfCrash(was, c.job, c.commands.About(was)))
		}
		if !c.job.PausedAt.IsZero() && c.request == (RunRequest{}) {
			return nil
		}
	}
	if err := c.keepEarlier(s, was); err != nil {
		return err
	}
	if unfinished := c.job.Unfinished; unfinished != "" && unfinished != at.String() {
		if err := c.abandon(s); err != nil {
			return err
		}
	}
	claimed := record.Occurrence{
		Job: c.job.Name, At: at.String(), Count: 1, Zone: c.plan.Zone.String(), Due: c.plan.Due(at).UTC(),
		Starts: was.Starts + 1, Began: c.now.UTC(), Found: was.Found, Lookups: was.Lookups, Spent: was.Spent, Outputs: was.Outputs,
		Fields: was.Fields, InDoubt: was.InDoubt, Unapproved: was.Unapproved,
	}
	if c.peers.Own != 0 {
		claimed.Machine, _ = os.Hostname() // only shown to people
	}
	c.job.Unfinished, c.job.Began, c.job.Ended = claimed.At, c.now.UTC(), time.Time{}
	if was.Starts > 0 {
		claimed.Began = was.Began
	}
	if !was.Until.IsZero() {
		c.job.Began = was.Began // it waited meanwhile, which is to run
	}
	c.late, err = checkpoint.OccurrenceStartedAfter(s, c.job.Name, claimed.At)
	c.claimed = &claimed
	return err
}

// keepEarlier records again the occurrences that did not run, when the record of them has the time of the one that
// starts now. That happens when the clock was set back.
func (c *claim) keepEarlier(s record.Store, was record.Occurrence) error {
	if was.Count < 2 {
		return nil
	}
	last, err := localOf(c.job, was.At)
	if err != nil {
		return err
	}
	for was.Count > 1 {
		last = c.plan.Times.Previous(last)
		was.Count--
		if _, found, err := checkpoint.OccurrenceRecord(s, c.job.Name, last.String()); err != nil {
			return err
		} else if !found { // others began since, and have records
			was.At, was.Due = last.String(), c.plan.Due(last).UTC()
			if was.Count == 1 {
				was.First = ""
			}
			c.passed = append(c.passed, was)
			return nil
		}
	}
	return nil
}

// abandon records that the unfinished occurrence does not start again.
func (c *claim) abandon(s record.Store) error {
	abandoned, _, err := checkpoint.OccurrenceRecord(s, c.job.Name, c.job.Unfinished)
	abandoned.Reason, abandoned.Until, c.job.Unfinished = record.NotFinished, time.Time{}, ""
	c.passed = append(c.passed, abandoned)
	c.alerts = append(c.alerts, notify.AlertsOfNotFinished(abandoned, c.now, c.commands.About(abandoned)))
	return err
}

// fail counts a failure, and pauses the job after some in a row.
func fail(job *record.Job, pauseAfter int64, now time.Time) {
	job.Failures++
	if pauseAfter > 0 && job.Failures >= pauseAfter && job.PausedAt.IsZero() {
		job.PausedAt, job.PauseNote = now.UTC(), fmt.Sprintf("%d failures in a row", job.Failures)
		if job.Failures == 1 {
			job.PauseNote = "1 failure"
		}
	}
}

// record returns the record of occurrences that do not run.
func (c *claim) record(passed Passed) record.Occurrence {
	one := record.Occurrence{
		Job: c.job.Name, At: passed.Last.String(), Count: passed.Count, Zone: c.plan.Zone.String(),
		Due: c.plan.Due(passed.Last).UTC(), Reason: string(passed.Reason),
	}
	if passed.Count > 1 {
		one.First = passed.First.String()
	}
	if passed.Reason == overlap {
		one.Cause = "an earlier occurrence still ran or waited"
		if !c.waits.IsZero() {
			one.Cause = "the occurrence " + c.job.Unfinished + " waited for the end of a limit"
		}
	}
	if passed.Reason == Paused && c.job.PauseNote != "" {
		one.Reason += ": " + c.job.PauseNote
	}
	return one
}
