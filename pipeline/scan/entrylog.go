package scan

import "sync"

// entryLog holds the entries of one shard in memory, one behind the other. When there are too
// many entries for the persons, it merges the entries of each person into one.
//
// To append costs very little. A table of all persons would cost a fetch from memory for each
// row.
type entryLog struct {
	sync.Mutex
	chunks [][]Entry // all but the last are full
	count  int
	enough int // entries, for the persons that there were when it was tidied
}

// chunkEntries is how many entries a log grows by.
const (
	chunkEntries = 256
	chunkBytes   = chunkEntries * entryBytes
)

// leastEnough is how many entries every log may have.
const leastEnough = 2048

// The entries of a log are at most crowded/roomy times its persons: they take 38
// bytes a person at most.
const (
	crowded = 8
	roomy   = 5
)

// append adds entries and returns by how many bytes the log has grown.
func (l *entryLog) append(entries []Entry) int64 {
	before := len(l.chunks)
	l.count += len(entries)
	for len(entries) > 0 {
		last := len(l.chunks) - 1
		if last < 0 || len(l.chunks[last]) == chunkEntries {
			l.chunks = append(l.chunks, make([]Entry, 0, chunkEntries))
			last++
		}
		n := min(chunkEntries-len(l.chunks[last]), len(entries))
		l.chunks[last] = append(l.chunks[last], entries[:n]...)
		entries = entries[n:]
	}
	return int64(len(l.chunks)-before) * chunkBytes
}

// isCrowded reports whether there may be too many entries for the persons.
func (l *entryLog) isCrowded() bool { return l.count > max(l.enough, leastEnough) }

// distinctInto puts the log's persons into an empty table.
func (l *entryLog) distinctInto(d *PersonTable) {
	d.reset(l.count)
	for _, chunk := range l.chunks {
		for _, e := range chunk {
			d.put(e)
		}
	}
}

// tidy keeps one entry for each person, and returns by how many bytes the log has
// grown, less than zero where it shrank.
func (l *entryLog) tidy(scratch *PersonTable) int64 {
	l.distinctInto(scratch)
	entries, used := scratch.Entries, 0
	for ; len(entries) > 0; used++ {
		n := min(chunkEntries, len(entries))
		l.chunks[used] = append(l.chunks[used][:0], entries[:n]...)
		entries = entries[n:]
	}
	before := len(l.chunks)
	clear(l.chunks[used:])
	l.chunks = l.chunks[:used]
	l.count = len(scratch.Entries)
	l.enough = l.count * crowded / roomy
	return int64(used-before) * chunkBytes
}
