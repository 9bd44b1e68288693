package columns

import (
	"fmt"
	"strings"
)

// AmbiguousError says that several columns could have one role.
type AmbiguousError struct {
	Columns string // as they are shown
	Role    Role
	First   int // one of them, from 0
	All     []int
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("columns %s could all be %s", e.Columns, e.Role)
}

// DoubtsError is several roles that several columns could have.
type DoubtsError []*AmbiguousError

func (e DoubtsError) Error() string {
	var texts []string
	for _, doubt := range e {
		texts = append(texts, doubt.Error())
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the roles one by one.
func (e DoubtsError) Unwrap() []error {
	var all []error
	for _, doubt := range e {
		all = append(all, doubt)
	}
	return all
}

// SharedColumnError says that one column would be filled with two fields.
type SharedColumnError struct {
	Column string // as it is shown
	A, B   Role
}

func (e *SharedColumnError) Error() string {
	return fmt.Sprintf("column %s cannot be filled with both %s and %s", e.Column, e.A, e.B)
}

// OverrideError says what is wrong with an override of Recognise.
type OverrideError struct {
	Override string
	Err      error
}

func (e *OverrideError) Error() string { return e.Override + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *OverrideError) Unwrap() error { return e.Err }
