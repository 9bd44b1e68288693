package parquettable

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// groupRows is how many rows a row group has at least, but for the last one.
const groupRows = 122_880

// Encoder writes the rows of a list of another format. Its columns become optional
// texts, an empty cell a null.
type Encoder struct {
	names    []string // of the list's columns
	appended []table.Column
	kinds    []table.Kind // of the list's columns
	encoders []*encoder
	parts    parts
	out      *output
	rows     int64 // of the row group
	err      error // sticky
}

var _ table.Writer = (*Encoder)(nil)

// NewEncoder returns a writer of rows that come from a list of another format with
// this schema.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{names: list.Columns, appended: appended, kinds: slices.Repeat([]table.Kind{table.Text}, len(list.Columns))}
	columns := make([]table.Column, len(list.Columns))
	for i, name := range list.Columns {
		if columns[i].Name = name; !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d, %q, %s", i+1, name, noText)
		}
	}
	var fields schema.FieldList
	for _, column := range append(columns, appended...) {
		node, err := nodeOf(column)
		if err != nil {
			return nil, err
		}
		fields = append(fields, node)
		w.encoders = append(w.encoders, &encoder{node: node, layout: layout{codec: compress.Codecs.Zstd, dictionary: whereUseful}})
	}
	meta, err := emptyFooter(fields)
	if err != nil {
		return nil, err
	}
	w.out, err = newOutput(out, meta)
	return w, err
}

// Part returns an empty part for the rows of a block.
func (w *Encoder) Part(b table.Block) table.Part {
	return &encodedPart{part: w.parts.get(b, w.kinds, w.appended), names: w.names}
}

// encodedPart is a part of an Encoder.
type encodedPart struct {
	*part
	names []string
}

// noText says of bytes that a column of texts cannot hold them: readers refuse such a
// file.
const noText = "holds bytes that are no UTF-8; say with --encoding what the list is written in, or write it as CSV"

// WriteRow adds a row.
func (p *encodedPart) WriteRow(row table.Row, fills []table.Fill, appended []string) error {
	if err := checkFills(row, fills, len(p.own)); err != nil {
		return err
	}
	for i, c := range p.own {
		if len(fills) > 0 && fills[0].Column == i {
			c.fill(fills[0].Value, false)
			fills = fills[1:]
			continue
		}
		cell := row.Cell(i)
		if !utf8.Valid(cell) {
			return fmt.Errorf("line %d: column %q %s", row.Line(), p.names[i], noText)
		}
		c.copy(cell, len(cell) == 0)
	}
	return p.append(row, appended)
}

// Write encodes the part, and writes a row group when it has enough rows.
func (w *Encoder) Write(p table.Part) error {
	if w.err == nil {
		w.err = w.write(p.(*encodedPart))
	}
	return w.err
}

func (w *Encoder) write(p *encodedPart) error {
	if err := encodeAll(w.encoders, p.part); err != nil {
		return err
	}
	w.rows += int64(p.rows)
	w.parts.put(p.part)
	if w.rows < groupRows {
		return nil
	}
	return w.endGroup()
}

func (w *Encoder) endGroup() error {
	w.rows = 0
	chunks, err := finishAll(w.encoders)
	if err != nil {
		return err
	}
	return w.out.addGroup(chunks)
}

// Close writes what is left over. It does not close the file below.
func (w *Encoder) Close() error {
	if w.err == nil && w.rows > 0 {
		w.err = w.endGroup()
	}
	if w.err == nil {
		w.err = w.out.close()
	}
	return w.err
}
