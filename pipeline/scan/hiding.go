package scan

import (
	"slices"

	"payonce/io/table"
)

// Hiding returns a list with the cells of some columns empty. Cell returns what they hold.
func Hiding(list List, columns []int) List { return hiding{list, columns} }

// Cell returns a cell of a row as it is in the list, also one that Hiding hides.
func Cell(row table.Row, column int) []byte {
	if hidden, is := row.(hiddenRow); is {
		return hidden.Row.Cell(column)
	}
	return row.Cell(column)
}

type hiding struct {
	List
	columns []int
}

func (h hiding) Open(columns []int) (table.Reader, error) {
	reader, err := h.List.Open(columns)
	if err != nil {
		return nil, err
	}
	return hiddenReader{reader, h.columns}, nil
}

type hiddenReader struct {
	table.Reader
	columns []int
}

func (r hiddenReader) Next() (table.Block, error) {
	block, err := r.Reader.Next()
	if err != nil {
		return nil, err
	}
	return hiddenBlock{block, r.columns}, nil
}

type hiddenBlock struct {
	table.Block
	columns []int
}

func (b hiddenBlock) Each(visit func(table.Row) error) error {
	return b.Block.Each(func(row table.Row) error { return visit(hiddenRow{row, b.columns}) })
}

// hiddenRow is a row with empty cells.
type hiddenRow struct {
	table.Row
	columns []int
}

// Cell returns nothing for a column that is hidden.
func (r hiddenRow) Cell(column int) []byte {
	if slices.Contains(r.columns, column) {
		return nil
	}
	return r.Row.Cell(column)
}
