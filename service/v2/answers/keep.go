package answers

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"

	"payonce/service/jsonobject"
)

// bounds are those of an answer in the journal, in bytes.
type bounds struct {
	plain int // the longest body that is kept as it is; a longer one is compressed
	kept  int // the longest compressed body
}

// journalBounds are the bounds of every answer. The journal gathers commits of 1 MB.
func journalBounds() bounds { return bounds{plain: 32 << 10, kept: 768 << 10} }

// inflatedMost is more bytes than any body has: the client reads no longer one.
const inflatedMost = 64 << 20

// How much is kept of the names of members that are left out.
const (
	maxLeftOut     = 20
	maxLeftOutName = 60
)

// keep writes a body into the answer. Of a body that is too long even when it is compressed, its
// longest members are left out: what was paid for is kept as far as there is room.
func (s *stored) keep(body []byte, most bounds) {
	if len(body) <= most.plain {
		s.plain = body
		return
	}
	if s.deflated = deflate(body); len(s.deflated) <= most.kept {
		return
	}
	parts := partsOf(body)
	// Shorter parts first: as many as there is room for.
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(len(a.value), len(b.value)) })
	fits := sort.Search(len(parts), func(n int) bool { return len(deflate(join(parts[:n+1]))) > most.kept })
	for i, left := range parts[fits:] {
		if i == maxLeftOut {
			break
		}
		s.leftOut = append(s.leftOut, left.name[:min(len(left.name), maxLeftOutName)])
	}
	s.deflated = deflate(join(parts[:fits]))
}

// part is a member of an object, or an element of an array, which has no name on the wire.
type part struct {
	name    string
	value   json.RawMessage
	element int // its place from 1; 0 for a member
}

// partsOf takes a body apart.
func partsOf(body []byte) (parts []part) {
	var elements []json.RawMessage
	if json.Unmarshal(body, &elements) == nil {
		for i, element := range elements {
			parts = append(parts, part{fmt.Sprintf("[%d]", i), element, i + 1})
		}
		return parts
	}
	object, _ := jsonobject.Parse(body)
	for name, value := range object {
		parts = append(parts, part{name: name, value: value})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	return parts
}

// join puts parts together again, in their order or in that of their names.
func join(parts []part) []byte {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.element, b.element), cmp.Compare(a.name, b.name))
	})
	isArray := len(parts) > 0 && parts[0].element > 0
	var b bytes.Buffer
	b.WriteByte("{["[btoi(isArray)])
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
	b.WriteByte("}]"[btoi(isArray)])
	return b.Bytes()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// deflate compresses a body, in the same way each time.
func deflate(body []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is valid
	_, _ = w.Write(body)                                  // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func inflate(data []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(data))
	body, err := io.ReadAll(io.LimitReader(r, inflatedMost+1))
	if err == nil && len(body) > inflatedMost {
		err = fmt.Errorf("it is longer than %d bytes", inflatedMost)
	}
	return body, err
}
