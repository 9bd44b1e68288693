// This file finds the distinct persons of a list of any length. A person is a key of 128
// bits, a keyed hash of the canonical identity.
//
// It needs 24 to 39 bytes of memory for each person, and no memory for each row. What does
// not fit into memory goes on in a temporary file. Tables of persons are made of one part of
// 256 at a time, so that a table fits into the cache of a core.
//
// Keys are found in one kind of table (PersonTable). What comes before it are logs, in which nothing
// is found: rows are appended to them, in memory (entryLog) or in the file (recordLog). Tables alone,
// into which each row is entered at once, would take the place of the log in memory, at twice the
// price: for 8 million rows 2.1 times the CPU time (1.9 to 2.2 in five paired runs) and 440 MiB
// in place of 186 MiB at the peak. See BenchmarkPeople and BenchmarkPeopleInTables.

package scan

import (
	"errors"
	"sync"
	"sync/atomic"
)

// dedupOptions say what a Deduplicator may use.
type dedupOptions struct {
	// Memory is how many bytes the entries may take before they go on in a temporary file;
	// zero for no limit. A 256th part of the persons has to fit once for each core.
	Memory int64
	// TempDir is the directory of temporary files, the system's when it is "".
	TempDir string
	// Duplicates keeps the rows that are not first occurrences, for EachDuplicate.
	Duplicates bool
}

// deduplicator finds the distinct persons of a list. It appends an entry for each row to a log
// in memory, one log for each shard. When the logs become larger than Options.Memory, it moves
// them to a temporary file and goes on there. At the end it makes a table of persons from each
// log, one after the other. The tables are the same in both cases.
type deduplicator struct {
	options dedupOptions

	logs   [numShards]entryLog
	bytes  atomic.Int64 // of all logs in memory
	tables sync.Pool    // of *PersonTable

	mode    sync.RWMutex // is held for writing while the logs move to the file
	spilled *recordLog   // nil while all is in memory

	// again has for each shard the duplicate rows that were found before the end, each with the
	// place of its person in the log, which does not change; nil without Options.Duplicates.
	again *recordLog
}

// newDeduplicator returns an empty Deduplicator, which has to be closed.
func newDeduplicator(options dedupOptions) *deduplicator {
	c := &deduplicator{options: options, tables: sync.Pool{New: func() any { return &PersonTable{} }}}
	if options.Duplicates {
		c.again = newRecordLog(options, numShards, 2)
	}
	return c
}

// Add enters the entries of a batch and empties it.
func (c *deduplicator) Add(b *EntryBatch) error {
	defer b.clear()
	over, err := c.enter(b)
	if err != nil || !over {
		return err
	}
	c.mode.Lock()
	defer c.mode.Unlock()
	if c.spilled != nil {
		return nil // another goroutine was faster
	}
	return c.moveOut()
}

// enter enters the entries and reports whether the logs are now too large.
func (c *deduplicator) enter(b *EntryBatch) (over bool, err error) {
	c.mode.RLock()
	defer c.mode.RUnlock()
	for number, entries := range b {
		switch {
		case len(entries) == 0:
		case c.spilled == nil:
			err = c.append(number, entries)
		default:
			err = c.spilled.appendEntries(number, entries)
		}
		if err != nil {
			return false, err
		}
	}
	return c.spilled == nil && c.options.Memory > 0 && c.bytes.Load() > c.options.Memory, err
}

// append adds entries to a log in memory.
func (c *deduplicator) append(number int, entries []Entry) (err error) {
	log := &c.logs[number]
	log.Lock()
	defer log.Unlock()
	grown := log.append(entries)
	if log.isCrowded() {
		scratch := c.table()
		grown += log.tidy(scratch)
		err = c.keepAgain(number, scratch)
		c.tables.Put(scratch)
	}
	c.bytes.Add(grown)
	return err
}

// table returns an empty table.
func (c *deduplicator) table() *PersonTable {
	table := c.tables.Get().(*PersonTable)
	table.keepAgain = c.again != nil
	return table
}

// keepAgain keeps the duplicate rows that were found while a table was made of a log.
func (c *deduplicator) keepAgain(number int, persons *PersonTable) error {
	for _, a := range persons.again {
		if err := c.again.Add(number, uint64(a.row), uint64(a.person)); err != nil {
			return err
		}
	}
	return nil
}

// EachDuplicate calls visit for each duplicate row of a shard, with the place
// of its person.
func (c *deduplicator) EachDuplicate(
	number int, persons *PersonTable, visit func(row int64, person int) error,
) (err error) {
	for _, a := range persons.again {
		if err := visit(a.row, a.person); err != nil {
			return err
		}
	}
	failed := c.again.Each(number, func(record []uint64) {
		if err == nil {
			err = visit(int64(record[0]), int(record[1]))
		}
	})
	return errors.Join(err, failed)
}

// moveOut moves the logs to a file.
func (c *deduplicator) moveOut() error {
	file := newLog(c.options.TempDir, numShards, entryBytes/wordBytes)
	if _, err := file.opened(); err != nil {
		return err
	}
	c.spilled = file
	for number := range c.logs {
		for _, chunk := range c.logs[number].chunks {
			if err := file.appendEntries(number, chunk); err != nil {
				return err
			}
		}
		c.drop(number)
	}
	return nil
}

// drop empties a log in memory.
func (c *deduplicator) drop(number int) {
	log := &c.logs[number]
	c.bytes.Add(-int64(len(log.chunks)) * chunkBytes)
	log.chunks, log.count = nil, 0
}

// EachShard calls visit with the persons of every shard, for several shards at the same time. It
// frees each log in memory before.
func (c *deduplicator) EachShard(visit func(number int, persons *PersonTable) error) error {
	return parallel(numShards, func(number int) error {
		persons := c.table()
		defer c.tables.Put(persons)
		if err := c.load(number, persons); err != nil {
			return err
		}
		c.drop(number)
		return visit(number, persons)
	})
}

// againTogether is how many duplicate rows a table holds before they go to a log.
const againTogether = 1 << 16

// load puts the persons of a shard into a table.
func (c *deduplicator) load(number int, persons *PersonTable) (err error) {
	if c.spilled == nil {
		c.logs[number].distinctInto(persons)
		return nil
	}
	persons.reset(0)
	failed := c.spilled.Each(number, func(record []uint64) {
		persons.put(Entry{record[0], record[1], record[2]})
		if len(persons.again) == againTogether && err == nil {
			err = c.keepAgain(number, persons)
			persons.again = persons.again[:0]
		}
	})
	return errors.Join(err, failed)
}

// Close removes the files, if there are any.
func (c *deduplicator) Close() (err error) {
	for _, s := range []*recordLog{c.spilled, c.again} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
