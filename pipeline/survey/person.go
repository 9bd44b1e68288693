package survey

import (
	"payonce/attempt"
	"payonce/enrich"
)

// person is what is known of a distinct identity of the list.
type person struct {
	wants enrich.Fields // missing in any of its rows
	// The fields of the journal's record by what it knows of them.
	known, rejected, doubted, forfeited, forgotten enrich.Fields
	pattern                                        enrich.Pattern
}

// unasked returns the fields that the person misses and the journal does not know.
func (p person) unasked() enrich.Fields { return unaskedIn(p.marks()) }

// marks returns the person in the bits that an entry has for it.
func (p person) marks() uint64 {
	return uint64(p.pattern) | asMarks(p.wants, 0) | asMarks(p.known, 1) | asMarks(p.rejected, 2) |
		asMarks(p.doubted, 3) | asMarks(p.forfeited, 4) | asMarks(p.forgotten, 5)
}

// personOf returns the person that marks stand for.
func personOf(marks uint64) person {
	return person{
		pattern: patternIn(marks),
		wants:   fromMarks(marks, 0), known: fromMarks(marks, 1), rejected: fromMarks(marks, 2),
		doubted: fromMarks(marks, 3), forfeited: fromMarks(marks, 4), forgotten: fromMarks(marks, 5),
	}
}

// asMarks returns the marks that fields of one kind have: those of each kind follow
// the ones of the kind before, and the first ones the pattern.
func asMarks(fields enrich.Fields, kind int) uint64 {
	return uint64(fields) << (1 + kind*enrich.NumFields)
}

func patternIn(marks uint64) enrich.Pattern { return enrich.Pattern(marks & 1) }

// unaskedIn is unasked for the marks of a person, without making one.
func unaskedIn(marks uint64) enrich.Fields {
	known := fromMarks(marks, 1) | fromMarks(marks, 2) | fromMarks(marks, 3) | fromMarks(marks, 4) | fromMarks(marks, 5)
	return fromMarks(marks, 0).Without(known)
}

func fromMarks(marks uint64, kind int) enrich.Fields {
	return enrich.Fields(marks>>(1+kind*enrich.NumFields)) & enrich.AllFields
}

// recall notes what the journal knows of the person.
func (p *person) recall(record attempt.Record, reask attempt.Reask) {
	for f := range enrich.Field(enrich.NumFields) {
		if record.Askable(f, reask) {
			continue
		}
		switch record.States[f] {
		case attempt.Found, attempt.Missing:
			p.known = p.known.With(f)
		case attempt.Rejected:
			p.rejected = p.rejected.With(f)
		case attempt.OutcomeUnknown:
			p.doubted = p.doubted.With(f)
		case attempt.PaidAndGone:
			p.forfeited = p.forfeited.With(f)
		case attempt.Forgotten:
			p.forgotten = p.forgotten.With(f)
		case attempt.Unasked:
		}
	}
}
