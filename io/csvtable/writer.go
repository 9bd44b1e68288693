package csvtable

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/text/transform"

	"payonce/enrich"
	"payonce/io/table"
)

// Writer writes a list. It writes each part at once, so the file below needs no buffer.
type Writer struct {
	out                 io.Writer
	dialect             Dialect
	columns             int // of the rows that are written
	appended            []table.Column
	escapes, escapesAll bool                  // see EscapeFormulas
	alone               bool                  // a line has one cell; an empty one must not look like a blank line
	names               []string              // of all columns
	list                string                // name of the list, for errors
	encoder             transform.Transformer // nil for UTF-8
	encoded             []byte
	header              []byte    // nil when it is written
	whole               bool      // all rows of the list are written, and what is below them
	foot                []byte    // what is below the rows that are written
	openLine            bool      // the last line has no line ending
	parts               sync.Pool // of *part
	err                 error     // sticky
}

// errOtherPart says that a part belongs to another writer.
var errOtherPart = errors.New("csvtable: a part of another writer")

var _ table.Writer = (*Writer)(nil)

// NewWriter returns a writer of the rows of list. The output starts with the header of list and the
// names of the appended columns. A row of list, or of another Reader of the same list, is copied. A
// row of any other reader is encoded. The totals and notes below the rows follow the rows.
func NewWriter(out io.Writer, list *Reader, appended []table.Column) *Writer {
	h := &list.first.header
	w := newWriter(out, list.first.dialect, h.columns, appended)
	w.list, w.whole = list.first.name, true
	p := &part{writer: w, buffer: slices.Concat(h.lead, h.raw[:h.text])}
	p.buffer = w.appendTail(p.buffer, w.names[w.columns:])
	w.header = append(p.buffer, h.raw[h.text:]...)
	return w
}

// NewSubset is NewWriter for some rows of the list, without what is below them.
func NewSubset(out io.Writer, list *Reader, appended []table.Column) *Writer {
	w := NewWriter(out, list, appended)
	w.whole = false
	return w
}

// NewEncoder returns a writer of rows of a list of another format with this schema. The output
// starts with the names of its columns and of the appended ones.
func NewEncoder(out io.Writer, dialect Dialect, schema table.Schema, appended []table.Column) *Writer {
	w := newWriter(out, dialect.withDefaults(), schema.Columns, appended)
	w.list = "the output"
	p := &part{writer: w}
	for i, name := range schema.Columns {
		p.separate(i)
		p.writeCell(name, false)
	}
	p.buffer = w.appendTail(p.buffer, w.names[w.columns:])
	w.header = append(p.buffer, w.dialect.LineEnding...)
	return w
}

func newWriter(out io.Writer, dialect Dialect, columns []string, appended []table.Column) *Writer {
	w := &Writer{
		out: out, dialect: dialect, columns: len(columns), appended: appended, names: slices.Clone(columns),
	}
	for _, column := range appended {
		w.names = append(w.names, column.Name)
	}
	w.alone = len(w.names) == 1
	w.encoder = dialect.Encoding.encoder()
	w.parts.New = func() any { return &part{writer: w} }
	return w
}

// EscapeFormulas makes the writer escape the values that it fills into cells or appends, as table.EscapeFormula does.
// With all, it also escapes the cells of the rows that it encodes. It returns the writer.
func (w *Writer) EscapeFormulas(all bool) *Writer {
	w.escapes, w.escapesAll = true, all
	return w
}

// escape returns a value that is filled into a cell or appended as the text of its cell.
func (w *Writer) escape(value string) string {
	if w.escapes {
		return table.EscapeFormula(value)
	}
	return value
}

// Part returns an empty part for the rows of block.
func (w *Writer) Part(block table.Block) table.Part {
	p := w.parts.Get().(*part)
	p.begin(block)
	return p
}

// Write writes a part. The block of its rows must not be released before.
func (w *Writer) Write(rows table.Part) error {
	p, ok := rows.(*part)
	if !ok || p.writer != w {
		return errOtherPart
	}
	if p.from < p.to && p.block != nil && p.block.released != p.released {
		return errReleased
	}
	p.flush()
	w.writeHeader()
	if w.openLine && len(p.buffer) > 0 {
		w.write([]byte(w.dialect.LineEnding))
	}
	w.write(p.buffer)
	if w.whole && p.block != nil && len(p.block.foot) > 0 {
		w.endFoot()
		w.foot = append(w.foot, p.block.foot...)
	}
	w.parts.Put(p)
	return w.err
}

// Close writes the header of a list without rows, and what is below the rows. It does not close the file below.
func (w *Writer) Close() error {
	w.writeHeader()
	if w.openLine && len(w.foot) > 0 {
		w.write([]byte(w.dialect.LineEnding))
	}
	if len(w.appended) > 0 { // else the last row could be taken for one that is cut short, in a list with more columns
		w.endFoot()
	}
	w.write(w.foot)
	w.foot = nil
	return w.err
}

// endFoot ends the last line of what is below the rows.
func (w *Writer) endFoot() {
	if last := len(w.foot) - 1; last >= 0 && w.foot[last] != '\n' {
		w.foot = append(w.foot, w.dialect.LineEnding...)
	}
}

func (w *Writer) writeHeader() {
	w.write(w.header)
	w.header = nil
}

func (w *Writer) write(text []byte) {
	if len(text) == 0 || w.err != nil {
		return
	}
	w.openLine = text[len(text)-1] != '\n'
	if w.encoder != nil {
		w.encoded, _, w.err = transform.Append(w.encoder, w.encoded[:0], text)
		text = w.encoded
	}
	if w.err == nil {
		_, w.err = w.out.Write(text)
	}
}

// checkText refuses values with characters that the encoding of the list does not have. A paid
// value must not change silently, and the output can be written again.
func (w *Writer) checkText(r table.Row, fills []table.Fill, appended []enrich.Cell) error {
	for _, fill := range fills {
		if err := w.checkValue(r, fill.Column, fill.Value); err != nil {
			return err
		}
	}
	for i := range appended {
		if err := w.checkValue(r, w.columns+i, appended[i].String()); err != nil {
			return err
		}
	}
	if own, ok := r.(*row); ok && own.block.scanner.dialect.Encoding == w.dialect.Encoding {
		return nil
	}
	for i := range w.columns {
		if err := w.checkValue(r, i, string(r.Cell(i))); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) checkValue(r table.Row, column int, value string) error {
	char, found := w.dialect.Encoding.lacks(value)
	if !found {
		return nil
	}
	return &table.Error{
		File: w.list, Line: r.Line(),
		Reason: fmt.Sprintf("the value for %q holds %q (%U), which cannot be written in %s",
			w.names[column], char, char, w.dialect.Encoding),
		Hint: "nothing is lost or paid twice: write the output as .xlsx or .parquet, " +
			"or save the list as UTF-8 and run again",
	}
}
