package jsonlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// chunkSize is about how many bytes a block has.
	chunkSize = 256 << 10
	// blockRows is the most rows of a block.
	blockRows = 4096
	utf8Mark  = "\ufeff"
)

// source reads the objects of one file in blocks.
type source struct {
	in      io.Reader
	file    io.ReadCloser
	lead    []byte            // before the first object and its line or comma
	tail    []byte            // behind the last object, at the end of the file
	at      place             // of what the next block begins with
	decoder *jsontext.Decoder // of an array; nil for lines
	read    recorder          // what the decoder read, from where the next block begins
	rest    []byte            // of lines: read and in no block
	err     error             // sticky, also io.EOF
}

// openSource reads up to the first object.
func openSource(input Input) (*source, error) {
	file, err := input.Open()
	if err != nil {
		return nil, err
	}
	s := &source{file: file, at: place{input.Name(), 1, 1}}
	if err := s.begin(); err != nil {
		_ = file.Close() // nothing was written to it
		return nil, err
	}
	return s, nil
}

func (s *source) begin() error {
	in := bufio.NewReaderSize(s.file, 64<<10)
	head, err := in.Peek(len(utf8Mark))
	switch {
	case err != nil && err != io.EOF:
		return s.readError(err)
	case string(head) == utf8Mark:
		s.lead = bytes.Clone(head)
		_, _ = in.Discard(len(head)) // they were read
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.IndexByte(head, 0) >= 0:
		return s.at.fault("the text is UTF-16", "save the list as UTF-8")
	}
	var blank []byte
	for {
		char, err := in.ReadByte()
		switch {
		case err == io.EOF: // lines without a row
			s.in = bytes.NewReader(blank)
			return nil
		case err != nil:
			return s.readError(err)
		case bytes.IndexByte([]byte(whiteSpace), char) >= 0 && len(blank) < maxObject:
			blank = append(blank, char)
			continue
		}
		_ = in.UnreadByte() // it was read
		s.in = io.MultiReader(bytes.NewReader(blank), in)
		switch char {
		case '[':
			return s.beginArray()
		case '{':
			return nil
		}
		return s.at.after(blank).fault(fmt.Sprintf("the file begins with %q", char), noRows)
	}
}

// noRows is what to do about a file that is not a list.
const noRows = "a list is an array of objects, or has one object on each line"

func (s *source) readError(err error) error { return fmt.Errorf("reading %s: %w", s.at.file, err) }

func (s *source) beginArray() error {
	s.read.in = s.in
	s.decoder = jsontext.NewDecoder(&s.read, jsontext.AllowDuplicateNames(true))
	if _, err := s.decoder.ReadToken(); err != nil {
		return s.decodeError(err)
	}
	bracket := s.read.take(int(s.decoder.InputOffset()))
	s.lead = append(s.lead, bracket...)
	s.at = s.at.after(bracket)
	return nil
}

// recorder keeps the bytes that were read until they are taken.
type recorder struct {
	in   io.Reader
	data []byte
	base int64 // offset of data in the input
}

func (r *recorder) Read(p []byte) (int, error) {
	if len(r.data) > maxObject+2*chunkSize {
		return 0, errTooLong
	}
	length, err := r.in.Read(p)
	r.data = append(r.data, p[:length]...)
	return length, err
}

// take returns the first bytes. They are valid until the next Read.
func (r *recorder) take(length int) []byte {
	taken := r.data[:length]
	r.data = r.data[length:]
	r.base += int64(length)
	return taken
}

// fill reads the next rows into a block. It returns io.EOF after the last one, and an error of the file
// after the rows before it.
func (s *source) fill(b *block) error {
	b.from, b.data, b.rows = s.at, b.data[:0], b.rows[:0]
	if s.err == nil && s.decoder != nil {
		s.err = s.fillObjects(b)
	} else if s.err == nil {
		s.err = s.fillLines(b)
	}
	s.at = s.at.after(b.data)
	if len(b.rows) > 0 {
		return nil
	}
	return s.err
}

