package scan

import (
	"math/bits"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

// RowFacts is what the output of a row needs to know besides the answers.
type RowFacts struct {
	Missing enrich.Fields         // the wanted fields that the row misses
	Reason  enrich.Unidentifiable // why the row names nobody; "" when it names somebody
	First   int64                 // the first occurrence of the person, when that is another row; or 0
	// Record is what the journal knows of the person, nil when it knows nothing.
	Record SubjectRecord
}

// SubjectRecord is what the journal knows of a person but for the times: a word for each wanted field,
// in their order. It holds the state of the field and the attempt that led there.
type SubjectRecord []uint64

// attemptBits is how many bits of a word hold the attempt.
const attemptBits = 56

// incomplete is the first word of a record that is not complete.
const incomplete = 1<<64 - 1

// subjectRecords are the records of many rows, each with a word for each wanted field.
type subjectRecords struct {
	words []uint64
	each  int
}

// newSubjectRecords returns room for the records of some rows, of which nothing is known.
func newSubjectRecords(wanted enrich.Fields, rows int) subjectRecords {
	each := bits.OnesCount64(uint64(wanted))
	return subjectRecords{make([]uint64, rows*each), each}
}

// Of returns the record of a row, from 0.
func (r subjectRecords) Of(row int) SubjectRecord { return r.words[row*r.each:][:r.each:r.each] }

// Pack packs what is known of the wanted fields. It returns false when nothing is.
func (r SubjectRecord) Pack(wanted enrich.Fields, record *attempt.Record) (known bool) {
	i := 0
	for f := range wanted.Each() {
		r[i] = uint64(record.States[f])<<attemptBits | uint64(record.Attempts[f])
		known = known || record.States[f] != attempt.Unasked
		i++
	}
	for f := range wanted.Each() {
		if len(record.Earlier[f]) > 0 || record.Kept[f] != 0 || record.Attempts[f]>>attemptBits != 0 {
			r[0] = incomplete
		}
	}
	return known
}

// IsComplete reports whether the record has all that the journal knows; if not, the journal
// has to be asked.
func (r SubjectRecord) IsComplete() bool { return r[0] != incomplete }

// IsOpen reports whether the outcome of an attempt is unknown, or whether the record is not complete.
func (r SubjectRecord) IsOpen() bool {
	return slices.ContainsFunc(r, func(word uint64) bool {
		return word == incomplete || attempt.FieldState(word>>attemptBits) == attempt.OutcomeUnknown
	})
}

// Unpack returns what was packed. The record is complete.
func (r SubjectRecord) Unpack(wanted enrich.Fields) (record attempt.Record) {
	i := 0
	for f := range wanted.Each() {
		record.States[f] = attempt.FieldState(r[i] >> attemptBits)
		record.Attempts[f] = attempt.ID(r[i] & (1<<attemptBits - 1))
		i++
	}
	return record
}
