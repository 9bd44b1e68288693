package output

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
)

// formatter formats the rows of blocks, as one goroutine does. Its scratch is used again for
// every block and row.
type formatter struct {
	*through
	out, rejects table.Writer
	fills        []table.Fill
	appended     []string
	plain        []string // the appended cells of a row that has an outcome and a reason only
	results      []string // of columns.Outcomes among them
	reason       [1]string
	charge       lastText[cost.Money]
	at           lastText[time.Time]
}

func (w *writing) newFormatter() *formatter {
	p := &formatter{through: w.newThrough(false), out: w.out, rejects: w.rejects}
	p.plain = make([]string, len(w.steps.Columns(table.Schema{})))
	p.results = p.plain[len(w.layout.before):]
	return p
}

// formatted is a block as it is to be written.
type formatted struct {
	part, rejected table.Part
	rows           [numOutcomes]int64
	decided        []decided
}

// decided is an attempt that decided a field of a row.
type decided struct {
	step int
	of   enrich.Field
	id   attempt.ID
}

// format formats the rows of a block.
func (p *formatter) format(block table.Block) (formatted, error) {
	f := formatted{part: p.out.Part(block)}
	if p.rejects != nil {
		f.rejected = p.rejects.Part(block)
	}
	p.rewind()
	err := block.Each(func(row table.Row) error {
		if err := p.evaluate(row); err != nil {
			return err
		}
		result := p.merge()
		fills, appended := p.rowCells(result)
		f.rows[result.outcome]++
		f.decided = p.appendDecided(f.decided)
		if f.rejected != nil && (result.outcome == unidentifiable || result.outcome == rejected) {
			p.reason[0] = result.reason
			if err := f.rejected.WriteRow(row, nil, p.reason[:]); err != nil {
				return err
			}
		}
		return f.part.WriteRow(row, fills, appended)
	})
	return f, err
}

// rowCells turns the result into the fills of the row's own cells, where those are missing,
// and the appended cells.
func (p *formatter) rowCells(r *merged) (fills []table.Fill, appended []string) {
	if !r.hasResult {
		p.results[statusColumn], p.results[reasonColumn] = string(r.outcome.status()), r.reason
		return nil, p.plain
	}
	fills = p.fillsOf(p.fills[:0])
	slices.SortFunc(fills, func(a, b table.Fill) int { return a.Column - b.Column })
	charge, retrieved := "", ""
	if r.charged {
		charge = p.charge.of(r.charge, cost.Money.String)
	}
	if !r.retrievedAt.IsZero() {
		retrieved = p.at.of(r.retrievedAt, asUTC)
	}
	appended = p.appendPositions(p.appended[:0], p.layout.before)
	appended = append(appended, string(r.outcome.status()), r.reason,
		charge, strings.Join(r.ids, " "), retrieved, r.provenance)
	if len(p.evaluators) > 1 {
		appended = p.appendCharges(appended)
	}
	appended = p.appendUnits(appended)
	appended = p.appendPositions(appended, p.layout.after)
	p.fills, p.appended = fills, appended
	return fills, appended
}

// appendCharges appends what each step was charged for the row.
func (p *formatter) appendCharges(cells []string) []string {
	for _, e := range p.evaluators {
		charge := ""
		if e.hasResult && e.result.charged {
			charge = e.result.charge.Money().String()
		}
		cells = append(cells, charge)
	}
	return cells
}

// appendUnits appends the units that the steps used for the row.
func (p *formatter) appendUnits(cells []string) []string {
	for _, column := range p.layout.units {
		used, charged := int64(0), false
		for i, e := range p.evaluators {
			if meter := column.meters[i]; meter != cost.USD && e.hasResult && e.result.charged {
				used, charged = used+e.result.charge[meter], true
			}
		}
		cell := ""
		if charged {
			cell = strconv.FormatInt(used, 10)
		}
		cells = append(cells, cell)
	}
	return cells
}

// appendDecided appends the attempts that decided fields of the row, for the steps that want to know.
func (p *formatter) appendDecided(all []decided) []decided {
	for i, e := range p.evaluators {
		if e.Decided == nil || e.row.Record == nil {
			continue
		}
		record := &e.records[e.known-1]
		for f := range e.Scope.Wanted.Each() {
			if record.States[f] == attempt.Found {
				all = append(all, decided{i, f, record.Attempts[f]})
			}
		}
	}
	return all
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
