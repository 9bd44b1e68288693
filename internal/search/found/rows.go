package found

import (
	"io"

	"payonce/internal/search/walk"
	"payonce/io/table"
)

// Rows is a table.Reader of results.
type Rows struct {
	columns []string
	items   []walk.Item
	next    int
}

// NewRows returns a reader of results with columns.
func NewRows(columns []string, items []walk.Item) *Rows { return &Rows{columns: columns, items: items} }

// blockRows is how many rows a block has.
const blockRows = 4096

// Schema implements table.Reader.
func (r *Rows) Schema() table.Schema { return table.Schema{Columns: r.columns} }

// Next implements table.Reader.
func (r *Rows) Next() (table.Block, error) {
	if r.next == len(r.items) {
		return nil, io.EOF
	}
	from := r.next
	r.next = min(from+blockRows, len(r.items))
	return block{first: from, items: r.items[from:r.next]}, nil
}

// Close implements table.Reader.
func (r *Rows) Close() error { return nil }

// block implements table.Block.
type block struct {
	first int // from 0
	items []walk.Item
}

func (b block) First() int64 { return int64(b.first) + 1 }
func (b block) Len() int     { return len(b.items) }
func (b block) Release()     {}

func (b block) Each(visit func(table.Row) error) error {
	for i, item := range b.items {
		if err := visit(row{number: int64(b.first+i) + 1, cells: item.Cells}); err != nil {
			return err
		}
	}
	return nil
}

// row implements table.Row.
type row struct {
	number int64
	cells  []string
}

func (r row) Number() int64     { return r.number }
func (r row) Line() int64       { return r.number }
func (r row) Cell(i int) []byte { return []byte(r.cells[i]) }
