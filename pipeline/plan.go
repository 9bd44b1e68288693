package pipeline

import (
	"context"
	"errors"

	"payonce/checkpoint"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// PlanOptions say what is planned.
type PlanOptions struct {
	List    List
	Output  string // that a run would write, for the plan to name; "" for none
	Budget  Budget
	Offline bool   // the service is not called
	Sample  *int64 // propose a paid sample of that number of persons
	// SampleCommand returns the words of the command that runs a sample, as a shell reads them.
	SampleCommand func(*report.Sample) []string
	Sum           bool // the plan is kept, with the list's checksum
	Pages         Pages
}

// Planned is a plan with what a run of it needs to know of the list.
type Planned struct {
	Plan   *report.Plan
	Paths  []string // of the list; none for standard input
	SHA256 string   // of the list's bytes
	RecordedColumns
}

// Plan shows what a run would do and what it can cost at most. It has no way to spend.
func (w *Work) Plan(ctx context.Context, o PlanOptions) (*Planned, error) {
	return with(w, func(s *session) (*Planned, error) { return s.plan(ctx, o) })
}

func (s *session) plan(ctx context.Context, o PlanOptions) (*Planned, error) {
	j, err := s.prepare(RunOptions{List: o.List, Budget: o.Budget})
	if err != nil {
		return nil, err
	}
	j.Pages = o.Pages
	if err := j.choose(ctx); err != nil {
		return nil, err
	}
	if o.Sum { // the run of the plan needs the limits
		if err := j.CheckLimits(); err != nil {
			return nil, err
		}
	}
	s.warnOfDelay()
	opened, err := s.place.ReadExisting(ctx, "plan")
	if err == nil && opened {
		err = errors.Join(j.keepFallback(), j.keepColumns())
	}
	if err != nil {
		return nil, err
	}
	use := provider.UseReading
	if o.Offline {
		use = provider.UseNothing
	}
	if err := j.open(ctx, use); err != nil {
		return nil, err
	}
	if opened {
		if err := j.watch(); err != nil {
			return nil, err
		}
	}
	if err := j.choosing.Check(ctx, j.search(), j.note); err != nil {
		return nil, err
	}
	if err := j.take(ctx); err != nil {
		return nil, err
	}
	if err := j.readService(ctx, o.Offline); err != nil {
		return nil, err
	}
	spent, erased, err := j.spentBefore()
	if err != nil {
		return nil, err
	}
	sample, err := j.proposeSample(ctx, o)
	if err != nil {
		return nil, err
	}
	planned := &Planned{Paths: j.list.Paths, RecordedColumns: j.recorded()}
	if planned.Plan, err = j.plan(ctx, spent, sample); err != nil {
		return nil, problem.AsUsage(err)
	}
	planned.Plan.Output, planned.Plan.Erased = o.Output, erased
	if o.Sum {
		planned.SHA256, err = j.list.Sum()
	}
	return planned, err
}

// watch makes the scans note the attempts about the subjects of the list: those of the journal, for what they have
// cost, and those of other accounts when answers were erased.
func (j *job) watch() error {
	j.watched = map[*checkpoint.Journal]*scan.CostWatcher{j.journal(): scan.WatchCost(j.journal())}
	pruned, err := j.journal().IsPruned()
	for _, account := range j.Accounts {
		if journal := account.Journal; pruned && journal != nil && j.watched[journal] == nil {
			j.watched[journal] = scan.WatchCost(journal)
		}
	}
	return err
}

// spentBefore returns what the subjects of the list have cost, and how many of their answers were erased.
func (j *job) spentBefore() (spent *report.SpentBefore, erased int64, err error) {
	for journal, watched := range j.watched {
		cost, err := watched.Cost(journal)
		if err != nil {
			return nil, 0, err
		}
		if erased += cost.Erased; journal == j.journal() {
			spent = report.SpentBeforeOf(journal.Catalogues()[0], cost)
		}
	}
	return spent, erased, nil
}

// readService reads what is free of the services, unless the plan is made offline, and chooses the prices.
func (j *job) readService(ctx context.Context, offline bool) error {
	if offline {
		return j.choosePrices()
	}
	if err := j.coverRehearsal(); err != nil {
		return err
	}
	for _, account := range j.Accounts {
		if err := account.ReadStatus(ctx); err != nil {
			return err
		}
	}
	return nil
}

// coverRehearsal gives the embedded service's account what the list can cost.
func (j *job) coverRehearsal() error {
	for _, s := range j.Steps {
		if s.Account.TakesMoney() {
			return j.place.CoverRehearsal(s.Counts.Asked)
		}
	}
	return nil
}
