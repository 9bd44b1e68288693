// This file reads what the metrics of a job follow from.

package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// readMetrics reads the journal of a job, which another process may own. The totals are sums that the journal keeps, so
// its calls are not read one by one.
func readMetrics(ctx context.Context, job *Job) (m JobMetrics, err error) {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return m, err
	}
	options.Journal.Wait = readingPatience
	m.Read = env.Now()
	if m.Known, err = readKnown(ctx, job); err != nil {
		return m, err
	}
	if _, exists, err := options.Find(); err != nil || !exists {
		return m, err
	}
	return pipeline.WithJournal(ctx, &pipeline.Work{Env: env, Workspace: options}, "metrics", func(s *workspace.Session) (JobMetrics, error) {
		return m, m.read(pipeline.UsageReader{Journal: s.Journal, Interfaces: s.Options.Interfaces().All})
	})
}

// read adds what the journal has of a job.
func (m *JobMetrics) read(from pipeline.UsageReader) error {
	runs, err := from.Journal.Runs()
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(run checkpoint.Run) bool { return cmp.Or(run.Job, run.Name) != m.Job.Name })
	var last checkpoint.Run
	first, until := m.Read, m.Read
	for _, run := range runs {
		if run.Started.Before(first) {
			first = run.Started
		}
		if started := run.LastStarted(); started.After(last.LastStarted()) {
			last = run
			if started.After(until) { // the clock was set back
				until = started
			}
		}
	}
	if err := m.readAccounts(from, last.Name, monthsOf(m.Job.Name, first, until)); err != nil {
		return err
	}
	open, ofJob := from.Journal.OpenCalls(), func(call checkpoint.OpenCall) bool { return call.Job == m.Job.Name }
	for number, doubts := range open.InDoubt(ofJob) {
		m.Accounts[number].InDoubt = doubts
	}
	for number, held := range open.Held(ofJob) { // which may be less than what the months hold
		m.Accounts[number].Totals.Held = held
	}
	for _, c := range last.Ceilings {
		m.readCeiling(from.Journal, c, 0)
	}
	for _, asked := range last.Accounts {
		for _, c := range asked.Ceilings {
			m.readCeiling(from.Journal, c, asked.Account)
		}
	}
	m.Rows, m.Waited = last.Rows, map[string]float64{report.WaitForApproval: 0}
	for _, reason := range dispatch.WaitReasons() { // a counter begins at zero
		m.Waited[string(reason)] = 0
	}
	for _, w := range report.WaitsOf(runs, "") {
		m.Waited[w.For] = w.Seconds
	}
	return nil
}

// monthsOf returns the scopes of a job in the months from one time to another.
func monthsOf(job string, first, last time.Time) (scopes []string) {
	for _, month := range pipeline.Months(first, last) {
		scopes = append(scopes, cost.Ceiling{Scope: checkpoint.JobScope(job), Period: cost.Month}.At(month).Scope)
	}
	return scopes
}

// readAccounts adds the sums of all months and of the last run by account.
func (m *JobMetrics) readAccounts(from pipeline.UsageReader, lastRun string, months []string) error {
	totals, ofLast := from.Journal.AccountTotals(months...), from.Journal.AccountTotals(checkpoint.RunScope(lastRun))
	mayBeFree, err := from.Journal.AccountMayBeFree(months...)
	if err != nil {
		return err
	}
	for number, terms := range from.AccountTerms() {
		m.Accounts = append(m.Accounts, AccountMetrics{
			AccountTerms: terms, Name: fmt.Sprintf("%s-%d", terms.Catalogue.Interface, number), Totals: totals[number], MayBeFree: mayBeFree[number], LastRun: ofLast[number],
		})
	}
	return nil
}

// readCeiling adds a ceiling of a run. The name of one on units ends in the name of the meter.
func (m *JobMetrics) readCeiling(journal *checkpoint.Journal, c cost.Ceiling, account attempt.Account) {
	name, meter, _ := strings.Cut(c.Name, " ")
	view := CeilingMetrics{Name: name, Meter: meter, Limit: c.Limit}
	switch c.Meter {
	case cost.USD:
		view.Meter = "usd"
	case cost.Lookups:
		view.Meter = "lookups"
	default:
		view.Account = m.Accounts[account].Name
	}
	view.Left = max(c.Left(journal.Totals(checkpoint.CeilingScope(c, account, m.Read))), 0)
	m.Ceilings = append(m.Ceilings, view)
}
