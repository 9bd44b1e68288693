package inspect

import (
	"maps"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// budgetSums adds up the months of each job that had calls, the latest month first. Runs without a job are together, as
// a job without a name.
func budgetSums(s *workspace.Session, runs []checkpoint.Run, now time.Time) (sums []report.BudgetSum, err error) {
	sums = []report.BudgetSum{}
	if len(runs) == 0 {
		return sums, nil
	}
	first, last, scopesOf := now, now, map[string]map[string]bool{} // the jobs in the journal, by the names to show
	for _, run := range runs {
		job := givenJob(run)
		if scopesOf[job] == nil {
			scopesOf[job] = map[string]bool{}
		}
		scopesOf[job][jobOf(run)] = true
		if run.Started.Before(first) {
			first = run.Started
		}
		if at := run.LastStarted(); at.After(last) { // the clock was set back
			last = at
		}
	}
	reader, open := usageOf(s), s.Journal.OpenCalls()
	months := pipeline.Months(first, last)
	slices.Reverse(months)
	for _, month := range months {
		for _, job := range slices.Sorted(maps.Keys(scopesOf)) {
			var scopes []string
			for _, name := range slices.Sorted(maps.Keys(scopesOf[job])) {
				scopes = append(scopes, cost.Ceiling{Scope: checkpoint.JobScope(name), Period: cost.Month}.At(month).Scope)
			}
			held := open.Held(func(call checkpoint.OpenCall) bool {
				return scopesOf[job][call.Job] && cost.Month.Of(call.Begun.UTC()) == cost.Month.Of(month)
			})
			sum, err := budgetSum(reader, scopes, held)
			if err != nil {
				return nil, err
			}
			if sum.Lookups > 0 {
				sum.Job, sum.Month = job, cost.Month.Of(month)
				sums = append(sums, sum)
			}
		}
	}
	return sums, nil
}

// budgetSum adds up scopes that have no attempt in common. Held is what their calls hold together, by account.
func budgetSum(reader pipeline.UsageReader, scopes []string, held []cost.Amounts) (sum report.BudgetSum, err error) {
	mayBeFree, err := reader.Journal.AccountMayBeFree(scopes...)
	if err != nil {
		return sum, err
	}
	var free cost.Money
	for number, totals := range reader.Journal.AccountTotals(scopes...) {
		sum.Settled += totals.Settled.Money()
		sum.Held += held[number].Money()
		sum.Lookups += totals.Calls()
		free += mayBeFree[number]
		of := reader.Interface(attempt.Account(number))
		sum.Units = addUnits(sum.Units, of.UnitsByName(totals.Settled))
		sum.HeldUnits = addUnits(sum.HeldUnits, of.UnitsByName(held[number]))
	}
	sum.SettledLeast = report.Least(sum.Settled, free)
	return sum, nil
}

func addUnits(sum, units map[string]int64) map[string]int64 {
	for name, n := range units {
		if sum == nil {
			sum = map[string]int64{}
		}
		sum[name] += n
	}
	return sum
}
