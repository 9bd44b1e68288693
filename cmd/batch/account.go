package main

import (
	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newAccountCommand(env environment) *cobra.Command {
	o := newOptions(env)
	var from, to configs.DateFlag
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Show the free account status",
		Long: "Read the account status and show it. This is free and sends no lookup. What the service\n" +
			"does not show is listed as unknown. The emails and phones of v2 are counted since the beginning\n" +
			"of the month, or from --from to --to." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			span := report.TimeSpan{From: from.Start, To: to.End}
			if within := span.Within(env.now()); !within.From.Before(within.To) {
				return nil, problem.Usagef("the time from --from to --to ends before it begins; give an earlier --from or a later --to")
			}
			return inspect.Account(cmd.Context(), w, span)
		}),
	}
	flags := cmd.Flags()
	o.addJournalFlags(flags)
	o.service.AddService(flags)
	flags.Var(&from, "from", "count emails and phones of v2 from this day, month or time on, in UTC")
	flags.Var(&to, "to", "count emails and phones of v2 up to the end of this day or month, or up to this time, in UTC")
	return cmd
}
