package pipeline

import (
	"sync"

	"payonce/attempt"
	"payonce/enrich"
)

// Roster tells of every row of a list what its output needs to know, besides the answers:
// what the row misses, which row leads its person, and which attempts of the journal were
// about them. It depends on the rows, on the scope and on the journal's records, and on
// nothing else. It holds numbers of rows and attempts alone, no cell and no key.
type Roster struct {
	rows    int64
	reasons []enrich.Unidentifiable // that notes refer to
	source  *rollCall

	mu     sync.Mutex
	loaded [2]*rosterSpan // that were read last
}

// rosterSpan are consecutive rows of a roster.
type rosterSpan struct {
	number  int
	notes   []note
	leads   []int64        // of each row: the row that leads its person, when that is another one
	records []packedRecord // of each row: what the journal knows of its person
}

// numRosterSpans is in how many spans a roster is read.
const numRosterSpans = 256

// spanRows returns how many rows of so many a span has; the last one may have fewer.
func spanRows(rows int64) int64 { return rows/numRosterSpans + 1 }

// note says what is the matter with a row: the wanted fields that it misses, or why it
// names nobody.
type note uint8

// The bits of a note. One of a row that names nobody holds the number of the reason.
const (
	noteAbsent    note = 1<<enrich.NumFields - 1
	noteDuplicate note = 1 << enrich.NumFields // another row leads the person
	noteKnown     note = noteDuplicate << 1    // the journal knows the person
	noteNobody    note = 1 << 7
)

func (n note) absent() enrich.Fields { return enrich.Fields(n & noteAbsent) }
func (n note) namesNobody() bool     { return n&noteNobody != 0 }
func (n note) isDuplicate() bool     { return n&(noteDuplicate|noteNobody) == noteDuplicate }
func (n note) isKnown() bool         { return n&(noteKnown|noteNobody) == noteKnown }
func (n note) reason() int           { return int(n &^ noteNobody) }

// packedRecord is what the journal knows of a person but for the times: the state of each
// field and the attempt that led there.
type packedRecord uint64

// The bits of a field in a packedRecord.
const (
	stateBits   = 3
	attemptBits = 29
)

// wideRecord stands for one that does not fit.
const wideRecord packedRecord = 1<<64 - 1

func packRecord(record *attempt.Record) (packed packedRecord) {
	for f := range enrich.NumFields {
		if record.Attempts[f] >= 1<<attemptBits || len(record.Earlier[f]) > 0 {
			return wideRecord
		}
		packed = packed<<(stateBits+attemptBits) | packedRecord(record.States[f])<<attemptBits | packedRecord(record.Attempts[f])
	}
	return packed
}

// record returns what was packed; it was not a wide one.
func (p packedRecord) record() (record attempt.Record) {
	for f := enrich.NumFields - 1; f >= 0; f-- {
		record.Attempts[f] = attempt.ID(p & (1<<attemptBits - 1))
		record.States[f] = attempt.FieldState(p >> attemptBits & (1<<stateBits - 1))
		p >>= stateBits + attemptBits
	}
	return record
}

// rosterRow is what a roster tells of a row.
type rosterRow struct {
	note   note
	lead   int64 // of a duplicate
	record packedRecord
}

// of appends what is told of n rows, of which first is the number of the first one. A
// list with more rows than the roster is ErrListChanged.
func (r *Roster) of(first int64, n int, rows []rosterRow) ([]rosterRow, error) {
	if first+int64(n)-1 > r.rows {
		return rows, ErrListChanged
	}
	each := spanRows(r.rows)
	for at, end := first-1, first-1+int64(n); at < end; {
		span, err := r.load(int(at / each))
		if err != nil {
			return rows, err
		}
		from := at % each
		to := min(from+end-at, int64(len(span.notes)))
		for i := from; i < to; i++ {
			rows = append(rows, rosterRow{span.notes[i], span.leads[i], span.records[i]})
		}
		at += to - from
	}
	return rows, nil
}

// load reads a span, or returns it when it was read before.
func (r *Roster) load(number int) (*rosterSpan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.loaded {
		if s != nil && s.number == number {
			return s, nil
		}
	}
	s, err := r.source.span(number)
	if err != nil {
		return nil, err
	}
	r.loaded[0], r.loaded[1] = r.loaded[1], s
	return s, nil
}

// Close gives back what the roster is read from.
func (r *Roster) Close() error { return r.source.close() }
