package checkpoint

import (
	"fmt"
	"slices"
)

// operation is a set of writes that belong together, and what follows from their
// being durable.
type operation struct {
	writes  []Write
	size    int
	applied func() // runs under the lock when the writes are durable; may be nil
	durable chan error
}

// maxCommit bounds the bytes of one commit, far below what a transaction takes.
const maxCommit = 1 << 20

// enqueue hands writes to the committer, together with the sums and the books as
// they stand after them, and returns a channel that gives one word on whether
// they are durable. It is called with the lock held, so that the order of the
// queue is the order of the decisions: whatever an operation rests on stands
// before it.
func (j *Journal) enqueue(scopes []string, applied func(), writes ...Write) <-chan error {
	for _, scope := range scopes {
		writes = append(writes, Write{nameKey(totalsPrefix, scope), encode(j.books.totals[scope])})
	}
	writes = append(writes, Write{booksKey, encode(j.books.persisted)})
	op := operation{writes: writes, applied: applied, durable: make(chan error, 1)}
	for _, write := range writes {
		op.size += len(write.Key) + len(write.Value)
	}
	if j.failure != nil {
		op.durable <- j.failure
		return op.durable
	}
	j.queue = append(j.queue, op)
	select {
	case j.wake <- struct{}{}:
	default:
	}
	return op.durable
}

// commitLoop writes the queue, many operations to a commit: while one commit
// waits for the disk the next one gathers.
func (j *Journal) commitLoop() {
	defer close(j.stopped)
	for {
		select {
		case <-j.wake:
			j.commitQueue()
		case <-j.stopping:
			j.commitQueue()
			return
		}
	}
}

func (j *Journal) commitQueue() {
	for {
		batch := j.nextBatch()
		if len(batch) == 0 {
			return
		}
		err := j.store.Commit(mergeWrites(batch))
		j.finish(batch, err)
	}
}

// nextBatch takes operations from the head of the queue, at least one if there is any.
func (j *Journal) nextBatch() []operation {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure != nil {
		return nil
	}
	size, n := 0, 0
	for n < len(j.queue) && (n == 0 || size+j.queue[n].size <= maxCommit) {
		size += j.queue[n].size
		n++
	}
	batch := slices.Clone(j.queue[:n])
	j.queue = slices.Delete(j.queue, 0, n)
	return batch
}

// mergeWrites returns the writes of a batch, only the last one for each key.
func mergeWrites(batch []operation) []Write {
	var writes []Write
	at := map[string]int{}
	for _, op := range batch {
		for _, write := range op.writes {
			if i, found := at[string(write.Key)]; found {
				writes[i] = write
				continue
			}
			at[string(write.Key)] = len(writes)
			writes = append(writes, write)
		}
	}
	return writes
}

// finish makes a durable batch visible, or after a failed commit refuses it and
// all that queued up behind it: whether it is on the disk is not known.
func (j *Journal) finish(batch []operation, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.failure = fmt.Errorf("%w: %w", ErrFailed, err)
		batch = append(batch, j.queue...)
		j.queue = nil
	}
	for _, op := range batch {
		if err == nil && op.applied != nil {
			op.applied()
		}
		op.durable <- j.failure
	}
}
