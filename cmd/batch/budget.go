package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
)

func newBudgetCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Show the ceilings with what is settled, held and left",
		Long: "Show the ceilings of the runs, their jobs, the workspace and the account, with what is settled,\n" +
			"held and left under each. The limits are those that the runs were last started with, or those\n" +
			"given here. The account is asked for its free status; without an answer the journal alone is\n" +
			"shown. Sends no lookup." +
			exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withJournal(cmd, "budget", func(session *session) error { return session.showBudget(cmd.Context()) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addSharedCeilingFlags(cmd.Flags())
	cmd.Flags().StringVar(&s.job, "job", "", "only the job of this `NAME` and its runs")
	cmd.Flags().BoolVar(&s.offline, "offline", false, "do not read the account status")
	return cmd
}

func (s *session) showBudget(ctx context.Context) error {
	runs, err := s.journal.Runs()
	if err != nil {
		return err
	}
	if s.job != "" {
		runs = slices.DeleteFunc(runs, func(run checkpoint.Run) bool { return jobOf(run) != s.job })
		if len(runs) == 0 {
			return usagef("there is no run of the job %q in this journal; %q lists the runs", s.job, "batch runs")
		}
	}
	view := &report.Budget{Version: report.BudgetVersion, At: s.env.now().UTC().Truncate(time.Second), Ceilings: []report.Used{}}
	for _, c := range s.budgetCeilings(runs) {
		used, err := s.viewUsed(c, view.At)
		if err != nil {
			return err
		}
		view.Ceilings = append(view.Ceilings, used)
	}
	view.Account, view.Why = s.accountOfBudget(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.show(view)
}

// jobOf returns the job that a run belongs to.
func jobOf(run checkpoint.Run) string { return cmp.Or(run.Job, run.Name) }

// budgetCeiling is a ceiling to show; without a limit, only what it would bound.
type budgetCeiling struct {
	cost.Ceiling
	limited bool
}

// budgetCeilings returns the ceilings of the runs, of their jobs and of the
// workspace, those of one scope together. A limit is the one that was given to the
// run that started last, or here.
func (s *session) budgetCeilings(runs []checkpoint.Run) []budgetCeiling {
	slices.SortStableFunc(runs, func(a, b checkpoint.Run) int { return a.LastStarted().Compare(b.LastStarted()) })
	var shown []budgetCeiling
	show := func(c cost.Ceiling, limited bool) {
		same := func(other budgetCeiling) bool { return other.Name == c.Name && other.Scope == c.Scope }
		at := slices.IndexFunc(shown, same)
		switch {
		case at < 0:
			shown = append(shown, budgetCeiling{c, limited})
		case limited:
			shown[at] = budgetCeiling{c, true}
		}
	}
	for _, run := range runs {
		for _, c := range run.Ceilings {
			show(c, true)
		}
		if len(run.Ceilings) == 0 { // recorded before ceilings were
			show(cost.SpendCeiling(ceilingMaxSpend, checkpoint.RunScope(run.Name), run.MaxSpend), true)
		}
		show(cost.Ceiling{Name: ceilingDaily, Scope: checkpoint.JobScope(jobOf(run)), Period: cost.Day}, false)
		show(cost.Ceiling{Name: ceilingMonthly, Scope: checkpoint.JobScope(jobOf(run)), Period: cost.Month}, false)
		for _, c := range s.ceilingsOf(run.Name, jobOf(run)) {
			show(c, true)
		}
	}
	show(cost.Ceiling{Name: ceilingWorkspaceMonthly, Scope: checkpoint.WorkspaceScope, Period: cost.Month}, false)
	slices.SortFunc(shown, budgetCeiling.compare)
	return shown
}

// ceilingOrder is the order in which the ceilings of one scope are shown.
var ceilingOrder = []string{ceilingMaxSpend, ceilingMaxLookups, ceilingDaily, ceilingMonthly, ceilingWorkspaceMonthly}

// compare orders ceilings by their scopes, and those of one scope as ceilingOrder does.
func (c budgetCeiling) compare(other budgetCeiling) int {
	return cmp.Or(
		strings.Compare(c.sortKey(), other.sortKey()),
		cmp.Compare(slices.Index(ceilingOrder, c.Name), slices.Index(ceilingOrder, other.Name)),
	)
}

// sortKey puts the runs first, then the jobs, then the workspace.
func (c budgetCeiling) sortKey() string {
	kind, name, _ := strings.Cut(c.Scope, "/")
	return map[string]string{"run": "1", "job": "2"}[kind] + kind + " " + name
}

// of names the scope for a person.
func (c budgetCeiling) of() string { return strings.Replace(c.Scope, "/", " ", 1) }
