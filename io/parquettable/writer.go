package parquettable

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/enrich"
	"payonce/io/table"
)

// Writer writes a list again with some columns filled and some appended. It copies the bytes of a
// column that is not filled, with its encoding, compression and statistics. Schema, types and row
// groups stay the same. The filled and appended columns of a row group are encoded on all cores.
type Writer struct {
	list     *Reader
	filled   []int            // ascending
	refills  []*refill        // of them
	encoders []*columnEncoder // of the appended columns
	batches
	ending

	out     *outputFile
	written int   // row groups that are written
	group   int   // row group that is gathered
	rows    int64 // gathered rows of the row group
	total   int64 // gathered rows of the list
}

var _ table.Discarder = (*Writer)(nil)

// NewWriter returns a writer of all rows of list. list must stay open until the writer is closed.
// The rows come from list or from another Reader of the same file, opened for any columns: the
// writer reads the other cells of a filled column from list again.
//
// Columns that may be filled must hold texts; another column is a *table.Error. A row group without
// a filled cell in such a column keeps its bytes. In the others the column keeps its compression,
// or gets Zstandard when that compression cannot be written. Appended columns have the compression
// of the first column, or Zstandard when the first column has none.
func NewWriter(out io.Writer, list *Reader, filled []int, appended []table.Column) (*Writer, error) {
	w := &Writer{list: list, filled: slices.Compact(slices.Sorted(slices.Values(filled)))}
	w.parts.filled, w.parts.appended = len(w.filled), appended
	for _, i := range w.filled {
		if err := list.checkFillable(i); err != nil {
			return nil, err
		}
		w.refills = append(w.refills, newRefill(list, list.columns[i]))
	}
	var err error
	if w.encoders, err = newColumnEncoders(appended); err != nil {
		return nil, err
	}
	f, err := list.footerCopy()
	if err != nil {
		return nil, err
	}
	if err := measure(list, f.Meta); err != nil {
		return nil, err
	}
	if w.out, err = newOutput(out, f); err != nil {
		return nil, err
	}
	return w, w.out.AddColumns(appended)
}

// measure checks the column chunks of a list page by page, and corrects lengths in meta that are
// too short. A chunk that is copied would lack its end.
func measure(list *Reader, meta *metadata.FileMetaData) error {
	for g, group := range meta.RowGroups {
		for leaf, chunk := range group.Columns {
			column := list.meta.Schema.Column(leaf)
			beyond, err := newPageReader(list.file, column).Measure(list.meta, g, leaf)
			if err != nil {
				return InFile(list.name, fmt.Errorf("column %s of row group %d: %w", column.Path(), g, err))
			}
			// The header that the compressed length leaves out lacks in both lengths.
			chunk.MetaData.TotalCompressedSize += beyond
			chunk.MetaData.TotalUncompressedSize += beyond
		}
	}
	return nil
}

// Part returns an empty part for the rows of a block.
func (w *Writer) Part(b table.Block) table.Part {
	return &copiedPart{writer: w, part: w.parts.get(b)}
}

// copiedPart is a part of a Writer. It takes every row of its block.
type copiedPart struct {
	writer *Writer
	*part
}

// WriteRow adds a row.
func (p *copiedPart) WriteRow(visited table.Row, fills []table.Fill, appended []enrich.Cell) error {
	own, err := p.ownRow(p.writer.list, visited)
	if err != nil {
		return err
	}
	if own.index != p.rows {
		return fmt.Errorf("parquettable: row %d is written after %d rows of its block; write all rows in order",
			own.Number(), p.rows)
	}
	if err := table.CheckRow(own, fills, appended, len(p.writer.list.columns), p.appended); err != nil {
		return err
	}
	for _, fill := range fills {
		at, found := slices.BinarySearch(p.writer.filled, fill.Column)
		if !found {
			return fmt.Errorf("parquettable: row %d fills column %d; NewWriter was not told to fill it",
				own.Number(), fill.Column)
		}
		p.filled[at].add(p.rows, fill.Value)
	}
	p.append(appended)
	return nil
}

// Write adds a part to the batch, and starts to encode the batch when it is large enough. It writes
// row groups that were encoded before.
func (w *Writer) Write(p table.Part) error {
	return w.do(func() error { return w.write(p.(*copiedPart)) })
}

