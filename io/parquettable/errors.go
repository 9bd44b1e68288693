package parquettable

import (
	"errors"
	"fmt"

	"payonce/io/table"
)

// again is what to do about a file that is not as its writer left it.
const again = "export or copy the file again"

// errDamaged marks what can only be damage of the file.
var errDamaged = errors.New("the file is damaged")

// damaged says what shows that the file is damaged.
func damaged(format string, values ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, values...))
}

// asDamaged marks an error of the Parquet library, unless it is marked.
func asDamaged(err error) error {
	if err == nil || errors.Is(err, errDamaged) {
		return err
	}
	return damaged("%v", err)
}

// guard turns a panic of the Parquet library, which some damage leads to, into an
// error. It is deferred where a file's bytes are decoded.
func guard(err *error) {
	if cause := recover(); cause != nil {
		*err = damaged("%v", cause)
	}
}

// inFile makes err a *table.Error of the file, unless it is one.
func inFile(name string, err error) error {
	var placed *table.Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	hint := ""
	if errors.Is(err, errDamaged) {
		hint = again
	}
	return &table.Error{File: name, Reason: err.Error(), Hint: hint}
}