// fillLines reads lines up to the last one that is whole.
func (s *source) fillLines(b *block) error {
	data, ended := append(b.data, s.rest...), false
	for {
		data = slices.Grow(data, chunkSize)
		length, err := io.ReadFull(s.in, data[len(data):len(data)+chunkSize])
		data = data[:len(data)+length]
		if ended = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !ended {
			return s.readError(err)
		}
		whole := len(data)
		if !ended {
			whole = bytes.LastIndexByte(data, '\n') + 1
		}
		if b.rows = lineSpans(b.rows[:0], data[:whole]); len(b.rows) > 0 || ended {
			break
		}
		if len(data) > maxObject {
			return s.at.fault(errTooLong.Error(), "write one object for each person")
		}
	}
	end := 0
	if len(b.rows) > 0 {
		end = b.rows[len(b.rows)-1].end
	}
	b.data = data[:end]
	if ended {
		s.tail = bytes.Clone(data[end:])
		return io.EOF
	}
	s.rest = append(s.rest[:0], data[end:]...)
	return nil
}

// lineSpans appends the rows of whole lines. Blank lines belong to the row below them.
func lineSpans(rows []span, data []byte) []span {
	start := 0
	for at := 0; at < len(data); {
		end := at + bytes.IndexByte(data[at:], '\n') + 1
		if end == at {
			end = len(data)
		}
		object := at
		for object < end && bytes.IndexByte([]byte(whiteSpace), data[object]) >= 0 {
			object++
		}
		if object < end {
			text := object + len(bytes.TrimRight(data[object:end], whiteSpace))
			rows = append(rows, span{start, object, text, end})
			start = end
		}
		at = end
	}
	return rows
}

// fillObjects reads elements of an array.
func (s *source) fillObjects(b *block) error {
	end := 0 // of the last object in s.read.data
	var failed error
	for len(b.rows) < blockRows && end < chunkSize && failed == nil {
		kind := s.decoder.PeekKind()
		if kind == jsontext.KindEndArray {
			failed = s.endArray(end)
			break
		}
		value, err := s.decoder.ReadValue()
		if err != nil {
			failed = s.decodeError(err)
			break
		}
		objectEnd := int(s.decoder.InputOffset() - s.read.base)
		object := objectEnd - len(value)
		if kind != jsontext.KindBeginObject {
			failed = s.at.after(s.read.data[:object]).fault("an element of the array is not an object", noRows)
			break
		}
		b.rows = append(b.rows, span{end, object, objectEnd, objectEnd})
		end = objectEnd
	}
	b.data = append(b.data, s.read.take(end)...)
	return failed
}

// endArray reads what follows the last object.
func (s *source) endArray(end int) error {
	if _, err := s.decoder.ReadToken(); err != nil {
		return s.decodeError(err)
	}
	closed := int(s.decoder.InputOffset() - s.read.base)
	_, err := s.decoder.ReadToken()
	if err == io.EOF {
		s.tail = bytes.Clone(s.read.data[end:])
		return err
	}
	if _, isSyntax := errors.AsType[*jsontext.SyntacticError](err); err != nil && !isSyntax {
		return s.decodeError(err)
	}
	rest := bytes.TrimLeft(s.read.data[closed:], whiteSpace)
	return s.at.after(s.read.data[:len(s.read.data)-len(rest)]).fault("something follows the end of the array", "remove it")
}

// decodeError explains an error of the decoder.
func (s *source) decodeError(err error) error {
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		relative := *wrong
		relative.ByteOffset -= s.read.base
		return s.at.syntax(s.read.data, &relative, false)
	}
	if errors.Is(err, errTooLong) {
		return s.at.fault(errTooLong.Error(), "write one object for each person")
	}
	return s.readError(err)
}

func (s *source) close() error { return s.file.Close() }