func (w *Writer) write(p *copiedPart) error {
	if err := w.endGroups(); err != nil { // row groups without rows
		return err
	}
	b := p.block.(*block)
	if b.First() != w.total+1 || b.span.group != w.group || p.rows != b.Len() {
		return fmt.Errorf("parquettable: %d rows from row %d of row group %d follow row %d in row group %d; "+
			"write all rows in order", p.rows, b.First(), b.span.group, w.total, w.group)
	}
	w.total += int64(p.rows)
	w.rows += int64(p.rows)
	w.gathered.add(p.part)
	if w.gathered.full() && w.rows < w.list.meta.RowGroups[w.group].NumRows {
		return w.encode(false)
	}
	return w.endGroups()
}

// endGroups starts to encode the row groups that are complete, also those without rows.
func (w *Writer) endGroups() error {
	for w.group < len(w.list.meta.RowGroups) && w.rows == w.list.meta.RowGroups[w.group].NumRows {
		if err := w.encode(true); err != nil {
			return err
		}
		w.group++
		w.rows = 0
	}
	return nil
}

// encode starts to encode the gathered batch. last says that the row group ends with it.
func (w *Writer) encode(last bool) error {
	if err := w.settle(w.writeGroup); err != nil {
		return err
	}
	w.choose()
	group := w.group
	columns := len(w.refills) + len(w.encoders)
	w.start(columns, last, func(i int, s rowBatch) (Chunk, error) {
		if added := i - len(w.refills); added >= 0 {
			return w.encoders[added].EncodeBatch(s.added(added), last)
		}
		return w.refills[i].encodeBatch(group, s.parts, i, last)
	})
	return nil
}

// choose sets the layout of the encoded columns by the row group of the list: a filled column
// follows its own chunk, an appended one the first chunk.
func (w *Writer) choose() {
	chunks := w.list.meta.RowGroups[w.group].Columns
	for _, r := range w.refills {
		chunk := chunks[r.column.Leaf].MetaData
		r.encoder.Layout = Encoding{
			Codec:      writableCodec(compress.Compression(chunk.Codec)),
			Dictionary: chunk.DictionaryPageOffset != nil,
			Unordered:  !w.out.verbatim.Ordered(r.column),
		}
	}
	codec := writableCodec(compress.Compression(chunks[0].MetaData.Codec))
	if codec == compress.Codecs.Uncompressed {
		codec = compress.Codecs.Zstd
	}
	for _, e := range w.encoders {
		e.Layout = Encoding{Codec: codec, Dictionary: true}
	}
}

// writeGroup writes the next row group: the columns in the order of the list, then the appended ones.
func (w *Writer) writeGroup(chunks []Chunk) error {
	group := w.written
	w.written++
	start := w.out.Offset()
	leaf := 0
	for i, c := range w.list.columns {
		at, fills := slices.BinarySearch(w.filled, i)
		var err error
		if fills && chunks[at].Meta != nil {
			err = w.out.Put(chunks[at], group, leaf)
			w.out.Unsort(group, leaf)
		} else {
			err = w.out.CopyChunks(w.list.file, group, leaf, c.Leaves)
		}
		if err != nil {
			return err
		}
		leaf += c.Leaves
	}
	for _, added := range chunks[len(w.filled):] {
		if err := w.out.Put(added, group, leaf); err != nil {
			return err
		}
		leaf++
	}
	w.out.EndGroup(group, start)
	return nil
}

// Close writes the end of the file. It returns an error when rows of the list were not written. It
// closes neither the file below nor the list.
func (w *Writer) Close() error {
	err := w.end(w.close)
	_ = w.wait() // err is this error or an earlier one
	for _, r := range w.refills {
		r.close()
	}
	return err
}

// Discard ends the writer in place of Close, when the file is not wanted. No goroutine runs after it.
func (w *Writer) Discard() {
	w.fail(errDiscarded)
	_ = w.Close() // it fails, as nothing more may be written
}

func (w *Writer) close() error {
	if err := errors.Join(w.endGroups(), w.settle(w.writeGroup)); err != nil {
		return err
	}
	if w.total != w.list.meta.NumRows {
		return fmt.Errorf("parquettable: only %d of %d rows of %s were written",
			w.total, w.list.meta.NumRows, w.list.name)
	}
	if err := w.out.CopyIndexes(w.list.file, w.list.meta, w.list.end); err != nil {
		return err
	}
	return w.out.Close()
}
