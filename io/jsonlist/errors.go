package jsonlist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"payonce/io/table"
)

// maxObject is the most bytes of an object, and of the white space before one.
const maxObject = 16 << 20

// errTooLong says that an object has more than maxObject bytes.
var errTooLong = fmt.Errorf("the object has more than %d MiB", maxObject>>20)

// place is where some bytes of a file begin.
type place struct {
	file   string
	line   int64 // from 1
	column int64 // from 1, in bytes
}

// after returns the place after some more bytes.
func (p place) after(data []byte) place {
	if newline := bytes.LastIndexByte(data, '\n'); newline >= 0 {
		p.line += int64(bytes.Count(data, []byte{'\n'}))
		p.column = int64(len(data) - newline)
		return p
	}
	p.column += int64(len(data))
	return p
}

// fault returns an error at a place.
func (p place) fault(reason, hint string) *table.Error {
	return &table.Error{File: p.file, Line: p.line, Column: p.column, Reason: reason, Hint: hint}
}

// syntax explains an error of the library in data, which begin at p. In lines every object is on one line.
func (p place) syntax(data []byte, err error, lines bool) error {
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || errors.Is(err, errTooLong) {
		return p.fault(err.Error(), "a list has one object for each person")
	}
	at := int(min(max(wrong.ByteOffset, 0), int64(len(data))))
	if invalid := invalidUTF8(data); invalid >= 0 && invalid <= at {
		return p.after(data[:invalid]).fault("bytes that are not UTF-8", "save the list as UTF-8")
	}
	here := p.after(data[:at])
	const again = "write the list again with the program that it comes from, or correct the line"
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && lines:
		return here.fault("the object does not end on its line", "write each object on one line, or all of them as an array; "+
			"jq -c . does the first, and jq -c .NAME[] takes the array out of an object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return here.fault("the list is cut short: it ends before the array does", "copy or download the file again")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return here.fault(fmt.Sprintf("the member %q appears twice in one object", wrong.JSONPointer.LastToken()), "leave only one of them")
	case closesAfterComma(data[at:]):
		return here.fault("there is a comma before the end of an object or array", "remove the comma")
	}
	return here.fault(fmt.Sprintf("it is not JSON: %v", wrong.Err), again)
}

// closesAfterComma reports whether data begin with a comma behind which an object or array ends.
func closesAfterComma(data []byte) bool {
	rest, found := bytes.CutPrefix(data, []byte(","))
	rest = bytes.TrimLeft(rest, whiteSpace)
	return found && len(rest) > 0 && (rest[0] == '}' || rest[0] == ']')
}

// invalidUTF8 returns the offset of the first bytes that are not UTF-8; -1 for none.
func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		char, size := utf8.DecodeRune(data[at:])
		if char == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
