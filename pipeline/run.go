package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// RunOptions say what is run, and under which ceilings.
type RunOptions struct {
	List   List
	Budget Budget
	Pace   Pace
	Output Output
	Kept   *KeptPlan // the plan that the run follows; nil for none
	Yes    bool      // do not ask before spending
	// Unapproved is the time since which the run waits for an approval that an earlier start did not get; zero for
	// none.
	Unapproved time.Time
}

// RunEnded says how a run ended.
type RunEnded struct {
	Summary *report.RunSummary
	Stop    dispatch.Stop // why it stopped early; nil when every row has its outcome
	// BudgetResets is when the account's monthly budget begins again; zero when the account does not say.
	BudgetResets time.Time
}

// Run enriches a list: it shows the plan, asks, sends what is missing and writes the list back
// filled in. Running the same again resumes.
func (w *Work) Run(ctx context.Context, o RunOptions, approver Approver) (*RunEnded, error) {
	return with(w, func(s *session) (*RunEnded, error) { return s.run(ctx, o, approver) })
}

// run carries a run from its checks to its summary.
func (s *session) run(ctx context.Context, o RunOptions, approver Approver) (_ *RunEnded, err error) {
	if err := s.checkMoney(o); err != nil {
		return nil, err
	}
	if err := o.checkTargets(); err != nil {
		return nil, err
	}
	j, err := s.prepare(o)
	if err != nil {
		return nil, err
	}
	if err := j.choose(ctx); err != nil {
		return nil, err
	}
	s.warnOfDelay()
	defer func() { err = errors.Join(err, j.closeScans()) }()
	if err := j.CheckLimits(); err != nil {
		return nil, err
	}
	if err := j.checkOutputs(); err != nil {
		return nil, err
	}
	// This is the last check of the input: a list that cannot be read is the better message.
	if !o.Yes && !approver.CanAsk() {
		return nil, problem.Unapproved("cannot_ask", "a run asks before it spends, and this is not a terminal; nothing was sent")
	}
	if err := s.place.OpenJournal(ctx, "run "+j.Name); err != nil {
		return nil, err
	}
	runs, err := s.journal().Runs()
	if err != nil {
		return nil, err
	}
	output.RemoveLeftovers(runs)
	if err := errors.Join(j.keepFallback(), j.keepColumns()); err != nil {
		return nil, err
	}
	if err := j.open(ctx, provider.UsePaying); err != nil {
		return nil, err
	}
	if err := j.choosing.Check(ctx, j.search(), j.note); err != nil {
		return nil, err
	}
	if err := j.take(ctx); err != nil {
		return nil, err
	}
	if err := j.checkRows(ctx); err != nil {
		return nil, err
	}
	if err := j.coverRehearsal(); err != nil {
		return nil, err
	}
	if err := j.openAccounts(ctx); err != nil {
		return nil, err
	}
	if err := j.showPlanAndAsk(ctx, o, approver); err != nil {
		return nil, err
	}
	j.enough = j.Enough()
	return j.runToEnd(ctx)
}

// checkMoney refuses a run that takes money and has no limit on it.
func (s *session) checkMoney(o RunOptions) error {
	asked, err := s.work.Workspace.Interfaces().Of(provider.Wanted{Fields: o.List.Fields, From: o.List.From})
	if err != nil {
		return provider.AsUnasked(err)
	}
	for _, a := range asked {
		if a.Interface.TakesMoney() && o.Budget.MaxSpend == nil {
			return maxSpendMissing()
		}
	}
	return nil
}

// checkTargets refuses outputs that would overwrite what the run reads, before anything is read.
func (o RunOptions) checkTargets() error {
	return output.CheckTargets(o.Output.Path, o.Output.Rejects, o.Output.NewValues, append(output.SourcesOf(o.List.Names), append(o.Output.Sources, (&choosing{Selected: o.List.Selected}).Source())...))
}

// showPlanAndAsk shows the plan, compares it with the one that the run is to
// follow, and asks before anything is spent.
func (j *job) showPlanAndAsk(ctx context.Context, o RunOptions, approver Approver) error {
	j.keepToApproved()
	plan, err := j.plan(ctx, nil, nil)
	if err != nil {
		return problem.AsUsage(err)
	}
	if plan.Approval != nil {
		plan.Approval.Asks = approver.CanAsk()
	}
	if err := approver.Show(plan); err != nil {
		return err
	}
	if err := j.compare(o.Kept, plan); err != nil {
		return err
	}
	return j.ask(ctx, plan, o.Yes, approver)
}

