// This file reads what the metrics of a job follow from.

package jobs

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// readMetrics reads the journal of a job, which another process may own. The totals are sums that the journal keeps, so
// its calls are not read one by one.
func readMetrics(ctx context.Context, job *Job) (JobMetrics, error) {
	m := JobMetrics{Name: job.Name}
	options, env, err := job.Run.Workspace()
	if err != nil {
		return m, err
	}
	m.Read = env.Now()
	known, err := readKnown(ctx, job)
	if err != nil {
		return m, err
	}
	m.Paused, m.Failures = !known.Job.PausedAt.IsZero(), known.Job.Failures
	if one, waits := known.Waiting(); waits {
		m.Waits = one.Until
	}
	if one, found := known.LastRun(); found {
		m.Last = &RunMetrics{Began: one.Began, Ended: one.Ended, ExitCode: one.Exit, Found: one.Found, Calls: one.Lookups, Spent: one.Spent}
	}
	m.Success = known.LastSuccess()
	if _, exists, err := options.Find(); err != nil || !exists {
		return m, err
	}
	_, err = pipeline.WithJournal(ctx, &pipeline.Work{Env: env, Workspace: options}, "metrics", func(s *workspace.Session) (struct{}, error) {
		return struct{}{}, read(s, &m)
	})
	return m, err
}

// reader reads the sums of a job.
type reader struct {
	journal     *checkpoint.Journal
	interfaces  provider.Set
	job         string
	months      []string
	provisional bool // there are provisional charges
}

