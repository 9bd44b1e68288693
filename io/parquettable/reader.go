package parquettable

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/table"
)

const (
	// maxBlockRows is the most rows of a block.
	maxBlockRows = 8192
	// blockBytes is the most text of a column in a block, by the averages of its row group.
	blockBytes = 4 << 20
	// blocksAhead is how many blocks of a column are decoded before they are asked for.
	blocksAhead = 2
)

// Reader reads the rows of a list. It holds some blocks, and one page of every column that it was opened for.
type Reader struct {
	name    string
	file    *os.File
	end     int64 // of the data; the footer starts here
	meta    *metadata.FileMetaData
	columns []FileColumn
	refused error // why rows cannot be read although the schema can

	readers  []*columnReader
	readerOf []int // by column: its index in readers, or none
	blocks   cursor
	started  bool
	err      error // sticky, also io.EOF

	vectors sync.Pool
	running sync.WaitGroup
	done    chan struct{}
	close   func() error
}

var _ table.Reader = (*Reader)(nil)

// none stands for a column that the list was not opened for.
const none = -1

// Open opens the list at path and reads its footer. Its rows have the cells of these columns only,
// and of all columns for nil. A list with columns that have no text can be opened for all columns:
// its schema can be read, its rows cannot. A fault of the list is a *table.Error.
func Open(path string, columns []int) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{name: path, file: file, done: make(chan struct{})}
	r.vectors.New = func() any { return new(Vector) }
	r.blocks = cursor{reader: r, at: span{first: 1}}
	r.close = sync.OnceValue(r.stop)
	if err = r.readFooter(); err == nil {
		err = r.choose(columns)
	}
	if err != nil {
		_ = file.Close() // nothing was written to it
		return nil, InFile(path, err)
	}
	return r, nil
}

func (r *Reader) readFooter() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	f, err := readFooter(r.file, r.name, info.Size())
	if err != nil {
		return err
	}
	r.meta, r.end, r.columns = f.Meta, f.Start, f.Columns()
	return checkLayout(r.meta, r.name, r.end)
}

// footerCopy reads the footer again, for a caller that changes it.
func (r *Reader) footerCopy() (*Footer, error) {
	info, err := r.file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := readFooter(r.file, r.name, info.Size())
	return f, InFile(r.name, err)
}

// choose makes a column reader for every column that the list is opened for.
func (r *Reader) choose(columns []int) error {
	r.readerOf = slices.Repeat([]int{none}, len(r.columns))
	all := columns == nil
	for i := range r.columns {
		if all {
			columns = append(columns, i)
		}
	}
	for _, i := range columns {
		if i < 0 || i >= len(r.columns) {
			return fmt.Errorf("there is no column %d; the list has %d", i, len(r.columns))
		}
		c := r.columns[i]
		switch err := r.checkText(c, all); {
		case err != nil && !all:
			return err
		case err != nil:
			r.refused = InFile(r.name, err)
		case r.readerOf[i] == none:
			r.readerOf[i] = len(r.readers)
			r.readers = append(r.readers, newColumnReader(r, c))
		}
	}
	return nil
}

// checkText returns why a column has no text, and nil when it has one. all says that all columns
// are opened: the list is to be written in another format.
func (r *Reader) checkText(c FileColumn, all bool) error {
	if c.isTextList() && !c.Untyped {
		return nil
	}
	if !c.Flat() || c.Untyped {
		hint := "choose a column with one plain value in each row"
		if all {
			hint = "write it as Parquet"
		}
		reason := fmt.Sprintf("column %s holds %s, which cannot be read as text", c.Name, c.Shape())
		return &table.Error{File: r.name, Reason: reason, Hint: hint}
	}
	return checkScale(c.Name, r.meta.Schema.Column(c.Leaf))
}

// Schema returns the names of the columns. A column of lists, maps or structs is one column. A list of texts has the text
// of such a cell.
func (r *Reader) Schema() table.Schema {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
	}
	return table.Schema{Columns: names}
}

// Legible returns why rows cannot be read although the schema can: a column that the list was
// opened for has no text. It returns nil when all columns have one.
func (r *Reader) Legible() error { return r.refused }

// Next returns the next block. It returns io.EOF after the last one, and a *table.Error for a fault
// of the list. After an error it returns the same error again.
func (r *Reader) Next() (table.Block, error) {
	if r.err == nil {
		r.err = r.refused
	}
	if r.err != nil {
		return nil, r.err
	}
	if !r.started {
		r.started = true
		for _, c := range r.readers {
			r.running.Go(c.run)
		}
	}
	b, err := r.nextBlock()
	if err != nil {
		r.err = err
		return nil, err
	}
	return b, nil
}

func (r *Reader) nextBlock() (*block, error) {
	s, found := r.blocks.next()
	if !found {
		return nil, io.EOF
	}
	b := &block{reader: r, span: s, vectors: make([]*Vector, len(r.readers))}
	for i, c := range r.readers {
		d, open := <-c.out
		if !open {
			return nil, fmt.Errorf("reading %s: %w", r.name, os.ErrClosed)
		}
		if d.err != nil {
			return nil, d.err
		}
		b.vectors[i] = d.cells
	}
	return b, nil
}

// Close stops the decoding and closes the file. Blocks that Next returned stay valid.
func (r *Reader) Close() error { return r.close() }

func (r *Reader) stop() error {
	close(r.done)
	r.running.Wait()
	return r.file.Close()
}

// blockRows returns how many rows the blocks of a row group have. The last one may have fewer.
func (r *Reader) blockRows(g int) int64 {
	rows := int64(maxBlockRows)
	for _, c := range r.readers {
		rows = min(rows, r.rowsAtOnce(g, c.column.Leaf))
	}
	return rows
}

// rowsAtOnce returns how many rows of a leaf are decoded at once. It is a power of two, so that the
// encoded bytes do not depend on the columns that the list was opened for.
func (r *Reader) rowsAtOnce(g, leaf int) int64 {
	group := r.meta.RowGroups[g]
	width := group.Columns[leaf].MetaData.TotalUncompressedSize / max(group.NumRows, 1) // of a cell, on average
	rows := min(max(blockBytes/max(width, 1), 1), maxBlockRows)
	return 1 << (bits.Len64(uint64(rows)) - 1)
}
