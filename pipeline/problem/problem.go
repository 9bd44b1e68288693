// Package problem holds the errors of use cases: what happened, who has to act, and a code
// from which a caller words what to do next.
package problem

import (
	"context"
	"errors"
	"fmt"
)

// Kind says who has to act.
type Kind int

// The kinds of problems.
const (
	Usage    Kind = iota + 1 // the user: wrong options, configuration or list
	Refused                  // the service refuses or cannot be reached
	Approval                 // whoever may approve what a run can spend
)

// Error is what keeps a use case from ending well.
type Error struct {
	Kind Kind
	Err  error // what happened, and to what
	// Code names what a caller can say about the next step, with Values; "" for nothing.
	Code   string
	Values []any
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Usagef returns a mistake of the user.
func Usagef(format string, args ...any) error {
	return &Error{Kind: Usage, Err: fmt.Errorf(format, args...)}
}

// Coded returns a mistake of the user with the code of what to do next, which may take
// values: see With.
func Coded(code, format string, args ...any) *Error {
	return &Error{Kind: Usage, Code: code, Err: fmt.Errorf(format, args...)}
}

// Unapproved returns an error of what nobody has approved, with the code of what to do next;
// "" for nothing.
func Unapproved(code, format string, args ...any) *Error {
	return &Error{Kind: Approval, Code: code, Err: fmt.Errorf(format, args...)}
}

// With adds the values that belong in the text of the code.
func (e *Error) With(values ...any) *Error {
	e.Values = values
	return e
}

// AsUsage makes an error one of the user, unless it is a problem already; nil stays nil.
func AsUsage(err error) error {
	if _, is := errors.AsType[*Error](err); is || err == nil {
		return err
	}
	return &Error{Kind: Usage, Err: err}
}

// AsRefused makes an error of a call one of the service, unless the user ended it.
func AsRefused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{Kind: Refused, Err: err}
}

// refusal is the error of a service that refuses to show the account.
type refusal interface {
	error
	Refused() bool
}

// IfRefused makes an error one of the service when the service refused to show the account.
func IfRefused(ctx context.Context, err error) error {
	if _, ok := errors.AsType[refusal](err); ok {
		return AsRefused(ctx, err)
	}
	return err
}

// IsUsage reports whether the user has to act.
func IsUsage(err error) bool { return is(err, Usage) }

// IsRefused reports whether the service refuses or cannot be reached.
func IsRefused(err error) bool { return is(err, Refused) }

// IsApproval reports whether somebody has to approve what a run can spend.
func IsApproval(err error) bool { return is(err, Approval) }

func is(err error, kind Kind) bool {
	found, ok := errors.AsType[*Error](err)
	return ok && found.Kind == kind
}

// Text returns what happened and, worded by hints, what to do next.
func Text(err error, hints func(code string, values ...any) string) string {
	if found, ok := errors.AsType[*Error](err); ok && found.Code != "" {
		return err.Error() + hints(found.Code, found.Values...)
	}
	return err.Error()
}
