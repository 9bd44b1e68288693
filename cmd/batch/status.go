package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// statusReader returns what runs now.
type statusReader func() (*report.Status, error)

func newStatusCommand(env environment) *cobra.Command {
	o := newOptions(env)
	var every time.Duration
	cmd := withExitCodes(&cobra.Command{
		Use:   "status",
		Short: "Show what runs now, or how the last run ended",
		Long: "Show what uses the workspace's journal now: for a run the step, what is done and found, what is\n" +
			"spent and held, what it waits for, and when it will end. When nothing runs, show how the last run\n" +
			"ended. Nothing is sent, and the run does not wait for it.\n\n" +
			"With --watch it repeats this until nothing runs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 0 {
				return problem.Usagef("--watch %v is below zero", every)
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("watch") {
				w.Workspace.Journal.Wait = statusClosingTime
			}
			screen := statusScreen{Out: env.stdout, Hints: o.hints.For, JSON: o.json, Colours: env.colours(o.colour.Value, env.showsText)}
			if env.showsText {
				screen.Columns = env.columns
			}
			return watchStatus(cmd.Context(), every, screen, func() (*report.Status, error) { return inspect.Status(cmd.Context(), w) })
		},
	}, exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked)
	cmd.Flags().DurationVarP(&every, "watch", "w", 0, fmt.Sprintf("repeat at this interval (%v without a value) until nothing runs", statusEvery))
	cmd.Flags().Lookup("watch").NoOptDefVal = statusEvery.String()
	o.addJournalFlags(cmd.Flags())
	return cmd
}
