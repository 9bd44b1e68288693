package parquettable

import (
	"errors"
	"fmt"

	"payonce/io/table"
)

// again is what to do about a damaged file.
const again = "export or copy the file again"

// ErrDamaged is in the chain of every error that damage of the file explains.
var ErrDamaged = errors.New("the file is damaged")

// damagef returns an error that wraps Err.
func damagef(format string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, values...))
}

// wrapDamage makes an error of arrow-go wrap Err.
func wrapDamage(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return damagef("%v", err)
}

// guard turns a panic into an error, because arrow-go panics on some damaged files. Functions that
// decode a file defer it.
func guard(err *error) {
	if cause := recover(); cause != nil {
		*err = damagef("%v", cause)
	}
}

// UnsupportedError says that a sound file has something that this program does not read.
type UnsupportedError struct{ Reason, Hint string }

func (e *UnsupportedError) Error() string { return e.Reason }

// UnsupportedType returns the error of a column of a type that is not read.
func UnsupportedType(name string) error {
	return &UnsupportedError{
		fmt.Sprintf("columns of type %s are not supported", name), "export the list without the column, or as CSV",
	}
}

// UnsupportedCompression returns the error of a compression that is not read.
func UnsupportedCompression(name string) error {
	return &UnsupportedError{
		fmt.Sprintf("the compression %s is not supported", name), "export the list with the compression zstd, snappy or gzip",
	}
}

// InFile makes err a *table.Error of the file, unless it is a *table.Error already.
func InFile(name string, err error) error {
	var placed *table.Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	hint := ""
	if unsupported, ok := errors.AsType[*UnsupportedError](err); ok {
		hint = unsupported.Hint
	}
	if errors.Is(err, ErrDamaged) {
		hint = again
	}
	return &table.Error{File: name, Reason: err.Error(), Hint: hint}
}
