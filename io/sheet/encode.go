package sheet

import (
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// Encoder writes the rows of a list of another format to a new workbook with one sheet. Amounts are
// numbers, all other cells are text.
type Encoder struct {
	out      io.Writer
	columns  int      // of the list
	names    []string // of all columns
	appended []table.Column
	book     *excelize.File
	rows     *excelize.StreamWriter
	line     int   // of the last row
	err      error // sticky
}

var _ table.Discarder = (*Encoder)(nil)

// NewEncoder returns a writer of rows of a list with this schema. It writes the header.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{out: out, columns: len(list.Columns), appended: appended, book: excelize.NewFile()}
	var err error
	if w.rows, err = w.book.NewStreamWriter(w.book.GetSheetName(0)); err != nil {
		return nil, err
	}
	header := make([]any, 0, len(list.Columns)+len(appended))
	for _, name := range list.Columns {
		header, w.names = append(header, name), append(w.names, name)
	}
	for _, column := range appended {
		header, w.names = append(header, column.Name), append(w.names, column.Name)
	}
	if len(header) > excelize.MaxColumns {
		w.Discard()
		return nil, fmt.Errorf("the list has %d columns, and a sheet has at most %d; write it as CSV",
			len(header), excelize.MaxColumns)
	}
	for i, name := range w.names {
		if err := checkNewText(name); err != nil {
			w.Discard()
			return nil, fmt.Errorf("the name of column %d: %w; write the list as CSV", i+1, err)
		}
	}
	return w, w.writeRow(header)
}

// Part returns an empty part for the rows of a block.
func (w *Encoder) Part(table.Block) table.Part { return &encodedPart{writer: w} }

// encodedPart gathers rows.
type encodedPart struct {
	writer *Encoder
	rows   [][]any
}

// WriteRow adds a row.
func (p *encodedPart) WriteRow(row table.Row, fills []table.Fill, appended []string) error {
	if len(appended) != len(p.writer.appended) {
		return fmt.Errorf("sheet: row %d has %d appended values; the list has %d appended columns",
			row.Number(), len(appended), len(p.writer.appended))
	}
	cells := make([]any, p.writer.columns, p.writer.columns+len(appended))
	for i := range cells {
		if len(fills) > 0 && fills[0].Column == i {
			cells[i] = text(fills[0].Value)
			fills = fills[1:]
			continue
		}
		cells[i] = text(string(row.Cell(i)))
	}
	if len(fills) > 0 {
		return fmt.Errorf("sheet: row %d fills column %d of a list with %d columns; fills ascend",
			row.Number(), fills[0].Column, p.writer.columns)
	}
	for i, value := range appended {
		cell := text(value)
		if amount, err := strconv.ParseFloat(value, 64); err == nil && p.writer.appended[i].Kind == table.Money {
			cell = amount
		}
		cells = append(cells, cell)
	}
	for i, cell := range cells {
		if value, ok := cell.(string); ok {
			if err := checkNewText(value); err != nil {
				return fmt.Errorf("line %d: column %q: %w; write the list as CSV", row.Line(), p.writer.names[i], err)
			}
		}
	}
	p.rows = append(p.rows, cells)
	return nil
}

// text returns a cell. It returns nil for an empty value.
func text(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// Write writes the part.
func (w *Encoder) Write(p table.Part) error {
	for _, row := range p.(*encodedPart).rows {
		if w.err == nil {
			w.err = w.writeRow(row)
		}
	}
	return w.err
}

func (w *Encoder) writeRow(cells []any) error {
	if w.line++; w.line > MaxRows {
		return fmt.Errorf("the list has more than the %d rows of a sheet; write it as CSV or Parquet", MaxRows)
	}
	name, err := excelize.CoordinatesToCellName(1, w.line)
	if err != nil {
		return err
	}
	return w.rows.SetRow(name, cells)
}

// Discard takes the place of Close when the workbook is not wanted. It removes the temporary files.
func (w *Encoder) Discard() { _ = w.book.Close() }

// Close writes the workbook. It does not close the file below.
func (w *Encoder) Close() error {
	if w.err == nil {
		w.err = w.rows.Flush()
	}
	if w.err == nil {
		_, w.err = w.book.WriteTo(w.out)
	}
	if err := w.book.Close(); w.err == nil { // removes temporary files
		w.err = err
	}
	return w.err
}
