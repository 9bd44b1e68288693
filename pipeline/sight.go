package pipeline

import (
	"slices"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// sight is what a look at a row found out.
type sight struct {
	// lead is the row that leads the person; 0 for a row that names nobody or misses
	// nothing.
	lead   int64
	absent enrich.Fields // the wanted fields that the row misses
	known  bool          // to the journal
}

// sights are what a look at a block found out, so that nothing of it needs to be found
// out again when the rows are written.
type sights struct {
	first int64   // row
	rows  []sight // all of them

	// What only some of the rows have, in the order of the list.
	reasons []enrich.Unidentifiable
	records []attempt.Record // what the journal knows of a person
	forms   []byte           // the canonical forms of those persons
	ends    []int            // of the forms
}

func (s *sights) begin(block table.Block) {
	s.first = block.First()
	s.rows = slices.Grow(s.rows[:0], block.Len())[:block.Len()]
	clear(s.rows)
	s.reasons, s.records, s.forms, s.ends = s.reasons[:0], s.records[:0], s.forms[:0], s.ends[:0]
}

// ledBy says which row leads the person of a row.
func (s *sights) ledBy(row, lead int64) { s.rows[row-s.first].lead = lead }

// look finds out who the rows of a block are about and gathers their entries. Until
// it is known better each row leads.
func (p *pen) look(block table.Block) error {
	p.entries = p.entries[:0]
	p.sights.begin(block)
	if keeper, ok := block.(table.Keeper); ok {
		keeper.Keep()
	}
	at := 0
	return block.Each(func(row table.Row) error {
		s := &p.sights.rows[at]
		at++
		if s.absent = p.missing(row); s.absent == 0 {
			return nil
		}
		key, _, reason := p.key(row)
		if reason != "" {
			p.reasons = append(p.reasons, reason)
			return nil
		}
		s.lead = p.sights.first + int64(at) - 1
		p.entries = append(p.entries, newEntry(key, s.lead, 0))
		if !p.known.mayKnow(key) {
			return nil
		}
		record, err := p.known.recordOf(key)
		if s.known = record.States != [enrich.NumFields]attempt.FieldState{}; s.known {
			p.records = append(p.records, record)
			p.forms = append(p.forms, p.canonical...)
			p.ends = append(p.ends, len(p.forms))
		}
		return err
	})
}

// unread hands out what only some rows of a block have, in the order of the list.
type unread struct {
	*sights
	reasonAt, recordAt int
}

// reason returns why the next row that names nobody does so.
func (u *unread) reason() enrich.Unidentifiable {
	u.reasonAt++
	return u.reasons[u.reasonAt-1]
}

// record returns what the journal knows of the next person that it knows, and their
// canonical form.
func (u *unread) record() (*attempt.Record, []byte) {
	start := 0
	if u.recordAt > 0 {
		start = u.ends[u.recordAt-1]
	}
	u.recordAt++
	return &u.records[u.recordAt-1], u.forms[start:u.ends[u.recordAt-1]]
}
