package main

import (
	"errors"
	"fmt"
	"strings"

	"payonce/io/csvtable"
	"payonce/io/sheet"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/scan"
)

// listHint says which flag helps with an error of a list or its prices; "" when the
// error is another one.
func listHint(err error) string {
	if doubts, ok := errors.AsType[columns.DoubtsError](err); ok {
		text := "; choose one with"
		if len(doubts) > 1 {
			text = "; choose with"
		}
		for _, doubt := range doubts {
			text += fmt.Sprintf(" --map %s=#%d", doubt.Role, doubt.First+1)
		}
		return text
	}
	if e, ok := errors.AsType[*columns.SharedColumnError](err); ok {
		return fmt.Sprintf("; map another column for one of them, or none, such as --map %s=", e.B)
	}
	if _, ok := errors.AsType[*dispatch.PriceTooLowError](err); ok {
		return "; choose the right option with --rate-option, or give the right price with --rate-card"
	}
	if _, ok := errors.AsType[*scan.TempFileError](err); ok {
		return "; give --temp DIR, a directory with room, or more --memory"
	}
	if _, ok := errors.AsType[*sheet.SeveralSheetsError](err); ok {
		return " with --sheet"
	}
	switch {
	case errors.Is(err, scan.ErrTooLongToOrder):
		return "; split the list, or leave --priority out"
	case errors.Is(err, csvtable.ErrGuessedDelimiter):
		return "; if that is wrong, set it with --delimiter"
	case errors.Is(err, table.ErrNotUTF8):
		return "; or say with --encoding how the list is encoded"
	}
	return ""
}

// withMapFlag puts the flag before a column that it names wrongly.
func withMapFlag(text string, err error) string {
	if e, ok := errors.AsType[*columns.OverrideError](err); ok {
		return strings.Replace(text, e.Error(), "--map "+e.Error(), 1)
	}
	return text
}
