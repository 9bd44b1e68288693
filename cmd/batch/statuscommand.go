package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// statusReader returns what runs now.
type statusReader func() (*report.Status, error)

// newWatchCommand returns the command. Open returns where the status is shown, and from where it comes.
func newWatchCommand(open func(cmd *cobra.Command) (statusScreen, statusReader, error)) *cobra.Command {
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what runs now, or how the last run ended",
		Long: "Show what uses the workspace's journal now: for a run the step, what is done and found, what is\n" +
			"spent and held, what it waits for, and when it will end. When nothing runs, show how the last run\n" +
			"ended. Nothing is sent, and the run does not wait for it.\n\n" +
			"With --watch it shows this again and again until nothing runs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 0 {
				return problem.Usagef("--watch %v is below zero", every)
			}
			screen, status, err := open(cmd)
			if err != nil {
				return err
			}
			return watchStatus(cmd.Context(), every, screen, status)
		},
	}
	cmd.Flags().DurationVarP(&every, "watch", "w", 0, fmt.Sprintf("repeat at this interval (%v without a value) until nothing runs", statusEvery))
	cmd.Flags().Lookup("watch").NoOptDefVal = statusEvery.String()
	return cmd
}
