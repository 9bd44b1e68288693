package pipeline

import (
	"errors"
	"sync"
	"sync/atomic"
)

// census finds out who is in a list. It gathers an entry for each row in logs, one for
// each shard, in memory; when those become larger than the ceiling, it goes on in a
// temporary file. At the end each log becomes a table of persons when its turn comes:
// both ways it holds the same ones.
type census struct {
	ceiling int64  // of the logs in memory, in bytes; zero for none
	dir     string // of the temporary file

	logs   [numShards]entryLog
	bytes  atomic.Int64 // of all logs in memory
	tables sync.Pool    // of *distinct

	mode  sync.RWMutex // is held for writing while the logs move to the file
	spill *spill       // nil while all is in memory

	// again has for each shard the rows that came again before a log was tidied, each with
	// the place of its person in the log, where it stays; nil when nobody asks for them.
	again *spill
}

func newCensus(scope Scope) *census {
	return &census{ceiling: scope.Memory, dir: scope.TempDir, tables: sync.Pool{New: func() any { return &distinct{} }}}
}

// add enters the entries of a batch and empties it.
func (c *census) add(b *batch) error {
	defer b.clear()
	over, err := c.enter(b)
	if err != nil || !over {
		return err
	}
	c.mode.Lock()
	defer c.mode.Unlock()
	if c.spill != nil {
		return nil // another goroutine was faster
	}
	return c.moveOut()
}

// enter enters the entries and reports whether the logs are too large then.
func (c *census) enter(b *batch) (over bool, err error) {
	c.mode.RLock()
	defer c.mode.RUnlock()
	for number, entries := range b {
		switch {
		case len(entries) == 0:
		case c.spill == nil:
			err = c.append(number, entries)
		default:
			err = c.spill.appendEntries(number, entries)
		}
		if err != nil {
			return false, err
		}
	}
	return c.spill == nil && c.ceiling > 0 && c.bytes.Load() > c.ceiling, err
}

// append adds entries to a log in memory.
func (c *census) append(number int, entries []entry) (err error) {
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
func (c *census) table() *distinct {
	table := c.tables.Get().(*distinct)
	table.keepAgain = c.again != nil
	return table
}

// keepAgain keeps the rows that came again in a log that is made into a table.
func (c *census) keepAgain(number int, persons *distinct) error {
	for _, a := range persons.again {
		if err := c.again.add(number, uint64(a.row), uint64(a.person)); err != nil {
			return err
		}
	}
	return nil
}

// eachDuplicate calls visit for each row of a shard that another one leads, with the place
// of its person.
func (c *census) eachDuplicate(number int, persons *distinct, visit func(row int64, person int) error) (err error) {
	for _, a := range persons.again {
		if err := visit(a.row, a.person); err != nil {
			return err
		}
	}
	failed := c.again.each(number, func(record []uint64) {
		if err == nil {
			err = visit(int64(record[0]), int(record[1]))
		}
	})
	return errors.Join(err, failed)
}

// moveOut moves the logs to a file.
func (c *census) moveOut() error {
	spilled := newSpill(c.dir, numShards, entryBytes/8)
	if _, err := spilled.opened(); err != nil {
		return err
	}
	c.spill = spilled
	for number := range c.logs {
		for _, chunk := range c.logs[number].chunks {
			if err := spilled.appendEntries(number, chunk); err != nil {
				return err
			}
		}
		c.drop(number)
	}
	return nil
}

// drop empties a log in memory.
func (c *census) drop(number int) {
	log := &c.logs[number]
	c.bytes.Add(-int64(len(log.chunks)) * chunkBytes)
	log.chunks, log.count = nil, 0
}

// eachShard hands the persons of every shard to visit, those of several at the same
// time, and forgets each log in memory afterwards.
func (c *census) eachShard(visit func(number int, persons *distinct) error) error {
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

// againTogether is how many rows that come again a table gathers before they are kept
// elsewhere.
const againTogether = 1 << 16

// load puts the persons of a shard into a table.
func (c *census) load(number int, persons *distinct) (err error) {
	if c.spill == nil {
		c.logs[number].distinctInto(persons)
		return nil
	}
	persons.reset(0)
	failed := c.spill.each(number, func(record []uint64) {
		persons.put(entry{record[0], record[1], record[2]})
		if len(persons.again) == againTogether && err == nil {
			err = c.keepAgain(number, persons)
			persons.again = persons.again[:0]
		}
	})
	return errors.Join(err, failed)
}

// close removes the files, if there are any.
func (c *census) close() (err error) {
	for _, s := range []*spill{c.spill, c.again} {
		if s != nil {
			err = errors.Join(err, s.close())
		}
	}
	return err
}
