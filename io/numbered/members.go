// Package numbered writes and reads values whose members have numbers, in the encoding of
// protocol buffers. A value that lacks a member has its zero value. A reader skips members
// that it does not know, and a writer can keep them.
//
// One function describes a type for both directions: it calls a function of this package for
// every member, with the member's number and a pointer. Numbers never change their meaning, and
// a number that is not used any more is never used again.
//
//	func members(m *Members, p *Person) {
//		Text(m, 1, &p.Name)
//		Uint(m, 2, &p.Age)
//	}
package numbered

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Most is the highest number that a member can have.
const Most = 63

// ErrDamaged says that bytes are not the form of a value.
var ErrDamaged = errors.New("it does not have the form of its kind")

// Members is a value that is being written or read.
type Members struct {
	described uint64 // the numbers that were described, a bit for each
	// A value that is written.
	writing bool
	out     []byte
	was     *Members // the value that is replaced, whose unknown members are kept; or nil
	// A value that is read. Data and text have the same bytes.
	data  []byte
	text  string
	found *index
	err   error
	// unknown says that the value, or one within it, has members that were not described.
	unknown bool
	inner   *Members // for members that are values, used again
	shared  shared
}

// shared is the member that Shared read last.
type shared struct {
	number  int
	text    string
	value   any
	unknown bool // it has members that were not described
}

// index says where the members of a value are.
type index struct {
	present   uint64 // a bit for each number
	higher    bool   // a member has a number above Most
	positions [Most + 1]position
}

// position is where the first member with a number is.
type position struct {
	tag, start, end int32 // of the tag, and of what follows it
	kind            protowire.Type
}

// Keep makes Members use other memory for the next value, so that what Part has read stays valid.
func (m *Members) Keep() { m.data, m.text = nil, "" }

// Append appends the form of a value to data.
func Append[T any](data []byte, value *T, members func(*Members, *T)) []byte {
	m := Members{writing: true, out: data}
	members(&m, value)
	return m.out
}

// AppendOver is Append for a value that replaces the one with the form was. It keeps the members of
// was that members does not describe. Within a list it keeps them in each value whose other members
// stay as they are.
func AppendOver[T any](data []byte, was string, value *T, members func(*Members, *T)) ([]byte, error) {
	m := Members{writing: true, out: data, was: &Members{}}
	if m.was.reset([]byte(was), was); m.was.err != nil {
		return data, m.was.err
	}
	members(&m, value)
	m.keepUnknown()
	return m.out, m.was.err
}

// Read reads a value from its form. Its texts are parts of text. Members can be used again for
// another value.
func Read[T any](m *Members, text string, into *T, members func(*Members, *T)) error {
	m.writing = false
	m.reset(append(m.data[:0], text...), text)
	return readInto(m, into, members)
}

func readInto[T any](m *Members, into *T, members func(*Members, *T)) error {
	if m.err == nil {
		members(m, into)
		m.unknown = m.unknown || m.found.higher || m.found.present&^m.described != 0
	}
	return m.err
}

// reset finds the members of another value.
func (m *Members) reset(data []byte, text string) {
	m.data, m.text, m.err, m.described, m.unknown = data, text, nil, 0, false
	if m.found == nil {
		m.found = &index{}
	}
	m.found.present, m.found.higher = 0, false
	if len(data) > math.MaxInt32 {
		m.fail()
		return
	}
	for at := 0; at < len(data); {
		number, p, ok := nextPosition(data, at)
		if !ok {
			m.fail()
			return
		}
		if number > Most {
			m.found.higher = true
		} else if m.found.present&(1<<number) == 0 {
			m.found.present |= 1 << number
			m.found.positions[number] = p
		}
		at = int(p.end)
	}
}

// nextPosition returns the member whose tag is at a position.
func nextPosition(data []byte, at int) (protowire.Number, position, bool) {
	if at+1 < len(data) && data[at] < 0x80 && data[at] >= 1<<3 { // most tags have one byte
		number, kind := protowire.Number(data[at]>>3), protowire.Type(data[at]&7)
		switch {
		case kind == protowire.VarintType && data[at+1] < 0x80:
			return number, positionOf(at, at+1, at+2, kind), true
		case kind == protowire.BytesType && data[at+1] < 0x80 && at+2+int(data[at+1]) <= len(data):
			return number, positionOf(at, at+2, at+2+int(data[at+1]), kind), true
		}
	}
	number, kind, length := protowire.ConsumeTag(data[at:])
	if length < 0 {
		return 0, position{}, false
	}
	start := at + length
	size := protowire.ConsumeFieldValue(number, kind, data[start:])
	if size < 0 {
		return 0, position{}, false
	}
	end := start + size
	if kind == protowire.BytesType {
		_, prefix := protowire.ConsumeVarint(data[start:])
		start += prefix
	}
	return number, positionOf(at, start, end, kind), true
}

func positionOf(tag, start, end int, kind protowire.Type) position {
	return position{int32(tag), int32(start), int32(end), kind}
}

func (m *Members) fail() { m.err = ErrDamaged }

// describe notes that a member was described.
func (m *Members) describe(number int) {
	if number < 1 || number > Most || m.described&(1<<number) != 0 {
		panic(fmt.Sprintf("numbered: member %d is out of range or described twice", number))
	}
	m.described |= 1 << number
}

// position returns where a member of the value that is read is, and whether it is there, with the
// kind that it has to have.
func (m *Members) position(number int, kind protowire.Type) (p position, found bool) {
	if m.found.present&(1<<number) == 0 || m.err != nil {
		return p, false
	}
	p = m.found.positions[number]
	if p.kind != kind {
		m.fail()
		return p, false
	}
	return p, true
}

func (m *Members) tag(number int, kind protowire.Type) {
	m.out = protowire.AppendTag(m.out, protowire.Number(number), kind)
}

// keepUnknown appends the members of the replaced value that were not described.
func (m *Members) keepUnknown() {
	if m.was == nil {
		return
	}
	for at := 0; at < len(m.was.data); {
		number, p, _ := nextPosition(m.was.data, at)
		if number > Most || m.described&(1<<number) == 0 {
			m.out = append(m.out, m.was.data[p.tag:p.end]...)
		}
		at = int(p.end)
	}
}

// child returns what reads or writes a member that is a value.
func (m *Members) child() *Members {
	if m.inner == nil {
		m.inner = &Members{}
	}
	m.inner.writing = m.writing
	return m.inner
}

// Unknown reports whether the value that was read last, or a value within it, has members that the
// reader did not describe.
func (m *Members) Unknown() bool { return m.unknown }

// Writing reports whether the value is being written.
func (m *Members) Writing() bool { return m.writing }

// Fail says that the value that is read cannot be one of its kind.
func (m *Members) Fail() { m.fail() }
