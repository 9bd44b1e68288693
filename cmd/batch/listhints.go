package main

import (
	"errors"
	"fmt"

	"payonce/pipeline/dedup"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
	"payonce/pipeline/survey"
)

// hinted adds to an error of columns or prices which flag helps.
func hinted(err error) error {
	if _, ok := errors.AsType[*row.OverrideError](err); ok {
		return fmt.Errorf("--map %w", err)
	}
	if e, ok := errors.AsType[*row.AmbiguousError](err); ok {
		return fmt.Errorf("%w; choose one with --map %s=#%d", err, e.Role, e.First+1)
	}
	if e, ok := errors.AsType[*row.SharedColumnError](err); ok {
		return fmt.Errorf("%w; map another column for one of them, or none, such as --map %s=", err, e.B)
	}
	if _, ok := errors.AsType[*dispatch.PriceTooLowError](err); ok {
		return fmt.Errorf("%w; choose the right option with --rate-option, or give the right price with --rate-card", err)
	}
	return err
}

// memoryHint says what to do when a list is too long for the memory or the order that it got;
// "" when that is not what the error says.
func memoryHint(err error) string {
	if _, ok := errors.AsType[*dedup.TempFileError](err); ok {
		return "; give --temp DIR, a directory with room, or more --memory"
	}
	if errors.Is(err, survey.ErrTooLongToOrder) {
		return "; split the list, or leave --priority out"
	}
	return ""
}
