package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/internal/report"
	"payonce/io/atomicfile"
	"payonce/service/v1"
)

// maxOpenAPIFile is the longest file that is read as an OpenAPI document, in bytes.
const maxOpenAPIFile = 8 << 20

func newRateCardImportCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Make a rate card from the service's OpenAPI document",
		Long: "Make a rate card in YAML from an OpenAPI document (x-service-billing): from FILE, or without it\n" +
			"from the document that the service publishes, which is free to read." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return s.importRateCardFile(args[0])
			}
			return s.withSession(cmd, func(session *session) error {
				description, err := session.askForDocument(cmd.Context())
				if err != nil {
					return err
				}
				return s.writeRateCard("the service", description)
			})
		},
	}
	flags := cmd.Flags()
	s.addPlaceFlags(flags)
	s.addNameFlag(flags)
	flags.DurationVar(&s.timeout, "timeout", s.timeout, "give the document up after this time")
	flags.StringVarP(&s.output, "output", "o", "", "write the rate card to this `FILE` (default standard output)")
	return cmd
}

// parseDocument reads an OpenAPI document from a file.
func parseDocument(path string, names v1.Names) (v1.Description, error) {
	file, err := os.Open(path)
	if err != nil {
		return v1.Description{}, usageError{err}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxOpenAPIFile+1))
	switch {
	case err != nil:
		return v1.Description{}, usageError{err}
	case len(data) > maxOpenAPIFile:
		return v1.Description{}, usagef("%s is longer than %d bytes; give the service's OpenAPI document", path, maxOpenAPIFile)
	}
	description, err := v1.ParseOpenAPI(data, names)
	if err != nil {
		return v1.Description{}, usagef("%s: %w", path, err)
	}
	return description, nil
}

// askForDocument reads the OpenAPI document of the service.
func (s *session) askForDocument(ctx context.Context) (v1.Description, error) {
	client, err := s.openStatus()
	if err != nil {
		return v1.Description{}, err
	}
	description, err := client.OpenAPI(ctx)
	if err != nil {
		return v1.Description{}, asService(ctx, err)
	}
	return description, nil
}

// importRateCardFile makes a rate card of a document in a file.
func (s *settings) importRateCardFile(path string) error {
	if err := s.checkValues(); err != nil {
		return usageError{err}
	}
	if s.output != "" {
		sources := append(s.sources(nil), sourceFile{"the OpenAPI document", path})
		if err := checkTarget("-o", s.output, sources); err != nil {
			return err
		}
	}
	description, err := parseDocument(path, s.names)
	if err != nil {
		return err
	}
	return s.writeRateCard(path, description)
}

// writeRateCard writes the rate card of a document.
func (s *settings) writeRateCard(from string, description v1.Description) error {
	if len(description.Card.Options) == 0 {
		return usagef("the OpenAPI document of %s holds no rate card (x-service-billing) that can be read; "+
			"write one by hand, as %q shows it", from, "batch ratecard show --json")
	}
	text := configs.FormatRateCard(description.Card)
	if _, err := configs.ParseRateCard("the rate card of "+from, text); err != nil {
		return usageError{err}
	}
	if s.output == "" {
		_, err := s.env.stdout.Write(text)
		return err
	}
	file, err := atomicfile.Create(s.output)
	if err != nil {
		return usagef("-o %s cannot be written: %w", s.output, err)
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.env.stdout, "%s is a rate card with %s; use it with --rate-card %s\n",
		s.output, report.Counted(len(description.Card.Options), "option"), shellWord(s.output))
	return err
}
