package parquettable

import (
	"fmt"

	"payonce/io/table"
)

// block is a range of rows with the columns that the list was opened for.
type block struct {
	reader  *Reader
	span    span
	vectors []*Vector // by column reader
}

var _ table.Block = (*block)(nil)

func (b *block) First() int64 { return b.span.first }

func (b *block) Len() int { return b.span.rows }

func (b *block) Each(visit func(table.Row) error) error {
	r := row{block: b}
	for r.index = range b.span.rows {
		if err := visit(&r); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) Release() {
	for _, v := range b.vectors {
		b.reader.vectors.Put(v)
	}
	b.vectors = nil
}

// row is one row of a block.
type row struct {
	block *block
	index int
}

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.block.span.first + int64(r.index) }

// Line returns Number, because the file has no lines.
func (r *row) Line() int64 { return r.Number() }

func (r *row) Cell(i int) []byte { return r.vector(i).Cell(r.index) }

func (r *row) vector(i int) *Vector {
	at := r.block.reader.readerOf[i]
	if at == none {
		panic(fmt.Sprintf("parquettable: the list was not opened for column %d", i))
	}
	return r.block.vectors[at]
}
