package pipeline

import (
	"sync"
	"sync/atomic"

	"payonce/attempt"
	"payonce/enrich"
)

// knowledge tells what the journal knows of people, at little cost for those it does not
// know. It asks the journal for the first ones; when they become many, it goes once
// through all that the journal knows and keeps an index of it. So a short list does not
// wait for a long journal. Where the index would not fit into memory, it goes on asking.
type knowledge struct {
	journal Recorder
	people  int64
	fits    bool // the index into memory
	asked   atomic.Int64
	index   atomic.Pointer[index]
	making  sync.Mutex
}

// worthAnIndex is which part of the journal's people may be asked for one by one.
const worthAnIndex = 8

// newKnowledge returns the knowledge of a journal. The index may take the bytes that a
// table of persons may take; zero for no ceiling.
func newKnowledge(journal Recorder, ceiling int64) *knowledge {
	people := journal.People()
	return &knowledge{journal: journal, people: people, fits: ceiling == 0 || people*(mostBytes+hintBits/8) <= ceiling}
}

// mayKnow reports false of most people whom the journal does not know, at next to no
// cost.
func (k *knowledge) mayKnow(key enrich.Key) bool {
	if k.people == 0 {
		return false
	}
	index := k.index.Load()
	return index == nil || index.mayHold(key)
}

// recordOf returns what the journal knows of a person, but for the times.
func (k *knowledge) recordOf(key enrich.Key) (record attempt.Record, err error) {
	if k.people == 0 {
		return record, nil
	}
	index := k.index.Load()
	if index == nil && k.fits && k.asked.Add(1) > k.people/worthAnIndex {
		if index, err = k.makeIndex(); err != nil {
			return record, err
		}
	}
	if index != nil {
		if record, found := index.recordOf(key); found {
			return record, nil
		}
	}
	return k.journal.RecordOf(key)
}

func (k *knowledge) makeIndex() (*index, error) {
	k.making.Lock()
	defer k.making.Unlock()
	if index := k.index.Load(); index != nil {
		return index, nil // another goroutine was faster
	}
	made := &index{}
	err := parallel(numShards, func(number int) error {
		err := k.journal.Records(byte(number), func(key enrich.Key, recordOf func() (attempt.Record, error)) error {
			record, err := recordOf()
			made.shards[number].set(indexed(key, record))
			return err
		})
		made.hints[number] = newHint(&made.shards[number])
		return err
	})
	if err != nil {
		return nil, err
	}
	k.index.Store(made)
	return made, nil
}

// index holds the states of the fields of all persons that a journal knows, and the
// attempts that led there, in the table of persons: in place of a row and marks.
type index struct {
	shards [numShards]shard
	hints  [numShards]hint
}

func (x *index) mayHold(key enrich.Key) bool { return x.hints[key[0]].mayHold(newEntry(key, 0, 0)) }

// The bits of a field in an entry of the index: its state and its attempt.
const (
	stateBits   = 3
	attemptBits = 29
)

// notIndexed stands for a record that is more than an entry can hold.
const notIndexed = 1<<64 - 1

func indexed(key enrich.Key, record attempt.Record) entry {
	e := newEntry(key, 0, 0)
	for f := range enrich.NumFields {
		if record.Attempts[f] >= 1<<attemptBits || len(record.Earlier[f]) > 0 {
			e.lead = notIndexed
			return e
		}
		e.lead = e.lead<<(stateBits+attemptBits) | uint64(record.States[f])<<attemptBits | uint64(record.Attempts[f])
	}
	return e
}

// recordOf returns what the index holds of a person, and false when it does not tell.
func (x *index) recordOf(key enrich.Key) (record attempt.Record, found bool) {
	e := x.shards[key[0]].find(key)
	switch {
	case e == nil:
		return record, true
	case e.lead == notIndexed:
		return record, false
	}
	bits := e.lead
	for f := enrich.NumFields - 1; f >= 0; f-- {
		record.Attempts[f] = attempt.ID(bits & (1<<attemptBits - 1))
		record.States[f] = attempt.FieldState(bits >> attemptBits & (1<<stateBits - 1))
		bits >>= stateBits + attemptBits
	}
	return record, true
}
