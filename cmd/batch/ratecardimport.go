package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"payonce/cmd/batch/usage"
	"payonce/configs"
	"payonce/internal/inspect"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/target"
	"payonce/io/atomicfile"
	"payonce/service/v1"
)

// maxOpenAPIFile is the longest file that is read as an OpenAPI document, in bytes.
const maxOpenAPIFile = 8 << 20

func newRateCardImportCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Make a rate card from the service's OpenAPI document",
		Long: "Make a rate card in YAML from an OpenAPI document (x-service-billing): from FILE, or without it\n" +
			"from the document that the service publishes, which is free to read." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: usage.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return o.importRateCardFile(args[0])
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			description, err := inspect.Document(cmd.Context(), w)
			if err != nil {
				return err
			}
			return o.writeRateCard("the service", description)
		},
	}
	flags := cmd.Flags()
	o.addPlaceFlags(flags)
	o.addNameFlag(flags)
	flags.DurationVar(&o.service.timeout, "timeout", o.service.timeout, "give the document up after this time")
	flags.StringVarP(&o.output.path, "output", "o", "", "write the rate card to this `FILE` (default standard output)")
	return cmd
}

// parseDocument reads an OpenAPI document from a file.
func parseDocument(path string, names v1.Names) (v1.Description, error) {
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
		return v1.Description{}, usagef("%s is longer than %d bytes; give the service's OpenAPI document", path, maxOpenAPIFile)
	}
	description, err := v1.ParseOpenAPI(data, names)
	if err != nil {
		return v1.Description{}, usagef("%s: %w", path, err)
	}
	return description, nil
}

// importRateCardFile makes a rate card of a document in a file.
func (o *options) importRateCardFile(path string) error {
	for _, problem := range o.problems() {
		return usagef("--%s %s", problem.Flag, problem.Text)
	}
	if o.output.path != "" {
		sources := append(o.sources(), target.Source{What: "the OpenAPI document", Path: path})
		if err := target.Check(o.output.path, sources); err != nil {
			return err
		}
	}
	description, err := parseDocument(path, o.workspace().Service.Names)
	if err != nil {
		return err
	}
	return o.writeRateCard(path, description)
}

// writeRateCard writes the rate card of a document.
func (o *options) writeRateCard(from string, description v1.Description) error {
	if len(description.Card.Options) == 0 {
		return usagef("the OpenAPI document of %s holds no rate card (x-service-billing) that can be read; "+
			"write one by hand, as %q shows it", from, "batch ratecard show --json")
	}
	text := configs.FormatRateCard(description.Card)
	if _, err := configs.ParseRateCard("the rate card of "+from, text); err != nil {
		return problem.AsUsage(err)
	}
	if o.output.path == "" {
		_, err := o.env.stdout.Write(text)
		return err
	}
	file, err := atomicfile.Create(o.output.path, o.env.fileMode)
	if err != nil {
		return usagef("-o %s cannot be written: %w", o.output.path, err)
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.stdout, "%s is a rate card with %s; use it with --rate-card %s\n",
		o.output.path, report.Counted(len(description.Card.Options), "option"), report.ShellWord(o.output.path))
	return err
}
