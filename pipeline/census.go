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
			c.append(number, entries)
		default:
			err = errors.Join(err, c.spill.appendEntries(number, entries))
		}
	}
	return c.spill == nil && c.ceiling > 0 && c.bytes.Load() > c.ceiling, err
}

// append adds entries to a log in memory.
func (c *census) append(number int, entries []entry) {
	log := &c.logs[number]
	log.Lock()
	defer log.Unlock()
	grown := log.append(entries)
	if log.isCrowded() {
		scratch := c.tables.Get().(*distinct)
		grown += log.tidy(scratch)
		c.tables.Put(scratch)
	}
	c.bytes.Add(grown)
}

// moveOut moves the logs to a file.
func (c *census) moveOut() error {
	spilled, err := newSpill(c.dir, numShards, entryBytes/8)
	if err != nil {
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

// takeOver enters the persons of a table, and empties it. The census, which is empty,
// goes on in a file.
func (c *census) takeOver(l *leads) error {
	if err := c.moveOut(); err != nil {
		return err
	}
	for _, chunk := range l.log {
		for i := range chunk {
			if err := c.spill.appendEntries(chunk[i].shardOf(), chunk[i:i+1]); err != nil {
				return err
			}
		}
	}
	*l = leads{}
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
		persons := c.tables.Get().(*distinct)
		defer c.tables.Put(persons)
		if err := c.load(number, persons); err != nil {
			return err
		}
		c.drop(number)
		return visit(number, persons)
	})
}

// load puts the persons of a shard into a table.
func (c *census) load(number int, persons *distinct) error {
	if c.spill == nil {
		c.logs[number].distinctInto(persons)
		return nil
	}
	persons.reset(0)
	return c.spill.each(number, func(record []uint64) { persons.put(entry{record[0], record[1], record[2]}) })
}

// close removes the file, if there is one.
func (c *census) close() error {
	if c.spill == nil {
		return nil
	}
	return c.spill.close()
}
