// This file says what a run may spend, as ceilings.

package provider

import (
	"cmp"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Budget says what a run may spend. Nil means no limit.
type Budget struct {
	Job              string // "" for one of the run's name
	MaxSpend         *cost.Money
	MaxLookups       *int64
	Daily            *cost.Money // the job's, as Monthly
	Monthly          *cost.Money
	WorkspaceMonthly *cost.Money
	// Units are limits of meters that are not money, by the names of the meters: of the run, and of the job in a
	// day and in a month.
	Units, DailyUnits, MonthlyUnits map[string]int64
	Threshold                       *cost.Money   // above which somebody has to approve
	Approved                        *cost.Money   // what was approved
	Expendable                      enrich.Fields // not bought any more when the budget is short; 0 stops the run instead
	Strict                          bool          // count every field at its full price
}

// allowsNone reports whether the budget allows no units of a meter.
func (b Budget) allowsNone(meter string) bool {
	for _, limits := range []map[string]int64{b.Units, b.DailyUnits, b.MonthlyUnits} {
		if limit, limited := limits[meter]; limited && limit == 0 {
			return true
		}
	}
	return false
}

// The names of the ceilings that the user sets, and of the one that keeps a run to what was
// approved.
const (
	CeilingMaxSpend         = "max-spend"
	CeilingApproval         = "approval"
	CeilingMaxLookups       = "max-lookups"
	CeilingDaily            = "daily"
	CeilingMonthly          = "monthly"
	CeilingWorkspaceMonthly = "workspace-monthly"
	// Those of units are followed by a space and the name of the meter.
	CeilingMaxUnits     = "max-units"
	CeilingDailyUnits   = "daily-units"
	CeilingMonthlyUnits = "monthly-units"
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

// JobOf returns the job that a run belongs to: one with the run's name when none was given.
func (b Budget) JobOf(run string) string { return cmp.Or(b.Job, run) }

// All returns the ceilings of the budget for the calls of a run to an account with a tariff.
func (b Budget) All(run string, tariff cost.Tariff) []cost.Ceiling {
	return append(b.Ceilings(run, b.JobOf(run)), b.UnitCeilings(run, b.JobOf(run), tariff)...)
}

// Note sets the job and the limits in the record of a run. The record then has no accounts: NoteAccount adds them.
func (b Budget) Note(run *checkpoint.Run) {
	run.Job, run.Ceilings, run.Accounts = b.JobOf(run.Name), b.Ceilings(run.Name, b.JobOf(run.Name)), nil
	if run.MaxSpend = 0; b.MaxSpend != nil {
		run.MaxSpend = *b.MaxSpend
	}
}

// NoteAccount adds an account that the run asks, with its limits on units, to the record of the run.
func (b Budget) NoteAccount(run *checkpoint.Run, number attempt.Account, tariff cost.Tariff) {
	ceilings := b.UnitCeilings(run.Name, b.JobOf(run.Name), tariff)
	run.Accounts = append(run.Accounts, checkpoint.AskedAccount{Account: number, Ceilings: ceilings})
}

// UnitCeilings returns the ceilings of the budget on the meters of a tariff that are not money.
func (b Budget) UnitCeilings(run, job string, tariff cost.Tariff) (ceilings []cost.Ceiling) {
	for m, info := range tariff.Meters {
		for _, limit := range []struct {
			of map[string]int64
			cost.Ceiling
		}{
			{b.Units, cost.Ceiling{Name: CeilingMaxUnits, Scope: checkpoint.RunScope(run)}},
			{b.DailyUnits, cost.Ceiling{Name: CeilingDailyUnits, Scope: checkpoint.JobScope(job), Period: cost.Day}},
			{b.MonthlyUnits, cost.Ceiling{Name: CeilingMonthlyUnits, Scope: checkpoint.JobScope(job), Period: cost.Month}},
		} {
			if units, given := limit.of[info.Name]; given && m != int(cost.USD) {
				ceiling := limit.Ceiling
				ceiling.Name, ceiling.Meter, ceiling.Limit = ceiling.Name+" "+info.Name, cost.Meter(m), units
				ceilings = append(ceilings, ceiling)
			}
		}
	}
	return ceilings
}

// HasLimit reports whether the budget limits the units of a meter.
func (b Budget) HasLimit(meter string) bool {
	for _, limits := range []map[string]int64{b.Units, b.DailyUnits, b.MonthlyUnits} {
		if _, given := limits[meter]; given {
			return true
		}
	}
	return false
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
