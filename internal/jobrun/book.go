package jobrun

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"payonce/checkpoint/claims"
	"payonce/checkpoint/outbox"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/internal/jobs"
	"payonce/internal/problem"
	"payonce/internal/workspace"
	"payonce/notify/rules"
	"payonce/schedule"
)

// book is the journal of a job.
type book struct {
	dir     string
	options workspace.Options
	env     workspace.Environment
	wait    time.Duration
}

// openBook finds the journal of a job.
func openBook(job *jobs.Job) (*book, error) {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return nil, err
	}
	dir, err := options.Dir()
	return &book{dir: dir, options: options, env: env, wait: patience(job)}, err
}

// spool returns the file for the output of the command of a list.
func (b *book) spool(job string, at schedule.Local) string {
	return filepath.Join(b.dir, "lists", job, at.Date()+"-"+at.Clock()+commandEnding)
}

// own calls do with the store of the journal, which it creates when there is none. No other process owns it
// meanwhile.
func (b *book) own(ctx context.Context, doing string, do func(store.Store) error) error {
	opening, err := b.options.Opening(b.env, doing, nil)
	if err != nil {
		return err
	}
	opening.Wait = b.wait
	if _, exists, err := b.options.Find(); err != nil {
		return err
	} else if !exists {
		journal, err := workspace.OpenJournal(ctx, b.dir, opening)
		if err != nil {
			return workspace.OpenError(err)
		}
		if err := journal.Close(); err != nil {
			return err
		}
	}
	return workspace.OpenError(workspace.WithStore(ctx, b.dir, opening, do))
}

// read calls do with the store of the journal, or a snapshot of it. Without a journal it does nothing.
func (b *book) read(ctx context.Context, doing string, do func(store.Store) error) error {
	_, exists, err := b.options.Find()
	if err != nil || !exists {
		return err
	}
	opening, err := b.options.Opening(b.env, doing, ctx.Err)
	if err != nil {
		return err
	}
	return workspace.OpenError(workspace.ReadStore(ctx, b.dir, opening, do))
}

// claim decides which occurrence starts, and records that.
type claim struct {
	plan       schedule.Plan
	pauseAfter int64
	noRunAfter time.Duration
	receivers  []rules.Receiver // of alerts
	now        time.Time
	request    Request

	alerts  []record.Alert // that follow from the decision
	open    []record.Alert // that wait for their channels
	job     record.Job
	passed  []record.Occurrence
	claimed *record.Occurrence
	done    bool
	late    bool      // a later occurrence than the claimed one has run
	waits   time.Time // when the unfinished occurrence goes on; zero when none waits
	wake    time.Time // when there is something to decide again; zero for never
}

// newClaim returns a claim of a job that has decided nothing yet.
func newClaim(job *jobs.Job, q Request, now time.Time) *claim {
	return &claim{
		plan: job.Plan, pauseAfter: job.PauseAfter, noRunAfter: job.NoRunAfter, receivers: job.Receivers(), request: q, now: now,
	}
}

// decide decides on what the store holds, and records it.
func (c *claim) decide(s store.Store) (err error) {
	if _, err := c.choose(s); err != nil || c.done {
		return err
	}
	alerts, err := outbox.Add(s, rules.Address(c.alerts, c.receivers))
	if err != nil {
		return err
	}
	return claims.Decide(s, claims.Decided{Job: c.job, Passed: c.passed, Claim: c.claimed, More: alerts})
}

// choose decides on what the store holds. It reports whether there is something to record.
func (c *claim) choose(s store.Store) (changes bool, err error) {
	if c.job, err = claims.Job(s, c.plan.Job); err != nil {
		return false, err
	}
	if c.request != (Request{}) {
		return true, c.chooseOne(s)
	}
	was := c.job
	if err := c.lookForSilence(s); err != nil {
		return false, err
	}
	err = c.chooseDue(s)
	return c.claimed != nil || len(c.passed) > 0 || c.job != was, err
}

// lookForSilence finds that no run came to its end for too long.
func (c *claim) lookForSilence(s store.Store) error {
	if c.noRunAfter <= 0 {
		return nil
	}
	recent, err := claims.Newest(s, c.job.Name, c.now, 1)
	if err != nil || slices.ContainsFunc(recent, func(one record.Occurrence) bool {
		return rules.CameToEnd(one) && one.Ended.Add(c.noRunAfter).After(c.now)
	}) {
		return err
	}
	history, err := claims.History(s, c.job.Name)
	if err != nil {
		return err
	}
	if alert, since := rules.OfSilence(c.job, history, c.noRunAfter, c.now); alert != nil {
		c.alerts, c.job.Silent = append(c.alerts, *alert), since
	}
	return nil
}

