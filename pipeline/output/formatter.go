package output

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/row"
)

// formatter formats the rows of blocks, as one goroutine does. Its scratch is used again for
// every block and row.
type formatter struct {
	*row.Reader
	*writing
	fields   []row.FieldColumn
	hasHeld  bool             // the list has further columns with values of fields
	facts    []row.Facts      // of the block
	records  []attempt.Record // of the persons of the block that the journal knows, in the order of its rows
	attempts recollections    // of those persons
	result   rowResult        // of a row whose person the journal knows
	fills    []table.Fill
	appended []string
	plain    []string // the appended cells of a row that has an outcome and a reason only
	results  []string // of columns.Outcomes among them
	reason   [1]string
	charge   lastText[cost.Money]
	at       lastText[time.Time]
	same     []byte
	other    []byte // the canonical form of the person of an attempt
}

func (w *writing) newFormatter() *formatter {
	p := &formatter{Reader: w.Scope.Reader(w.answers.KeyOf), fields: w.Scope.FieldColumns(), writing: w}
	p.hasHeld = slices.ContainsFunc(p.fields, func(f row.FieldColumn) bool { return len(f.Held) > 0 })
	p.plain = make([]string, len(w.Columns(table.Schema{})))
	before, _ := columns.Details(w.Scope.Catalogue)
	p.results = p.plain[len(w.fieldColumns())+len(before):]
	return p
}

// formatted is a block as it is to be written.
type formatted struct {
	part, rejected table.Part
	rows           [numOutcomes]int64
}

// format formats the rows of a block.
func (p *formatter) format(block table.Block) (formatted, error) {
	f := formatted{part: p.out.Part(block)}
	if p.rejects != nil {
		f.rejected = p.rejects.Part(block)
	}
	at, known := 0, p.records
	err := block.Each(func(row table.Row) error {
		facts := &p.facts[at]
		at++
		var result outcome
		var reason string
		var fills []table.Fill
		appended := p.plain
		held := p.ownOf(row)
		if facts.Record != nil {
			if err := p.recognise(row, &known[0]); err != nil {
				return err
			}
			p.resultOf(facts, &known[0])
			known = known[1:]
			result = p.result.outcome
			p.result.reason = p.withHeld(p.result.reason, held)
			reason = p.result.reason
			fills, appended = p.rowCells(row, facts.Missing, held)
		} else {
			result, reason = p.plainResult(facts)
			reason = p.withHeld(reason, held)
			p.results[statusColumn], p.results[reasonColumn] = string(result.status()), reason
			if held.Held != 0 && p.CopyHeld {
				p.result.reset()
				p.result.outcome, p.result.reason = result, reason
				fills, appended = p.rowCells(row, facts.Missing, held)
			}
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
func (p *formatter) plainResult(facts *row.Facts) (outcome, string) {
	switch {
	case facts.Reason != "":
		return unidentifiable, string(facts.Reason)
	case facts.Lead != 0:
		return duplicate, p.sameAs(facts.Lead)
	case facts.Missing == 0:
		return filled, ""
	default:
		return notAttempted, p.Stopped
	}
}

// ownOf returns what the row holds in further columns. A list without such columns is not read for it.
func (p *formatter) ownOf(line table.Row) *row.Own {
	if p.hasHeld {
		p.Missing(line)
	}
	return p.Own()
}

// withHeld adds to a reason which columns hold values that were not asked for.
func (p *formatter) withHeld(reason string, own *row.Own) string {
	if own.Held == 0 {
		return reason
	}
	for f := range own.Held.Each() {
		text := fmt.Sprintf("%s is in column %q", p.Scope.Catalogue.Name(f), p.Names[own.Column(f)])
		reason = strings.TrimPrefix(reason+"; "+text, "; ")
	}
	return reason
}

// resultOf finds out what a row gets whose person the journal knows.
func (p *formatter) resultOf(facts *row.Facts, record *attempt.Record) {
	leads := facts.Lead == 0
	p.result.reset()
	p.recall(&p.result, facts.Missing, leads, record, &p.attempts)
	if !leads {
		p.result.follow(p.sameAs(facts.Lead))
	}
}

// sameAs is the reason of a duplicate.
func (p *formatter) sameAs(lead int64) string {
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

// rowCells turns the result into the fills of the row's own cells, where those are missing,
// and the appended cells.
func (p *formatter) rowCells(line table.Row, missing enrich.Fields, own *row.Own) (fills []table.Fill, appended []string) {
	r := &p.result
	fills, appended = p.fills[:0], p.appended[:0]
	if !p.CopyHeld {
		own = &row.Own{}
	}
	for _, f := range p.fields {
		value := r.values[f.Field]
		if own.Held.Has(f.Field) {
			value = string(line.Cell(own.Column(f.Field)))
		}
		switch {
		case f.Column == columns.None:
			appended = append(appended, value)
		case (missing.Has(f.Field) || own.Held.Has(f.Field)) && value != "":
			fills = append(fills, table.Fill{Column: f.Column, Value: value})
		}
	}
	slices.SortFunc(fills, func(a, b table.Fill) int { return a.Column - b.Column })
	charge, retrieved := "", ""
	if r.charged {
		charge = p.charge.of(r.charge, cost.Money.String)
	}
	if !r.answer.RetrievedAt.IsZero() {
		retrieved = p.at.of(r.answer.RetrievedAt, asUTC)
	}
	appended = p.appendDetails(appended, false)
	appended = append(appended, string(r.outcome.status()), r.reason,
		charge, strings.Join(r.ids, " "), retrieved, r.answer.Provenance)
	if p.Optional {
		appended = p.appendDetails(appended, true)
	}
	p.fills, p.appended = fills, appended
	return fills, appended
}

// appendDetails appends the details of the result that are optional, or the others.
func (p *formatter) appendDetails(cells []string, optional bool) []string {
	for i, d := range p.Scope.Catalogue.Details {
		if d.Optional != optional {
			continue
		}
		cell := ""
		if i < len(p.result.answer.Details) {
			cell = p.result.answer.Details[i]
		}
		cells = append(cells, cell)
	}
	return cells
}

// asUTC formats a time in RFC 3339, in UTC.
func asUTC(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// lastText keeps the text of a value: most rows have the same as the one before.
type lastText[V comparable] struct {
	value V
	text  string
}

// of returns the text of a value, which is not empty.
func (l *lastText[V]) of(value V, format func(V) string) string {
	if value != l.value || l.text == "" {
		l.value, l.text = value, format(value)
	}
	return l.text
}
