package parquettable

import (
	"cmp"
	"errors"
)

// Errors of a writer that has ended.
var (
	errClosed    = errors.New("parquettable: the writer was closed")
	errDiscarded = errors.New("parquettable: the writer was discarded")
)

// ending keeps how a writer ended: with its first error, or because it was closed or discarded.
type ending struct{ err error }

// do calls work, unless the writer has ended. An error ends the writer.
func (e *ending) do(work func() error) error {
	if e.err == nil {
		e.err = work()
	}
	return e.err
}

// end calls work, unless the writer has ended, and ends the writer.
func (e *ending) end(work func() error) error {
	err := e.do(work)
	e.fail(errClosed)
	return err
}

// fail ends the writer, unless it has ended.
func (e *ending) fail(err error) { e.err = cmp.Or(e.err, err) }
