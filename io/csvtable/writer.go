package csvtable

import (
	"fmt"
	"io"

	"payonce/io/table"
)

// flushSize is how much the writer gathers before it writes, in bytes.
const flushSize = 64 << 10

// Writer writes a list. It gathers what it writes, so the file below needs no buffer.
type Writer struct {
	out      io.Writer
	dialect  Dialect
	columns  int // of the rows that come in
	appended int
	buffer   []byte
	openLine bool  // the last line has no line ending
	err      error // sticky
}

var _ table.Writer = (*Writer)(nil)

// NewWriter returns a writer of the rows of list. It begins with the header of list
// and the names of the appended columns. A row of list, or of another Reader over the
// same list, goes out as it came in; a row of any other reader is encoded.
func NewWriter(out io.Writer, list *Reader, appended []string) *Writer {
	w := &Writer{out: out, dialect: list.dialect, columns: len(list.header.columns), appended: len(appended)}
	w.buffer = append(w.buffer, list.header.lead...)
	w.writeRecord(list.header.raw, list.header.text, appended)
	return w
}

// NewEncoder returns a writer of rows that come from a list of another format with
// this schema. It begins with the names of its columns and of the appended ones.
func NewEncoder(out io.Writer, dialect Dialect, schema table.Schema, appended []string) *Writer {
	w := &Writer{out: out, dialect: dialect.withDefaults(), columns: len(schema.Columns), appended: len(appended)}
	for i, name := range schema.Columns {
		w.separate(i)
		writeCell(w, name, false)
	}
	w.writeAppended(appended)
	w.buffer = append(w.buffer, w.dialect.LineEnding...)
	return w
}

// WriteRow writes the row with the fills in place of its cells, and with the appended
// cells after them. A cell is quoted where its text needs it, and a fill also where
// the cell was quoted.
func (w *Writer) WriteRow(r table.Row, fills []table.Fill, appended []string) error {
	if w.err != nil {
		return w.err
	}
	if err := w.check(fills, appended); err != nil {
		return err
	}
	w.endLine()
	if own, ok := r.(*row); !ok || own.delimiter != w.dialect.Delimiter {
		w.encode(r, fills, appended)
	} else if len(own.record.cells) == w.columns {
		w.carry(own, fills, appended)
	} else {
		return fmt.Errorf("csvtable: row %d has %s, the list has %s; write it to its own list",
			own.number, count(len(own.record.cells), "cell"), count(w.columns, "column"))
	}
	if len(w.buffer) >= flushSize {
		w.flush()
	}
	return w.err
}

// Close writes what is gathered. It does not close the file below.
func (w *Writer) Close() error {
	if w.err == nil {
		w.flush()
	}
	return w.err
}

func (w *Writer) flush() {
	if len(w.buffer) > 0 {
		_, w.err = w.out.Write(w.buffer)
		w.buffer = w.buffer[:0]
	}
}

func (w *Writer) check(fills []table.Fill, appended []string) error {
	if len(appended) != w.appended {
		return fmt.Errorf("csvtable: %s appended to a row of a list with %s appended",
			count(len(appended), "cell"), count(w.appended, "column"))
	}
	previous := -1
	for _, fill := range fills {
		if fill.Column <= previous || fill.Column >= w.columns {
			return fmt.Errorf("csvtable: fill of column %d after column %d in a list with %s; fills ascend",
				fill.Column, previous, count(w.columns, "column"))
		}
		previous = fill.Column
	}
	return nil
}

// carry writes a row of the list itself: its bytes, but for the filled cells.
func (w *Writer) carry(r *row, fills []table.Fill, appended []string) {
	at := 0
	for _, fill := range fills {
		c := r.record.cells[fill.Column]
		w.buffer = append(w.buffer, r.raw[at:c.start]...)
		writeCell(w, fill.Value, c.quoting != plain)
		at = int(c.end)
	}
	w.writeRecord(r.raw[at:], r.record.text-at, appended)
}

// writeRecord writes raw, whose cells end at text, with the appended cells there.
func (w *Writer) writeRecord(raw []byte, text int, appended []string) {
	w.buffer = append(w.buffer, raw[:text]...)
	w.writeAppended(appended)
	w.buffer = append(w.buffer, raw[text:]...)
	w.openLine = w.buffer[len(w.buffer)-1] != '\n'
}

// encode writes a row of another list from its values.
func (w *Writer) encode(r table.Row, fills []table.Fill, appended []string) {
	for i := range w.columns {
		w.separate(i)
		if len(fills) > 0 && fills[0].Column == i {
			writeCell(w, fills[0].Value, false)
			fills = fills[1:]
			continue
		}
		writeCell(w, r.Cell(i), false)
	}
	w.writeAppended(appended)
	w.buffer = append(w.buffer, w.dialect.LineEnding...)
}

func (w *Writer) writeAppended(appended []string) {
	for i, value := range appended {
		w.separate(w.columns + i)
		writeCell(w, value, false)
	}
}

// separate writes the delimiter before every cell but the first.
func (w *Writer) separate(i int) {
	if i > 0 {
		w.buffer = append(w.buffer, w.dialect.Delimiter)
	}
}

// endLine ends a last line that has no line ending, because a row follows it.
func (w *Writer) endLine() {
	if w.openLine {
		w.buffer = append(w.buffer, w.dialect.LineEnding...)
		w.openLine = false
	}
}
