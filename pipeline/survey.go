package pipeline

import (
	"errors"
	"io"
	"iter"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// Recorder tells what is known of identities. It may be called from many goroutines.
type Recorder interface {
	// Key returns a short stand-in for an identity; equal persons have equal keys.
	Key(id enrich.Identity) enrich.Key
	// Record returns what durable attempts say about an identity.
	Record(id enrich.Identity) (attempt.Record, error)
}

// List opens the same rows as often as it is asked to.
type List interface {
	Open() (table.Reader, error)
}

// Scope says which rows ask for what.
type Scope struct {
	Mapping Mapping
	Wanted  enrich.Fields
	Prefer  enrich.Pattern
	Reask   attempt.Reask
	// Limit keeps the lookups to the first so many persons of the list that miss
	// something, answered or not, so that running again asks no more; zero for all.
	Limit int64
}

// Survey is what one pass over the list found. Its memory grows with the distinct
// identities, not with the rows.
type Survey struct {
	Rows           int64
	Filled         int64 // rows in which nothing wanted is missing
	Duplicates     int64 // rows of an identity that an earlier row leads
	Unidentifiable map[enrich.Unidentifiable]int64
	persons        map[enrich.Key]*person
}

// person is what the survey keeps of a distinct identity.
type person struct {
	lead  int64         // number of the first row that misses something
	wants enrich.Fields // missing in any of its rows
	// The fields of the journal's record by what it knows of them.
	known, rejected, doubted, forfeited, forgotten enrich.Fields
	skip                                           bool // past the limit
}

// ask returns the fields that are to be looked up.
func (p *person) ask() enrich.Fields {
	if p.skip {
		return 0
	}
	return p.unasked()
}

// unasked returns the fields that the person misses and the journal does not know.
func (p *person) unasked() enrich.Fields {
	return p.wants.Without(p.known | p.rejected | p.doubted | p.forfeited | p.forgotten)
}

// surveyed is one row as every stage sees it.
type surveyed struct {
	row      table.Row
	identity enrich.Identity
	missing  enrich.Fields
	reason   enrich.Unidentifiable
}

// eachRow calls visit for every row of the list.
func (s Scope) eachRow(list List, visit func(surveyed) error) (err error) {
	reader, err := list.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(s.look(row)); err != nil {
			return err
		}
	}
}

func (s Scope) look(row table.Row) surveyed {
	seen := surveyed{row: row, missing: s.Mapping.missing(row, s.Wanted)}
	if seen.missing != 0 {
		seen.identity, seen.reason = s.Mapping.contact(row).Identify(s.Prefer)
	}
	return seen
}

// Take reads the whole list: every error of the list shows here, before anything
// is spent.
func (s Scope) Take(list List, journal Recorder) (*Survey, error) {
	survey := &Survey{Unidentifiable: map[enrich.Unidentifiable]int64{}, persons: map[enrich.Key]*person{}}
	err := s.eachRow(list, func(seen surveyed) error { return survey.add(seen, s, journal) })
	if err != nil {
		return nil, err
	}
	if s.Limit > 0 {
		err = s.limit(list, survey, journal)
	}
	return survey, err
}

func (v *Survey) add(seen surveyed, scope Scope, journal Recorder) error {
	v.Rows++
	switch {
	case seen.missing == 0:
		v.Filled++
		return nil
	case seen.reason != "":
		v.Unidentifiable[seen.reason]++
		return nil
	}
	key := journal.Key(seen.identity)
	if p := v.persons[key]; p != nil {
		v.Duplicates++
		p.wants |= seen.missing
		return nil
	}
	record, err := journal.Record(seen.identity)
	if err != nil {
		return err
	}
	p := &person{lead: seen.row.Number(), wants: seen.missing}
	p.recall(record, scope.Reask)
	v.persons[key] = p
	return nil
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

// limit keeps the lookups to the first persons of the list.
func (s Scope) limit(list List, survey *Survey, journal Recorder) error {
	var persons int64
	return s.eachLead(list, survey, journal, func(_ surveyed, p *person) error {
		persons++
		p.skip = persons > s.Limit
		return nil
	})
}

// eachLead calls visit for the leading row of every identity, in the list's order.
func (s Scope) eachLead(list List, survey *Survey, journal Recorder, visit func(surveyed, *person) error) error {
	return s.eachRow(list, func(seen surveyed) error {
		if seen.missing == 0 || seen.reason != "" {
			return nil
		}
		p := survey.persons[journal.Key(seen.identity)]
		if p == nil {
			return ErrListChanged
		}
		if p.lead != seen.row.Number() {
			return nil
		}
		return visit(seen, p)
	})
}

// Lookups reads the list again and returns a function that yields the lookups in
// the list's order, then io.EOF, and one that ends the reading.
func (s Scope) Lookups(list List, survey *Survey, journal Recorder) (next func() (enrich.Lookup, error), done func()) {
	pull, stop := iter.Pull2(func(yield func(enrich.Lookup, error) bool) {
		err := s.eachLead(list, survey, journal, func(seen surveyed, p *person) error {
			ask := p.ask()
			if ask != 0 && !yield(enrich.Lookup{Identity: seen.identity, Fields: ask}, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(enrich.Lookup{}, err)
		}
	})
	return func() (enrich.Lookup, error) {
		lookup, err, more := pull()
		if !more {
			return lookup, io.EOF
		}
		return lookup, err
	}, stop
}

// errEnough ends a pass whose reader wants no more.
var errEnough = errors.New("enough")

// ErrListChanged says that the list is no longer what the survey saw.
var ErrListChanged = errors.New("the list changed while it was being worked on; run the same command again")

// Lead returns the number of the row that leads the person with that key, 0 when
// no row misses anything of them.
func (v *Survey) Lead(key enrich.Key) int64 {
	if p := v.persons[key]; p != nil {
		return p.lead
	}
	return 0
}

// Counts says how many rows a survey found by what will become of them, and the
// lookups by operation.
type Counts struct {
	Rows, Filled, Duplicates, Answered, Rejected, InDoubt, Forfeited, Forgotten, Skipped, Lookup int64

	Unidentifiable map[enrich.Unidentifiable]int64
	Lookups        map[enrich.Operation]int64
	Asked          [enrich.NumFields]int64 // fields that the lookups ask for
}

// Count sums the survey up. A person counts once, at its leading row.
func (v *Survey) Count() Counts {
	counts := Counts{
		Rows: v.Rows, Filled: v.Filled, Duplicates: v.Duplicates,
		Unidentifiable: v.Unidentifiable, Lookups: map[enrich.Operation]int64{},
	}
	for _, p := range v.persons {
		ask := p.ask()
		switch {
		case ask != 0:
			counts.Lookup++
			counts.Lookups[ask.Operation()]++
			for f := range ask.Each() {
				counts.Asked[f]++
			}
		case p.skip && p.unasked() != 0:
			counts.Skipped++
		case p.wants&p.doubted != 0:
			counts.InDoubt++
		case p.wants&p.forfeited != 0:
			counts.Forfeited++
		case p.wants&p.rejected != 0:
			counts.Rejected++
		case p.wants&p.forgotten != 0:
			counts.Forgotten++
		default:
			counts.Answered++
		}
	}
	return counts
}
