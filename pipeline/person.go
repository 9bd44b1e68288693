package pipeline

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
func (p person) unasked() enrich.Fields {
	return p.wants.Without(p.known | p.rejected | p.doubted | p.forfeited | p.forgotten)
}

// marks returns the person in the bits that an entry has for it.
func (p person) marks() uint64 {
	var marks uint64
	for _, fields := range [...]enrich.Fields{p.wants, p.known, p.rejected, p.doubted, p.forfeited, p.forgotten} {
		marks = marks<<enrich.NumFields | uint64(fields)
	}
	return marks<<1 | uint64(p.pattern)
}

// personOf returns the person that marks stand for.
func personOf(marks uint64) person {
	p := person{pattern: enrich.Pattern(marks & 1)}
	marks >>= 1
	for _, fields := range [...]*enrich.Fields{&p.forgotten, &p.forfeited, &p.doubted, &p.rejected, &p.known, &p.wants} {
		*fields = enrich.Fields(marks) & enrich.AllFields
		marks >>= enrich.NumFields
	}
	return p
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
