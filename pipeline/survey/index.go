package survey

import (
	"context"
	"errors"
	"slices"
	"sync"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/dedup"
	"payonce/pipeline/row"
)

// Index tells of every row of a list what its output needs to know, besides the answers:
// what the row misses, which row leads its person, and which attempts of the journal were
// about them. It depends on the rows, on the scope and on the journal's records, and on
// nothing else. It holds numbers of rows and attempts alone, no cell and no key: a byte for
// each row, and in a temporary file, unless it is little, what there is to say of duplicates
// and of the persons that the journal knows.
type Index struct {
	notes   []note
	reasons []enrich.Unidentifiable // that notes refer to
	// logs has for each span the rows that there is more to say of than a note, each with
	// the row that leads it, or 0, and the packed record.
	logs *dedup.Log

	mu     sync.Mutex
	loaded [2]*span // that were read last
}

// span are consecutive rows of an index, which are not changed any more.
type span struct {
	number  int
	notes   []note
	leads   []int64      // of each row: the row that leads its person, when that is another one
	records []row.Record // of each row: what the journal knows of its person
}

// numSpans is in how many spans an index is read.
const numSpans = 256

// spanRows returns how many rows a span has; the last one may have fewer.
func (x *Index) spanRows() int64 { return x.Rows()/numSpans + 1 }

// note says what is the matter with a row: the wanted fields that it misses, or why it
// names nobody.
type note uint8

// The bits of a note. One of a row that names nobody holds the number of the reason.
const (
	noteMissing   note = 1<<enrich.NumFields - 1
	noteDuplicate note = 1 << enrich.NumFields // another row leads the person
	noteKnown     note = noteDuplicate << 1    // the journal knows the person
	noteNobody    note = 1 << 7
)

