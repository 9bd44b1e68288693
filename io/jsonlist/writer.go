package jsonlist

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"payonce/enrich"
	"payonce/io/table"
)

// Writer writes a list. It writes each part at once, so the file below needs no buffer.
type Writer struct {
	out        io.Writer
	layout     *Layout // of the list; nil for a list of another format
	list       string  // name of the list, for errors
	array      bool
	head, tail []byte
	columns    []string // of the list
	names      [][]byte // of the list's columns and the appended ones, as JSON; only the latter for a copied list
	appended   []table.Column
	parts      sync.Pool // of *part
	started    bool      // a row was written
	openLine   bool      // the last line has no line ending
	err        error     // sticky
}

var _ table.Writer = (*Writer)(nil)

// The ends of an array that is not copied. A comma and a line ending stand between its objects.
const (
	arrayHead = "["
	arrayTail = "\n]\n"
	between   = ",\n"
)

// NewWriter returns a writer of rows of list, as an array or as lines. The rows come from list or from
// another Reader of the same files. A column in filled must be reachable in every object.
func NewWriter(out io.Writer, list *Reader, array bool, filled []int, appended []table.Column) (*Writer, error) {
	l := list.layout
	w := newWriter(out, array, list.Schema(), appended)
	w.layout, w.list = l, list.source.at.file
	if err := w.checkFillable(filled); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for name := range l.root.members {
		taken[name] = true
	}
	for _, column := range appended {
		name := column.Name
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", column.Name, n)
		}
		taken[name] = true
		w.names = append(w.names, quote(name))
	}
	if array == l.array {
		w.head, w.tail = l.lead, l.tail
	}
	return w, nil
}

// checkFillable refuses columns that some objects have no place for.
func (w *Writer) checkFillable(filled []int) error {
	for _, i := range filled {
		if line, what, at := w.layout.columns[i].conflict(); line > 0 {
			return &table.Error{
				File: w.list, Line: line, Reason: fmt.Sprintf("%q is %s, so %q cannot be filled", at.path(), what, w.columns[i]),
				Hint: "use another column, or none",
			}
		}
	}
	return nil
}

// NewEncoder returns a writer of rows of a list of another format with this schema. Every cell is a
// string, an amount is a number, and an empty appended value is null.
func NewEncoder(out io.Writer, array bool, schema table.Schema, appended []table.Column) (*Writer, error) {
	w := newWriter(out, array, schema, appended)
	for i, name := range table.Distinct(slices.Concat(schema.Columns, names(appended)), nil) {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d, %q, holds %w; write the list as CSV", i+1, name, table.ErrNotUTF8)
		}
		w.names = append(w.names, quote(name))
	}
	return w, nil
}

func newWriter(out io.Writer, array bool, schema table.Schema, appended []table.Column) *Writer {
	w := &Writer{out: out, array: array, columns: schema.Columns, appended: appended}
	if array {
		w.head, w.tail = []byte(arrayHead), []byte(arrayTail)
	}
	w.parts.New = func() any { return &part{writer: w} }
	return w
}

