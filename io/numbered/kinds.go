package numbered

import (
	"bytes"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Uint describes a number that is not negative.
func Uint[N ~uint8 | ~uint16 | ~uint32 | ~uint64](m *Members, number int, value *N) {
	m.describe(number)
	if m.writing {
		if *value != 0 {
			m.tag(number, protowire.VarintType)
			m.out = protowire.AppendVarint(m.out, uint64(*value))
		}
		return
	}
	n := m.varint(number)
	if *value = N(n); uint64(*value) != n {
		m.fail()
	}
}

// Int describes a number that can be negative.
func Int[N ~int64](m *Members, number int, value *N) {
	known := *value != 0
	OptionalInt(m, number, value, &known)
}

// OptionalInt describes a number and whether it is known. An unknown number is not written.
func OptionalInt[N ~int64](m *Members, number int, value *N, known *bool) {
	m.describe(number)
	if m.writing {
		if *known {
			m.tag(number, protowire.VarintType)
			m.out = protowire.AppendVarint(m.out, protowire.EncodeZigZag(int64(*value)))
		}
		return
	}
	*value = N(protowire.DecodeZigZag(m.varint(number)))
	*known = m.found.present&(1<<number) != 0
}

func (m *Members) varint(number int) uint64 {
	p, found := m.position(number, protowire.VarintType)
	if !found {
		return 0
	}
	if b := m.data[p.start]; b < 0x80 {
		return uint64(b)
	}
	n, _ := protowire.ConsumeVarint(m.data[p.start:p.end])
	return n
}

// Flag describes something that is so or not.
func Flag(m *Members, number int, value *bool) {
	var n uint8
	if m.writing && *value {
		n = 1
	}
	if Uint(m, number, &n); !m.writing {
		*value = n == 1
		if n > 1 {
			m.fail()
		}
	}
}

// Text describes a text.
func Text[S ~string](m *Members, number int, value *S) {
	m.describe(number)
	if m.writing {
		if *value != "" {
			m.tag(number, protowire.BytesType)
			m.out = protowire.AppendString(m.out, string(*value))
		}
		return
	}
	p, _ := m.position(number, protowire.BytesType)
	*value = S(m.text[p.start:p.end])
}

// Bytes describes bytes, of which it makes a copy.
func Bytes(m *Members, number int, value *[]byte) {
	if Part(m, number, value); !m.writing {
		*value = bytes.Clone(*value)
	}
}

// Part describes bytes as Bytes does. What is read is a part of the memory of Members, and must not change. It is valid
// until Members is used for another value, unless that memory is kept with Members.Keep.
func Part(m *Members, number int, value *[]byte) {
	m.describe(number)
	if m.writing {
		if len(*value) > 0 {
			m.tag(number, protowire.BytesType)
			m.out = protowire.AppendBytes(m.out, *value)
		}
		return
	}
	*value = nil
	if p, _ := m.position(number, protowire.BytesType); p.end > p.start {
		*value = m.data[p.start:p.end:p.end]
	}
}

// Array describes bytes of a fixed length. It leaves out zeros.
func Array(m *Members, number int, value []byte) {
	m.describe(number)
	if m.writing {
		if len(bytes.Trim(value, "\x00")) > 0 {
			m.tag(number, protowire.BytesType)
			m.out = protowire.AppendBytes(m.out, value)
		}
		return
	}
	clear(value)
	p, found := m.position(number, protowire.BytesType)
	if found && int(p.end-p.start) != len(value) {
		m.fail()
		return
	}
	copy(value, m.data[p.start:p.end])
}

// The times whose nanoseconds since 1970 fit into 64 bits.
var (
	firstShort = time.Unix(0, math.MinInt64)
	lastShort  = time.Unix(0, math.MaxInt64)
)

// Time describes a time, which is in UTC when it is read. Of a time before the year 0 or after
// 9999 nothing is written.
func Time(m *Members, number int, value *time.Time) {
	m.describe(number)
	if m.writing {
		m.writeTime(number, value.UTC())
		return
	}
	*value = time.Time{}
	if m.found.present&(1<<number) == 0 || m.err != nil {
		return
	}
	switch p := m.found.positions[number]; p.kind {
	case protowire.Fixed64Type:
		n, _ := protowire.ConsumeFixed64(m.data[p.start:p.end])
		*value = time.Unix(0, int64(n)).UTC()
	case protowire.BytesType:
		if value.UnmarshalText(m.data[p.start:p.end]) != nil {
			m.fail()
		}
		*value = value.UTC()
	default:
		m.fail()
	}
}

func (m *Members) writeTime(number int, value time.Time) {
	switch {
	case value.IsZero():
	case value.Before(firstShort) || value.After(lastShort):
		if text, err := value.MarshalText(); err == nil {
			m.tag(number, protowire.BytesType)
			m.out = protowire.AppendBytes(m.out, text)
		}
	default:
		m.tag(number, protowire.Fixed64Type)
		m.out = protowire.AppendFixed64(m.out, uint64(value.UnixNano()))
	}
}

// Uints describes a list of numbers that are not negative.
func Uints[N ~uint64](m *Members, number int, value *[]N) {
	m.describe(number)
	if m.writing {
		if len(*value) == 0 {
			return
		}
		size := 0
		for _, n := range *value {
			size += protowire.SizeVarint(uint64(n))
		}
		m.tag(number, protowire.BytesType)
		m.out = protowire.AppendVarint(m.out, uint64(size))
		for _, n := range *value {
			m.out = protowire.AppendVarint(m.out, uint64(n))
		}
		return
	}
	*value = nil
	m.eachPacked(number, func(n uint64) bool {
		*value = append(*value, N(n))
		return true
	})
}

// Ints describes as many numbers as value has, which can be negative. Those at the end that are
// zero are left out.
func Ints[N ~int64](m *Members, number int, value []N) {
	m.describe(number)
	if !m.writing {
		clear(value)
		next := 0
		m.eachPacked(number, func(n uint64) bool {
			if next == len(value) {
				return false
			}
			value[next] = N(protowire.DecodeZigZag(n))
			next++
			return true
		})
		return
	}
	for len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	if len(value) == 0 {
		return
	}
	size := 0
	for _, n := range value {
		size += protowire.SizeVarint(protowire.EncodeZigZag(int64(n)))
	}
	m.tag(number, protowire.BytesType)
	m.out = protowire.AppendVarint(m.out, uint64(size))
	for _, n := range value {
		m.out = protowire.AppendVarint(m.out, protowire.EncodeZigZag(int64(n)))
	}
}

// eachPacked reads the numbers of a list until take reports false, which makes the list damaged.
func (m *Members) eachPacked(number int, take func(uint64) bool) {
	p, _ := m.position(number, protowire.BytesType)
	for at := int(p.start); at < int(p.end); {
		n, length := protowire.ConsumeVarint(m.data[at:p.end])
		if length < 0 || !take(n) {
			m.fail()
			return
		}
		at += length
	}
}

// Value describes a member that has members itself. It is not written when it has none.
func Value[T any](m *Members, number int, value *T, members func(*Members, *T)) {
	m.describe(number)
	c := m.child()
	if !m.writing {
		p, _ := m.position(number, protowire.BytesType)
		m.readChild(p)
		if err := readInto(c, value, members); err != nil {
			m.err = err
		}
		m.unknown = m.unknown || c.unknown
		return
	}
	c.was = nil
	if m.was != nil {
		if p, found := m.was.position(number, protowire.BytesType); found {
			c.was = m.was.readChild(p)
		}
	}
	if writeChild(c, value, members); len(c.out) > 0 {
		m.tag(number, protowire.BytesType)
		m.out = protowire.AppendBytes(m.out, c.out)
	}
}

// Shared is Value for a member that is often the same in values that are read one after the other with
// the same Members. A member with the same bytes as the last one is not read again. The two share what they
// point to, so callers must not change that.
func Shared[T any](m *Members, number int, value *T, members func(*Members, *T)) {
	if m.writing {
		Value(m, number, value, members)
		return
	}
	p, found := m.position(number, protowire.BytesType)
	text := m.text[p.start:p.end]
	if last, ok := m.shared.value.(*T); ok && found && m.shared.number == number && m.shared.text == text {
		m.describe(number)
		*value, m.unknown = *last, m.unknown || m.shared.unknown
		return
	}
	before := m.unknown
	m.unknown = false
	if Value(m, number, value, members); found && m.err == nil {
		copied := *value
		m.shared = shared{number, strings.Clone(text), &copied, m.unknown}
	}
	m.unknown = m.unknown || before
}

// readChild finds the members of the value at a position.
func (m *Members) readChild(p position) *Members {
	c := m.child()
	c.reset(m.data[p.start:p.end], m.text[p.start:p.end])
	if c.err != nil {
		m.err = c.err
	}
	return c
}

func writeChild[T any](c *Members, value *T, members func(*Members, *T)) {
	c.out, c.described = c.out[:0], 0
	members(c, value)
	c.keepUnknown()
}

// List describes a list of values.
func List[T any](m *Members, number int, value *[]T, members func(*Members, *T)) {
	m.describe(number)
	c := m.child()
	if m.writing {
		whole := wholeValues(m.was, number, members)
		c.was = nil
		for i := range *value {
			writeChild(c, &(*value)[i], members)
			form := c.out
			if was, ok := whole[string(form)]; ok {
				form = was
			}
			m.tag(number, protowire.BytesType)
			m.out = protowire.AppendBytes(m.out, form)
		}
		return
	}
	*value = nil
	m.eachValue(number, func(position) bool {
		var v T
		if m.err = readInto(c, &v, members); m.err != nil {
			return false
		}
		m.unknown = m.unknown || c.unknown
		*value = append(*value, v)
		return true
	})
}

// eachValue finds the members of each value of a list, for the child to read, until read reports
// false.
func (m *Members) eachValue(number int, read func(position) bool) {
	if m.found.present&(1<<number) == 0 || m.err != nil {
		return
	}
	for at := int(m.found.positions[number].tag); at < len(m.data); {
		n, p, _ := nextPosition(m.data, at)
		at = int(p.end)
		if int(n) != number {
			continue
		}
		if p.kind != protowire.BytesType {
			m.fail()
			return
		}
		if m.readChild(p); !read(p) {
			return
		}
	}
}

// wholeValues returns those values of a replaced list that have members that are not described, by
// their forms without these members.
func wholeValues[T any](was *Members, number int, members func(*Members, *T)) map[string][]byte {
	if was == nil {
		return nil
	}
	whole := map[string][]byte{}
	was.eachValue(number, func(p position) bool {
		var v T
		if was.err = readInto(was.child(), &v, members); was.err != nil {
			return false
		}
		if was.inner.unknown {
			whole[string(Append(nil, &v, members))] = was.data[p.start:p.end]
		}
		return true
	})
	return whole
}

// Texts describes a list of texts.
func Texts(m *Members, number int, value *[]string) {
	List(m, number, value, func(m *Members, text *string) { Text(m, 1, text) })
}

// Omit describes a member that is not written, and whose unknown members are not kept.
func Omit(m *Members, number int) { m.describe(number) }
