package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// refill encodes a column of texts of a list again, with some cells filled. It reads the column
// only in row groups that have a filled cell. In the others the chunk of the list is copied.
type refill struct {
	list    *Reader
	column  FileColumn
	encoder columnEncoder
	pages   *pageReader
	decoder *cellDecoder // of the row group; nil while none of its cells is filled
	waiting int64        // rows of the row group before the first filled cell, which are not read yet
	decoded Vector
	cells   Cells // read, and not encoded yet
}

// checkFillable returns why a column cannot be filled with text, and nil when it can.
func (r *Reader) checkFillable(i int) error {
	if i < 0 || i >= len(r.columns) {
		return fmt.Errorf("parquettable: there is no column %d, the list has %d", i, len(r.columns))
	}
	c := r.columns[i]
	holds := c.Shape()
	if leaf, ok := c.Node.(*schema.PrimitiveNode); ok && c.Flat() && !c.Untyped {
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
		File: r.name, Reason: fmt.Sprintf("column %s holds %s and cannot be filled with text", c.Name, holds),
		Hint: "map a column of texts in its place, or no column, so that a new one is appended",
	}
}

// refillSize is how many bytes of text are gathered before they are encoded.
const refillSize = 8 << 20

func newRefill(list *Reader, c FileColumn) *refill {
	return &refill{
		list: list, column: c, encoder: columnEncoder{chunkWriter{Node: c.Node}},
		pages: newPageReader(list.file, list.meta.Schema.Column(c.Leaf)),
	}
}

func (r *refill) close() { _ = r.pages.Close() } // never fails

// encode adds the parts to a row group. index is the place of the column among the filled ones.
func (r *refill) encode(group int, parts []*part, index int) error {
	for _, p := range parts {
		f := p.filled[index]
		if r.decoder == nil && len(f.rows) == 0 {
			r.waiting += int64(p.rows)
			continue
		}
		if err := r.begin(group); err != nil {
			return r.place(group, err)
		}
		if err := r.read(group, int64(p.rows), f); err != nil {
			return r.place(group, err)
		}
	}
	return nil
}

// encodeBatch adds the parts of a batch to a row group. After the last batch it returns the chunk.
func (r *refill) encodeBatch(
	group int, parts []*part, index int, last bool,
) (Chunk, error) {
	if err := r.encode(group, parts, index); err != nil || !last {
		return Chunk{}, err
	}
	return r.finish(group)
}

// begin opens the chunk and reads the rows before the first filled cell.
func (r *refill) begin(group int) error {
	if r.decoder != nil {
		return nil
	}
	var err error
	if r.decoder, err = newCellDecoder(r.pages, r.list.meta, group, r.column.Leaf); err != nil {
		return err
	}
	waiting := r.waiting
	r.waiting = 0
	return r.read(group, waiting, &fills{})
}

// read reads rows, fills some of them, and encodes them when there are enough of them.
func (r *refill) read(group int, rows int64, f *fills) error {
	next := 0
	for done := int64(0); done < rows; {
		step := int(min(rows-done, r.list.rowsAtOnce(group, r.column.Leaf)))
		r.decoded.Reset()
		if err := r.decoder.Decode(&r.decoded, step); err != nil {
			return err
		}
		for i, null := range r.decoded.Nulls {
			switch {
			case next < len(f.rows) && f.rows[next] == int(done)+i:
				r.fill(f.values.Cell(next))
				next++
			case null:
				r.cells.AddNull()
			default:
				r.cells.put(r.decoded.Cell(i))
			}
		}
		done += int64(step)
		if len(r.cells.definition) >= batchRows || len(r.cells.Values.Text) >= refillSize {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill adds a cell in place of another. In a column without nulls an empty value becomes an empty text.
func (r *refill) fill(value []byte) {
	if len(value) == 0 && r.column.Node.RepetitionType() == parquet.Repetitions.Optional {
		r.cells.AddNull()
		return
	}
	r.cells.put(value)
}

// flush encodes the cells that were read.
func (r *refill) flush() error {
	err := r.encoder.Encode([]*Cells{&r.cells})
	r.cells.Reset()
	return err
}

// finish ends a row group. It returns no chunk when the chunk of the list is to be copied.
func (r *refill) finish(group int) (Chunk, error) {
	r.waiting = 0
	if r.decoder == nil {
		return Chunk{}, nil
	}
	r.decoder = nil
	if err := r.flush(); err != nil {
		return Chunk{}, r.place(group, err)
	}
	return r.encoder.Finish()
}

// place adds the file, the column and the row group to an error.
func (r *refill) place(group int, err error) error {
	return InFile(r.list.name, fmt.Errorf("column %s of row group %d: %w", r.column.Name, group, err))
}
