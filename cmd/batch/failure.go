package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/pipeline/report"
)

// tell writes why a command failed: for a person on standard error, and for a program, when
// the command would have printed an object and has printed nothing, on standard output.
func tell(env environment, failed report.Failure, flags *pflag.FlagSet, asJSON bool) {
	format := flags.Lookup("log-format")
	log := hostLog{Out: env.stderr, Now: env.now, JSON: format != nil && format.Value.String() == "json"}
	if colour := flags.Lookup("color"); colour != nil {
		log.Colour = env.colours(colour.Value.String(), env.showsProgress)
	}
	continued, facts := failed.Hint, []any{}
	failed.Hint = strings.TrimLeft(failed.Hint, ";: ")
	if failed.Command != "" {
		continued += "\n" + failed.LeadText() + ": " + failed.Command
		facts = []any{"command", failed.Command}
	}
	log.Fail(failed.Message, continued, append([]any{"code", failed.Code, "hint", failed.Hint, "exit", failed.Exit}, facts...)...)
	if asJSON {
		_ = report.WriteJSON(env.stdout, &report.Failed{Error: failed}) // the exit code says that it failed
	}
}

// asksForJSON reports whether a command line asks for one object on standard output. Flags
// behind one that cannot be read are not parsed, so the words count as well.
func asksForJSON(cmd *cobra.Command, args []string) bool {
	flag := cmd.Flags().Lookup("json")
	return flag != nil && (flag.Value.String() == "true" || slices.Contains(args, "--json"))
}

// counted counts what is written.
type counted struct {
	io.Writer
	bytes int64
}

func (c *counted) Write(data []byte) (int, error) {
	n, err := c.Writer.Write(data)
	c.bytes += int64(n)
	return n, err
}

// unlessUnread returns an error of writing how something ended. It returns nil when the reader has gone: the
// exit code says how it ended.
func unlessUnread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
