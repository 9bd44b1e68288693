package pipeline

import (
	"errors"
	"sync"
)

// census finds out who is in a list. It is a table in memory; when that becomes larger
// than the ceiling, it goes on in a temporary file, and each shard becomes a table
// again when its turn comes: both ways a shard holds the same persons.
type census struct {
	people
	ceiling int64  // of the tables, in bytes; zero for none
	dir     string // of the temporary file

	mode  sync.RWMutex // is held for writing while the tables move to the file
	spill *spill       // nil while all is in memory
}

func newCensus(scope Scope) *census { return &census{ceiling: scope.Memory, dir: scope.TempDir} }

// add enters the entries of a batch and empties it.
func (c *census) add(b *batch) error {
	defer b.clear()
	over, err := c.enter(b)
	if err != nil || !over {
		return err
	}
	c.mode.Lock()
	defer c.mode.Unlock()
	return c.moveOut()
}

// enter enters the entries and reports whether the tables are too large then.
func (c *census) enter(b *batch) (over bool, err error) {
	c.mode.RLock()
	defer c.mode.RUnlock()
	for number, entries := range b {
		switch {
		case len(entries) == 0:
		case c.spill == nil:
			c.put(number, entries, nil)
		default:
			err = errors.Join(err, c.spill.appendEntries(number, entries))
		}
	}
	return c.spill == nil && c.isFull(), err
}

func (c *census) isFull() bool { return c.ceiling > 0 && c.bytes.Load() > c.ceiling }

// moveOut moves the tables to a file.
func (c *census) moveOut() error {
	if c.spill != nil {
		return nil // another goroutine was faster
	}
	spilled, err := newSpill(c.dir, numShards, entryBytes/8)
	if err != nil {
		return err
	}
	c.spill = spilled
	for number := range c.shards {
		one := make([]entry, 1)
		err := c.shards[number].each(func(e *entry) error {
			one[0] = *e
			return spilled.appendEntries(number, one)
		})
		if err != nil {
			return err
		}
		c.drop(number)
	}
	return nil
}

// eachShard hands the shards to visit, several at the same time, and forgets each
// afterwards.
func (c *census) eachShard(visit func(number int, s *shard) error) error {
	return parallel(numShards, func(number int) error {
		defer c.drop(number)
		if c.spill == nil {
			return visit(number, &c.shards[number].shard)
		}
		s, err := c.spill.shard(number)
		if err != nil {
			return err
		}
		return visit(number, s)
	})
}

// close removes the file, if there is one.
func (c *census) close() error {
	if c.spill == nil {
		return nil
	}
	return c.spill.close()
}

// claim enters the entries of a batch, empties it, and hands the number of every row
// with that of the row that leads its person to named. When the batches of a list are
// claimed in order, no later one leads.
func (c *census) claim(b *batch, named func(row, lead int64)) {
	for number, entries := range b {
		if len(entries) > 0 {
			c.put(number, entries, named)
		}
	}
	b.clear()
}
