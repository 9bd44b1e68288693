package sheet

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"payonce/enrich"
	"payonce/io/table"
)

// Writer writes a workbook again with cells of one sheet filled and columns appended.
type Writer struct {
	list     *Reader
	appended []table.Column
	extend   extension
	styles   dateStyles
	source   *book
	below    *below
	out      *zip.Writer
	patch    *patch
	number   int64 // of the last row
	err      error // sticky
}

var _ table.Discarder = (*Writer)(nil)

// NewWriter returns a writer of all rows of list. The rows come from list or from another Reader of
// the same sheet. A column that may be filled or appended must not have a cell that looks empty and
// whose formula other cells share: they would lose it.
func NewWriter(out io.Writer, list *Reader, filled []int, appended []table.Column) (*Writer, error) {
	if err := list.checkFillable(filled, len(appended)); err != nil {
		return nil, err
	}
	width := len(list.columns) + len(appended)
	if width > excelize.MaxColumns {
		reason := fmt.Sprintf("the output would have %d columns; a sheet has at most %d",
			width, excelize.MaxColumns)
		return nil, &table.Error{File: list.name, Reason: reason, Hint: "save the list as CSV"}
	}
	source, err := openBook(list.name)
	if err != nil {
		return nil, unreadable(list.name, err)
	}
	w := &Writer{list: list, appended: appended, source: source, below: &below{out: out}}
	w.extend = extension{header: int(list.header), last: len(list.columns)}
	for _, column := range appended {
		w.extend.names = append(w.extend.names, column.Name)
	}
	w.out = newArchive(w.below)
	err = w.addStyles()
	if err == nil {
		err = w.begin()
	}
	if err != nil {
		_ = source.Close() // was only read
		return nil, w.failed(err)
	}
	return w, nil
}

// addStyles chooses the styles of appended dates. Without such columns, or in a workbook without styles, there are none.
func (w *Writer) addStyles() error {
	isDate := func(c table.Column) bool { return c.Kind == enrich.DateCell || c.Kind == enrich.DateTimeCell }
	if !slices.ContainsFunc(w.appended, isDate) {
		return nil
	}
	formats, err := w.source.dateFormats()
	if count := len(formats.all()); err == nil && count > 0 {
		w.styles = dateStyles{strconv.Itoa(count), strconv.Itoa(count + 1), w.source.from1904}
	}
	return err
}

// begin copies the parts that do not change, and the sheet up to its header.
func (w *Writer) begin() error {
	sheet, err := w.source.part(w.list.sheet)
	if err != nil {
		return err
	}
	for _, entry := range w.source.file.File {
		if entry == sheet {
			continue
		}
		if err := w.copy(entry); err != nil {
			return err
		}
	}
	in, err := sheet.Open()
	if err != nil {
		return err
	}
	out, err := w.out.Create(sheet.Name)
	if err != nil {
		return err
	}
	w.patch = newPatch(in, out)
	var names []enrich.Cell
	for _, name := range w.extend.names {
		names = append(names, enrich.TextOf(name))
	}
	edits, err := w.edits(nil, names)
	if err != nil {
		return err
	}
	return w.patch.row(int(w.list.header), edits)
}

// copy copies a compressed entry. It leaves out the list of cells with formulas and the references
// to that list: a filled cell has no formula any more.
func (w *Writer) copy(entry *zip.File) error {
	drop := func(in *xmlReader) bool {
		reference := in.Attribute("PartName") + in.Attribute("Target")
		return strings.HasSuffix(strings.ToLower(reference), "calcchain.xml")
	}
	switch entry.Name {
	case calculationPart:
		return nil
	case typesPart, relationsPart:
	default:
		if change, err := w.extending(entry); change != nil || err != nil {
			if err != nil {
				return err
			}
			return w.change(entry, change)
		}
		return w.out.Copy(entry)
	}
	return w.change(entry, func(out io.Writer, in io.Reader) error { return copyWithout(out, in, drop) })
}

