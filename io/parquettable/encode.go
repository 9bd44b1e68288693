package parquettable

import (
	"fmt"
	"io"
	"unicode/utf8"

	"payonce/io/parquettable/encode"
	"payonce/io/parquettable/footer"
	"payonce/io/parquettable/output"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Encoder writes the rows of a list of another format. Its columns become optional
// texts, an empty cell a null.
type Encoder struct {
	names    []string // of the list's columns
	encoders []*encode.Column
	batches
	ending

	out  *output.File
	rows int64 // of the row group that is gathered
}

var _ table.Discarder = (*Encoder)(nil)

// NewEncoder returns a writer of rows that come from a list of another format with
// this schema.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{names: list.Columns}
	w.parts.own, w.parts.appended = len(list.Columns), appended
	columns := make([]table.Column, len(list.Columns))
	for i, name := range list.Columns {
		if columns[i].Name = name; !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d, %q, %s", i+1, name, noText)
		}
	}
	var err error
	if w.encoders, err = encode.NewColumns(append(columns, appended...)); err != nil {
		return nil, err
	}
	var fields schema.FieldList
	for _, e := range w.encoders {
		e.Layout = encode.Layout{Codec: compress.Codecs.Zstd, Dictionary: true}
		fields = append(fields, e.Node)
	}
	meta, err := footer.Empty(fields)
	if err != nil {
		return nil, err
	}
	w.out, err = output.New(out, meta)
	return w, err
}

// Part returns an empty part for the rows of a block.
func (w *Encoder) Part(b table.Block) table.Part {
	return &encodedPart{part: w.parts.get(b), names: w.names}
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
			c.Fill(fills[0].Value)
			fills = fills[1:]
			continue
		}
		cell := row.Cell(i)
		if !utf8.Valid(cell) {
			return fmt.Errorf("line %d: column %q %s", row.Line(), p.names[i], noText)
		}
		c.Copy(cell)
	}
	return p.append(row, appended)
}

// Write takes a part, and has what was gathered encoded when it is enough. What it
// writes are the row groups before.
func (w *Encoder) Write(p table.Part) error {
	return w.do(func() error { return w.write(p.(*encodedPart)) })
}

func (w *Encoder) write(p *encodedPart) error {
	w.gathered.add(p.part)
	w.rows += int64(p.rows)
	if w.rows >= groupRows || w.gathered.full() {
		return w.encode(w.rows >= groupRows)
	}
	return nil
}

// encode has what is gathered encoded, while the caller goes on; with it the row group
// may end.
func (w *Encoder) encode(last bool) error {
	if err := w.settle(w.out.AddGroup); err != nil {
		return err
	}
	if last {
		w.rows = 0
	}
	w.start(len(w.encoders), last, func(i int, s rowBatch, own *encode.Scratch) (footer.Chunk, error) {
		if added := i - len(w.names); added >= 0 {
			return w.encoders[i].EncodeBatch(s.rows, s.added(added), last, own)
		}
		return w.encoders[i].EncodeBatch(s.rows, s.own(i), last, own)
	})
	return nil
}

// Close writes what is left over. It does not close the file below.
func (w *Encoder) Close() error {
	err := w.end(w.close)
	_ = w.wait() // its error is known, or another came before it
	return err
}

// Discard ends the writer before all is written, in place of Close: nothing runs behind
// it.
func (w *Encoder) Discard() {
	w.fail(errDiscarded)
	_ = w.Close() // that there is no file is what was asked for
}

func (w *Encoder) close() error {
	if w.rows > 0 {
		if err := w.encode(true); err != nil {
			return err
		}
	}
	if err := w.settle(w.out.AddGroup); err != nil {
		return err
	}
	return w.out.Close()
}
