package output

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"payonce/enrich"
	"payonce/io/table"
)

// The bounds of the columns that a table gets because answers have values without one.
const (
	maxExtras    = 1000 // columns
	maxExtraName = 200  // bytes of their names
)

// others is the column of values that have no column of their own, because of these bounds.
const others = "other_values"

// extras are the columns that a table gets because answers have values without one.
type extras struct {
	kinds  map[string]enrich.CellKind // by the name of the value
	beyond bool                       // some values have no column
}

// add adds values. A column has numbers as long as all its values are.
func (e *extras) add(values []enrich.ExtraValue) {
	for _, v := range values {
		kind, known := e.kinds[v.Name]
		switch {
		case known && kind != v.Cell.Kind:
			e.kinds[v.Name] = enrich.TextCell
		case known:
		case len(e.kinds) == maxExtras || !isColumnName(v.Name):
			e.beyond = true
		default:
			e.kinds[strings.Clone(v.Name)] = v.Cell.Kind
		}
	}
}

// isColumnName reports whether a name can be that of a column for every reader.
func isColumnName(name string) bool {
	return len(name) <= maxExtraName && strings.TrimSpace(name) != "" && !strings.ContainsFunc(name, unicode.IsControl)
}

// tableLayout is how a table is written.
type tableLayout struct {
	enrich.Table
	columns []table.Column
	extra   map[string]int // the columns of values, by their names
	others  int            // the column of other values; 0 for none
}

// newLayout returns the layout of a table with some extra columns, in the order of their names. Some readers take
// names of columns that differ in case alone for one, so these get a number.
func newLayout(t enrich.Table, e *extras) *tableLayout {
	l := &tableLayout{Table: t, columns: []table.Column{{Name: t.Key}}, extra: map[string]int{}}
	taken := map[string]bool{strings.ToLower(t.Key): true}
	add := func(name string, kind enrich.CellKind) int {
		distinct := name
		for n := 2; taken[strings.ToLower(distinct)]; n++ {
			distinct = fmt.Sprintf("%s_%d", name, n)
		}
		taken[strings.ToLower(distinct)] = true
		l.columns = append(l.columns, table.Column{Name: distinct, Kind: kind})
		return len(l.columns) - 1
	}
	for _, c := range t.Columns {
		add(c.Name, c.Kind)
	}
	for _, name := range slices.Sorted(maps.Keys(e.kinds)) {
		l.extra[name] = add(name, e.kinds[name])
	}
	if e.beyond {
		l.others = add(others, enrich.TextCell)
	}
	return l
}

// cells returns a row in the order of the columns. It may use the memory of another row.
func (l *tableLayout) cells(memory []enrich.Cell, key string, row enrich.TableRow) []enrich.Cell {
	cells := append(append(memory[:0], enrich.TextOf(key)), row.Cells...)
	for len(cells) < len(l.columns) {
		cells = append(cells, enrich.Cell{})
	}
	if len(row.Extra) == 0 {
		return cells
	}
	beyond := map[string]string{}
	for _, v := range row.Extra {
		at, has := l.extra[v.Name]
		switch {
		case !has:
			beyond[v.Name] = v.Cell.String()
		case v.Cell.Kind != l.columns[at].Kind: // other rows have texts there
			cells[at] = enrich.TextOf(v.Cell.String())
		default:
			cells[at] = v.Cell
		}
	}
	if len(beyond) > 0 && l.others > 0 {
		object, _ := json.Marshal(beyond) // texts always have a form
		cells[l.others] = enrich.TextOf(string(object))
	}
	return cells
}
