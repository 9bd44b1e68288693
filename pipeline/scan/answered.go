package scan

import (
	"payonce/enrich"
	"payonce/io/table"
)

// FirstAnswer is the number of the first column of answers. The columns of a list have lower numbers.
const FirstAnswer = 1 << 24

// answeredRow is a row of a list as a later step of a run sees it. Its cells have the values that earlier steps
// found, and it has columns of answers from FirstAnswer on.
type answeredRow interface {
	table.Row
	// Waits reports whether an earlier step may still find the value of a column: it was not asked, or its
	// answer is not known, or what it was charged for is lost. No later step asks for that value.
	Waits(column int) bool
	// Unasked reports whether an earlier step may still find the value of a column, only because it was not asked.
	Unasked(column int) bool
	// Erased reports whether a value of a column was found and is erased, so that no step asks for it.
	Erased(column int) bool
	// Own returns the row of the list, without answers.
	Own() table.Row
	// HasPerson reports whether an interface has found the person of the row by another identity, and whether it may still
	// do so. What was found stays found when it is erased.
	HasPerson(of string) (found, waits bool)
	// Contradicted returns the identities that answers which contradict the row name.
	Contradicted() []enrich.Identity
	// Unresolved reports whether an earlier step could not decide which company the row means.
	Unresolved() bool
}
