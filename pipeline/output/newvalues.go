// This file writes what a run found and the list does not have: for each row with new values the cells that say who the
// row is about, and the new values. Other programs can import the file without changing anything else.

package output

import (
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// newColumns says which columns a file of new values has.
type newColumns struct {
	own      []int          // columns of the list that say who a row is about
	schema   table.Schema   // of those
	filled   []int          // among those, by their places in own
	appended []table.Column // the others that have new values
	fills    []int          // columns of the list that the first of the appended ones are
	before   int            // how many appended columns of the output come next, from the first
	after    int            // how many come last
}

// newColumns returns the columns of a file of new values. The columns of the list are those that name the subjects of the
// steps, those of emails, and ids of records. The others hold values of answers.
func (s Sequence) newColumns(schema table.Schema) *newColumns {
	l := s.layout()
	n := &newColumns{own: s.naming(schema), before: len(l.before), after: len(l.after)}
	for _, column := range n.own {
		n.schema.Columns = append(n.schema.Columns, schema.Columns[column])
	}
	for _, column := range s.Filled() {
		if place := slices.Index(n.own, column); place >= 0 {
			n.filled = append(n.filled, place)
			continue
		}
		n.fills = append(n.fills, column)
		n.appended = append(n.appended, table.Column{Name: schema.Columns[column]})
	}
	all := s.Columns(schema)
	n.appended = append(n.appended, all[:n.before]...)
	n.appended = append(n.appended, all[len(all)-n.after:]...)
	return n
}

// naming returns the columns of the list that say who a row is about, in their order.
func (s Sequence) naming(schema table.Schema) []int {
	found := columns.RecordIDs(schema)
	for _, step := range s {
		for role, at := range step.Scope.Mapping {
			if columns.Names(role, step.Scope.Subject) || role == columns.Email || role == columns.RecordID {
				found = append(found, at...)
			}
		}
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(column int) bool { return column >= scan.FirstAnswer })
}

// NewWriter writes the rows with new values.
type NewWriter struct {
	table.Writer
	*newColumns
	// Count is what was written.
	Count NewCount
}

// NewCount counts what a file of new values has.
type NewCount struct {
	Rows  int64 `json:"rows"`
	Cells int64 `json:"cells"` // with new values
}

// valueColumns returns the names of the columns that hold new values.
func (l *newColumns) valueColumns() (names []string) {
	for _, place := range l.filled {
		names = append(names, l.schema.Columns[place])
	}
	for _, column := range l.appended {
		names = append(names, column.Name)
	}
	return names
}

// The keys under which the journal records a NewCount.
const (
	newRows  = "rows_with_new_values"
	newCells = "new_values"
)

// recorded returns the count as the journal records it.
func (c NewCount) recorded() map[string]int64 {
	return map[string]int64{newRows: c.Rows, newCells: c.Cells}
}

func countOf(recorded map[string]int64) NewCount {
	return NewCount{recorded[newRows], recorded[newCells]}
}

// WrittenNew is a file of new values that was written.
type WrittenNew struct {
	File string `json:"file"`
	NewCount
}

// newRow is a row of the list with the columns that say who it is about.
type newRow struct {
	table.Row
	columns []int
}

// Cell returns the value of one of those columns.
func (r newRow) Cell(i int) []byte { return r.Row.Cell(r.columns[i]) }

// newPart takes the rows of a block that have new values.
type newPart struct {
	*newColumns
	part     table.Part
	count    NewCount
	fills    []table.Fill
	appended []enrich.Cell
}

// add adds a row of the output with what it got, when that has new values.
func (p *newPart) add(row table.Row, fills []table.Fill, appended []enrich.Cell) error {
	p.fills, p.appended = p.fills[:0], p.appended[:0]
	for range p.newColumns.appended {
		p.appended = append(p.appended, enrich.Cell{})
	}
	for _, fill := range fills {
		if place := slices.Index(p.own, fill.Column); place >= 0 {
			p.fills = append(p.fills, table.Fill{Column: place, Value: fill.Value})
			continue
		}
		p.appended[slices.Index(p.newColumns.fills, fill.Column)] = enrich.TextOf(fill.Value)
	}
	behind := p.appended[len(p.newColumns.fills):]
	copy(behind, appended[:p.before])
	copy(behind[p.before:], appended[len(appended)-p.after:])
	p.count.Rows++
	p.count.Cells += int64(len(p.fills))
	for _, cell := range p.appended {
		if cell.Known {
			p.count.Cells++
		}
	}
	return p.part.WriteRow(newRow{row, p.own}, p.fills, p.appended)
}

// hasNew reports whether the steps found a wanted value for the row, which the list does not have.
func (t *through) hasNew() bool {
	return t.found.used && slices.ContainsFunc(t.layout.values, func(position int) bool { return t.found.values[position] != "" })
}
