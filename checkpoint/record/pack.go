package record

import (
	"encoding/binary"
	"errors"
	"time"

	"payonce/enrich"
)

// A packed record is its parts one after the other, without names and without gaps:
//
//	number   a varint as encoding/binary writes it; a number that may be negative in zigzag
//	text     its length in bytes, a number, and the bytes
//	time     seconds since 1970, which may be negative; then the nanoseconds, doubled, and
//	         one more when the offset from UTC in seconds follows, which may be negative
//	fields   a byte, a bit for each field
//	flags    a byte, a bit for each thing that is so
//	list     how many there are, a number, and each of them
//
// The order of the parts is that in which a record's pack appends them. It never
// changes: another order, one part more or one less is another version. Nothing may
// follow the last part.

func appendNumber[N ~int64 | ~uint64](data []byte, n N) []byte {
	return binary.AppendUvarint(data, uint64(n))
}

func appendSigned[N ~int64](data []byte, n N) []byte { return binary.AppendVarint(data, int64(n)) }

func appendText[S ~string](data []byte, text S) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// day is the least offset from UTC that no time has, in seconds.
const day = 24 * 60 * 60

func appendTime(data []byte, t time.Time) []byte {
	_, offset := t.Zone()
	if offset <= -day || offset >= day {
		offset = 0
	}
	data = appendSigned(data, t.Unix())
	nanoseconds := uint64(t.Nanosecond()) << 1
	if offset == 0 {
		return appendNumber(data, nanoseconds)
	}
	return appendSigned(appendNumber(data, nanoseconds|1), int64(offset))
}

// appendFlags appends up to eight flags, the first as the lowest bit.
func appendFlags(data []byte, flags ...bool) []byte {
	var bits byte
	for i, set := range flags {
		if set {
			bits |= 1 << i
		}
	}
	return append(data, bits)
}

// Packet is a packed form that is read part by part. Its bytes may be damaged: so nothing
// is read beyond its end, no more memory is taken than what is there can fill, and after
// the first mistake every part reads as zero.
type Packet struct {
	data string
	at   int // where the next part begins
	err  error
	// answers is room for the answers of many records, so that they take one allocation
	// together; nil for a record by itself.
	answers []enrich.Answer
}

// errPacked says that bytes are no packed record.
var errPacked = errors.New("it is not packed as its kind is")

// unpackAll reads the form that a packet holds, which has to end where the record does.
func unpackAll(into unpacker, from *Packet) error {
	into.unpack(from)
	if from.left() > 0 {
		from.fail()
	}
	return from.err
}

// reset makes the packet hold another form.
func (p *Packet) reset(data string) { p.data, p.at, p.err = data, 0, nil }

// left returns how many bytes follow.
func (p *Packet) left() int { return len(p.data) - p.at }

// skipRest leaves out all that follows.
func (p *Packet) skipRest() { p.at = len(p.data) }

// fail notes a mistake: nothing more is read.
func (p *Packet) fail() {
	p.skipRest()
	p.err = errPacked
}

// bytes reads a part of fixed length.
func (p *Packet) bytes(into []byte) {
	if p.left() < len(into) {
		p.fail()
		return
	}
	p.at += copy(into, p.data[p.at:])
}

func (p *Packet) byte() byte {
	if p.left() == 0 {
		p.fail()
		return 0
	}
	p.at++
	return p.data[p.at-1]
}

// number reads a number as binary.Uvarint does. Most have one byte.
func (p *Packet) number() uint64 {
	if p.left() > 0 && p.data[p.at] < 0x80 {
		p.at++
		return uint64(p.data[p.at-1])
	}
	return p.longNumber()
}

func (p *Packet) longNumber() (n uint64) {
	for i := range min(p.left(), binary.MaxVarintLen64) {
		part := p.data[p.at+i]
		if i == binary.MaxVarintLen64-1 && part > 1 {
			break // 64 bits have no room for it
		}
		n |= uint64(part&0x7f) << (7 * i)
		if part < 0x80 {
			p.at += i + 1
			return n
		}
	}
	p.fail()
	return 0
}

func (p *Packet) signed() int64 {
	n := p.number()
	return int64(n>>1) ^ -int64(n&1)
}

// count reads how many parts of at least one byte follow.
func (p *Packet) count() int {
	n := p.number()
	if n > uint64(p.left()) {
		p.fail()
		return 0
	}
	return int(n)
}

// text reads a text, which is a part of the form.
func (p *Packet) text() string {
	length := p.count()
	p.at += length
	return p.data[p.at-length : p.at]
}

// The times that there are: those of the years 0 to 9999, in any zone.
const (
	firstSecond = -62_167_219_200 - day
	lastSecond  = 253_402_300_799 + day
)

// time reads a time. In UTC it is as time.Time.UTC returns it, and in the zone of this
// machine as time.Parse does.
func (p *Packet) time() time.Time {
	seconds, nanoseconds := p.signed(), p.number()
	var offset int64
	if nanoseconds&1 != 0 {
		offset = p.signed()
	}
	nanoseconds >>= 1
	if seconds < firstSecond || seconds > lastSecond || nanoseconds >= uint64(time.Second) || offset <= -day || offset >= day {
		p.fail()
	}
	if p.err != nil {
		return time.Time{}
	}
	t := time.Unix(seconds, int64(nanoseconds))
	if offset == 0 {
		return t.UTC()
	}
	if _, local := t.Zone(); int64(local) == offset {
		return t
	}
	return t.In(time.FixedZone("", int(offset)))
}

func (p *Packet) fields() enrich.Fields {
	fields := enrich.Fields(p.byte())
	if fields.Without(enrich.AllFields) != 0 {
		p.fail()
		return 0
	}
	return fields
}

// flags reads up to eight flags. One that nobody knows is a mistake.
func (p *Packet) flags(flags ...*bool) {
	bits := p.byte()
	for i, flag := range flags {
		*flag = bits&(1<<i) != 0
	}
	if bits>>len(flags) != 0 {
		p.fail()
	}
}
