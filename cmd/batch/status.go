package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

func newStatusCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := withExitCodes(newWatchCommand(func(cmd *cobra.Command) (screen statusScreen, status statusReader, err error) {
		w, err := o.work(cmd)
		if err == nil && cmd.Flags().Changed("watch") {
			w.Workspace.Journal.Wait = statusClosingTime
		}
		screen = statusScreen{Out: env.stdout, Hints: hintPlaceOf(cmd.Flags()).Of, JSON: o.json, Colours: env.colours(o.colour.Value, env.showsText)}
		if env.showsText {
			screen.Columns = env.columns
		}
		return screen, func() (*report.Status, error) { return inspect.Status(cmd.Context(), w) }, err
	}), exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked)
	o.addJournalFlags(cmd.Flags())
	return cmd
}
