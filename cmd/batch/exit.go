// This file defines the exit codes of the program, and says which error ends a command with which code.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/remote"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
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

// meanings describes the codes for the help texts.
var meanings = map[int]string{
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

// exitHelp returns the help text for the codes that a command can end with.
func exitHelp(codes ...int) string {
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

// ifInterrupted adds to the error of an interrupted command what the command has done or left, unless the error
// says that already. It returns other errors unchanged.
func ifInterrupted(err error, format string, args ...any) error {
	if _, says := errors.AsType[interrupt](err); !says && errors.Is(err, context.Canceled) {
		return interrupt{fmt.Sprintf(format, args...)}
	}
	return err
}

// exitOfStop returns the exit code of a stopped run.
func exitOfStop(stop dispatch.Stop) int {
	switch stop := stop.(type) {
	case nil:
		return exitDone
	case dispatch.CeilingReached:
		return exitCeiling
	case dispatch.ServiceRefused:
		if stop.Module != "" { // a limit of the account on a module
			return exitCeiling
		}
		return exitRefused
	case dispatch.Interrupted:
		return exitInterrupted
	default:
		return exitRefused
	}
}

// exitWith returns the error that ends a command with a code; nil when all is done.
func exitWith(code int) error {
	if code == exitDone {
		return nil
	}
	return stopped{code}
}

// exitOfKind returns the exit code of a problem by who has to act.
func exitOfKind(kind problem.Kind) int {
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

// exitCode returns the exit code for an error. Nothing else turns errors into exit codes.
func exitCode(err error) int {
	var (
		stop   stopped
		list   *table.Error
		locked *badgerstore.LockedError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &stop):
		return stop.code
	case errors.As(err, &locked), errors.Is(err, remote.ErrLost), errors.Is(err, pgstore.ErrShared):
		return exitLocked
	case problem.IsRefused(err):
		return exitRefused
	case problem.IsApproval(err):
		return exitApproval
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case problem.IsUsage(err), errors.As(err, &list), errors.Is(err, checkpoint.ErrOtherKey), errors.Is(err, scan.ErrListChanged), errors.Is(err, listfile.ErrChanged):
		return exitUsage
	default:
		return exitInternal
	}
}

// failureOf returns what a person and a program see of an error. It returns false when the command has already
// said everything.
func failureOf(err error, hints hintFlags) (found report.Failure, telling bool) {
	var stop stopped
	var interrupted interrupt
	found = report.Failure{Code: exitWord(err), Exit: exitCode(err)}
	switch {
	case err == nil || errors.As(err, &stop):
		return found, false
	case errors.As(err, &interrupted):
		found.Message = interrupted.Error()
	case errors.Is(err, context.Canceled):
		found.Message = "interrupted; nothing was sent"
	default:
		found.Message, found.Hint = withMapFlag(err.Error(), err), hints.After(err)
	}
	return found, true
}

// exitWord names the kind of an error for programs.
func exitWord(err error) string {
	if found, ok := errors.AsType[*problem.Error](err); ok && found.Code != "" {
		return found.Code
	}
	switch {
	case errors.Is(err, checkpoint.ErrVersion):
		return "journal_version"
	case errors.Is(err, checkpoint.ErrCorrupt):
		return "journal_damaged"
	case errors.Is(err, checkpoint.ErrFailed), errors.Is(err, pgstore.ErrUnreachable):
		return "journal_failed"
	}
	return map[int]string{
		exitInternal: "internal", exitUsage: "usage", exitRefused: "service", exitInterrupted: "interrupted",
		exitApproval: "approval_missing", exitLocked: "journal_held",
	}[exitCode(err)]
}
