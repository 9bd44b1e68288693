package sheet

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"

	"payonce/enrich"
	"payonce/io/table"
)

// Encoder writes the rows of a list of another format to a new workbook with one sheet. The cells of the list are text.
type Encoder struct {
	columns  int      // of the list
	names    []string // of all columns
	letters  []string // of all columns
	appended []table.Column
	styles   dateStyles
	archive  *zip.Writer
	out      *bufio.Writer // the sheet
	behind   []byte        // the end of the sheet
	buffer   []byte        // for one row
	line     int           // of the last row
	err      error         // sticky
}

var _ table.Writer = (*Encoder)(nil)

// NewEncoder returns a writer of rows of a list with this schema. It writes the header.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{columns: len(list.Columns), appended: appended}
	w.names = append(w.names, list.Columns...)
	for _, column := range appended {
		w.names = append(w.names, column.Name)
	}
	if len(w.names) > excelize.MaxColumns {
		return nil, fmt.Errorf("the list has %d columns, and a sheet has at most %d; write it as CSV",
			len(w.names), excelize.MaxColumns)
	}
	header := &encodedPart{writer: w}
	for i, name := range w.names {
		if err := checkNewText(name); err != nil {
			return nil, fmt.Errorf("the name of column %d: %w; write the list as CSV", i+1, err)
		}
		letters, err := columnName(i + 1)
		if err != nil {
			return nil, err
		}
		w.letters = append(w.letters, letters)
		header.add([]byte(name), written{})
	}
	if err := w.begin(out); err != nil {
		return nil, err
	}
	return w, w.Write(header)
}

// begin writes the parts of an empty workbook, the sheet up to its rows.
func (w *Encoder) begin(out io.Writer) error {
	model := excelize.NewFile()
	var data bytes.Buffer
	date, dateErr := model.NewStyle(&excelize.Style{NumFmt: dateFormat})
	dateTime, dateTimeErr := model.NewStyle(&excelize.Style{NumFmt: dateTimeFormat})
	w.styles = dateStyles{date: strconv.Itoa(date), dateTime: strconv.Itoa(dateTime)}
	_, err := model.WriteTo(&data)
	if err := errors.Join(dateErr, dateTimeErr, err, model.Close()); err != nil {
		return err
	}
	parts, err := zip.NewReader(bytes.NewReader(data.Bytes()), int64(data.Len()))
	if err != nil {
		return err
	}
	const sheet = "xl/worksheets/sheet1.xml"
	w.archive = newArchive(out)
	for _, part := range parts.File {
		if part.Name == sheet {
			continue
		}
		if err := w.archive.Copy(part); err != nil {
			return err
		}
	}
	part, err := parts.Open(sheet)
	if err != nil {
		return err
	}
	defer part.Close() // was only read
	content, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	before, behind, found := bytes.Cut(content, []byte("<sheetData/>"))
	if !found {
		before, behind, found = bytes.Cut(content, []byte("<sheetData></sheetData>"))
	}
	if !found {
		return errors.New("the model of a new workbook has rows")
	}
	before = bytes.ReplaceAll(before, []byte(`<dimension ref="A1"/>`), nil) // the rows are not known yet
	before = bytes.ReplaceAll(before, []byte(`<dimension ref="A1"></dimension>`), nil)
	entry, err := w.archive.Create(sheet)
	if err != nil {
		return err
	}
	w.out, w.behind = bufio.NewWriterSize(entry, 64<<10), append([]byte("</sheetData>"), behind...)
	_, err = w.out.Write(append(before, "<sheetData>"...))
	return err
}

// Part returns an empty part for the rows of a block.
func (w *Encoder) Part(table.Block) table.Part { return &encodedPart{writer: w} }

// encodedPart gathers the cells of rows, one after the other.
type encodedPart struct {
	writer *Encoder
	text   []byte
	ends   []int     // of every cell in text
	cells  []written // without their values, which are in text
}

// WriteRow adds a row.
func (p *encodedPart) WriteRow(row table.Row, fills []table.Fill, appended []enrich.Cell) error {
	if err := table.CheckRow(row, fills, appended, p.writer.columns, p.writer.appended); err != nil {
		return err
	}
	for i := range p.writer.columns {
		if len(fills) > 0 && fills[0].Column == i {
			p.add([]byte(fills[0].Value), written{})
			fills = fills[1:]
			continue
		}
		p.add(row.Cell(i), written{})
	}
	for i := range appended {
		cell := p.writer.styles.written(&appended[i])
		p.add([]byte(cell.value), cell)
	}
	return p.check(row)
}

// add adds a cell with a value.
func (p *encodedPart) add(value []byte, cell written) {
	cell.value = ""
	p.text = append(p.text, value...)
	p.ends, p.cells = append(p.ends, len(p.text)), append(p.cells, cell)
}

// check refuses the row that was added when a sheet cannot hold one of its cells.
func (p *encodedPart) check(row table.Row) error {
	names := p.writer.names
	first, begin := len(p.ends)-len(names), 0
	if first > 0 {
		begin = p.ends[first-1]
	}
	text, start := string(p.text[begin:]), 0
	for i, name := range names {
		end := p.ends[first+i] - begin
		if err := checkNewText(text[start:end]); err != nil {
			return fmt.Errorf("line %d: column %q: %w; write the list as CSV", row.Line(), name, err)
		}
		start = end
	}
	return nil
}

// Write writes the part.
func (w *Encoder) Write(p table.Part) error {
	part := p.(*encodedPart)
	text, start := string(part.text), 0
	for first := 0; first < len(part.ends) && w.err == nil; first += len(w.letters) {
		row, err := w.startRow()
		if err != nil {
			w.err = err
			break
		}
		for i, letters := range w.letters {
			end := part.ends[first+i]
			if end > start {
				value := part.cells[first+i]
				value.value = text[start:end]
				row = appendCell(row, cell{column: letters, line: w.line, written: value})
			}
			start = end
		}
		w.buffer = append(row, "</row>"...)
		_, w.err = w.out.Write(w.buffer)
	}
	return w.err
}

// startRow returns the start of the next row.
func (w *Encoder) startRow() ([]byte, error) {
	if w.line++; w.line > MaxRows {
		return nil, fmt.Errorf("the list has more than the %d rows of a sheet; write it as CSV or Parquet", MaxRows)
	}
	row := strconv.AppendInt(append(w.buffer[:0], `<row r="`...), int64(w.line), 10)
	return append(row, `">`...), nil
}

// Close writes the workbook. It does not close the file below.
func (w *Encoder) Close() error {
	if w.err == nil {
		w.err = w.close()
	}
	return w.err
}

func (w *Encoder) close() error {
	if _, err := w.out.Write(w.behind); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.archive.Close()
}