// NewIndex reads the whole list and finds out who its rows are about and what the journal
// knows of them. The index has to be closed.
func NewIndex(ctx context.Context, scope row.Scope, list row.List, journal Recorder) (_ *Index, err error) {
	options := dedup.Options{Memory: scope.Memory, TempDir: scope.TempDir, Duplicates: true}
	persons := dedup.New(options)
	defer func() { err = errors.Join(err, persons.Close()) }()
	x := &Index{}
	if err := x.read(ctx, scope, list, journal, persons); err != nil {
		return nil, err
	}
	x.logs = dedup.NewLog(options, numSpans, 3)
	err = persons.EachShard(func(number int, shard *dedup.Persons) error { return x.enter(number, shard, persons, journal) })
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// blockNotes are the notes of a block, with the reasons of the rows that name nobody.
type blockNotes struct {
	notes   []note
	reasons []enrich.Unidentifiable
}

// read notes what each row misses, and enters the persons.
func (x *Index) read(ctx context.Context, s row.Scope, list row.List, journal Recorder, persons *dedup.Deduplicator) error {
	return eachBlock(ctx, s, list, journal, func(v *blockReader, block table.Block) (blockNotes, error) {
		return v.note(block, persons)
	}, func(b blockNotes) {
		for i, n := range b.notes {
			if n&noteNobody != 0 {
				b.notes[i] |= note(x.numberOf(b.reasons[0]))
				b.reasons = b.reasons[1:]
			}
		}
		x.notes = append(x.notes, b.notes...)
	})
}

// note notes what each row of a block misses, and enters the persons.
func (v *blockReader) note(block table.Block, persons *dedup.Deduplicator) (blockNotes, error) {
	b := blockNotes{notes: make([]note, 0, block.Len())}
	err := block.Each(func(row table.Row) error {
		missing := v.Missing(row)
		if missing == 0 {
			b.notes = append(b.notes, 0)
			return nil
		}
		key, _, reason := v.Key(row)
		if reason != "" {
			b.notes, b.reasons = append(b.notes, noteNobody), append(b.reasons, reason)
			return nil
		}
		b.notes = append(b.notes, note(missing))
		v.batch.Add(dedup.NewEntry(key, row.Number(), 0))
		return nil
	})
	return b, errors.Join(err, persons.Add(&v.batch))
}

// numberOf returns the number by which notes refer to a reason.
func (x *Index) numberOf(reason enrich.Unidentifiable) int {
	number := slices.Index(x.reasons, reason)
	if number < 0 {
		number = len(x.reasons)
		x.reasons = append(x.reasons, reason)
	}
	return number
}

// enter notes what there is to say of the rows of a shard's persons.
func (x *Index) enter(number int, shard *dedup.Persons, persons *dedup.Deduplicator, journal Recorder) error {
	records := make([]row.Record, len(shard.Entries))
	err := recall(shard, number, journal, func(person int, record *attempt.Record) {
		if record.States != [enrich.NumFields]attempt.FieldState{} {
			records[person] = row.PackRecord(record)
		}
	})
	if err != nil {
		return err
	}
	for person, packed := range records {
		if packed != 0 {
			err = errors.Join(err, x.say(shard.Entries[person].Row(), 0, packed))
		}
	}
	return errors.Join(err, persons.EachDuplicate(number, shard, func(row int64, person int) error {
		return x.say(row, shard.Entries[person].Row(), records[person])
	}))
}

// say puts on record what is to be said of a row.
func (x *Index) say(number, lead int64, packed row.Record) error {
	n := &x.notes[number-1]
	if lead != 0 {
		*n |= noteDuplicate
	}
	if packed != 0 {
		*n |= noteKnown
	}
	return x.logs.Add(int((number-1)/x.spanRows()), uint64(number), uint64(lead), uint64(packed))
}

// Rows returns how many rows the list had.
func (x *Index) Rows() int64 { return int64(len(x.notes)) }

// Facts appends the facts of n rows, of which first is the number of the first one. A list
// with more rows than the index is row.ErrListChanged.
func (x *Index) Facts(first int64, n int, facts []row.Facts) ([]row.Facts, error) {
	if first+int64(n)-1 > x.Rows() {
		return facts, row.ErrListChanged
	}
	each := x.spanRows()
	for at, end := first-1, first-1+int64(n); at < end; {
		s, err := x.load(int(at / each))
		if err != nil {
			return facts, err
		}
		from := at % each
		to := min(from+end-at, int64(len(s.notes)))
		for i := from; i < to; i++ {
			facts = append(facts, x.factsOf(s, i))
		}
		at += to - from
	}
	return facts, nil
}

// factsOf returns the facts of a row of a span.
func (x *Index) factsOf(s *span, i int64) row.Facts {
	n := s.notes[i]
	if n&noteNobody != 0 {
		return row.Facts{Reason: x.reasons[n&^noteNobody]}
	}
	return row.Facts{Missing: enrich.Fields(n & noteMissing), Lead: s.leads[i], Known: n&noteKnown != 0, Record: s.records[i]}
}

// load reads a span, or returns it when it was read before.
func (x *Index) load(number int) (*span, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.loaded {
		if s != nil && s.number == number {
			return s, nil
		}
	}
	s, err := x.readSpan(number)
	if err != nil {
		return nil, err
	}
	x.loaded[0], x.loaded[1] = x.loaded[1], s
	return s, nil
}

// readSpan reads a span.
func (x *Index) readSpan(number int) (*span, error) {
	each := x.spanRows()
	first := int64(number) * each
	notes := x.notes[first:min(first+each, x.Rows())]
	s := &span{number: number, notes: notes, leads: make([]int64, len(notes)), records: make([]row.Record, len(notes))}
	err := x.logs.Each(number, func(record []uint64) {
		at := int64(record[0]) - 1 - first
		s.leads[at], s.records[at] = int64(record[1]), row.Record(record[2])
	})
	return s, err
}

// Close gives back what the index is read from.
func (x *Index) Close() error { return x.logs.Close() }
