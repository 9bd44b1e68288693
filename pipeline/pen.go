package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// pen is what a goroutine writes blocks with. Its scratch is used again for every block
// and row.
type pen struct {
	*looker
	*writing
	sights
	entries  []entry // of the rows that name somebody
	ids      []attempt.ID
	attempts recollections // of the persons of the block
	row      rowResult     // of a row whose person the journal knows
	fills    []table.Fill
	appended []string
	plain    []string // the appended cells of a row that has an outcome and a reason only
	results  []string // of resultColumns among them
	reason   [1]string
	same     []byte
	full     bool // the table of persons was too large after the block
}

func (w *writing) newPen() *pen {
	p := &pen{looker: w.Scope.looker(w.answers.KeyOf), writing: w}
	p.plain = make([]string, len(w.Columns(table.Schema{})))
	p.results = p.plain[len(w.fieldColumns()):]
	return p
}

// formatted is a block as it is to be written.
type formatted struct {
	part, rejected table.Part
	rows           [numOutcomes]int64
	full           bool // the table of persons does not fit into memory any more
}

// format formats the rows of a block that was looked at.
func (p *pen) format(block table.Block) (formatted, error) {
	f := formatted{part: p.out.Part(block), full: p.full}
	if p.rejects != nil {
		f.rejected = p.rejects.Part(block)
	}
	at, next := 0, unread{sights: &p.sights}
	err := block.Each(func(row table.Row) error {
		s := &p.sights.rows[at]
		at++
		var result outcome
		var reason string
		var fills []table.Fill
		appended := p.plain
		if s.known {
			record, form := next.record()
			if err := p.recognise(row.Number(), form, record); err != nil {
				return err
			}
			p.resultOf(row.Number(), s, record)
			result, reason = p.row.outcome, p.row.reason
			fills, appended = p.rowCells(s.absent)
		} else {
			result, reason = p.plainResult(row.Number(), s, &next)
			p.results[statusColumn], p.results[reasonColumn] = string(result.status()), reason
		}
		f.rows[result]++
		if f.rejected != nil && (result == unidentifiable || result == rejected) {
			p.reason[0] = reason
			if err := f.rejected.WriteRow(row, nil, p.reason[:]); err != nil {
				return err
			}
		}
		return f.part.WriteRow(row, fills, appended)
	})
	return f, err
}

// plainResult returns the outcome and the reason of a row whose person the journal does
// not know.
func (p *pen) plainResult(row int64, s *sight, next *unread) (outcome, string) {
	switch {
	case s.absent == 0:
		return filled, ""
	case s.lead == 0:
		return unidentifiable, string(next.reason())
	case s.lead != row:
		return duplicate, p.sameAs(s.lead)
	default:
		return notAttempted, p.Stopped
	}
}

// resultOf finds out what a row gets whose person the journal knows.
func (p *pen) resultOf(row int64, s *sight, record *attempt.Record) {
	p.row = rowResult{ids: p.row.ids[:0]}
	p.recall(&p.row, s.absent, s.lead == row, record, &p.attempts)
	if s.lead != row {
		p.row.follow(p.sameAs(s.lead))
	}
}

// sameAs is the reason of a duplicate.
func (p *pen) sameAs(lead int64) string {
	p.same = strconv.AppendInt(append(p.same[:0], "same person as row "...), lead, 10)
	return string(p.same)
}

// follow makes the result that of a duplicate of another row. An outcome that is
// not what was asked for is still shown.
func (r *rowResult) follow(same string) {
	r.charged = false
	if r.outcome == inDoubt || r.outcome == forfeited {
		r.reason = same + ": " + r.reason
		return
	}
	r.outcome, r.reason = duplicate, same
}

// rowCells turns the result into the fills of the row's own cells, where they are absent,
// and the appended ones.
func (p *pen) rowCells(absent enrich.Fields) (fills []table.Fill, appended []string) {
	r := &p.row
	fills, appended = p.fills[:0], p.appended[:0]
	for f, column := range p.fields {
		switch f := enrich.Field(f); {
		case !p.wanted.Has(f):
		case column == none:
			appended = append(appended, r.values[f])
		case absent.Has(f) && r.values[f] != "":
			fills = append(fills, table.Fill{Column: column, Value: r.values[f]})
		}
	}
	slices.SortFunc(fills, func(a, b table.Fill) int { return a.Column - b.Column })
	charge, retrieved := "", ""
	if r.charged {
		charge = r.charge.String()
	}
	if !r.answer.RetrievedAt.IsZero() {
		retrieved = r.answer.RetrievedAt.UTC().Format(time.RFC3339)
	}
	appended = append(appended, r.answer.FullName, r.answer.PhoneType, string(r.outcome.status()), r.reason,
		charge, strings.Join(r.ids, " "), retrieved, r.answer.Provenance)
	if p.Profile {
		appended = append(appended, r.answer.Profile)
	}
	p.fills, p.appended = fills, appended
	return fills, appended
}
