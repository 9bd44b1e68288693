package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/remote"
	"payonce/cmd/batch/hints"
	"payonce/cmd/batch/host"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
)

// The exit codes. They are a contract with scripts.
const (
	exitDone        = 0
	exitInternal    = 1
	exitUsage       = 2
	exitCeiling     = 3
	exitRefused     = 4
	exitDoubt       = 5
	exitInterrupted = 6
	exitApproval    = 7
	exitLocked      = 11
)

// exitHelp describes the codes for the help texts.
var exitHelp = map[int]string{
	exitDone:        "done; of a run: every row has its outcome",
	exitInternal:    "internal failure",
	exitUsage:       "wrong usage, configuration or list",
	exitCeiling:     "a ceiling, or a limit of a module, was reached; resumable",
	exitRefused:     "the service refuses (key, access, credit, configuration, attempt limit); resumable",
	exitDoubt:       "done, but some lookups are in doubt or forfeited",
	exitInterrupted: "interrupted; resumable",
	exitApproval:    "approval needed; nothing was sent",
	exitLocked:      "another process owns the journal",
}

// exitCodes returns the help text for the codes that a command can end with.
func exitCodes(codes ...int) string {
	var text strings.Builder
	text.WriteString("\n\nExit codes:\n")
	for _, code := range codes {
		fmt.Fprintf(&text, "  %2d  %s\n", code, exitHelp[code])
	}
	return strings.TrimRight(text.String(), "\n")
}

func usagef(format string, args ...any) error { return problem.Usagef(format, args...) }

// stopError ends a command whose run stopped early, or ended in doubt, after the
// summary has said all there is to say.
type stopError struct{ code int }

func (e stopError) Error() string { return exitHelp[e.code] }

// interruptError ends an interrupted command that has more to say than that nothing was
// sent.
type interruptError struct{ text string }

func (e interruptError) Error() string { return "interrupted: " + e.text }
func (interruptError) Unwrap() error   { return context.Canceled }

// ifInterrupted returns an interrupt with what there is to say of it, unless it says more
// already, and any other error as it is.
func ifInterrupted(err error, format string, args ...any) error {
	if _, says := errors.AsType[interruptError](err); !says && errors.Is(err, context.Canceled) {
		return interruptError{fmt.Sprintf(format, args...)}
	}
	return err
}

// codeOfStop returns the exit code of a stopped run.
func codeOfStop(stop dispatch.Stop) int {
	switch stop := stop.(type) {
	case nil:
		return exitDone
	case dispatch.CeilingReached:
		return exitCeiling
	case dispatch.ServiceRefused:
		if stop.Module != "" { // a limit of the account on one of its parts
			return exitCeiling
		}
		return exitRefused
	case dispatch.Interrupted:
		return exitInterrupted
	default:
		return exitRefused
	}
}

// endedWith returns the error that ends a command with a code; nil when all is done.
func endedWith(code int) error {
	if code == exitDone {
		return nil
	}
	return stopError{code}
}

// codeOfKind returns the exit code of a problem by who has to act.
func codeOfKind(kind problem.Kind) int {
	switch kind {
	case problem.Usage:
		return exitUsage
	case problem.Refused:
		return exitRefused
	case problem.Approval:
		return exitApproval
	}
	return exitInternal
}

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	var (
		stop   stopError
		list   *table.Error
		locked *badgerstore.LockedError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &stop):
		return stop.code
	case errors.As(err, &locked), errors.Is(err, remote.ErrLost):
		return exitLocked
	case problem.IsRefused(err):
		return exitRefused
	case problem.IsApproval(err):
		return exitApproval
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case problem.IsUsage(err), errors.As(err, &list), errors.Is(err, checkpoint.ErrOtherKey), errors.Is(err, row.ErrListChanged), errors.Is(err, listfile.ErrChanged):
		return exitUsage
	default:
		return exitInternal
	}
}

// failureOf returns what a person and a program see of an error; false when the command
// has told all.
func failureOf(err error, place hints.Place) (found report.Failure, telling bool) {
	var stop stopError
	var interrupt interruptError
	found = report.Failure{Code: codeOf(err), Exit: exitCode(err)}
	switch {
	case err == nil || errors.As(err, &stop):
		return found, false
	case errors.As(err, &interrupt):
		found.Message = interrupt.Error()
	case errors.Is(err, context.Canceled):
		found.Message = "interrupted; nothing was sent"
	default:
		found.Message, found.Hint = hints.WithMapFlag(err.Error(), err), place.After(err)
	}
	return found, true
}

// codeOf names the kind of an error for programs.
func codeOf(err error) string {
	if found, ok := errors.AsType[*problem.Error](err); ok && found.Code != "" {
		return found.Code
	}
	switch {
	case errors.Is(err, checkpoint.ErrVersion):
		return "journal_version"
	case errors.Is(err, checkpoint.ErrCorrupt):
		return "journal_damaged"
	}
	return map[int]string{
		exitInternal: "internal", exitUsage: "usage", exitRefused: "service", exitInterrupted: "interrupted",
		exitApproval: "approval_missing", exitLocked: "journal_held",
	}[exitCode(err)]
}

// tell writes why a command failed: for a person on standard error, and for a program, when
// the command would have printed an object and has printed nothing, on standard output.
func tell(env environment, failed report.Failure, flags *pflag.FlagSet, asJSON bool) {
	format := flags.Lookup("log-format")
	log := host.Log{Out: env.stderr, Now: env.now, JSON: format != nil && format.Value.String() == "json"}
	if colour := flags.Lookup("color"); colour != nil {
		log.Colour = env.colours(colour.Value.String(), env.showsProgress)
	}
	continued, facts := failed.Hint, []any{}
	failed.Hint = strings.TrimLeft(failed.Hint, ";: ")
	if failed.Command != "" {
		continued += "\nFor example: " + failed.Command
		facts = []any{"command", failed.Command}
	}
	log.Fail(failed.Message, continued, append([]any{"code", failed.Code, "hint", failed.Hint, "exit", failed.Exit}, facts...)...)
	if asJSON {
		_ = report.JSON(env.stdout, &report.Failed{Error: failed}) // the exit code says that it failed
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

// unlessUnread returns an error of telling how something ended, but none where nobody
// reads that: it ended so all the same, and the exit code says how.
func unlessUnread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
