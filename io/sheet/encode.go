package sheet

import (
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// Encoder writes the rows of a list of another format as a new workbook with one
// sheet. All cells are text but for amounts, which are numbers.
type Encoder struct {
	out      io.Writer
	columns  int // of the list
	appended []table.Column
	book     *excelize.File
	rows     *excelize.StreamWriter
	line     int   // of the row written last
	err      error // sticky
}

var _ table.Discarder = (*Encoder)(nil)

// NewEncoder returns a writer of rows that come from a list with this schema. It
// begins with the names of its columns and of the appended ones.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{out: out, columns: len(list.Columns), appended: appended, book: excelize.NewFile()}
	var err error
	if w.rows, err = w.book.NewStreamWriter(w.book.GetSheetName(0)); err != nil {
		return nil, err
	}
	header := make([]any, 0, len(list.Columns)+len(appended))
	for _, name := range list.Columns {
		header = append(header, name)
	}
	for _, column := range appended {
		header = append(header, column.Name)
	}
	if len(header) > excelize.MaxColumns {
		w.Discard()
		return nil, fmt.Errorf("the list has %d columns; a sheet has %d at most: write it as CSV", len(header), excelize.MaxColumns)
	}
	for _, name := range header {
		if err := checkNewText(name.(string)); err != nil {
			w.Discard()
			return nil, fmt.Errorf("the header: %w; write the list as CSV", err)
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
		return fmt.Errorf("sheet: %d values appended to a row of a list with %d appended columns", len(appended), len(p.writer.appended))
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
		return fmt.Errorf("sheet: row %d fills column %d in a list with %d columns; fills ascend", row.Number(), fills[0].Column, p.writer.columns)
	}
	for i, value := range appended {
		cell := text(value)
		if amount, err := strconv.ParseFloat(value, 64); err == nil && p.writer.appended[i].Kind == table.Money {
			cell = amount
		}
		cells = append(cells, cell)
	}
	for _, cell := range cells {
		if value, ok := cell.(string); ok {
			if err := checkNewText(value); err != nil {
				return fmt.Errorf("row %d: %w; write the list as CSV", row.Number(), err)
			}
		}
	}
	p.rows = append(p.rows, cells)
	return nil
}

// text returns a cell; none for an empty value.
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
		return fmt.Errorf("the list has more rows than the %d of a sheet; write it as CSV or Parquet", MaxRows)
	}
	name, err := excelize.CoordinatesToCellName(1, w.line)
	if err != nil {
		return err
	}
	return w.rows.SetRow(name, cells)
}

// Discard takes the place of Close when the workbook is not wanted any more: it removes
// what lies in temporary files.
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
