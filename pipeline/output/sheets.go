package output

import (
	"payonce/enrich"
	"payonce/io/table"
)

// sheets are the tables that are being written, by their names.
type sheets struct {
	steps []indexes
	all   []*sheet
}

// indexes are the sheets of the tables of a step's interface, by the number of the table; nil for one that is not
// wanted.
type indexes []*sheet

// sheet is a table that is being written.
type sheet struct {
	enrich.Table
	extras extras
	layout *tableLayout
	writer table.Writer
	cells  []enrich.Cell // of a row that is being written
	part   table.Part    // the rows that are not written yet; nil for none
	size   int           // of their texts in bytes
	rows   int64
}

// newSheets returns the sheets of the wanted tables of steps.
func newSheets(steps TableSteps) *sheets {
	s := &sheets{}
	named := map[string]*sheet{}
	for _, t := range steps.Tables() {
		one := &sheet{Table: t, extras: extras{kinds: map[string]enrich.CellKind{}}}
		named[t.Name], s.all = one, append(s.all, one)
	}
	for _, step := range steps {
		var of indexes
		if step.Interface != nil {
			for _, t := range step.Interface.Tables() {
				one := named[t.Name]
				if !step.Wanted.Has(t.Of) {
					one = nil
				}
				of = append(of, one)
			}
		}
		s.steps = append(s.steps, of)
	}
	return s
}

// addColumns notes the values of an answer that have no column.
func (s *sheets) addColumns(values []tableExtras) {
	for _, v := range values {
		v.sheet.extras.add(v.extra)
	}
}

// tableExtras are the values of a row without a column.
type tableExtras struct {
	sheet *sheet
	extra []enrich.ExtraValue
}

// extrasOf returns the values of an answer that have no column.
func (s *sheets) extrasOf(from read) (values []tableExtras) {
	for _, row := range from.rows {
		if one := s.steps[from.step][row.Table]; one != nil && len(row.Extra) > 0 {
			values = append(values, tableExtras{one, row.Extra})
		}
	}
	return values
}

// create starts the files.
func (s *sheets) create(files TableFiles) (err error) {
	for _, one := range s.all {
		one.layout = newLayout(one.Table, &one.extras)
		if one.writer, err = files.Create(one.Name, one.layout.columns); err != nil {
			return err
		}
	}
	return nil
}

// tableRow is a row of a table.
type tableRow struct {
	sheet *sheet
	row   enrich.TableRow
}

// rowsOf returns the rows of an answer that are written.
func (s *sheets) rowsOf(from read) (rows []tableRow) {
	for _, row := range from.rows {
		if one := s.steps[from.step][row.Table]; one != nil {
			rows = append(rows, tableRow{one, row})
		}
	}
	return rows
}

// A part is written when it has partRows rows or texts of partSize bytes: it takes memory for each column.
const (
	partRows = 1000
	partSize = 4 << 20
)

// write writes the rows of a subject.
func (s *sheets) write(subject string, rows []tableRow) error {
	for _, row := range rows {
		one := row.sheet
		one.cells = one.layout.cells(one.cells, subject, row.row)
		if err := one.write(one.cells); err != nil {
			return err
		}
	}
	return nil
}

// write adds a row to the part, and writes the part when it is large enough.
func (s *sheet) write(cells []enrich.Cell) error {
	if s.part == nil {
		s.part = s.writer.Part(nil)
	}
	s.rows++
	if err := s.part.WriteRow(line(s.rows), nil, cells); err != nil {
		return err
	}
	for i := range cells {
		s.size += textOf(&cells[i])
	}
	if s.rows%partRows == 0 || s.size >= partSize {
		return s.flush()
	}
	return nil
}

// flush writes the part, if there is one.
func (s *sheet) flush() error {
	if s.part == nil {
		return nil
	}
	part := s.part
	s.part, s.size = nil, 0
	return s.writer.Write(part)
}

// end writes the rows that still wait, and returns what was written.
func (s *sheets) end() (tables []WrittenTable, err error) {
	for _, one := range s.all {
		if err := one.flush(); err != nil {
			return nil, err
		}
		tables = append(tables, WrittenTable{one.Name, one.rows})
	}
	return tables, nil
}

// line is a table.Row without cells.
type line int64

// Number returns the number of the row.
func (l line) Number() int64 { return int64(l) }

// Line returns the number of the row.
func (l line) Line() int64 { return int64(l) }

// Cell returns an empty cell.
func (l line) Cell(int) []byte { return nil }
