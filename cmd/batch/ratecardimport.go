package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"payonce/io/atomicfile"
	"payonce/io/service/v1"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newRateCardImportCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Make a rate card from the service's OpenAPI document",
		Long: "Make a rate card in YAML from an OpenAPI document (x-service-billing): from FILE, or without it\n" +
			"from the document that the service publishes, which is free to read." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return o.importRateCardFile(cmd, args[0])
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
	o.addBasicFlags(flags)
	flags.DurationVar(&o.service.Timeout, "timeout", o.service.Timeout, "give the document up after this time")
	flags.StringVarP(&o.output.path, "output", "o", "", "write the rate card to this `FILE` (default standard output)")
	return cmd
}

// importRateCardFile makes a rate card of a document in a file.
func (o *options) importRateCardFile(cmd *cobra.Command, path string) error {
	if o.config != "" {
		if err := o.readConfig(cmd); err != nil {
			return problem.AsUsage(err)
		}
	}
	for _, wrong := range o.problems() {
		return problem.Usagef("%s %s", o.service.assumed.written(wrong.Flag), wrong.Text)
	}
	if o.output.path != "" {
		sources := append(o.sources(), output.Source{What: "the OpenAPI document", Path: path})
		if err := output.CheckTarget(o.output.path, sources); err != nil {
			return err
		}
	}
	description, err := parseRateDocument(path, o.service.assumed.requestNames())
	if err != nil {
		return err
	}
	return o.writeRateCard(path, description)
}

// writeRateCard writes the rate card of a document.
func (o *options) writeRateCard(from string, description v1.Description) error {
	text, err := formatRateCard(from, description)
	if err != nil {
		return err
	}
	if o.output.path == "" {
		_, err := o.env.stdout.Write(text)
		return err
	}
	file, err := atomicfile.Create(o.output.path, o.env.fileMode)
	if err != nil {
		return problem.Usagef("-o %s cannot be written: %w", o.output.path, err)
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