func names(columns []table.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// Part returns an empty part for the rows of a block.
func (w *Writer) Part(table.Block) table.Part {
	p := w.parts.Get().(*part)
	p.buffer, p.comma, p.rows = p.buffer[:0], 0, 0
	return p
}

// part gathers rows.
type part struct {
	writer *Writer
	editor editor
	buffer []byte
	rows   int
	comma  int // length of the text before the first row up to the comma; 0 without a comma
	values [][]byte
}

// WriteRow adds a row.
func (p *part) WriteRow(r table.Row, fills []table.Fill, appended []enrich.Cell) error {
	w := p.writer
	if err := table.CheckRow(r, fills, appended, len(w.columns), w.appended); err != nil {
		return err
	}
	own, ok := r.(*row)
	if w.layout != nil && (!ok || own.block.reader.layout.root != w.layout.root) {
		return fmt.Errorf("jsonlist: row %d is not a row of %s", r.Number(), w.list)
	}
	if err := p.setValues(r, appended); err != nil {
		return err
	}
	var err error
	switch {
	case w.layout == nil:
		err = p.encode(r, fills)
	case w.layout.array == w.array:
		err = p.copyRow(own, fills)
	default:
		err = p.move(own, fills)
	}
	p.rows++
	return err
}

// setValues makes JSON of the appended values.
func (p *part) setValues(r table.Row, appended []enrich.Cell) error {
	p.values = p.values[:0]
	for i := range appended {
		text, err := appendedJSON(&appended[i])
		if err != nil {
			return fmt.Errorf("line %d: the value for %q has %w", r.Line(), p.writer.appended[i].Name, table.ErrNotUTF8)
		}
		p.values = append(p.values, text)
	}
	return nil
}

func appendedJSON(value *enrich.Cell) ([]byte, error) {
	if value.Kind == enrich.TextsCell && value.Known {
		return []byte(value.ListJSON()), nil
	}
	text := value.String()
	if text == "" {
		return []byte("null"), nil
	}
	switch value.Kind {
	case enrich.MoneyCell, enrich.IntegerCell, enrich.NumberCell, enrich.FlagCell: // their text is JSON
		return []byte(text), nil
	}
	return jsontext.AppendQuote(nil, text)
}

// copyRow adds a row with everything around its object.
func (p *part) copyRow(r *row, fills []table.Fill) error {
	s, data := r.block.rows[r.index], r.block.data
	if p.rows == 0 {
		p.comma = bytes.IndexByte(data[s.start:s.object], ',') + 1
	}
	p.buffer = append(p.buffer, data[s.start:s.object]...)
	if err := p.edit(r, fills); err != nil {
		return err
	}
	p.buffer = append(p.buffer, data[s.objectEnd:s.end]...)
	return nil
}

// edit adds the object of a row with its new values.
func (p *part) edit(r *row, fills []table.Fill) error {
	object := r.block.object(r.index)
	for _, fill := range fills {
		value, err := jsontext.AppendQuote(nil, fill.Value)
		if err == nil {
			object, err = p.editor.set(object, p.writer.layout.columns[fill.Column].steps(), value)
		} else {
			err = table.ErrNotUTF8
		}
		if err != nil {
			return fmt.Errorf("%s:%d: filling %q: %w", p.writer.list, r.Line(), p.writer.columns[fill.Column], err)
		}
	}
	if len(p.values) == 0 {
		p.buffer = append(p.buffer, object...)
		return nil
	}
	var err error
	if p.buffer, err = p.editor.add(p.buffer, object, p.writer.names, p.values); err != nil {
		return fmt.Errorf("%s:%d: %w", p.writer.list, r.Line(), err)
	}
	return nil
}

// begin adds the text before an object that is not copied with everything around it.
func (p *part) begin() {
	if p.writer.array {
		if p.rows == 0 {
			p.comma = len(",")
		}
		p.buffer = append(p.buffer, between...)
	}
}

// end ends the line of an object.
func (p *part) end() {
	if !p.writer.array {
		p.buffer = append(p.buffer, '\n')
	}
}

// move adds a row of lines to an array, or the other way round.
func (p *part) move(r *row, fills []table.Fill) error {
	p.begin()
	start := len(p.buffer)
	if err := p.edit(r, fills); err != nil {
		return err
	}
	if object := p.buffer[start:]; !p.writer.array && bytes.ContainsAny(object, "\r\n") {
		compact := jsontext.Value(bytes.Clone(object))
		if err := compact.Compact(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)); err != nil {
			return fmt.Errorf("%s:%d: %w", p.writer.list, r.Line(), err)
		}
		p.buffer = append(p.buffer[:start], compact...)
	}
	p.end()
	return nil
}

// encode adds a row of a list of another format.
func (p *part) encode(r table.Row, fills []table.Fill) error {
	w := p.writer
	p.begin()
	p.buffer = append(p.buffer, '{')
	for i, name := range w.names {
		if i > 0 {
			p.buffer = append(p.buffer, ',')
		}
		p.buffer = append(append(p.buffer, name...), ':')
		if i >= len(w.columns) {
			p.buffer = append(p.buffer, p.values[i-len(w.columns)]...)
			continue
		}
		value := r.Cell(i)
		if len(fills) > 0 && fills[0].Column == i {
			value, fills = []byte(fills[0].Value), fills[1:]
		}
		var err error
		if p.buffer, err = jsontext.AppendQuote(p.buffer, value); err != nil {
			return fmt.Errorf("line %d: column %q holds %w; write the list as CSV", r.Line(), w.columns[i], table.ErrNotUTF8)
		}
	}
	p.buffer = append(p.buffer, '}')
	p.end()
	return nil
}

// Write writes a part.
func (w *Writer) Write(rows table.Part) error {
	p, ok := rows.(*part)
	if !ok || p.writer != w {
		return fmt.Errorf("jsonlist: a part of another writer")
	}
	if p.rows > 0 {
		text := p.buffer
		w.begin()
		if !w.started {
			text = text[p.comma:]
		}
		if w.openLine && !w.array {
			w.write([]byte("\n"))
		}
		w.write(text)
		w.started, w.openLine = true, text[len(text)-1] != '\n'
	}
	w.parts.Put(p)
	return w.err
}

// begin writes the text before the first object.
func (w *Writer) begin() {
	w.write(w.head)
	w.head = nil
}

func (w *Writer) write(text []byte) {
	if len(text) > 0 && w.err == nil {
		_, w.err = w.out.Write(text)
	}
}

// Close writes what follows the last object. It does not close the file below.
func (w *Writer) Close() error {
	w.begin()
	w.write(w.tail)
	return w.err
}
