package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline/inspect"
)

func newDoctorCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the key, the service and the journal, and say what to do; sends no lookup",
		Long: "Check everything that a run needs, with free calls alone: the key, the service over REST and MCP,\n" +
			"the names that are assumed of it, its clock, limit, prices and conditions, and the place of the\n" +
			"journal. Every line says what was found, and where something is wrong, what to do.\n\n" +
			"With --max-units companies=1 it also sends one paid call of v2, as the run doctor, and checks the counters.\n" +
			"It ends well when a run could start, with warnings too." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.load(cmd); err != nil {
				return err
			}
			found, err := inspect.Diagnose(cmd.Context(), o.environment(), o.workspace(), o.budget.value(), o.hints.For, o.hints.Explain)
			if err != nil {
				return err
			}
			if err := o.show(env.stdout, found.Report); err != nil || found.Report.Usable {
				return err
			}
			return exitWith(exitOfKind(found.Kind))
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddService(cmd.Flags())
	cmd.Flags().Var(&o.budget.units, "max-units", "the most units of a module of v2 that checks of the counters may use, over all starts, such as companies=1 (repeatable); without it nothing paid is sent")
	cmd.Flags().StringVar(&o.prices.card, "rate-card", "", "compare the prices of this YAML `FILE` with the service's")
	cmd.Flags().StringVar(&o.prices.option, "rate-option", "", "compare the prices of the rate card's option `NAME` with the service's")
	return cmd
}
