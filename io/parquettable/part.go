package parquettable

import (
	"fmt"
	"slices"
	"sync"

	"payonce/enrich"
	"payonce/io/table"
)

// part gathers the cells to encode for the rows of one block.
type part struct {
	block    table.Block
	appended []table.Column
	rows     int
	own      []*Cells // of columns of the list
	filled   []*fills // of columns of the list that are read again
	added    []*Cells // of appended columns
}

// The bytes of a number and of a level.
const (
	numberSize = 8
	levelSize  = 2
)

// size returns the length of the values in bytes.
func (p *part) size() int {
	size := 0
	for _, c := range slices.Concat(p.own, p.added) {
		size += len(c.Values.Text) + len(c.numbers)*numberSize + len(c.definition)*levelSize
	}
	for _, f := range p.filled {
		size += len(f.values.Text)
	}
	return size
}

// parts keeps the memory of parts for reuse.
type parts struct {
	own, filled int // columns
	appended    []table.Column

	lock sync.Mutex
	free []*part
}

func (p *parts) get(block table.Block) *part {
	p.lock.Lock()
	defer p.lock.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		taken := p.free[last]
		p.free = p.free[:last]
		taken.block = block
		return taken
	}
	made := &part{block: block, appended: p.appended}
	for range p.own {
		made.own = append(made.own, &Cells{})
	}
	for range p.filled {
		made.filled = append(made.filled, &fills{})
	}
	for _, column := range p.appended {
		made.added = append(made.added, &Cells{Kind: column.Kind})
	}
	return made
}

func (p *parts) put(done *part) {
	for _, c := range slices.Concat(done.own, done.added) {
		c.Reset()
	}
	for _, f := range done.filled {
		f.reset()
	}
	done.rows = 0
	p.lock.Lock()
	defer p.lock.Unlock()
	p.free = append(p.free, done)
}

// ownRow returns the visited row. It must be a row of the part's block, and a row of list.
func (p *part) ownRow(list *Reader, visited table.Row) (*row, error) {
	own, ok := visited.(*row)
	if !ok || table.Block(own.block) != p.block ||
		own.block.reader.name != list.name || own.block.reader.end != list.end {
		return nil, fmt.Errorf("parquettable: row %d is not in this block of %s", visited.Number(), list.name)
	}
	return own, nil
}

// append adds the appended values of a row.
func (p *part) append(values []enrich.Cell) {
	for i := range values {
		p.added[i].Add(&values[i])
	}
	p.rows++
}

// fills are the values that replace cells of one column in a part.
type fills struct {
	rows   []int // in the part, from 0
	values Vector
}

func (f *fills) reset() {
	f.rows = f.rows[:0]
	f.values.Reset()
}

func (f *fills) add(row int, value string) {
	f.rows = append(f.rows, row)
	f.values.Add(value)
}
