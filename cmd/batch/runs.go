package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/cost"
)

func newRunsCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace's journal",
		Long:  "List the runs of the workspace's journal with what each spent." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withJournal(cmd, "runs", listRuns)
		},
	}
	s.addJournalFlags(cmd.Flags())
	return cmd
}

// runView is one run as it is shown.
type runView struct {
	Run      string     `json:"run"`
	List     string     `json:"list"`
	Output   string     `json:"output"`
	Fields   string     `json:"fields"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"` // null while it runs, or after a crash
	Stop     string     `json:"stop,omitempty"`
	MaxSpend cost.Money `json:"max_spend_usd"`
	Spent    cost.Money `json:"spent_usd"`
	// SpentLeast is less than Spent while charges may turn out to have been free.
	SpentLeast cost.Money       `json:"spent_least_usd"`
	Held       cost.Money       `json:"held_usd"`
	Lookups    int64            `json:"lookups"`
	FreeUsed   map[string]int64 `json:"free_used"`
	InDoubt    int64            `json:"in_doubt"`
	// Forfeited counts lookups that were charged and whose answers are lost.
	Forfeited int64            `json:"forfeited"`
	Rows      map[string]int64 `json:"rows"`
	// Drift is what the account had lost beyond the journal when the run last ended;
	// it and Spend are shown for one run alone.
	Drift *driftView `json:"drift,omitempty"`
	Spend *spendView `json:"spend,omitempty"`
}

func viewRun(journal *checkpoint.Journal, run checkpoint.Run) (runView, error) {
	totals := journal.Totals(checkpoint.RunScope(run.Name))
	doubts, _ := journal.InDoubt(run.Name)
	mayBeFree, err := journal.MayBeFree(checkpoint.RunScope(run.Name))
	if err != nil {
		return runView{}, err
	}
	view := runView{
		Run: run.Name, List: run.List, Output: run.Output, Fields: run.Fields, Started: run.Started.UTC(), Stop: run.Stop,
		MaxSpend: run.MaxSpend, Spent: totals.Settled, SpentLeast: totals.Settled - mayBeFree, Held: totals.Held, Lookups: totals.Lookups,
		FreeUsed: byField(totals.FreeUsed), InDoubt: int64(doubts), Forfeited: totals.Forfeited, Rows: run.Rows,
	}
	if !run.Ended.IsZero() {
		ended := run.Ended.UTC()
		view.Ended = &ended
	}
	return view, nil
}

func listRuns(s *session) error {
	runs, err := s.journal.Runs()
	if err != nil {
		return err
	}
	views := make([]runView, len(runs))
	for i, run := range runs {
		if views[i], err = viewRun(s.journal, run); err != nil {
			return err
		}
	}
	if s.json {
		return printJSON(s.env.stdout, map[string]any{"runs": views})
	}
	p := &printer{w: s.env.stdout}
	if len(views) == 0 {
		p.line("no runs yet")
	}
	for _, v := range views {
		p.line("%s  %s  spent %s of $%s, %s%s", v.Started.Format("2006-01-02 15:04"), v.Run, upTo(v.SpentLeast, v.Spent), v.MaxSpend, lookupCount(v.Lookups), v.state())
	}
	return p.err
}

// state says how a run stands.
func (v runView) state() string {
	switch {
	case v.Ended == nil:
		return ", not ended: run it again to go on"
	case v.Stop != "":
		return ", stopped: " + v.Stop
	case v.InDoubt > 0:
		return fmt.Sprintf(", done, %d in doubt", v.InDoubt)
	}
	return ", done"
}

func newShowCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its spend and its rows by outcome",
		Long:  "Show a run: its spend and its rows by outcome, as they were when it last ended." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withJournal(cmd, "show", func(session *session) error { return session.showRun(args[0]) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	return cmd
}

// findRun returns the run of that name.
func (s *session) findRun(name string) (checkpoint.Run, error) {
	run, found, err := s.journal.Run(name)
	if err == nil && !found {
		err = usagef("there is no run %q in this journal; %q lists them", name, "batch runs")
	}
	return run, err
}

func (s *session) showRun(name string) error {
	run, err := s.findRun(name)
	if err != nil {
		return err
	}
	view, err := viewRun(s.journal, run)
	if err != nil {
		return err
	}
	spend, err := explainSpend(s.journal, run)
	if err != nil {
		return err
	}
	view.Spend, view.Drift = &spend, viewDrift(run.Drift)
	if s.json {
		return printJSON(s.env.stdout, view)
	}
	p := &printer{w: s.env.stdout}
	p.line("Run %s%s", view.Run, view.state())
	p.line("")
	if view.List != "" {
		p.entry("list", "%s", view.List)
	}
	if view.Output != "" {
		p.entry("output", "%s", view.Output)
	}
	p.entry("fields", "%s", view.Fields)
	p.entry("started", "%s", view.Started.Format(time.RFC3339))
	if view.Ended != nil {
		p.entry("ended", "%s", view.Ended.Format(time.RFC3339))
	}
	p.entry("spent", "%s of $%s", upTo(view.SpentLeast, view.Spent), view.MaxSpend)
	p.entry("held", "$%s, %s in doubt", view.Held, lookupCount(view.InDoubt))
	if view.Forfeited > 0 {
		p.prose("forfeited", "%s: charged, and what was answered is lost", lookupCount(view.Forfeited))
	}
	p.prose("free allowance used", "%s", listCounts(view.FreeUsed))
	p.entry("lookups answered", "%d", view.Lookups)
	if view.Drift != nil {
		p.prose("drift", "%s", view.Drift)
	}
	p.rows(view.Rows)
	spend.print(p)
	return p.err
}
