package record

import "strings"

// Texts keeps copies of many values as parts of few strings, so that they take few
// allocations and what is read from them takes none.
type Texts struct {
	last strings.Builder // what it holds is never changed, only added to
	room int             // of the last, in bytes
}

// The room for values begins with the least and doubles up to the most, in bytes: what
// keeps one of them alive keeps all.
const (
	leastTexts = 1 << 10
	mostTexts  = 32 << 10
)

// Keep returns a copy of a value.
func (t *Texts) Keep(value []byte) string {
	if t.last.Cap()-t.last.Len() < len(value) {
		t.room = min(max(leastTexts, 2*t.room), mostTexts)
		t.last.Reset()
		t.last.Grow(max(t.room, len(value)))
	}
	start := t.last.Len()
	t.last.Write(value)
	return t.last.String()[start:]
}
