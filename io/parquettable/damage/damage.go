// Package damage has the errors of Parquet files that are not as their writer left them.
package damage

import (
	"errors"
	"fmt"

	"payonce/io/table"
)

// again is what to do about a file that is not as its writer left it.
const again = "export or copy the file again"

// Err marks what can only be damage of the file.
var Err = errors.New("the file is damaged")

// Errorf says what shows that the file is damaged.
func Errorf(format string, values ...any) error {
	return fmt.Errorf("%w: %s", Err, fmt.Sprintf(format, values...))
}

// Wrap marks an error of the Parquet library, unless it is marked.
func Wrap(err error) error {
	if err == nil || errors.Is(err, Err) {
		return err
	}
	return Errorf("%v", err)
}

// Guard turns a panic of the Parquet library, which some damage leads to, into an
// error. It is deferred where a file's bytes are decoded.
func Guard(err *error) {
	if cause := recover(); cause != nil {
		*err = Errorf("%v", cause)
	}
}

// InFile makes err a *table.Error of the file, unless it is one.
func InFile(name string, err error) error {
	var placed *table.Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	hint := ""
	if errors.Is(err, Err) {
		hint = again
	}
	return &table.Error{File: name, Reason: err.Error(), Hint: hint}
}
