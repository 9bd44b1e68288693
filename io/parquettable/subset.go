package parquettable

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"payonce/io/table"
)

// Subset writes some rows of a list, in order, with all their columns, also the nested
// ones, in the types that the list has, and with appended columns.
type Subset struct {
	list     *Reader
	appended []table.Column
	copiers  []*copier  // of the list's columns
	encoders []*encoder // of the list's columns and then of the appended ones
	parts    parts
	out      *output
	rows     int64 // of the row group
	err      error // sticky
}

var _ table.Writer = (*Subset)(nil)

// NewSubset returns a writer of rows of list, which stays open until the writer is
// closed. The rows come from list or from another Reader of the same file; the cells
// that are written are read from the file again.
func NewSubset(out io.Writer, list *Reader, appended []table.Column) (*Subset, error) {
	w := &Subset{list: list, appended: appended}
	l := layout{codec: compress.Codecs.Zstd}
	if groups := list.meta.RowGroups; len(groups) > 0 {
		l.codec = writable(compress.Compression(groups[0].Columns[0].MetaData.Codec))
	}
	for _, c := range list.columns {
		e := &encoder{node: c.node, layout: l}
		w.encoders = append(w.encoders, e)
		w.copiers = append(w.copiers, newCopier(list, c, e))
	}
	for _, column := range appended {
		node, err := nodeOf(column)
		if err != nil {
			return nil, err
		}
		w.encoders = append(w.encoders, &encoder{node: node, layout: l})
	}
	meta, err := list.footerCopy()
	if err != nil {
		return nil, err
	}
	meta.RowGroups, meta.FileMetaData.NumRows = nil, 0
	if w.out, err = newOutput(out, meta); err != nil {
		return nil, err
	}
	return w, w.out.addColumns(appended, w.encoders[len(w.copiers):])
}

// Part returns an empty part for the rows of a block.
func (w *Subset) Part(b table.Block) table.Part {
	return &subsetPart{list: w.list, part: w.parts.get(b, nil, w.appended)}
}

// subsetPart is a part of a Subset.
type subsetPart struct {
	list *Reader
	*part
	chosen []int64 // rows of the row group, from 0
}

// WriteRow adds a row. It cannot be filled.
func (p *subsetPart) WriteRow(visited table.Row, fills []table.Fill, appended []string) error {
	own, err := p.ownRow(p.list, visited)
	if err != nil {
		return err
	}
	index := own.block.span.start + int64(own.index)
	if len(p.chosen) > 0 && p.chosen[len(p.chosen)-1] >= index {
		return fmt.Errorf("parquettable: row %d is written after one that follows it", own.Number())
	}
	if len(fills) > 0 {
		return fmt.Errorf("parquettable: row %d is filled in a list of left-out rows, which stay as they are", own.Number())
	}
	p.chosen = append(p.chosen, index)
	return p.append(own, appended)
}

// Write encodes the part, and writes a row group when it has enough rows.
func (w *Subset) Write(p table.Part) error {
	if w.err == nil {
		w.err = w.write(p.(*subsetPart))
	}
	return w.err
}

func (w *Subset) write(p *subsetPart) error {
	if p.rows > 0 {
		if err := w.copyRows(p); err != nil {
			return inFile(w.list.name, err)
		}
		w.rows += int64(p.rows)
	}
	w.parts.put(p.part)
	if w.rows < groupRows {
		return nil
	}
	return w.endGroup()
}

// copyRows encodes the rows of a part.
func (w *Subset) copyRows(p *subsetPart) error {
	group := p.block.(*block).span.group
	return onAllCores(len(w.encoders), func(i int) error {
		if added := i - len(w.copiers); added >= 0 {
			return w.encoders[i].encode(p.added[added])
		}
		return w.copiers[i].copy(group, p.chosen)
	})
}

func (w *Subset) endGroup() error {
	w.rows = 0
	chunks, err := finishAll(w.encoders)
	if err != nil {
		return err
	}
	return w.out.addGroup(chunks)
}

// Close writes what is left over. It closes neither the file below nor the list.
func (w *Subset) Close() error {
	for _, c := range w.copiers {
		c.close()
	}
	if w.err == nil && w.rows > 0 {
		w.err = w.endGroup()
	}
	if w.err == nil {
		w.err = w.out.close()
	}
	return w.err
}
