package scan

import (
	"context"
	"errors"
	"slices"
	"sync"

	"payonce/enrich"
)

// Index is the row index of an output: for every row of a list, which fields it misses, which row is
// the first occurrence of its person, and which attempts of the journal were about that person. It depends
// on the rows, the scope and the journal's records, and on nothing else. It holds numbers of rows and
// attempts, no cells and no keys: two bytes for each row. What there is to say about duplicates
// and about persons that the journal knows goes to a temporary file, unless it is little.
type Index struct {
	wanted  enrich.Fields
	rows    []RowState              // of each row: the fields that it misses
	reasons []enrich.Unidentifiable // by the numbers in rows
	// logs has for each span the duplicates and the rows of persons that the journal knows, each
	// with the first occurrence of its subject, or 0, and the journal's record.
	logs *recordLog
	open openPersons

	mu     sync.Mutex
	loaded [2]*span // that were read last
}

// span is a range of consecutive rows of an index, which no longer change.
type span struct {
	number  int
	rows    []RowState
	firsts  []int64        // of each row: the first occurrence of its person, when that is another row
	records subjectRecords // of each row: what the journal knows of its person
}

// numSpans is the number of spans of an index.
const numSpans = 256

// spanRows returns how many rows a span has; the last one may have fewer.
func (x *Index) spanRows() int64 { return x.Rows()/numSpans + 1 }

// NewIndex reads the whole list and finds out who its rows are about and what the journal
// knows of them. The index has to be closed.
func NewIndex(ctx context.Context, scope Scope, list List, journal Recorder) (*Index, error) {
	indexes, err := NewIndexes(ctx, list, Indexed{scope, journal})
	if err != nil {
		return nil, err
	}
	return indexes[0], nil
}

// Indexed is what an index is made of, besides the list.
type Indexed struct {
	Scope   Scope
	Journal Recorder
}

// NewIndexes is NewIndex for several scopes. It reads the list once. Meanwhile the indexes share the memory of a scope.
func NewIndexes(ctx context.Context, list List, of ...Indexed) (indexes []*Index, err error) {
	readings := make([]reading, len(of))
	defer func() {
		for _, r := range readings {
			err = errors.Join(err, r.persons.Close())
		}
	}()
	for i, one := range of {
		options := dedupOptions{Memory: one.Scope.Memory, TempDir: one.Scope.TempDir, Duplicates: true}
		if options.Memory > 0 { // 0 means no limit
			options.Memory = max(1, options.Memory/int64(len(of)))
		}
		x := &Index{wanted: one.Scope.Wanted}
		indexes = append(indexes, x)
		take := func(read blockRead) { x.add(read.blockStates) }
		one.Scope.Only = nil // an index is of all rows
		readings[i] = reading{one.Scope, one.Journal, newDeduplicator(options), take}
	}
	if err := eachBlock(ctx, list, readings...); err != nil {
		return nil, err
	}
	for i, r := range readings {
		if err := indexes[i].enter(r); err != nil {
			for _, begun := range indexes[:i+1] {
				err = errors.Join(err, begun.Close())
			}
			return nil, err
		}
	}
	return indexes, nil
}

// enter enters the persons of a reading, whose rows were added, with what the journal knows of them.
func (x *Index) enter(r reading) error {
	x.begin(r.scope)
	return r.persons.EachShard(func(number int, some *PersonTable) error {
		shard := x.ofShard(number, some)
		if err := recall(some, number, r.journal, x.wanted, shard.note); err != nil {
			return err
		}
		return shard.enter(r.persons, nil)
	})
}

// blockStates are the states of the rows of a block, with the reasons of those that name nobody.
type blockStates struct {
	rows    []RowState
	reasons []enrich.Unidentifiable
}

// add adds the rows of the next block.
func (x *Index) add(b blockStates) {
	for i, state := range b.rows {
		if _, nobody := state.Reason(); nobody {
			b.rows[i] = namesNobody(x.numberOf(b.reasons[0]))
			b.reasons = b.reasons[1:]
		}
	}
	x.rows = append(x.rows, b.rows...)
}

// numberOf returns the number of a reason.
func (x *Index) numberOf(reason enrich.Unidentifiable) uint8 {
	number := slices.Index(x.reasons, reason)
	if number < 0 {
		number = len(x.reasons)
		x.reasons = append(x.reasons, reason)
	}
	return uint8(number)
}

// begin creates the logs. All rows have been added: their number decides the spans.
func (x *Index) begin(scope Scope) {
	options := dedupOptions{Memory: scope.Memory, TempDir: scope.TempDir}
	x.logs = newRecordLog(options, numSpans, 2+len(newSubjectRecords(scope.Wanted, 1).Of(0)))
}

// addRecord adds what is known of a row.
func (x *Index) addRecord(number, firstRow int64, known bool, record SubjectRecord) error {
	if known {
		x.rows[number-1] = x.rows[number-1].AsKnown()
	}
	words := append(make([]uint64, 0, 16), uint64(number), uint64(firstRow)) // stays on the stack
	return x.logs.Add(int((number-1)/x.spanRows()), append(words, record...)...)
}

// Rows returns how many rows the list had.
func (x *Index) Rows() int64 { return int64(len(x.rows)) }

// Facts appends the facts of n rows, of which first is the number of the first one. A list
// with more rows than the index is ErrListChanged.
func (x *Index) Facts(first int64, n int, facts []RowFacts) ([]RowFacts, error) {
	if first+int64(n)-1 > x.Rows() {
		return facts, ErrListChanged
	}
	each := x.spanRows()
	for at, end := first-1, first-1+int64(n); at < end; {
		s, err := x.load(int(at / each))
		if err != nil {
			return facts, err
		}
		from := at % each
		to := min(from+end-at, int64(len(s.rows)))
		for i := from; i < to; i++ {
			facts = append(facts, x.factsOf(s, i))
		}
		at += to - from
	}
	return facts, nil
}

// factsOf returns the facts of a row of a span.
func (x *Index) factsOf(s *span, i int64) RowFacts {
	state := s.rows[i]
	if number, nobody := state.Reason(); nobody {
		return RowFacts{Reason: x.reasons[number]}
	}
	facts := RowFacts{Missing: state.Fields(), First: s.firsts[i]}
	if state.IsKnown() {
		facts.Record = s.records.Of(int(i))
	}
	return facts
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
	rows := x.rows[first:min(first+each, x.Rows())]
	s := &span{
		number: number, rows: rows, firsts: make([]int64, len(rows)), records: newSubjectRecords(x.wanted, len(rows)),
	}
	err := x.logs.Each(number, func(record []uint64) {
		at := int64(record[0]) - 1 - first
		s.firsts[at] = int64(record[1])
		copy(s.records.Of(int(at)), record[2:])
	})
	return s, err
}

// Close removes the temporary file.
func (x *Index) Close() error { return x.logs.Close() }
