package parquettable

import (
	"cmp"
	"errors"
)

// What a writer says that takes nothing any more.
var (
	errClosed    = errors.New("parquettable: the writer was closed")
	errDiscarded = errors.New("parquettable: the writer was discarded")
)

// ending is how a writer ends: with its first error, or when it is closed or discarded.
type ending struct{ err error }

// do does work of the writer, unless that has ended.
func (e *ending) do(work func() error) error {
	if e.err == nil {
		e.err = work()
	}
	return e.err
}

// end does the last work, unless the writer has ended, and ends it.
func (e *ending) end(work func() error) error {
	err := e.do(work)
	e.fail(errClosed)
	return err
}

// fail ends the writer, unless it has ended.
func (e *ending) fail(err error) { e.err = cmp.Or(e.err, err) }
