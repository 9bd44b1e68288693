package main

import (
	"cmp"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/flagvalue"
)

// The names of the ceilings that the user sets: those of their flags, and the one
// that keeps a run to what was approved.
const (
	ceilingMaxSpend         = "max-spend"
	ceilingApproval         = "approval"
	ceilingMaxLookups       = "max-lookups"
	ceilingDaily            = "daily"
	ceilingMonthly          = "monthly"
	ceilingWorkspaceMonthly = "workspace-monthly"
)

// ceilingsOf returns the ceilings that the user set for a run of a job, the
// narrowest first.
func (s *settings) ceilingsOf(run, job string) []cost.Ceiling {
	var ceilings []cost.Ceiling
	add := func(limit flagvalue.Money, ceiling cost.Ceiling) {
		if limit.Amount != nil {
			ceiling.Limit = int64(*limit.Amount)
			ceilings = append(ceilings, ceiling)
		}
	}
	add(s.maxSpend, cost.Ceiling{Name: ceilingMaxSpend, Scope: checkpoint.RunScope(run)})
	if s.maxLookups.N != nil {
		ceilings = append(ceilings, cost.Ceiling{
			Name: ceilingMaxLookups, Scope: checkpoint.RunScope(run), Measure: cost.Lookups, Limit: *s.maxLookups.N,
		})
	}
	add(s.daily, cost.Ceiling{Name: ceilingDaily, Scope: checkpoint.JobScope(job), Period: cost.Day})
	add(s.monthly, cost.Ceiling{Name: ceilingMonthly, Scope: checkpoint.JobScope(job), Period: cost.Month})
	add(s.workspaceMonthly, cost.Ceiling{Name: ceilingWorkspaceMonthly, Scope: checkpoint.WorkspaceScope, Period: cost.Month})
	return ceilings
}

// runCeilings returns the ceilings that the user set.
func (j *job) runCeilings() []cost.Ceiling {
	ceilings := j.ceilingsOf(j.name, j.jobName())
	if j.approved != nil {
		ceilings = append(ceilings, cost.SpendCeiling(ceilingApproval, checkpoint.RunScope(j.name), *j.approved))
	}
	return ceilings
}

// jobName returns the job that the run belongs to: one of its own name when none
// was given.
func (j *job) jobName() string { return cmp.Or(j.job, j.name) }

// ceilings returns every ceiling of the run, those of the account too.
func (j *job) ceilings() []cost.Ceiling {
	return append(j.runCeilings(), j.account.Ceilings(checkpoint.ScopeAccount)...)
}

// totals returns the sums of a scope; zero where there is no journal yet.
func (s *session) totals(scope string) cost.Totals {
	if s.journal == nil {
		return cost.Totals{}
	}
	return s.journal.Totals(scope)
}

// planTotals returns the sums of a scope as they will be once the account's
// snapshot is its new base: then only lookups in doubt hold something.
func (s *session) planTotals(scope string) cost.Totals {
	if scope != checkpoint.ScopeAccount || s.journal == nil {
		return s.totals(scope)
	}
	_, held := s.journal.InDoubt("")
	return cost.Totals{Held: held}
}

// tightest returns the ceiling on money with the least left, the account's as the
// journal knows them.
func (j *job) tightest() (cost.Ceiling, cost.Money) {
	ceilings, now := j.runCeilings(), j.env.now()
	for i := range ceilings {
		ceilings[i] = ceilings[i].At(now)
	}
	ceilings = append(ceilings, j.journal.Base().Ceilings(checkpoint.ScopeAccount)...)
	tightest, left, _ := cost.Tightest(ceilings, j.totals)
	return tightest, max(left, 0)
}

// possible returns the most that the run can spend from now on: what the ceilings
// leave of the maximum.
func (j *job) possible(maximum cost.Money) cost.Money {
	possible, now := maximum, j.env.now()
	for _, ceiling := range j.ceilings() {
		left := max(ceiling.Left(j.planTotals(ceiling.At(now).Scope)), 0)
		if ceiling.Measure == cost.Lookups {
			possible = min(possible, j.dearest(left))
			continue
		}
		possible = min(possible, cost.Money(left))
	}
	return possible
}

// renewal returns when a ceiling begins anew; zero when it never does.
func renewal(period cost.Period, now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	switch period {
	case cost.Day:
		return time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
	case cost.Month:
		return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}
