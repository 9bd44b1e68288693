package row

import (
	"payonce/attempt"
	"payonce/enrich"
)

// Facts is what the output of a row needs to know besides the answers.
type Facts struct {
	Missing enrich.Fields         // the wanted fields that the row misses
	Reason  enrich.Unidentifiable // why the row names nobody; "" when it names somebody
	Lead    int64                 // the row that leads the person, when that is another one; or 0
	Known   bool                  // the journal knows the person
	Record  Record                // what it knows
}

// Record is what the journal knows of a person but for the times: the state of each
// field and the attempt that led there.
type Record uint64

// The bits of a field in a Record.
const (
	stateBits   = 3
	attemptBits = 29
)

// TooLarge stands for a record that does not fit: the journal has to be asked.
const TooLarge Record = 1<<64 - 1

// PackRecord packs a record.
func PackRecord(record *attempt.Record) (packed Record) {
	for f := range enrich.NumFields {
		if record.Attempts[f] >= 1<<attemptBits || len(record.Earlier[f]) > 0 {
			return TooLarge
		}
		packed = packed<<(stateBits+attemptBits) | Record(record.States[f])<<attemptBits | Record(record.Attempts[f])
	}
	return packed
}

// Unpack returns what was packed, unless that was too large.
func (p Record) Unpack() (record attempt.Record) {
	for f := enrich.NumFields - 1; f >= 0; f-- {
		record.Attempts[f] = attempt.ID(p & (1<<attemptBits - 1))
		record.States[f] = attempt.FieldState(p >> attemptBits & (1<<stateBits - 1))
		p >>= stateBits + attemptBits
	}
	return record
}
