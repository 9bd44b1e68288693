package parquettable

import (
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Writer writes a list again with some columns filled and some appended. A column
// that nobody fills is carried over as the bytes that it is, with its encoding,
// compression and statistics; schema, types and row groups stay as they are. Filled
// and appended columns are encoded, those of a row group on all cores.
type Writer struct {
	list     *Reader
	filled   []int // ascending
	appended []table.Column
	kinds    []table.Kind // of the filled columns
	encoders []*encoder   // of the filled columns and then of the appended ones
	parts    parts

	out   *output
	group int   // the row group that is being written
	rows  int64 // written of it
	total int64 // written of the list
	err   error // sticky
}

var _ table.Writer = (*Writer)(nil)

// NewWriter returns a writer of all rows of list, which stays open until the writer is
// closed. The rows come from list or from another Reader of the same file, opened for
// at least the columns that may be filled. These must hold texts: anything else is a
// *table.Error. A filled column keeps its compression, or gets Zstandard where that
// cannot be written; appended columns have the compression of the first column, or
// Zstandard where that has none.
func NewWriter(out io.Writer, list *Reader, filled []int, appended []table.Column) (*Writer, error) {
	w := &Writer{list: list, filled: slices.Sorted(slices.Values(filled)), appended: appended}
	w.filled = slices.Compact(w.filled)
	w.kinds = slices.Repeat([]table.Kind{table.Text}, len(w.filled))
	for _, i := range w.filled {
		if err := list.checkFillable(i); err != nil {
			return nil, err
		}
		w.encoders = append(w.encoders, &encoder{node: list.columns[i].node})
	}
	for _, column := range appended {
		node, err := nodeOf(column)
		if err != nil {
			return nil, err
		}
		w.encoders = append(w.encoders, &encoder{node: node})
	}
	meta, err := list.footerCopy()
	if err != nil {
		return nil, err
	}
	if w.out, err = newOutput(out, meta); err != nil {
		return nil, err
	}
	return w, w.out.addColumns(appended, w.encoders[len(w.filled):])
}

// checkFillable says why texts cannot be put into a column; nil when they can.
func (r *Reader) checkFillable(i int) error {
	if i < 0 || i >= len(r.columns) {
		return fmt.Errorf("parquettable: there is no column %d, the list has %d", i, len(r.columns))
	}
	c := r.columns[i]
	holds := c.shape()
	if leaf, ok := c.node.(*schema.PrimitiveNode); ok && c.flat() {
		switch kind := leaf.LogicalType().(type) {
		case schema.StringLogicalType, schema.EnumLogicalType, schema.NoLogicalType:
			if leaf.PhysicalType() == parquet.Types.ByteArray {
				return nil
			}
			holds = "values of type " + leaf.PhysicalType().String()
		default:
			holds = "values of type " + kind.String()
		}
	}
	return &table.Error{
		File: r.name, Reason: fmt.Sprintf("column %s holds %s and cannot be filled with text", c.name, holds),
		Hint: "map a column of texts in its place, or none, so that a new column is appended",
	}
}

// Part returns an empty part for the rows of a block.
func (w *Writer) Part(b table.Block) table.Part {
	return &carriedPart{writer: w, part: w.parts.get(b, w.kinds, w.appended)}
}

// carriedPart is a part of a Writer. It takes every row of its block.
type carriedPart struct {
	writer *Writer
	*part
}

// WriteRow adds a row.
func (p *carriedPart) WriteRow(visited table.Row, fills []table.Fill, appended []string) error {
	own, err := p.ownRow(p.writer.list, visited)
	if err != nil {
		return err
	}
	if own.index != p.rows {
		return fmt.Errorf("parquettable: row %d is written after %d rows of its block; all rows are written, in order", own.Number(), p.rows)
	}
	if err := checkFills(own, fills, len(p.writer.list.columns)); err != nil {
		return err
	}
	for i, column := range p.writer.filled {
		if own.block.reader.laneOf[column] == none {
			return fmt.Errorf("parquettable: %s was not opened for column %d, which is to be filled", p.writer.list.name, column)
		}
		if len(fills) > 0 && fills[0].Column == column {
			p.own[i].fill(fills[0].Value, p.writer.encoders[i].required())
			fills = fills[1:]
			continue
		}
		p.own[i].copy(own.Cell(column), own.null(column))
	}
	if len(fills) > 0 {
		return fmt.Errorf("parquettable: row %d fills column %d, which the writer was not made to fill", own.Number(), fills[0].Column)
	}
	return p.append(own, appended)
}

// Write encodes the part, and writes the row group when it is complete.
func (w *Writer) Write(p table.Part) error {
	if w.err == nil {
		w.err = w.write(p.(*carriedPart))
	}
	return w.err
}

func (w *Writer) write(p *carriedPart) error {
	if err := w.endGroups(); err != nil { // those without rows
		return err
	}
	b := p.block.(*block)
	if b.First() != w.total+1 || b.span.group != w.group || p.rows != b.Len() {
		return fmt.Errorf("parquettable: %d rows from row %d of row group %d are written after row %d in row group %d; all rows are written, in order",
			p.rows, b.First(), b.span.group, w.total, w.group)
	}
	w.total += int64(p.rows)
	w.rows += int64(p.rows)
	w.choose()
	if err := encodeAll(w.encoders, p.part); err != nil {
		return err
	}
	w.parts.put(p.part)
	return w.endGroups()
}

// choose makes the encoders follow the row group of the list: its chunk for a filled
// column, and its compression for an appended one.
func (w *Writer) choose() {
	chunks := w.list.meta.RowGroups[w.group].Columns
	for i, column := range w.filled {
		chunk := chunks[w.list.columns[column].leaf].MetaData
		l := layout{codec: writable(compress.Compression(chunk.Codec))}
		if chunk.DictionaryPageOffset != nil {
			l.dictionary = always
		}
		w.encoders[i].layout = l
	}
	codec := writable(compress.Compression(chunks[0].MetaData.Codec))
	if codec == compress.Codecs.Uncompressed {
		codec = compress.Codecs.Zstd
	}
	for _, e := range w.encoders[len(w.filled):] {
		e.layout = layout{codec: codec, dictionary: whereUseful}
	}
}

// writable returns a compression that can be written: the same, or Zstandard.
func writable(codec compress.Compression) compress.Compression {
	if codec == compress.Codecs.Uncompressed {
		return codec
	}
	if _, err := compress.GetCodec(codec); err != nil {
		return compress.Codecs.Zstd
	}
	return codec
}

// endGroups writes the row groups that are complete, also those without rows.
func (w *Writer) endGroups() error {
	for w.group < len(w.list.meta.RowGroups) && w.rows == w.list.meta.RowGroups[w.group].NumRows {
		if err := w.endGroup(); err != nil {
			return err
		}
		w.group++
		w.rows = 0
	}
	return nil
}

// endGroup writes a row group: its columns in the order of the list and then the
// appended ones.
func (w *Writer) endGroup() error {
	w.choose()
	chunks, err := finishAll(w.encoders)
	if err != nil {
		return err
	}
	start := w.out.at
	leaf := 0
	for i, c := range w.list.columns {
		if at, fills := slices.BinarySearch(w.filled, i); fills {
			err = w.out.put(chunks[at], w.group, leaf)
			w.out.unsort(w.group, leaf)
		} else {
			err = w.out.carry(w.list.file, w.group, leaf, c.leaves)
		}
		if err != nil {
			return err
		}
		leaf += c.leaves
	}
	for _, added := range chunks[len(w.filled):] {
		if err := w.out.put(added, w.group, leaf); err != nil {
			return err
		}
		leaf++
	}
	w.out.endGroup(w.group, start)
	return nil
}

// Close writes what belongs behind the row groups. It is an error when rows of the
// list were not written. It closes neither the file below nor the list.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.close()
	}
	return w.err
}

func (w *Writer) close() error {
	if err := w.endGroups(); err != nil {
		return err
	}
	if w.total != w.list.meta.NumRows {
		return fmt.Errorf("parquettable: %d of %d rows of %s were written", w.total, w.list.meta.NumRows, w.list.name)
	}
	if err := w.out.carryIndexes(w.list); err != nil {
		return err
	}
	return w.out.close()
}
