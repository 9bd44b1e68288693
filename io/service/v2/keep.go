package v2

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"payonce/io/service"
)

// bounds are those of an answer in the journal, in bytes.
type bounds struct {
	plain int // the longest body that is kept as it is; a longer one is compressed
	kept  int // the longest compressed body
}

// journalBounds are the bounds of every answer.
func journalBounds() bounds { return bounds{plain: 32 << 10, kept: 768 << 10} }

// inflatedMost is more bytes than any body has: the client reads no longer one.
const inflatedMost = 64 << 20

// How much is kept of the names of members that are left out.
const (
	maxLeftOut     = 20
	maxLeftOutName = 60
)

// keep writes a body into the answer. A body that is too long even when it is compressed is shortened: what was
// paid for is kept as far as there is room.
func (s *stored) keep(body []byte, most bounds) {
	if len(body) <= most.plain {
		s.plain = body
		return
	}
	if s.deflated = deflate(body); len(s.deflated) <= most.kept {
		return
	}
	short := shorten(body, most.kept, "", nesting)
	s.deflated, s.leftOut = short.deflated, short.leftOut
}

// nesting is how deep members are shortened: those of a body, and those of one of its members, such as the
// figures of a year or the entries of a list.
const nesting = 2

// leastRoom is the least room, in bytes, for which a member is shortened instead of left out.
const leastRoom = 200

// shortened is a JSON value of which parts are left out.
type shortened struct {
	value    []byte
	deflated []byte
	leftOut  []string // the first paths of what is left out
}

// shorten leaves out the longest members of an object, or elements of an array, so that the rest takes at most
// room bytes when it is compressed. When the shortest of what is left out is itself an object or an array, it is
// shortened to the room that is left.
func shorten(body []byte, room int, path string, depth int) (short shortened) {
	parts := partsOf(body)
	// Shorter parts first: as many as there is room for.
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(len(a.value), len(b.value)) })
	isArray := isArray(body)
	fits := fitting(parts, room, isArray)
	short.value = join(parts[:fits], isArray)
	short.deflated = deflate(short.value)
	rest := parts[fits:]
	if left := room - len(short.deflated); len(rest) > 0 && depth > 1 && left >= leastRoom && rest[0].isNested() {
		inner := shorten(rest[0].value, left-left/8-leastRoom/2, rest[0].path(path), depth-1)
		again := rest[0]
		again.value = inner.value
		value := join(append(slices.Clone(parts[:fits]), again), isArray)
		if deflated := deflate(value); len(deflated) <= room {
			short = shortened{value, deflated, inner.leftOut}
			rest = rest[1:]
		}
	}
	for _, left := range rest {
		if len(short.leftOut) == maxLeftOut {
			break
		}
		name := left.path(path)
		short.leftOut = append(short.leftOut, name[:min(len(name), maxLeftOutName)])
	}
	return short
}

// measured is how many bytes are compressed between two checks of their compressed size.
const measured = 64 << 10

// fitting returns how many of the first parts take at most room bytes when they are compressed. It compresses them
// once for an estimate and then tries smaller numbers, because a long list has very many parts.
func fitting(parts []part, room int, isArray bool) int {
	var taken size
	w, _ := flate.NewWriter(&taken, flate.DefaultCompression) // the level is valid
	fits, pending := len(parts), 0
	for i, p := range parts {
		_, _ = io.WriteString(w, p.name) // a size takes everything
		_, _ = w.Write(p.value)
		if pending += len(p.name) + len(p.value); pending < measured && i < len(parts)-1 {
			continue
		}
		pending = 0
		if _ = w.Flush(); int(taken) > room {
			fits = i
			break
		}
	}
	for fits > 0 && len(deflate(join(parts[:fits], isArray))) > room {
		fits -= max(1, fits/16)
	}
	return fits
}

// size counts the bytes that are written to it.
type size int

func (s *size) Write(p []byte) (int, error) {
	*s += size(len(p))
	return len(p), nil
}

// part is a member of an object, or an element of an array, which has no name on the wire.
type part struct {
	name    string
	value   json.RawMessage
	element int // its place from 1; 0 for a member
}

// path returns the path of the part in a value, given the path of that value.
func (p part) path(above string) string {
	switch {
	case p.element > 0:
		return fmt.Sprintf("%s[%d]", above, p.element-1)
	case above == "":
		return p.name
	default:
		return above + "." + p.name
	}
}

// isNested reports whether the part has parts itself.
func (p part) isNested() bool { return len(p.value) > 0 && (p.value[0] == '{' || p.value[0] == '[') }

// partsOf takes a body apart.
func partsOf(body []byte) (parts []part) {
	var elements []json.RawMessage
	if isArray(body) && json.Unmarshal(body, &elements) == nil {
		for i, element := range elements {
			parts = append(parts, part{value: element, element: i + 1})
		}
		return parts
	}
	object, _ := service.ParseObject(body)
	for name, value := range object {
		parts = append(parts, part{name: name, value: value})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	return parts
}

// join puts parts together again, in their order or in that of their names.
func join(parts []part, isArray bool) []byte {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.element, b.element), cmp.Compare(a.name, b.name))
	})
	opening, closing := byte('{'), byte('}')
	if isArray {
		opening, closing = '[', ']'
	}
	var b bytes.Buffer
	b.WriteByte(opening)
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		if !isArray {
			name, _ := json.Marshal(p.name) // a string always has a form
			b.Write(name)
			b.WriteByte(':')
		}
		b.Write(p.value)
	}
	b.WriteByte(closing)
	return b.Bytes()
}

// deflate compresses a body, in the same way each time.
func deflate(body []byte) []byte {
	var b bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// deflaters are writers that nobody uses. A new one takes more memory than most bodies.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is valid
	return w
}}

func inflate(data []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(data))
	body, err := io.ReadAll(io.LimitReader(r, inflatedMost+1))
	if err == nil && len(body) > inflatedMost {
		err = fmt.Errorf("it is longer than %d bytes", inflatedMost)
	}
	return body, err
}
