package output

import (
	"slices"
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
	added        *NewWriter     // nil for none
	same         *sameCompanies // nil where no column shows them
	fills        []table.Fill
	appended     []enrich.Cell
	plain        []enrich.Cell // the appended cells of a row that has an outcome and a reason only
	results      []enrich.Cell // of columns.Outcomes among them
	reason       [1]enrich.Cell
	charge       lastCell[cost.Money]
	at           lastCell[time.Time]
}

func (w *writing) newFormatter() *formatter {
	p := &formatter{through: w.newThrough(nil, false), out: w.Out, rejects: w.Rejects, added: w.New, same: w.same}
	p.plain = make([]enrich.Cell, len(w.steps.Columns(table.Schema{})))
	p.results = p.plain[len(w.layout.before):]
	return p
}

// formatted is a block as it is to be written.
type formatted struct {
	part, rejected table.Part
	added          *newPart
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
	if p.added != nil {
		f.added = &newPart{newColumns: p.added.newColumns, part: p.added.Part(block)}
	}
	p.rewind()
	err := block.Each(func(row table.Row) error {
		if err := p.evaluate(row); err != nil {
			return err
		}
		result := p.merge()
		fills, appended := p.rowCells(row.Number(), result)
		f.rows[result.outcome]++
		f.decided = p.appendDecided(f.decided)
		if f.rejected != nil && (result.outcome == unidentifiable || result.outcome == rejected) {
			p.reason[0] = enrich.TextOf(result.reason)
			if err := f.rejected.WriteRow(row, nil, p.reason[:]); err != nil {
				return err
			}
		}
		if f.added != nil && p.hasNew() {
			if err := f.added.add(row, fills, appended); err != nil {
				return err
			}
		}
		return f.part.WriteRow(row, fills, appended)
	})
	return f, err
}

// rowCells turns the result into the fills of the row's own cells, where those are missing,
// and the appended cells.
func (p *formatter) rowCells(row int64, r *merged) (fills []table.Fill, appended []enrich.Cell) {
	if !r.hasResult {
		status, reason := &p.results[statusColumn], &p.results[reasonColumn]
		status.Known, status.Text = true, string(r.outcome.status())
		reason.Known, reason.Text = r.reason != "", r.reason
		return nil, p.plain
	}
	fills = p.fillsOf(p.fills[:0])
	slices.SortFunc(fills, func(a, b table.Fill) int { return a.Column - b.Column })
	charge, retrieved := enrich.Cell{Kind: enrich.MoneyCell}, enrich.Cell{Kind: enrich.TimestampCell}
	if r.charged {
		charge = p.charge.of(r.charge, moneyCell)
	}
	if !r.retrievedAt.IsZero() {
		retrieved = p.at.of(r.retrievedAt, secondCell)
	}
	appended = p.appendPositions(p.appended[:0], p.layout.before)
	appended = append(appended, enrich.TextOf(string(r.outcome.status())), enrich.TextOf(r.reason),
		charge, enrich.TextOf(strings.Join(r.ids, " ")), retrieved, enrich.TextOf(r.provenance), enrich.TextOf(r.judged.confidence()))
	if len(p.evaluators) > 1 {
		appended = p.appendCharges(appended)
	}
	appended = p.appendUnits(appended)
	if p.same != nil {
		appended = append(appended, p.same.cell(row))
	}
	appended = p.appendPositions(appended, p.layout.after)
	p.fills, p.appended = fills, appended
	return fills, appended
}

// appendCharges appends what each step was charged for the row.
func (p *formatter) appendCharges(cells []enrich.Cell) []enrich.Cell {
	for _, e := range p.evaluators {
		charge := enrich.Cell{Kind: enrich.MoneyCell}
		if e.hasResult && e.result.charged {
			charge = moneyCell(e.result.charge.Money())
		}
		cells = append(cells, charge)
	}
	return cells
}

// appendUnits appends the units that the steps used for the row.
func (p *formatter) appendUnits(cells []enrich.Cell) []enrich.Cell {
	for _, column := range p.layout.units {
		used := enrich.Cell{Kind: enrich.IntegerCell}
		for i, e := range p.evaluators {
			if meter := column.meters[i]; meter != cost.USD && e.hasResult && e.result.charged {
				used.Known, used.Integer = true, used.Integer+e.result.charge[meter]
			}
		}
		cells = append(cells, used)
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
			if id := record.FoundBy(f); id != 0 && !e.result.withheld.Has(f) {
				all = append(all, decided{i, f, id})
			}
		}
	}
	return all
}

// moneyCell returns an amount as a cell.
func moneyCell(m cost.Money) enrich.Cell {
	return enrich.Cell{Kind: enrich.MoneyCell, Known: true, Text: m.String(), Integer: int64(m)}
}

// secondCell returns a time in UTC as a cell, without parts of a second.
func secondCell(t time.Time) enrich.Cell {
	t = t.UTC().Truncate(time.Second)
	return enrich.Cell{Kind: enrich.TimestampCell, Known: true, Text: t.Format(time.RFC3339), Time: t}
}

// lastCell keeps the cell of a value: most rows have the same as the one before.
type lastCell[V comparable] struct {
	value V
	cell  enrich.Cell
}

// of returns the cell of a value.
func (l *lastCell[V]) of(value V, cellOf func(V) enrich.Cell) enrich.Cell {
	if value != l.value || !l.cell.Known {
		l.value, l.cell = value, cellOf(value)
	}
	return l.cell
}