// extending returns how the definitions of a table or a filter get the appended columns. It returns nil for
// other entries.
func (w *Writer) extending(entry *zip.File) (change func(io.Writer, io.Reader) error, err error) {
	switch t := w.list.checked.table; {
	case len(w.appended) == 0:
		return nil, nil
	case w.styles != dateStyles{} && entry == w.source.relatedEntry("styles", stylesPart):
		return addDateStyles, nil
	case t != nil && entry.Name == t.part && t.right == w.extend.last:
		return w.extend.extendTable, nil
	case entry.Name == workbookPart:
		if found, err := hasFilterName(&w.source.file.Reader); !found || err != nil {
			return nil, err
		}
		sheet := w.source.index(w.list.sheet)
		return func(out io.Writer, in io.Reader) error { return w.extend.extendNames(out, in, sheet) }, nil
	}
	return nil, nil
}

// change writes an entry again with changes.
func (w *Writer) change(entry *zip.File, change func(io.Writer, io.Reader) error) error {
	in, err := entry.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := w.out.Create(entry.Name)
	if err != nil {
		return err
	}
	return change(out, in)
}

// Part returns an empty part for the rows of a block.
func (w *Writer) Part(b table.Block) table.Part { return &part{writer: w, block: b} }

// part gathers the edits of the rows of one block.
type part struct {
	writer *Writer
	block  table.Block
	lines  []int
	edits  [][]edit
}

// WriteRow adds a row.
func (p *part) WriteRow(visited table.Row, fills []table.Fill, appended []enrich.Cell) error {
	own, ok := visited.(*row)
	list := p.writer.list
	if !ok || table.Block(own.block) != p.block ||
		own.block.reader.name != list.name || own.block.reader.sheet != list.sheet {
		return fmt.Errorf("sheet: row %d is not in this block of %s", visited.Number(), list.name)
	}
	if own.index != len(p.lines) {
		return fmt.Errorf("sheet: row %d is written after %d rows of its block; write all rows in order",
			own.Number(), len(p.lines))
	}
	if err := table.CheckRow(own, fills, appended, len(list.columns), p.writer.appended); err != nil {
		return err
	}
	edits, err := p.writer.edits(fills, appended)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", list.name, own.Line(), err)
	}
	p.lines, p.edits = append(p.lines, int(own.Line())), append(p.edits, edits)
	return nil
}

// edits returns the edits of a row.
func (w *Writer) edits(fills []table.Fill, appended []enrich.Cell) ([]edit, error) {
	var edits []edit
	for _, fill := range fills {
		edits = append(edits, edit{fill.Column + 1, written{value: fill.Value}})
	}
	for i := range appended {
		if value := w.styles.written(&appended[i]); value.value != "" {
			edits = append(edits, edit{len(w.list.columns) + i + 1, value})
		}
	}
	for _, e := range edits {
		if err := checkText(e.value); err != nil {
			return nil, fmt.Errorf("column %q: %w", w.columnName(e.column-1), err)
		}
	}
	return edits, nil
}

// columnName returns the name of a column of the output, from 0.
func (w *Writer) columnName(i int) string {
	if i < len(w.list.columns) {
		return w.list.columns[i]
	}
	return w.appended[i-len(w.list.columns)].Name
}

// Write writes the part.
func (w *Writer) Write(p table.Part) error {
	if w.err == nil {
		w.err = w.write(p.(*part))
	}
	return w.err
}

func (w *Writer) write(p *part) error {
	if p.block.First() != w.number+1 || len(p.lines) != p.block.Len() {
		return fmt.Errorf("sheet: %d rows from row %d follow row %d; write all rows in order",
			len(p.lines), p.block.First(), w.number)
	}
	w.number += int64(len(p.lines))
	for i, line := range p.lines {
		if err := w.patch.row(line, p.edits[i]); err != nil {
			return w.failed(err)
		}
	}
	return nil
}

// failed returns the error of the file below, or else that of the sheet.
func (w *Writer) failed(err error) error {
	if w.below.err != nil {
		return w.below.err
	}
	return unreadable(w.list.name, err)
}

// below keeps the error of the file below.
type below struct {
	out io.Writer
	err error
}

func (b *below) Write(data []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	length, err := b.out.Write(data)
	b.err = err
	return length, err
}

// Close writes the rest of the sheet. It does not close the file below.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.close()
	}
	if err := w.source.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// Discard takes the place of Close when the workbook is not wanted. It closes the source.
func (w *Writer) Discard() { _ = w.source.Close() } // was only read

func (w *Writer) close() error {
	if err := w.patch.rest(&w.extend); err != nil {
		return w.failed(err)
	}
	return w.out.Close()
}
