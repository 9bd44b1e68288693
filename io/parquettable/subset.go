package parquettable

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"payonce/enrich"
	"payonce/io/table"
)

// Subset writes some rows of a list in order. It writes all columns of the list, also nested ones,
// in their own types, and appends columns.
type Subset struct {
	list     *Reader
	copiers  []*columnCopier  // of the list's columns
	encoders []*columnEncoder // of the appended columns
	parts    parts
	gathered rowBatch // of which the appended columns are not encoded yet
	out      *outputFile
	rows     int // of the row group
	ending
}

var _ table.Discarder = (*Subset)(nil)

// NewSubset returns a writer of rows of list. list must stay open until the writer is closed. The
// rows come from list or from another Reader of the same file. The writer reads their cells from
// the file again.
func NewSubset(out io.Writer, list *Reader, appended []table.Column) (*Subset, error) {
	w := &Subset{list: list}
	w.parts.appended = appended
	codec := compress.Codecs.Zstd
	if groups := list.meta.RowGroups; len(groups) > 0 {
		codec = writableCodec(compress.Compression(groups[0].Columns[0].MetaData.Codec))
	}
	f, err := list.footerCopy()
	if err != nil {
		return nil, err
	}
	for _, c := range list.columns {
		l := Encoding{Codec: codec, Unordered: !f.Verbatim.Ordered(c)}
		w.copiers = append(w.copiers, newColumnCopier(list, c, l))
	}
	if w.encoders, err = newColumnEncoders(appended); err != nil {
		return nil, err
	}
	for _, e := range w.encoders {
		e.Layout = Encoding{Codec: codec, Dictionary: true}
	}
	f.Meta.RowGroups, f.Meta.FileMetaData.NumRows = nil, 0
	if w.out, err = newOutput(out, f); err != nil {
		return nil, err
	}
	return w, w.out.AddColumns(appended)
}

// Part returns an empty part for the rows of a block.
func (w *Subset) Part(b table.Block) table.Part {
	return &subsetPart{list: w.list, part: w.parts.get(b)}
}

// subsetPart is a part of a Subset.
type subsetPart struct {
	list *Reader
	*part
	chosen []int64 // rows in the row group, from 0
}

// WriteRow adds a row. Its cells cannot be filled.
func (p *subsetPart) WriteRow(visited table.Row, fills []table.Fill, appended []enrich.Cell) error {
	own, err := p.ownRow(p.list, visited)
	if err != nil {
		return err
	}
	index := own.block.span.start + int64(own.index)
	if len(p.chosen) > 0 && p.chosen[len(p.chosen)-1] >= index {
		return fmt.Errorf("parquettable: row %d is written after a later row; write rows in order", own.Number())
	}
	if err := table.CheckRow(own, fills, appended, len(p.list.columns), p.appended); err != nil {
		return err
	}
	if len(fills) > 0 {
		return fmt.Errorf("parquettable: row %d has fills; rows of a subset cannot be filled", own.Number())
	}
	p.chosen = append(p.chosen, index)
	p.append(appended)
	return nil
}

// Write encodes the part. It writes a row group when that has enough rows.
func (w *Subset) Write(p table.Part) error {
	return w.do(func() error { return w.write(p.(*subsetPart)) })
}

func (w *Subset) write(p *subsetPart) error {
	if p.rows == 0 {
		w.parts.put(p.part)
		return nil
	}
	if err := w.copyRows(p); err != nil {
		return InFile(w.list.name, err)
	}
	w.rows += p.rows
	w.gathered.add(p.part)
	switch {
	case w.rows >= groupRows:
		return w.endGroup()
	case w.gathered.full():
		return w.encode()
	}
	return nil
}

// copyRows copies the rows of a part, in the columns of the list.
func (w *Subset) copyRows(p *subsetPart) error {
	group := p.block.(*block).span.group
	return onAllCores(len(w.copiers), func(i int) error {
		return w.copiers[i].Copy(group, p.chosen)
	})
}

// encode encodes the appended columns of the gathered batch.
func (w *Subset) encode() error {
	err := onAllCores(len(w.encoders), func(i int) error {
		return w.encoders[i].Encode(w.gathered.added(i))
	})
	for _, p := range w.gathered.parts {
		w.parts.put(p)
	}
	w.gathered = rowBatch{parts: w.gathered.parts[:0]}
	return err
}

func (w *Subset) endGroup() error {
	w.rows = 0
	if err := w.encode(); err != nil {
		return err
	}
	chunks := make([]Chunk, len(w.copiers)+len(w.encoders))
	err := onAllCores(len(chunks), func(i int) (err error) {
		if added := i - len(w.copiers); added >= 0 {
			chunks[i], err = w.encoders[added].Finish()
		} else {
			chunks[i], err = w.copiers[i].Finish()
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.out.AddGroup(chunks)
}

// Close writes the last row group and the end of the file. It closes neither the file below nor the list.
func (w *Subset) Close() error {
	for _, c := range w.copiers {
		c.Close()
	}
	return w.end(w.close)
}

func (w *Subset) close() error {
	if w.rows > 0 {
		if err := w.endGroup(); err != nil {
			return err
		}
	}
	return w.out.Close()
}

// Discard ends the writer in place of Close, when the file is not wanted.
func (w *Subset) Discard() {
	w.fail(errDiscarded)
	_ = w.Close() // it fails, as nothing more may be written
}
