package table

import "io"

// Memory is a Reader of rows that are in memory.
type Memory struct {
	columns []string
	rows    [][]string
	next    int
}

// NewMemory returns a reader of rows, each with a text for every column.
func NewMemory(columns []string, rows [][]string) *Memory {
	return &Memory{columns: columns, rows: rows}
}

// memoryRows is how many rows a block has.
const memoryRows = 4096

// Schema implements Reader.
func (r *Memory) Schema() Schema { return Schema{Columns: r.columns} }

// Next implements Reader.
func (r *Memory) Next() (Block, error) {
	if r.next == len(r.rows) {
		return nil, io.EOF
	}
	from := r.next
	r.next = min(from+memoryRows, len(r.rows))
	return memoryBlock{first: from, rows: r.rows[from:r.next]}, nil
}

// Close implements Reader.
func (r *Memory) Close() error { return nil }

// memoryBlock implements Block.
type memoryBlock struct {
	first int // from 0
	rows  [][]string
}

func (b memoryBlock) First() int64 { return int64(b.first) + 1 }
func (b memoryBlock) Len() int     { return len(b.rows) }
func (b memoryBlock) Release()     {}

func (b memoryBlock) Each(visit func(Row) error) error {
	for i, cells := range b.rows {
		if err := visit(memoryRow{number: int64(b.first+i) + 1, cells: cells}); err != nil {
			return err
		}
	}
	return nil
}

// memoryRow implements Row.
type memoryRow struct {
	number int64
	cells  []string
}

func (r memoryRow) Number() int64     { return r.number }
func (r memoryRow) Line() int64       { return r.number }
func (r memoryRow) Cell(i int) []byte { return []byte(r.cells[i]) }
