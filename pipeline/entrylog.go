package pipeline

import "sync"

// entryLog is the part of a census in memory that holds the entries of one shard, one
// behind the other. Entries of the same person gather in it until there are too many
// entries for the persons; then each person gets one again.
//
// Appending costs next to nothing, where a table of everybody would cost a fetch from
// memory for each row.
type entryLog struct {
	sync.Mutex
	chunks []*entryChunk
	count  int
	enough int // entries, for the persons that there were at last
}

// entryChunk is what a log grows by.
type entryChunk [256]entry

const chunkBytes = int64(len(entryChunk{})) * entryBytes

// leastEnough is how many entries any log may have.
const leastEnough = 2048

// The entries of a log are at most crowded/persons times its persons: they take 38
// bytes a person at most.
const (
	crowded = 8
	roomy   = 5
)

// append adds entries and returns by how many bytes the log has grown.
func (l *entryLog) append(entries []entry) int64 {
	before := len(l.chunks)
	for len(entries) > 0 {
		used := l.count % len(entryChunk{})
		if used == 0 {
			l.chunks = append(l.chunks, new(entryChunk))
		}
		n := copy(l.chunks[len(l.chunks)-1][used:], entries)
		l.count += n
		entries = entries[n:]
	}
	return int64(len(l.chunks)-before) * chunkBytes
}

// isCrowded reports whether there may be too many entries for the persons.
func (l *entryLog) isCrowded() bool { return l.count > max(l.enough, leastEnough) }

// each hands the entries to visit, in order, some at a time.
func (l *entryLog) each(visit func([]entry) error) error {
	left := l.count
	for _, chunk := range l.chunks {
		if err := visit(chunk[:min(left, len(chunk))]); err != nil {
			return err
		}
		left -= len(chunk)
	}
	return nil
}

// distinctInto puts the log's persons into an empty table.
func (l *entryLog) distinctInto(d *distinct) {
	d.reset(l.count)
	_ = l.each(func(entries []entry) error {
		for _, e := range entries {
			d.put(e)
		}
		return nil
	})
}

// tidy keeps one entry for each person, and returns by how many bytes the log has
// grown, less than zero where it shrank.
func (l *entryLog) tidy(scratch *distinct) int64 {
	l.distinctInto(scratch)
	before := len(l.chunks)
	for i := range l.chunks {
		copy(l.chunks[i][:], scratch.entries[min(i*len(entryChunk{}), len(scratch.entries)):])
	}
	l.count = len(scratch.entries)
	needed := (l.count + len(entryChunk{}) - 1) / len(entryChunk{})
	clear(l.chunks[needed:])
	l.chunks = l.chunks[:needed]
	l.enough = l.count * crowded / roomy
	return int64(needed-before) * chunkBytes
}