// openAccounts settles what earlier starts left, and reads the accounts before anything is sent.
func (j *job) openAccounts(ctx context.Context) error {
	again := false
	for _, account := range j.Accounts {
		isNew := account.Journal == nil
		settled, err := account.SettleLeftovers(ctx)
		if err != nil {
			return err
		}
		// The scan of a new account did not know that its answers will name other identities of companies.
		again = again || settled || isNew && j.namesCompanies(account)
	}
	if again {
		if err := j.take(ctx); err != nil {
			return err
		}
	}
	for _, account := range j.Accounts {
		if err := account.Begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runToEnd sends the lookups, writes the output and sums up how it went. From here
// on the run is on record, and its output is written however it ends.
func (j *job) runToEnd(ctx context.Context) (*RunEnded, error) {
	record, err := j.record()
	if err != nil {
		return nil, err
	}
	if err := j.journal().SaveRun(record); err != nil {
		return nil, err
	}
	stop, refused := j.refused()
	drifts := make([]cost.Drift, len(j.Accounts))
	if !refused && j.Lookups() > 0 {
		if stop, err = j.lookUpWatched(ctx, drifts); err != nil {
			return nil, err
		}
	}
	record.Stop, record.Steps = wordOf(stop), checkpoint.StepEnds{Start: record.Restarted, Ends: j.stepEnds()}
	j.setStopped(record)
	if found := j.order.Found; found != nil && record.Stop == "" {
		record.Stop = found.Stop
	}
	done, err := j.writeWhole(ctx)
	if err != nil {
		return nil, output.AsNotWritten(j.output.Path, err)
	}
	record.Ended, record.Rows = j.now(), done.rows
	record.Waits = report.AddSentWaits(record.Waits, j.Tally().Waited, record.Restarted, record.Ended)
	record.Drift, record.ModuleDrifts = provider.Drifts(j.Accounts, drifts)
	if err := j.journal().SaveRun(record); err != nil {
		return nil, err
	}
	ambiguous, kept, err := j.writeCandidates(ctx)
	if err != nil {
		return nil, err
	}
	done.kept = append(done.kept, kept...)
	summary, err := j.summary(record, done, stop)
	if err == nil {
		summary.Ambiguous = ambiguous
	}
	return &RunEnded{summary, stop, j.journal().Base().Budget.ResetsAt}, err
}

// refused reports whether the account of each step would refuse its lookups now, and the first reason.
func (j *job) refused() (first dispatch.Stop, all bool) {
	all = true
	for _, s := range j.Steps {
		s.Stop = j.foreseen(s.Account)
		all = all && s.Stop != nil
		if first == nil {
			first = s.Stop
		}
	}
	return first, all
}

// wordOf returns the word for a stop, "" for none.
func wordOf(stop dispatch.Stop) string {
	if stop == nil {
		return ""
	}
	return stop.Word()
}

// lookUpWatched sends the lookups while the accounts are watched, and compares them with the journal a last
// time at the end.
func (j *job) lookUpWatched(ctx context.Context, drifts []cost.Drift) (dispatch.Stop, error) {
	j.lookAheadNow()
	update, sent := j.work.Observer.Sending(Sending{
		Run: j.Name, Fields: strings.Join(j.order.Fields, ","),
		Lookups: j.Lookups(), Rate: j.Accounts[0].Rate, Steps: j.sending(), Money: j.TakesMoney(), Ahead: j.ahead.legs(0, dispatch.Tally{}, j.ahead.spent), Spent: j.Totals(checkpoint.RunScope(j.Name)).Settled.Money(), MaxSpend: j.MaxSpend(),
	})
	sending, halt := dispatch.WithHalt(ctx)
	defer halt(dispatch.Interrupted{})
	watching, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	var watched sync.WaitGroup
	monitors := make([]*dispatch.Monitor, len(j.Accounts))
	for i, account := range j.Accounts {
		if account.Journal == nil {
			continue // nothing is asked of it
		}
		monitors[i] = account.Monitor()
		monitors[i].Halt = halt
		watched.Go(func() {
			monitors[i].Watch(watching, func(d cost.Drift) { j.note(account.DescribeDrift(d)) })
		})
	}
	noteInterrupt := context.AfterFunc(ctx, func() {
		j.note("interrupted: waiting for the lookups in flight, then writing what is known; interrupt again to stop at once")
	})
	stop, err := j.lookUp(sending, update)
	noteInterrupt()
	endWatch()
	watched.Wait()
	sent()
	if err != nil {
		return stop, err
	}
	for i, monitor := range monitors {
		if monitor == nil {
			continue
		}
		drift, err := monitor.Read(context.WithoutCancel(ctx))
		if err != nil {
			continue // nothing is known; the next run reads the account again
		}
		drifts[i] = drift
		if higher := monitor.StopOf(drift); higher != nil { // no ceiling is safe, and to raise one would not help
			stop = insteadOfCeiling(stop, higher)
			for _, s := range j.Of(j.Accounts[i]) {
				s.Stop = insteadOfCeiling(s.Stop, higher)
			}
		}
	}
	return stop, nil
}

// insteadOfCeiling returns other when a ceiling was reached, and otherwise stop.
func insteadOfCeiling(stop, other dispatch.Stop) dispatch.Stop {
	if _, ceiling := stop.(dispatch.CeilingReached); ceiling {
		return other
	}
	return stop
}

// rowsByName returns the rows by outcome under their names.
func rowsByName(rows map[scan.Status]int64) map[string]int64 {
	named := map[string]int64{}
	for status, n := range rows {
		named[string(status)] = n
	}
	return named
}
