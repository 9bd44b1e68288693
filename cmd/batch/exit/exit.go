// Package exit defines the exit codes of the program, and says which error ends a command with which code.
package exit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/remote"
	"payonce/cmd/batch/hints"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
)

// The exit codes. They are a contract with scripts.
const (
	Done        = 0
	Internal    = 1
	Usage       = 2
	Ceiling     = 3
	Refused     = 4
	Doubt       = 5
	Interrupted = 6
	Approval    = 7
	Locked      = 11
)

// meanings describes the codes for the help texts.
var meanings = map[int]string{
	Done:        "done; of a run: every row has its outcome",
	Internal:    "internal failure",
	Usage:       "wrong usage, configuration or list",
	Ceiling:     "a ceiling, or a limit of a module, was reached; resumable",
	Refused:     "the service refuses (key, access, credit, configuration, attempt limit); resumable",
	Doubt:       "done, but some lookups are in doubt or forfeited",
	Interrupted: "interrupted; resumable",
	Approval:    "approval needed; nothing was sent",
	Locked:      "another process owns the journal",
}

// Help returns the help text for the codes that a command can end with.
func Help(codes ...int) string {
	var text strings.Builder
	text.WriteString("\n\nExit codes:\n")
	for _, code := range codes {
		fmt.Fprintf(&text, "  %2d  %s\n", code, meanings[code])
	}
	return strings.TrimRight(text.String(), "\n")
}

// stopped is the error of a command whose run stopped early or left lookups in doubt. The summary has said
// why.
type stopped struct{ code int }

func (e stopped) Error() string { return meanings[e.code] }

// interrupt is the error of an interrupted command that says what it has done or left.
type interrupt struct{ text string }

func (e interrupt) Error() string { return "interrupted: " + e.text }
func (interrupt) Unwrap() error   { return context.Canceled }

// IfInterrupted adds to the error of an interrupted command what the command has done or left, unless the error
// says that already. It returns other errors unchanged.
func IfInterrupted(err error, format string, args ...any) error {
	if _, says := errors.AsType[interrupt](err); !says && errors.Is(err, context.Canceled) {
		return interrupt{fmt.Sprintf(format, args...)}
	}
	return err
}

// OfStop returns the exit code of a stopped run.
func OfStop(stop dispatch.Stop) int {
	switch stop := stop.(type) {
	case nil:
		return Done
	case dispatch.CeilingReached:
		return Ceiling
	case dispatch.ServiceRefused:
		if stop.Module != "" { // a limit of the account on a module
			return Ceiling
		}
		return Refused
	case dispatch.Interrupted:
		return Interrupted
	default:
		return Refused
	}
}

// With returns the error that ends a command with a code; nil when all is done.
func With(code int) error {
	if code == Done {
		return nil
	}
	return stopped{code}
}

// OfKind returns the exit code of a problem by who has to act.
func OfKind(kind problem.Kind) int {
	switch kind {
	case problem.Usage:
		return Usage
	case problem.Refused:
		return Refused
	case problem.Approval:
		return Approval
	}
	return Internal
}

// Code returns the exit code for an error. Nothing else turns errors into exit codes.
func Code(err error) int {
	var (
		stop   stopped
		list   *table.Error
		locked *badgerstore.LockedError
	)
	switch {
	case err == nil:
		return Done
	case errors.As(err, &stop):
		return stop.code
	case errors.As(err, &locked), errors.Is(err, remote.ErrLost):
		return Locked
	case problem.IsRefused(err):
		return Refused
	case problem.IsApproval(err):
		return Approval
	case errors.Is(err, context.Canceled):
		return Interrupted
	case problem.IsUsage(err), errors.As(err, &list), errors.Is(err, checkpoint.ErrOtherKey), errors.Is(err, row.ErrListChanged), errors.Is(err, listfile.ErrChanged):
		return Usage
	default:
		return Internal
	}
}

// FailureOf returns what a person and a program see of an error. It returns false when the command has already
// said everything.
func FailureOf(err error, place hints.Place) (found report.Failure, telling bool) {
	var stop stopped
	var interrupted interrupt
	found = report.Failure{Code: Word(err), Exit: Code(err)}
	switch {
	case err == nil || errors.As(err, &stop):
		return found, false
	case errors.As(err, &interrupted):
		found.Message = interrupted.Error()
	case errors.Is(err, context.Canceled):
		found.Message = "interrupted; nothing was sent"
	default:
		found.Message, found.Hint = hints.WithMapFlag(err.Error(), err), place.After(err)
	}
	return found, true
}

// Word names the kind of an error for programs.
func Word(err error) string {
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
		Internal: "internal", Usage: "usage", Refused: "service", Interrupted: "interrupted",
		Approval: "approval_missing", Locked: "journal_held",
	}[Code(err)]
}
