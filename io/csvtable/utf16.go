package csvtable

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"payonce/io/table"
)

// utf16Reader decodes UTF-16 with its byte order marks. Unlike the decoder of golang.org/x/text it
// refuses half a surrogate pair, which would become U+FFFD and be lost.
type utf16Reader struct {
	in        io.Reader
	name      string
	bigEndian bool

	buffer       []byte // memory of raw
	raw          []byte // read, and not decoded yet
	decoded      []byte // memory of text
	text         []byte // decoded, and not returned yet
	line, column int64  // of the next character in the decoded text
	err          error  // follows the text
}

func (r *utf16Reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 && r.err == nil {
		r.fill()
	}
	if len(r.text) == 0 {
		return 0, r.err
	}
	length := copy(p, r.text)
	r.text = r.text[length:]
	return length, nil
}

// fill reads and decodes more. Less than a character is left in raw.
func (r *utf16Reader) fill() {
	if r.buffer == nil {
		r.buffer = make([]byte, decodeSize)
	}
	kept := copy(r.buffer, r.raw)
	length, err := r.in.Read(r.buffer[kept:])
	r.raw, r.decoded = r.buffer[:kept+length], r.decoded[:0]
	for r.err == nil {
		size, char := r.next(err == io.EOF)
		if size == 0 {
			break
		}
		r.raw = r.raw[size:]
		r.put(char)
	}
	if r.err == nil && err == io.EOF && len(r.raw) > 0 {
		const hint = "the file may be cut short; copy or export it again"
		r.err = r.fault("the UTF-16 text ends within a character", hint)
	}
	if r.err == nil {
		r.err = err
	}
	r.text = r.decoded
}

// next returns the next character and its size in raw. The size is 0 when raw does not have the
// whole character. last says that nothing follows raw.
func (r *utf16Reader) next(last bool) (size int, char rune) {
	if len(r.raw) < 2 {
		return 0, 0
	}
	char = r.unit(0)
	if !utf16.IsSurrogate(char) {
		return 2, char
	}
	if len(r.raw) < 4 && !last {
		return 0, 0
	}
	if len(r.raw) >= 4 {
		if pair := utf16.DecodeRune(char, r.unit(2)); pair != utf8.RuneError {
			return 4, pair
		}
	}
	const hint = "remove the broken character, or save the list again as UTF-8"
	r.err = r.fault("the text has half of a UTF-16 surrogate pair here", hint)
	return 0, 0
}

func (r *utf16Reader) unit(at int) rune {
	if r.bigEndian {
		return rune(binary.BigEndian.Uint16(r.raw[at:]))
	}
	return rune(binary.LittleEndian.Uint16(r.raw[at:]))
}

func (r *utf16Reader) put(char rune) {
	before := len(r.decoded)
	r.decoded = utf8.AppendRune(r.decoded, char)
	r.column += int64(len(r.decoded) - before)
	if char == '\n' {
		r.line, r.column = r.line+1, 1
	}
}

func (r *utf16Reader) fault(reason, hint string) error {
	return &table.Error{File: r.name, Line: r.line, Column: r.column, Reason: reason, Hint: hint}
}
