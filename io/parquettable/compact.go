// This file reads Thrift's compact protocol as far as Parquet files need it: the numbers of
// a page header, and the lengths in a footer before memory is allocated for them.

package parquettable

import (
	"encoding/binary"
	"errors"
	"io"
)

// ThriftKind is the wire type of a value.
type ThriftKind byte

// The kinds of the protocol. The header of a boolean field holds its value: True or False.
const (
	thriftStop ThriftKind = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// maxDepth is how deep structs and lists may be nested.
const maxDepth = 64

// errMalformed is for bytes that no writer of the protocol makes.
var errMalformed = errors.New("the Thrift data is malformed")

// thriftReader reads values from a slice. After the first error every method returns the zero value, and
// Err returns that error.
type thriftReader struct {
	data  []byte
	at    int
	depth int
	err   error
}

// newThriftReader returns a reader of data.
func newThriftReader(data []byte) *thriftReader { return &thriftReader{data: data} }

// Err returns the first error. It is io.ErrUnexpectedEOF when the data ended too early.
func (r *thriftReader) Err() error { return r.err }

// Offset returns the number of bytes read.
func (r *thriftReader) Offset() int { return r.at }

// Struct reads a struct and calls visit for every field. visit reads the value, or returns false to skip it.
func (r *thriftReader) Struct(visit func(id int16, kind ThriftKind) bool) {
	if r.depth++; r.depth > maxDepth {
		r.fail(errMalformed)
	}
	defer func() { r.depth-- }()
	var id int16
	for r.err == nil {
		header := r.byte()
		kind := ThriftKind(header & 0x0f)
		if kind == thriftStop {
			return
		}
		if delta := header >> 4; delta != 0 {
			id += int16(delta)
		} else {
			id = int16(r.Int())
		}
		if r.err == nil && !visit(id, kind) {
			r.Skip(kind)
		}
	}
}

// List reads the header of a list or set: the kind and the number of its elements. The number is at
// most the number of bytes left.
func (r *thriftReader) List() (element ThriftKind, length int) {
	header := r.byte()
	length = int(header >> 4)
	if length == 15 {
		length = r.size()
	}
	r.checkLeft(length)
	if r.err != nil {
		return thriftStop, 0
	}
	return ThriftKind(header & 0x0f), length
}

// Int reads an integer of 16 to 64 bits.
func (r *thriftReader) Int() int64 {
	value := r.uvarint()
	return int64(value>>1) ^ -int64(value&1)
}

// Bytes reads a string or binary. It shares the reader's data.
func (r *thriftReader) Bytes() []byte { return r.take(r.size()) }

// Skip skips a value.
func (r *thriftReader) Skip(kind ThriftKind) {
	if r.err != nil {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse: // the header of the field was all
	case thriftByte:
		r.take(1)
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.take(8)
	case thriftUUID:
		r.take(16)
	case thriftBinary:
		r.Bytes()
	case thriftList, thriftSet:
		r.skipList()
	case thriftMap:
		r.skipMap()
	case thriftStruct:
		r.Struct(func(int16, ThriftKind) bool { return false })
	default:
		r.fail(errMalformed)
	}
}

func (r *thriftReader) skipList() {
	if r.depth++; r.depth > maxDepth {
		r.fail(errMalformed)
	}
	element, length := r.List()
	for range length {
		r.skipElement(element)
	}
	r.depth--
}

func (r *thriftReader) skipMap() {
	if r.depth++; r.depth > maxDepth {
		r.fail(errMalformed)
	}
	length := r.size()
	r.checkLeft(length)
	if length > 0 {
		kinds := r.byte()
		for range length {
			r.skipElement(ThriftKind(kinds >> 4))
			r.skipElement(ThriftKind(kinds & 0x0f))
			if r.err != nil {
				break
			}
		}
	}
	r.depth--
}

// skipElement skips a value in a list, where a boolean takes a byte.
func (r *thriftReader) skipElement(kind ThriftKind) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	r.Skip(kind)
}

// size reads the length of a string or container.
func (r *thriftReader) size() int {
	size := r.uvarint()
	if size > uint64(len(r.data)) {
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	return int(size)
}

// checkLeft fails for a container with more elements than bytes left, because an element has at
// least one byte.
func (r *thriftReader) checkLeft(length int) {
	if length > len(r.data)-r.at {
		r.fail(io.ErrUnexpectedEOF)
	}
}

func (r *thriftReader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	value, length := binary.Uvarint(r.data[r.at:])
	switch {
	case length == 0:
		r.fail(io.ErrUnexpectedEOF)
		return 0
	case length < 0:
		r.fail(errMalformed)
		return 0
	}
	r.at += length
	return value
}

func (r *thriftReader) byte() byte {
	if taken := r.take(1); len(taken) == 1 {
		return taken[0]
	}
	return 0
}

func (r *thriftReader) take(length int) []byte {
	if r.err == nil && length > len(r.data)-r.at {
		r.fail(io.ErrUnexpectedEOF)
	}
	if r.err != nil {
		return nil
	}
	r.at += length
	return r.data[r.at-length : r.at : r.at]
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
