package parquettable

import (
	"fmt"
	"slices"
	"sync"

	"payonce/io/table"
)

// part gathers the columns that are to be encoded for the rows of one block.
type part struct {
	block table.Block
	rows  int
	own   []*cells // of columns of the list
	added []*cells // of appended columns
}

// parts hands out parts and takes them back for their memory.
type parts struct{ pool sync.Pool }

func (p *parts) get(block table.Block, own []table.Kind, appended []table.Column) *part {
	taken, _ := p.pool.Get().(*part)
	if taken == nil {
		taken = &part{}
		for _, kind := range own {
			taken.own = append(taken.own, &cells{kind: kind})
		}
		for _, column := range appended {
			taken.added = append(taken.added, &cells{kind: column.Kind})
		}
	}
	taken.block, taken.rows = block, 0
	return taken
}

func (p *parts) put(done *part) {
	for _, c := range done.columns() {
		c.reset()
		c.numbers = c.numbers[:0]
	}
	done.block = nil
	p.pool.Put(done)
}

// ownRow returns a row of the part's block, which must be one of list.
func (p *part) ownRow(list *Reader, visited table.Row) (*row, error) {
	own, ok := visited.(*row)
	if !ok || table.Block(own.block) != p.block || own.block.reader.name != list.name || own.block.reader.end != list.end {
		return nil, fmt.Errorf("parquettable: row %d is not of this block of %s", visited.Number(), list.name)
	}
	return own, nil
}

// columns returns all columns that are to be encoded.
func (p *part) columns() []*cells { return slices.Concat(p.own, p.added) }

// append adds the appended values of a row.
func (p *part) append(row table.Row, values []string) error {
	if len(values) != len(p.added) {
		return fmt.Errorf("parquettable: %d values appended to row %d of a list with %d appended columns", len(values), row.Number(), len(p.added))
	}
	for i, value := range values {
		if err := p.added[i].add(value); err != nil {
			return fmt.Errorf("row %d: %w", row.Number(), err)
		}
	}
	p.rows++
	return nil
}

// checkFills refuses fills that do not ascend or that lie outside a list of columns.
func checkFills(row table.Row, fills []table.Fill, columns int) error {
	previous := -1
	for _, fill := range fills {
		if fill.Column <= previous || fill.Column >= columns {
			return fmt.Errorf("parquettable: fill of column %d after column %d in row %d of a list with %d columns; fills ascend",
				fill.Column, previous, row.Number(), columns)
		}
		previous = fill.Column
	}
	return nil
}

// onAllCores calls do for every index below n, all at the same time, and returns the
// first error in the order of the indexes.
func onAllCores(n int, do func(i int) error) error {
	errs := make([]error, n)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { errs[i] = do(i) })
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
