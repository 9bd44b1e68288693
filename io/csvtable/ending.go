package csvtable

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"payonce/io/table"
)

// ending returns why nothing follows a chunk; nil when more may follow.
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

// unfinished says what is wrong with the last record of the list, which never ends.
func (s *scanner) unfinished(raw []byte) error {
	var rec record
	var wrong *fault
	if err := rec.split(raw, s.dialect.Delimiter, true); !errors.As(err, &wrong) {
		wrong = unclosedQuote(0)
	}
	return s.errorAt(s.line, raw, wrong)
}

// readError says that the input failed. What it says of the list itself stays as it is.
func (s *scanner) readError(err error) error {
	if _, ok := errors.AsType[*table.Error](err); ok {
		return err
	}
	return fmt.Errorf("reading %s: %w", s.name, err)
}

// errorAt places a fault in the list: raw are the bytes from the start of a line on, at
// least up to the fault.
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

// recordWindow is how much has to be seen to know that a record is longer than
// maxRecord: a line ending may still have to show whether it goes on.
const recordWindow = maxRecord + 2

// overlong says what is wrong with a record that is longer than maxRecord.
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
