package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/host"
	"payonce/cmd/batch/usage"
	"payonce/cmd/batch/watch"
	"payonce/internal/inspect"
	"payonce/internal/report"
	"payonce/internal/workspace"
)

// progressOf returns what a command tells other processes about its progress.
func progressOf(observer *host.Observer) func() workspace.Progress {
	return func() workspace.Progress {
		return inspect.Activity{Phase: observer.Phase(), Progress: observer.Progress()}.Describe()
	}
}

func newStatusCommand(env environment) *cobra.Command {
	o := newOptions(env)
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what runs now, or how the last run ended",
		Long: "Show what uses the workspace's journal now: for a run the step, what is done and found, what is\n" +
			"spent and held, what it waits for, and when it will end. When nothing runs, show how the last run\n" +
			"ended. Nothing is sent, and the run does not wait for it.\n\n" +
			"With --watch it shows this again and again until nothing runs." +
			exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: usage.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 0 {
				return usagef("--watch %v is below zero", every)
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			screen := watch.Screen{Out: env.stdout, Hints: hints.Of, JSON: o.json}
			if env.showsText {
				screen.Columns = env.columns
			}
			return watch.Run(cmd.Context(), every, screen, func() (*report.Status, error) {
				return inspect.Status(cmd.Context(), w)
			})
		},
	}
	o.addJournalFlags(cmd.Flags())
	cmd.Flags().DurationVarP(&every, "watch", "w", 0, fmt.Sprintf("show it again every so often (%v by itself) until nothing runs", watch.Every))
	cmd.Flags().Lookup("watch").NoOptDefVal = watch.Every.String()
	return cmd
}
