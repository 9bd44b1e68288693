package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/usage"
	"payonce/internal/pricing"
	"payonce/internal/report"
)

func newRateCardCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ratecard",
		Short: "Show, check or import a rate card",
		Args:  usage.Args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRateCardShowCommand(env), newRateCardCheckCommand(env), newRateCardImportCommand(env))
	return cmd
}

func newRateCardShowCommand(env environment) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Show a rate card, the built-in one without FILE",
		Long:  "Show the options of a rate card and their prices, those of the built-in one without FILE." + exitCodes(exitDone, exitUsage),
		Args:  usage.Args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			card, err := pricing.ReadCard(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return report.JSON(env.stdout, report.RateCardOf(card))
			}
			return report.Text(env.stdout, report.RateCardOf(card), hints.Of)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on standard output")
	return cmd
}

func newRateCardCheckCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a rate card in YAML",
		Long:  "Check a rate card in YAML: what is wrong in it is told with its lines." + exitCodes(exitDone, exitUsage),
		Args:  usage.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			card, err := pricing.ReadCard(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.stdout, "%s is a rate card with %s\n", args[0], report.Counted(len(card.Options), "option"))
			return err
		},
	}
}
