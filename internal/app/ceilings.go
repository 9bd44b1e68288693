package app

import (
	"time"

	"payonce/checkpoint"
	"payonce/cost"
)

// The names of the ceilings that the user sets, and of the one that keeps a run to what was
// approved.
const (
	CeilingMaxSpend         = "max-spend"
	CeilingApproval         = "approval"
	CeilingMaxLookups       = "max-lookups"
	CeilingDaily            = "daily"
	CeilingMonthly          = "monthly"
	CeilingWorkspaceMonthly = "workspace-monthly"
)

// Ceilings returns the ceilings of the budget for a run of a job, the narrowest first.
func (b Budget) Ceilings(run, job string) []cost.Ceiling {
	var ceilings []cost.Ceiling
	add := func(limit *cost.Money, ceiling cost.Ceiling) {
		if limit != nil {
			ceiling.Limit = int64(*limit)
			ceilings = append(ceilings, ceiling)
		}
	}
	add(b.MaxSpend, cost.Ceiling{Name: CeilingMaxSpend, Scope: checkpoint.RunScope(run)})
	if b.MaxLookups != nil {
		ceilings = append(ceilings, cost.Ceiling{
			Name: CeilingMaxLookups, Scope: checkpoint.RunScope(run), Meter: cost.Lookups, Limit: *b.MaxLookups,
		})
	}
	add(b.Daily, cost.Ceiling{Name: CeilingDaily, Scope: checkpoint.JobScope(job), Period: cost.Day})
	add(b.Monthly, cost.Ceiling{Name: CeilingMonthly, Scope: checkpoint.JobScope(job), Period: cost.Month})
	add(b.WorkspaceMonthly, cost.Ceiling{Name: CeilingWorkspaceMonthly, Scope: checkpoint.WorkspaceScope, Period: cost.Month})
	return ceilings
}

// runCeilings returns the ceilings that the user set.
func (j *job) runCeilings() []cost.Ceiling {
	ceilings := j.budget.Ceilings(j.name, j.jobName())
	if j.approved != nil {
		ceilings = append(ceilings, cost.SpendCeiling(CeilingApproval, checkpoint.RunScope(j.name), *j.approved))
	}
	return ceilings
}

// ceilings returns every ceiling of the run, those of the account too.
func (j *job) ceilings() []cost.Ceiling {
	return append(j.runCeilings(), j.accounts[0].Shown.Ceilings(checkpoint.ScopeAccount)...)
}

// totals returns the sums of a scope; zero where there is no journal yet.
func (s *session) totals(scope string) cost.Totals {
	if s.journal() == nil {
		return cost.Totals{}
	}
	return s.journal().Totals(scope)
}

// planTotals returns the sums of a scope as they will be once the account's
// snapshot is its new base: then only lookups in doubt hold something.
func (s *session) planTotals(scope string) cost.Totals {
	if scope != checkpoint.ScopeAccount || s.journal() == nil {
		return s.totals(scope)
	}
	_, held := s.journal().InDoubt("")
	return cost.Totals{Held: cost.OfMoney(held)}
}

// tightest returns the ceiling on money with the least left, the account's as the
// journal knows them.
func (j *job) tightest() (cost.Ceiling, cost.Money) {
	ceilings, now := j.runCeilings(), j.session.now()
	for i := range ceilings {
		ceilings[i] = ceilings[i].At(now)
	}
	ceilings = append(ceilings, j.session.journal().Base().Ceilings(checkpoint.ScopeAccount)...)
	tightest, left, _ := cost.Tightest(ceilings, j.session.totals)
	return tightest, max(left, 0)
}

// possible returns the most that the run can spend from now on: what the ceilings
// leave of the maximum.
func (j *job) possible(maximum cost.Money) cost.Money {
	possible, now := maximum, j.session.now()
	for _, ceiling := range j.ceilings() {
		left := max(ceiling.Left(j.session.planTotals(ceiling.At(now).Scope)), 0)
		switch ceiling.Meter {
		case cost.Lookups:
			possible = min(possible, j.dearest(left))
		case cost.USD:
			possible = min(possible, cost.Money(left))
		}
	}
	return possible
}

// Renewal returns when a ceiling renews; zero when it never does.
func Renewal(period cost.Period, now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	switch period {
	case cost.Day:
		return time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
	case cost.Month:
		return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}
