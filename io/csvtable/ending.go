package csvtable

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"payonce/io/table"
)

// ending returns why no chunk follows. It returns nil when another one may follow.
func (s *scanner) ending(b *block) error {
	switch {
	case b.failure != nil:
		return s.readError(b.failure)
	case b.overlong, len(s.pending) > recordWindow:
		return s.errorAt(s.line, s.pending, overlong(s.pending, s.dialect.Delimiter))
	case b.last && len(s.pending) > 0:
		return s.unfinished(s.pending)
	case b.last:
		return io.EOF
	}
	return nil
}

// unfinished returns the error of the last record of the list, which does not end.
func (s *scanner) unfinished(raw []byte) error {
	var rec record
	var wrong *fault
	if err := rec.split(raw, s.dialect.Delimiter, true); !errors.As(err, &wrong) {
		wrong = unclosedQuote(0)
	}
	return s.errorAt(s.line, raw, wrong)
}

// readError adds the name of the list to an error of the input. It returns a *table.Error unchanged.
func (s *scanner) readError(err error) error {
	if _, ok := errors.AsType[*table.Error](err); ok {
		return err
	}
	return fmt.Errorf("reading %s: %w", s.name, err)
}

// errorAt adds the place to a fault. raw has the bytes from the start of a line to the fault, or more.
func (s *scanner) errorAt(line int64, raw []byte, f *fault) *table.Error {
	before := raw[:f.at]
	return &table.Error{
		File:   s.name,
		Line:   line + int64(bytes.Count(before, []byte{'\n'})),
		Column: int64(f.at - bytes.LastIndexByte(before, '\n')),
		Reason: f.reason,
		Hint:   f.hint,
	}
}

// recordWindow is how many bytes are needed to know that a record is longer than maxRecord. It has
// room for a line ending.
const recordWindow = maxRecord + 2

// overlong returns the error of a record that is longer than maxRecord.
func overlong(raw []byte, delimiter byte) *fault {
	raw = raw[:maxRecord]
	var rec record
	var wrong *fault
	switch err := rec.split(raw, delimiter, true); {
	case !errors.As(err, &wrong):
		return overlongRecord()
	case raw[wrong.at] == '"':
		return overlongQuote(wrong.at)
	}
	return wrong
}
