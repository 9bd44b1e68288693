package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// BudgetOptions say which ceilings are shown.
type BudgetOptions struct {
	Budget  pipeline.Budget // limits that stand above those of the runs; its job alone is shown
	Offline string          // why the account is not asked; "" when it is
	Runs    bool            // the ceilings of each run are shown to a person, too
}

// Budget shows the ceilings with what is settled, held and left.
func Budget(ctx context.Context, w *pipeline.Work, o BudgetOptions) (*report.Budget, error) {
	return pipeline.WithJournal(ctx, w, "budget", func(s *workspace.Session) (*report.Budget, error) {
		runs, err := s.Journal.Runs()
		if err != nil {
			return nil, err
		}
		if job := o.Budget.Job; job != "" {
			runs = slices.DeleteFunc(runs, func(run checkpoint.Run) bool { return jobOf(run) != job })
			if len(runs) == 0 {
				return nil, problem.Coded("no_such_job", "there is no run of the job %q in this journal", job)
			}
		}
		view := &report.Budget{Version: report.BudgetVersion, At: s.Env.Now().UTC().Truncate(time.Second), Ceilings: []report.Used{}}
		jobs := map[string]bool{checkpoint.WorkspaceScope: true}
		for _, run := range runs {
			if job := givenJob(run); job != "" {
				jobs[checkpoint.JobScope(job)] = true
			}
		}
		for _, c := range budgetCeilings(runs, o.Budget, unitAccounts(s)) {
			used, err := viewUsed(s, c, view.At)
			if err != nil {
				return nil, err
			}
			used.OfRun = !jobs[c.Scope]
			view.Ceilings = append(view.Ceilings, used)
		}
		if view.Sums, err = budgetSums(s, runs, view.At); err != nil {
			return nil, err
		}
		view.EachRun = o.Runs
		view.Account, view.Why = accountOfBudget(ctx, w, s, o.Offline)
		return view, ctx.Err()
	})
}

// jobOf returns the job that a run belongs to.
func jobOf(run checkpoint.Run) string { return cmp.Or(run.Job, run.Name) }

// givenJob returns the job that a run was started for, "" for a run that is a job by itself.
func givenJob(run checkpoint.Run) string {
	if run.Job == run.Name {
		return ""
	}
	return run.Job
}

// budgetCeiling is a ceiling to show; without a limit, only what it would bound.
type budgetCeiling struct {
	cost.Ceiling
	limited bool
	account attempt.Account // whose meter it limits; 0 for money and lookups
}

// budgetCeilings returns the ceilings of the runs, of their jobs and of the
// workspace, those of one scope together. A limit is the one that was given to the
// run that started last, or here. A limit on units that is given here is one of the account that has such units.
func budgetCeilings(runs []checkpoint.Run, given pipeline.Budget, accounts []unitAccount) []budgetCeiling {
	slices.SortStableFunc(runs, func(a, b checkpoint.Run) int { return a.LastStarted().Compare(b.LastStarted()) })
	var shown []budgetCeiling
	show := func(c cost.Ceiling, limited bool, account attempt.Account) {
		same := func(other budgetCeiling) bool {
			return other.Name == c.Name && other.Scope == c.Scope && other.account == account
		}
		at := slices.IndexFunc(shown, same)
		switch {
		case at < 0:
			shown = append(shown, budgetCeiling{c, limited, account})
		case limited:
			shown[at] = budgetCeiling{c, true, account}
		}
	}
	for _, run := range runs {
		for _, c := range run.Ceilings {
			show(c, true, 0)
		}
		for _, asked := range run.Accounts {
			for _, c := range asked.Ceilings {
				show(c, true, asked.Account)
			}
		}
		if len(run.Ceilings) == 0 && len(run.Accounts) == 0 { // recorded before ceilings were
			show(cost.SpendCeiling(provider.CeilingMaxSpend, checkpoint.RunScope(run.Name), run.MaxSpend), true, 0)
		}
		show(cost.Ceiling{Name: provider.CeilingDaily, Scope: checkpoint.JobScope(jobOf(run)), Period: cost.Day}, false, 0)
		show(cost.Ceiling{Name: provider.CeilingMonthly, Scope: checkpoint.JobScope(jobOf(run)), Period: cost.Month}, false, 0)
		for _, c := range given.Ceilings(run.Name, jobOf(run)) {
			show(c, true, 0)
		}
		for _, account := range accounts {
			for _, c := range given.UnitCeilings(run.Name, jobOf(run), account.tariff) {
				show(c, true, account.number)
			}
		}
	}
	show(cost.Ceiling{Name: provider.CeilingWorkspaceMonthly, Scope: checkpoint.WorkspaceScope, Period: cost.Month}, false, 0)
	slices.SortFunc(shown, budgetCeiling.compare)
	return shown
}

// ceilingOrder is the order in which the ceilings of one scope are shown.
var ceilingOrder = []string{
	provider.CeilingMaxSpend, provider.CeilingMaxLookups, provider.CeilingMaxUnits, provider.CeilingDaily, provider.CeilingDailyUnits,
	provider.CeilingMonthly, provider.CeilingMonthlyUnits, provider.CeilingWorkspaceMonthly,
}

// compare orders ceilings by their scopes, and those of one scope as ceilingOrder does.
func (c budgetCeiling) compare(other budgetCeiling) int {
	return cmp.Or(
		strings.Compare(c.sortKey(), other.sortKey()),
		cmp.Compare(c.place(), other.place()), strings.Compare(c.Name, other.Name),
	)
}

// place returns the place of the ceiling among those of its scope. A ceiling on units has its meter in its
// name.
func (c budgetCeiling) place() int {
	name, _, _ := strings.Cut(c.Name, " ")
	return slices.Index(ceilingOrder, name)
}

// sortKey puts the runs first, then the jobs, then the workspace.
func (c budgetCeiling) sortKey() string {
	kind, name, _ := strings.Cut(c.Scope, "/")
	return map[string]string{"run": "1", "job": "2"}[kind] + kind + " " + name
}

// of names the scope for a person.
func (c budgetCeiling) of() string { return strings.Replace(c.Scope, "/", " ", 1) }