// chooseDue decides on the occurrences that are due.
func (c *claim) chooseDue(s store.Store) error {
	state, err := stateOf(s, c.job)
	if err != nil {
		return err
	}
	d := c.plan.Decide(state.State, c.now)
	if state.err != nil {
		return state.err
	}
	for _, passed := range d.Passed {
		one := c.record(passed)
		was, _, err := claims.Occurrence(s, one.Job, one.At)
		if err != nil {
			return err
		}
		if was.Count <= one.Count { // else the clock was set back, and the record has earlier ones too
			c.passed = append(c.passed, one)
			if passed.Reason == schedule.Missed {
				c.alerts = append(c.alerts, rules.OfMissed(one, c.now))
			}
		}
	}
	c.job.Decided, c.wake = d.Decided.String(), d.Wake
	if d.Waits {
		c.waits = state.Until
	}
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
func (c *claim) chooseOne(s store.Store) error {
	at := c.request.At
	unfinished, until, err := unfinishedOf(s, c.job)
	if err != nil {
		return err
	}
	switch {
	case c.request.ByHand && !unfinished.IsZero() && until.After(c.now) && c.plan.Waits(unfinished, until):
		c.waits, c.done = until, true
		return nil
	case c.request.Once && !unfinished.IsZero() && (c.plan.Times.IsZero() || until.After(c.now)):
		at = unfinished // it goes on, within the same ceiling
	case c.request.Once:
		var err error
		if at, err = c.unclaimed(s); err != nil {
			return err
		}
	case c.plan.Times.IsZero() || c.plan.Times.Next(c.plan.Times.Previous(at)) != at:
		if _, found, err := claims.Occurrence(s, c.job.Name, at.String()); err != nil || !found {
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
	was, found, err := claims.Occurrence(s, c.job.Name, at.String())
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
func (c *claim) goesOnFirst(at schedule.Local) error {
	unfinished, err := localOf(c.job, c.job.Unfinished)
	if err != nil || unfinished.IsZero() || unfinished == at || !c.job.PausedAt.IsZero() {
		return err
	}
	if c.plan.Due(unfinished).Add(c.plan.CatchUp).Before(c.now) {
		return nil // it is abandoned
	}
	return problem.Usagef("the occurrence %s of %s was interrupted and goes on first: start the job without "+
		"naming an occurrence", unfinished, c.job.Name)
}

// unclaimed returns the time of an occurrence that starts now. An occurrence has its name by the second, so
// a second start within one second gets the next second. The names of the schedule's occurrences are not used.
func (c *claim) unclaimed(s store.Store) (schedule.Local, error) {
	for now := c.now; ; now = now.Add(time.Second) {
		at := schedule.LocalOf(now.In(c.plan.Zone))
		if times := c.plan.Times; !times.IsZero() && times.Next(times.Previous(at)) == at {
			continue
		}
		if _, found, err := claims.Occurrence(s, c.job.Name, at.String()); !found || err != nil {
			return at, err
		}
	}
}

// take claims an occurrence, unless the job is paused because of it.
func (c *claim) take(s store.Store, at schedule.Local) error {
	was, found, err := claims.Occurrence(s, c.job.Name, at.String())
	if err != nil {
		return err
	}
	if found && was.Starts > 0 && was.Ended.IsZero() { // the process ended in the middle
		running := c.job.PausedAt.IsZero()
		fail(&c.job, c.pauseAfter, c.now)
		if running && !c.job.PausedAt.IsZero() {
			c.alerts = append(c.alerts, rules.OfCrash(was, c.job))
		}
		if !c.job.PausedAt.IsZero() && c.request == (Request{}) {
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
		Fields: was.Fields, InDoubt: was.InDoubt,
	}
	c.job.Unfinished, c.job.Began, c.job.Ended = claimed.At, c.now.UTC(), time.Time{}
	if was.Starts > 0 {
		claimed.Began = was.Began
	}
	if !was.Until.IsZero() {
		c.job.Began = was.Began // it waited meanwhile, which is to run
	}
	c.late, err = claims.StartedAfter(s, c.job.Name, claimed.At)
	c.claimed = &claimed
	return err
}

// keepEarlier records again the occurrences that did not run, when the record of them has the time of the one that
// starts now. That happens when the clock was set back.
func (c *claim) keepEarlier(s store.Store, was record.Occurrence) error {
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
		if _, found, err := claims.Occurrence(s, c.job.Name, last.String()); err != nil {
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
func (c *claim) abandon(s store.Store) error {
	abandoned, _, err := claims.Occurrence(s, c.job.Name, c.job.Unfinished)
	abandoned.Reason, abandoned.Until, c.job.Unfinished = record.NotFinished, time.Time{}, ""
	c.passed = append(c.passed, abandoned)
	if c.job.PausedAt.IsZero() { // else somebody paused the job, or there is an alert about that already
		c.alerts = append(c.alerts, rules.OfNotFinished(abandoned, c.now))
	}
	return err
}

// fail counts a failure, and pauses the job after some in a row.
func fail(job *record.Job, pauseAfter int64, now time.Time) {
	job.Failures++
	if pauseAfter > 0 && job.Failures >= pauseAfter && job.PausedAt.IsZero() {
		job.PausedAt, job.PauseNote = now.UTC(), fmt.Sprintf("%d failures in a row", job.Failures)
	}
}

// record returns the record of occurrences that do not run.
func (c *claim) record(passed schedule.Passed) record.Occurrence {
	one := record.Occurrence{
		Job: c.job.Name, At: passed.Last.String(), Count: passed.Count, Zone: c.plan.Zone.String(),
		Due: c.plan.Due(passed.Last).UTC(), Reason: string(passed.Reason),
	}
	if passed.Count > 1 {
		one.First = passed.First.String()
	}
	if passed.Reason == schedule.Paused && c.job.PauseNote != "" {
		one.Reason += ": " + c.job.PauseNote
	}
	return one
}

// reading is a state that is read from a store while a decision is made.
type reading struct {
	schedule.State
	err error
}

// stateOf returns what the journal knows of a job. An error of a later read is in the reading.
func stateOf(s store.Store, job record.Job) (*reading, error) {
	r := &reading{}
	r.Paused, r.Began, r.Ended = !job.PausedAt.IsZero(), job.Began, job.Ended
	var err error
	if r.Decided, err = localOf(job, job.Decided); err != nil {
		return nil, err
	}
	if r.Unfinished, r.Until, err = unfinishedOf(s, job); err != nil {
		return nil, err
	}
	r.Ran = func(at schedule.Local) bool {
		one, found, err := claims.Occurrence(s, job.Name, at.String())
		if err != nil && r.err == nil {
			r.err = err
		}
		return found && one.Starts > 0
	}
	return r, nil
}

// unfinishedOf returns the unfinished occurrence of a job, and until when it waits. Both are zero for none.
func unfinishedOf(s store.Store, job record.Job) (at schedule.Local, until time.Time, err error) {
	if at, err = localOf(job, job.Unfinished); err != nil || at.IsZero() {
		return at, until, err
	}
	one, _, err := claims.Occurrence(s, job.Name, job.Unfinished)
	return at, one.Until, err
}

// localOf reads the date and time of an occurrence of a job, which may be missing.
func localOf(job record.Job, text string) (schedule.Local, error) {
	if text == "" {
		return schedule.Local{}, nil
	}
	at, err := schedule.ParseLocal(text)
	if err != nil {
		err = fmt.Errorf("%w: job %s: %w", store.ErrCorrupt, job.Name, err)
	}
	return at, err
}

// ending records how an occurrence ended.
type ending struct {
	job   *jobs.Job
	ended record.Occurrence
	// noFailure says that nobody has to act, though the run did not come to its end.
	noFailure bool
	facts     rules.Facts
	note      func(string)
	// After write:
	state record.Job     // of the job
	open  []record.Alert // that wait for their channels
}

func (e *ending) write(s store.Store) error {
	job, err := claims.Job(s, e.job.Name)
	if err != nil {
		return err
	}
	exit, now := int(e.ended.Exit), e.ended.Ended
	job.Ended = now
	switch {
	case goesOn(exit) || !e.ended.Until.IsZero():
		job.Unfinished = e.ended.At // also when the job was paused and resumed meanwhile
	case job.Unfinished == e.ended.At:
		job.Unfinished = ""
	}
	switch {
	case isEnd(exit):
		job.Failures = 0
		e.removeOutputs(s)
	case !goesOn(exit) && !e.noFailure:
		fail(&job, e.job.PauseAfter, now)
	}
	if e.ended.Fields, err = priced(s, e.ended.Fields, e.facts.Fields); err != nil {
		return err
	}
	before := schedule.LocalOf(now.Add(-e.job.Retention).In(e.job.Plan.Zone))
	e.state = job
	alerts, err := e.alerts(s)
	if err != nil {
		return err
	}
	if err := claims.End(s, job, e.ended, before.String(), alerts...); err != nil {
		return err
	}
	e.open, err = outbox.Open(s, job.Name)
	return err
}

// alerts returns the writes that add the alerts about the end, and erase old ones.
func (e *ending) alerts(s store.Store) ([]store.Write, error) {
	old, err := outbox.Expired(s, e.job.Name, e.ended.Ended.Add(-acceptedRetention), e.ended.Ended.Add(-e.job.Retention))
	if err != nil {
		return nil, err
	}
	told := rules.Ended{Occurrence: e.ended, Job: e.state, End: e.end(), Facts: e.facts}
	if len(e.job.Alerts) > 0 {
		if told.Earlier, err = claims.Newest(s, e.job.Name, e.ended.Ended, comparedRuns); err != nil {
			return nil, err
		}
	}
	told.Facts.Fields = nil
	for _, field := range e.ended.Fields { // with their prices
		if slices.ContainsFunc(e.facts.Fields, func(asked record.FieldCount) bool { return asked.Name == field.Name }) {
			told.Facts.Fields = append(told.Facts.Fields, field)
		}
	}
	more, err := outbox.Add(s, rules.Address(rules.OfEnd(told), e.job.Receivers()))
	return append(more, old...), err
}

// comparedRuns is how many earlier occurrences rules look at, at least.
const comparedRuns = 40

// acceptedRetention is how long alerts are kept that every channel accepted.
const acceptedRetention = 7 * 24 * time.Hour

// end returns how the start of the occurrence ended.
func (e *ending) end() rules.End {
	exit := int(e.ended.Exit)
	switch {
	case !e.ended.Until.IsZero():
		return rules.Waits
	case goesOn(exit):
		return rules.GoesOn
	case isEnd(exit) || e.noFailure:
		return rules.Done
	}
	return rules.Failed
}

// priced returns the counts of fields with the prices of those that were asked for now. They are the prices of the
// last attempts in the journal.
func priced(s store.Store, counts, asked []record.FieldCount) ([]record.FieldCount, error) {
	if len(asked) == 0 {
		return counts, nil
	}
	prices, err := record.LastPrices(s)
	if err != nil {
		return nil, err
	}
	counts = slices.Clone(counts)
	for i := range counts {
		isAsked := slices.ContainsFunc(asked, func(one record.FieldCount) bool { return one.Name == counts[i].Name && one.Asked > 0 })
		if price := prices[counts[i].Name]; isAsked && price > 0 {
			counts[i].Price = price
		}
	}
	return counts, nil
}

// removeOutputs removes the oldest dated outputs, when there are more than the job keeps. One that was changed
// after it was written stays.
func (e *ending) removeOutputs(s store.Store) {
	if e.job.Keep == 0 {
		return
	}
	history, err := claims.History(s, e.job.Name)
	if err != nil {
		e.note(fmt.Sprintf("earlier outputs are not removed: %v", err))
		return
	}
	slices.Reverse(history) // the newest first
	kept, good := map[string]bool{}, int64(0)
	for _, one := range history {
		if one.At == e.ended.At {
			one = e.ended
		}
		if len(one.Outputs) == 0 {
			continue
		}
		// Occurrences may share an output, and one that failed may have none.
		if output := one.Outputs[0]; isEnd(int(one.Exit)) && !one.Ended.IsZero() && !kept[output] && exists(output) {
			good++
		}
		for _, path := range one.Outputs {
			if good <= e.job.Keep || one.At == e.ended.At || kept[path] {
				kept[path] = true
			} else if err := removeUnchanged(s, path); err != nil {
				e.note(err.Error())
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// removeUnchanged removes an output that is as it was written.
func removeUnchanged(s store.Store, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // somebody removed it before
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	file, found, err := record.Load[record.File](s, record.NameKey(record.FilePrefix, real))
	switch {
	case err != nil:
		return err
	case !found || info.Mode()&fs.ModeType != 0 || info.Size() != file.Size || !info.ModTime().Equal(file.Changed):
		return fmt.Errorf("%s was changed after it was written, so it was kept; remove it if you do not need it",
			path)
	}
	return os.Remove(path)
}