// read adds what the journal has of a job.
func read(s *workspace.Session, m *JobMetrics) error {
	journal := s.Journal
	all, err := journal.Runs()
	if err != nil {
		return err
	}
	var last checkpoint.Run
	var ofThis []checkpoint.Run
	first, until, ofJob := m.Read, m.Read, map[string]bool{}
	for _, run := range all {
		if cmp.Or(run.Job, run.Name) != m.Name {
			continue
		}
		ofJob[run.Name] = true
		ofThis = append(ofThis, run)
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
	r := reader{journal: journal, interfaces: s.Options.Interfaces(), job: m.Name, months: monthsOf(first, until), provisional: len(journal.Provisional()) > 0}
	if m.Accounts, err = r.accounts(last.Name); err != nil {
		return err
	}
	for _, doubt := range journal.DoubtsOfAll() {
		if ofJob[doubt.Run] {
			m.Accounts[doubt.Account].InDoubt++
		}
	}
	for _, c := range last.Ceilings {
		m.Ceilings = append(m.Ceilings, r.ceiling(c, 0, m.Read))
	}
	for _, asked := range last.Accounts {
		for _, c := range asked.Ceilings {
			m.Ceilings = append(m.Ceilings, r.ceiling(c, asked.Account, m.Read))
		}
	}
	m.Rows, m.Waited = last.Rows, map[string]float64{}
	for _, reason := range dispatch.WaitReasons() { // a counter begins at zero
		m.Waited[string(reason)] = 0
	}
	m.Waited[report.WaitForApproval] = 0
	for _, w := range report.WaitSums(ofThis, "") {
		m.Waited[w.For] = report.WaitSpan(w).Seconds()
	}
	return nil
}

// monthsOf returns the names of the months from one time to another.
func monthsOf(first, last time.Time) (months []string) {
	last = last.UTC()
	for at := time.Date(first.UTC().Year(), first.UTC().Month(), 1, 0, 0, 0, 0, time.UTC); !at.After(last); at = at.AddDate(0, 1, 0) {
		months = append(months, cost.Month.Of(at))
	}
	return months
}

// sum adds up the sums of all months.
type sum struct {
	answered, uncharged, forfeited int64
	settled, held                  cost.Amounts
	mayBeFree                      cost.Money
	asked, returned                enrich.ByField[int64]
}

// accounts returns the sums by account. In the scopes of the account 0, money and calls are those of all accounts.
func (r *reader) accounts(run string) (list []AccountMetrics, err error) {
	catalogues := r.journal.Catalogues()
	var others sum
	for number := len(catalogues) - 1; number >= 0; number-- {
		account, catalogue := attempt.Account(number), catalogues[number]
		s, err := r.sum(account)
		if err != nil {
			return nil, err
		}
		if number == 0 {
			s.leaveOut(others)
		} else {
			others.add(s)
		}
		view := AccountMetrics{
			Name: nameOf(catalogue, account), Answered: s.answered, NotCharged: s.uncharged, Forfeited: s.forfeited,
			Spent: s.settled.Money() - s.mayBeFree, MayBeFree: s.mayBeFree, Held: s.held.Money(),
		}
		lastRun := r.journal.Totals(account.Scope(checkpoint.RunScope(run)))
		for f := range catalogue.Fields {
			view.Fields = append(view.Fields, FieldMetrics{
				Name: catalogue.Name(enrich.Field(f)), Asked: s.asked[f], Found: s.returned[f], LastFound: lastRun.Returned[f],
			})
		}
		for meter, info := range r.interfaces.Named(catalogue.Interface).Tariff.Meters {
			if meter != int(cost.USD) {
				view.Units = append(view.Units, UnitMetrics{Meter: info.Name, Used: s.settled[meter], Held: s.held[meter]})
			}
		}
		list = append([]AccountMetrics{view}, list...)
	}
	return list, nil
}

// sum adds up the months of an account.
func (r *reader) sum(account attempt.Account) (s sum, err error) {
	for _, month := range r.months {
		scope := account.Scope(checkpoint.JobScope(r.job) + "/" + month)
		t := r.journal.Totals(scope)
		one := sum{
			answered: t.Lookups, uncharged: t.Uncharged, forfeited: t.Forfeited, settled: t.Settled, held: t.Held,
			asked: t.Asked, returned: t.Returned,
		}
		if r.provisional {
			if one.mayBeFree, err = r.journal.MayBeFree(scope); err != nil {
				return s, err
			}
		}
		s.add(one)
	}
	return s, nil
}

func (s *sum) add(other sum) {
	s.answered += other.answered
	s.uncharged += other.uncharged
	s.forfeited += other.forfeited
	s.settled, s.held = s.settled.Plus(other.settled), s.held.Plus(other.held)
	s.mayBeFree += other.mayBeFree
	for f := range other.asked {
		s.asked[f] += other.asked[f]
		s.returned[f] += other.returned[f]
	}
}

// leaveOut takes the money and the calls of other accounts out of those of all.
func (s *sum) leaveOut(others sum) {
	s.answered -= others.answered
	s.uncharged -= others.uncharged
	s.forfeited -= others.forfeited
	s.settled = s.settled.Minus(cost.OfMoney(others.settled.Money()))
	s.held = s.held.Minus(cost.OfMoney(others.held.Money()))
	s.mayBeFree -= others.mayBeFree
}

// ceiling returns a ceiling of a run at a time. The name of one on units ends in the name of the meter.
func (r *reader) ceiling(c cost.Ceiling, account attempt.Account, at time.Time) CeilingMetrics {
	name, meter, _ := strings.Cut(c.Name, " ")
	view := CeilingMetrics{Name: name, Meter: meter, Limit: c.Limit}
	scope := c.At(at).Scope
	switch c.Meter {
	case cost.USD:
		view.Meter = "usd"
	case cost.Lookups:
		view.Meter = "lookups"
	default:
		view.Account, scope = nameOf(r.journal.Catalogues()[account], account), account.Scope(scope)
	}
	view.Left = max(c.Left(r.journal.Totals(scope)), 0)
	return view
}

// nameOf returns the name of an account.
func nameOf(catalogue enrich.Catalogue, account attempt.Account) string {
	return fmt.Sprintf("%s-%d", catalogue.Interface, account)
}
