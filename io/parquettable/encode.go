package parquettable

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/enrich"
	"payonce/io/table"
)

// Encoder writes the rows of a list of another format. The columns become optional texts, and an
// empty cell becomes a null.
type Encoder struct {
	names    []string // of the list's columns
	encoders []*columnEncoder
	batches
	ending

	out  *outputFile
	rows int64 // gathered rows of the row group
	size int   // of their values in bytes
}

var _ table.Discarder = (*Encoder)(nil)

// NewEncoder returns a writer of rows of a list with this schema.
func NewEncoder(out io.Writer, list table.Schema, appended []table.Column) (*Encoder, error) {
	w := &Encoder{names: list.Columns}
	w.parts.own, w.parts.appended = len(list.Columns), appended
	columns := make([]table.Column, len(list.Columns))
	for i, name := range table.Distinct(list.Columns, appended) {
		if columns[i].Name = name; !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d, %q, holds %w; write the list as CSV", i+1, name, table.ErrNotUTF8)
		}
	}
	var err error
	if w.encoders, err = newColumnEncoders(append(columns, appended...)); err != nil {
		return nil, err
	}
	var fields schema.FieldList
	for _, e := range w.encoders {
		e.Layout = Encoding{Codec: compress.Codecs.Zstd, Dictionary: true}
		fields = append(fields, e.Node)
	}
	meta, err := emptyFooter(fields)
	if err != nil {
		return nil, err
	}
	w.out, err = newOutput(out, &Footer{Meta: meta})
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

// WriteRow adds a row.
func (p *encodedPart) WriteRow(row table.Row, fills []table.Fill, appended []enrich.Cell) error {
	if err := table.CheckRow(row, fills, appended, len(p.own), p.appended); err != nil {
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
			return fmt.Errorf("line %d: column %q holds %w; write the list as CSV", row.Line(), p.names[i], table.ErrNotUTF8)
		}
		c.Copy(cell)
	}
	p.append(appended)
	return nil
}

// Write adds a part to the batch, and starts to encode the batch when it is large enough. It writes
// row groups that were encoded before.
func (w *Encoder) Write(p table.Part) error {
	return w.do(func() error { return w.write(p.(*encodedPart)) })
}

func (w *Encoder) write(p *encodedPart) error {
	w.gathered.add(p.part)
	w.rows += int64(p.rows)
	w.size += p.size()
	last := w.rows >= groupRows || w.size >= groupSize
	if last || w.gathered.full() {
		return w.encode(last)
	}
	return nil
}

// encode starts to encode the gathered batch. last says that the row group ends with it.
func (w *Encoder) encode(last bool) error {
	if err := w.settle(w.out.AddGroup); err != nil {
		return err
	}
	if last {
		w.rows, w.size = 0, 0
	}
	w.start(len(w.encoders), last, func(i int, s rowBatch) (Chunk, error) {
		if added := i - len(w.names); added >= 0 {
			return w.encoders[i].EncodeBatch(s.added(added), last)
		}
		return w.encoders[i].EncodeBatch(s.own(i), last)
	})
	return nil
}

// Close writes the last row group and the end of the file. It does not close the file below.
func (w *Encoder) Close() error {
	err := w.end(w.close)
	_ = w.wait() // err is this error or an earlier one
	return err
}

// Discard ends the writer in place of Close, when the file is not wanted. No goroutine runs after it.
func (w *Encoder) Discard() {
	w.fail(errDiscarded)
	_ = w.Close() // it fails, as nothing more may be written
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
