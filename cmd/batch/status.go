package main

import (
	"github.com/spf13/cobra"

	"payonce/cmd/batch/exit"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/watch"
	"payonce/internal/inspect"
	"payonce/internal/report/runview"
)

func newStatusCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := withExitCodes(watch.NewCommand(func(cmd *cobra.Command) (screen watch.Screen, status watch.Status, err error) {
		w, err := o.work(cmd)
		if err == nil && cmd.Flags().Changed("watch") {
			w.Workspace.Journal.Wait = watch.ClosingTime
		}
		screen = watch.Screen{Out: env.stdout, Hints: hints.PlaceOf(cmd.Flags()).Of, JSON: o.json, Colours: env.colours(o.colour.Value, env.showsText)}
		if env.showsText {
			screen.Columns = env.columns
		}
		return screen, func() (*runview.Status, error) { return inspect.Status(cmd.Context(), w) }, err
	}), exit.Done, exit.Internal, exit.Usage, exit.Interrupted, exit.Locked)
	o.addJournalFlags(cmd.Flags())
	return cmd
}
