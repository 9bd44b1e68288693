package checkpoint

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
)

// operation is a set of writes that are committed together.
type operation struct {
	writes  []Write
	filled  chan struct{} // closed when the writes are there
	changes bool          // Version has to change
	aliased aliased       // what the answer of an attempt named; is there once filled is closed
	applied func()        // runs under the lock when the writes are durable; may be nil
	durable chan error    // receives nil when the writes are durable, otherwise why they may not be
}

// maxQueue limits the bytes of the writes that wait for the next commit. Writes that are not encoded yet count as
// maxOperation.
const maxQueue = record.CommitSize

// lock locks the journal for a decision. It first waits until the queue is below maxQueue, because
// the decision adds to the queue.
// In a shared journal it begins a turn.
func (j *Journal) lock() {
	j.shared.deciders.Add(1)
	j.mu.Lock()
	j.shared.deciders.Add(-1)
	for (j.queued >= maxQueue || j.shared.committing) && j.failure == nil {
		j.drained.Wait()
	}
	if j.shared.store != nil && !j.shared.inTurn && j.failure == nil {
		j.beginTurn()
	}
}

// maxOperation is more than the size in bytes of a lookup's writes without its long texts.
const maxOperation = 4 << 10

// maxIdentity limits the bytes of the texts that name a person. Longer texts come from a broken
// list, for example one that lacks a quote.
const maxIdentity = 256 << 10

// longTextsOf returns the number of bytes in the texts of an intent that have no fixed limit. The
// list or the user determines their length.
func longTextsOf(in record.Intent) int { return in.Identity.Len() + len(in.Run) + len(in.Job) }

// longTexts returns the number of bytes in the texts of a resolution that have no fixed limit. The
// service or the system determines their length.
func longTexts(res attempt.Resolution) int { return len(res.Reason) + len(res.Data) }

// reserve takes the next place in the queue for writes that are not encoded yet. The caller must
// then call fill. The caller must still hold the lock that it held for its decision: then the queue
// has the order of the decisions, and every operation comes after those that it depends on. The
// committer adds the sums and the ledger state.
func (j *Journal) reserve(applied func()) *operation {
	op := &operation{filled: make(chan struct{}), changes: true, applied: applied, durable: make(chan error, 1)}
	if j.failure != nil {
		op.durable <- j.failure
		return op
	}
	j.queue = append(j.queue, op)
	j.queued += maxOperation
	j.wakeCommitter()
	return op
}

// fill sets the writes of a reserved place. The committer waits for it.
func (op *operation) fill(writes ...Write) {
	op.writes = writes
	close(op.filled)
}

// enqueue adds writes to the queue. The channel that it returns receives nil once they are durable,
// or the error of the commit. The caller must hold the lock as for reserve.
func (j *Journal) enqueue(applied func(), writes ...Write) <-chan error {
	op := j.reserve(applied)
	op.changes = slices.ContainsFunc(writes, func(w Write) bool { return record.IsAboutSubjects(w.Key) })
	for _, write := range writes {
		j.queued += write.Size()
	}
	op.fill(writes...)
	return op.durable
}

// commitLoop commits the queue. While one commit waits for the disk, operations gather for the next.
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
		batch, states, more := j.nextBatch()
		if !more {
			return
		}
		if len(batch) == 0 { // a turn in which nothing changed
			j.finish(nil, j.change, j.store.Commit(nil))
			continue
		}
		change := j.change
		if change == nil || slices.ContainsFunc(batch, func(op *operation) bool { return op.changes }) {
			var write Write
			change, write = newChange()
			states = append(states, write)
		}
		writes := writesOf(batch, states)
		aliases, err := j.aliasWrites(batch)
		if err == nil {
			err = j.store.Commit(append(writes, aliases...))
		}
		j.finish(batch, change, err)
	}
}

// nextBatch takes the whole queue. It returns it with the writes of the sums and of the ledger state that
// follow from it. More is false when there is nothing to commit.
func (j *Journal) nextBatch() (batch []*operation, states []Write, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gather()
	j.shared.committing, j.shared.inTurn = j.shared.inTurn, false
	if j.failure != nil || len(j.queue) == 0 {
		return nil, nil, j.shared.committing
	}
	batch = j.queue
	j.queue, j.queued = nil, 0
	j.drained.Broadcast()
	states = append(j.state.sums.TakeChanges(), j.formsWrite()...)
	return batch, append(states, Write{Key: record.StateKey, Value: record.Encode(j.state.record())}), true
}

// writesOf returns the writes of a batch in the order of its operations, followed by states.
func writesOf(batch []*operation, states []Write) []Write {
	count := len(states)
	for _, op := range batch {
		<-op.filled
		count += len(op.writes)
	}
	writes := make([]Write, 0, count)
	for _, op := range batch {
		writes = append(writes, op.writes...)
	}
	return append(writes, states...)
}

// finish ends the commit of a batch. Change is the random number of the last change of Version, in this batch or before
// it. If the commit succeeded, the batch becomes visible. If it failed, nobody knows what is on the disk, so finish
// refuses the batch and everything in the queue.
func (j *Journal) finish(batch []*operation, change []byte, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		j.change = change
	} else {
		j.fail(err)
	}
	if j.shared.committing {
		j.shared.committing = false
		j.drained.Broadcast()
	}
	for _, op := range batch {
		if err == nil && op.applied != nil {
			op.applied()
		}
		op.durable <- j.failure
	}
}
