package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

func newRateCardCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ratecard",
		Short: "Show, check or import a rate card",
		Args:  checkedArgs(cobra.NoArgs),
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
		Long:  "Show the options of a rate card and their prices, those of the built-in one without FILE." + exitHelp(exitDone, exitUsage),
		Args:  checkedArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			card, err := provider.ReadRateCard(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteJSON(env.stdout, report.RateCardOf(v1.Catalogue(), card))
			}
			return report.WriteText(env.stdout, report.RateCardOf(v1.Catalogue(), card), hintOf)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on standard output")
	return cmd
}

func newRateCardCheckCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a rate card in YAML",
		Long:  "Check a rate card in YAML: what is wrong in it is shown with its lines." + exitHelp(exitDone, exitUsage),
		Args:  checkedArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			card, err := provider.ReadRateCard(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.stdout, "%s is a rate card with %s\n", args[0], report.Counted(len(card.Options), "option"))
			return err
		},
	}
}

// maxOpenAPIFile is the longest file that is read as an OpenAPI document, in bytes.
const maxOpenAPIFile = 8 << 20

// parseRateDocument reads an OpenAPI document from a file.
func parseRateDocument(path string, names v1.Names) (v1.Description, error) {
	file, err := os.Open(path)
	if err != nil {
		return v1.Description{}, problem.AsUsage(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxOpenAPIFile+1))
	switch {
	case err != nil:
		return v1.Description{}, problem.AsUsage(err)
	case len(data) > maxOpenAPIFile:
		return v1.Description{}, problem.Usagef("%s is longer than %d bytes; give the service's OpenAPI document", path, maxOpenAPIFile)
	}
	description, err := v1.ParseOpenAPI(data, names)
	if err != nil {
		return v1.Description{}, problem.Usagef("%s: %w", path, err)
	}
	return description, nil
}

// formatRateCard returns the rate card of a document as YAML. The text says where the document comes from, for
// errors.
func formatRateCard(from string, description v1.Description) ([]byte, error) {
	if len(description.Card.Options) == 0 {
		return nil, problem.Usagef("the OpenAPI document of %s holds no rate card (x-service-billing) that can be read; "+
			"write one by hand, as %q shows it", from, "batch ratecard show --json")
	}
	text := configs.FormatRateCard(description.Card)
	if _, err := configs.ParseRateCard("the rate card of "+from, text); err != nil {
		return nil, problem.AsUsage(err)
	}
	return text, nil
}
