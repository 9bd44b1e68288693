package checkpoint

import (
	"fmt"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// operation is a set of writes that belong together, and what follows from their
// being durable.
type operation struct {
	writes  []Write
	filled  chan struct{} // closed when the writes are there
	applied func()        // runs under the lock when the writes are durable; may be nil
	durable chan error
}

// maxQueue bounds the bytes of the writes that gather for one commit, far below what
// a transaction takes. Writes that are still to be made count as maxOperation.
const maxQueue = 1 << 20

// lock locks the journal for a decision. While too much is waiting for the disk it
// waits too: what is decided goes into the next commit.
func (j *Journal) lock() {
	j.mu.Lock()
	for j.queued >= maxQueue && j.failure == nil {
		j.drained.Wait()
	}
}

// maxOperation is more than the writes of a lookup have besides its long texts, in bytes.
const maxOperation = 4 << 10

// maxIdentity bounds the texts that name a person, in bytes. Only a list that is broken,
// such as by a quote that is missing, has longer ones, and no transaction would take them.
const maxIdentity = maxQueue / 4

// longTexts returns the bytes of those texts of an intent that are as long as the list or
// the user has them.
func longTextsOf(in record.Intent) int { return lengthOf(in.Identity) + len(in.Run) + len(in.Job) }

func lengthOf(id enrich.Identity) int {
	return len(id.ProfileURL) + len(id.FirstName) + len(id.LastName) + len(id.CompanyDomain) + len(id.CompanyName)
}

// longTexts returns the bytes of those texts of a resolution that are as long as the service or
// the system has them.
func longTexts(res attempt.Resolution) int { return len(res.Reason) + len(res.Data) }

// reserve takes the next place in the queue for writes that are still to be made:
// fill has to be called then. It is called in the same hold of the lock as the
// decision was made in, so that the order of the queue is the order of the decisions:
// whatever an operation rests on stands before it. The committer adds the sums and
// the ledger state as it stands after it.
func (j *Journal) reserve(applied func()) *operation {
	op := &operation{filled: make(chan struct{}), applied: applied, durable: make(chan error, 1)}
	if j.failure != nil {
		op.durable <- j.failure
		return op
	}
	j.queue = append(j.queue, op)
	j.queued += maxOperation
	select {
	case j.wake <- struct{}{}:
	default:
	}
	return op
}

// fill hands the writes of a reserved place to the committer, which waits for them.
func (op *operation) fill(writes ...Write) {
	op.writes = writes
	close(op.filled)
}

// enqueue hands writes to the committer, and returns a channel that gives one word on
// whether they are durable. It is called as reserve is.
func (j *Journal) enqueue(applied func(), writes ...Write) <-chan error {
	op := j.reserve(applied)
	for _, write := range writes {
		j.queued += write.Size()
	}
	op.fill(writes...)
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
		batch, sums, books := j.nextBatch()
		if len(batch) == 0 {
			return
		}
		err := j.store.Commit(writesOf(batch, append(sums, Write{Key: record.StateKey, Value: books})))
		j.finish(batch, books, err)
	}
}

// nextBatch takes the whole queue, and the sums and the ledger state as they stand after it.
func (j *Journal) nextBatch() (batch []*operation, sums []Write, books []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure != nil || len(j.queue) == 0 {
		return nil, nil, nil
	}
	batch = j.queue
	j.queue, j.queued = nil, 0
	j.drained.Broadcast()
	return batch, append(j.state.sums.TakeChanges(), j.markOpening()...), record.Encode(&j.state.persisted)
}

// writesOf returns the writes of a batch in the order of its operations, and the
// states.
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

// finish makes a durable batch visible, with which this ledger state was written, or after a
// failed commit refuses it and all that queued up behind it: whether it is on the disk is
// not known.
func (j *Journal) finish(batch []*operation, books []byte, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		j.version = j.versionOf(books)
	} else {
		j.failure = fmt.Errorf("%w: %w", ErrFailed, err)
		batch = append(batch, j.queue...)
		j.queue, j.queued = nil, 0
		j.drained.Broadcast()
	}
	for _, op := range batch {
		if err == nil && op.applied != nil {
			op.applied()
		}
		op.durable <- j.failure
	}
}
