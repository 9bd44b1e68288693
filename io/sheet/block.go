package sheet

import "payonce/io/table"

// block is a range of rows. The cells of all rows are in text, one after the other.
type block struct {
	reader *Reader
	first  int64
	width  int // cells of a row
	lines  []int64
	text   []byte
	ends   []int // of every cell in text
}

var _ table.Block = (*block)(nil)

// sizes are about what a block needs.
type sizes struct{ lines, ends, text int }

// add adds a row. It adds empty cells to a row that is shorter than the header.
func (b *block) add(line int64, cells *values) {
	b.lines = append(b.lines, line)
	begin := len(b.text)
	b.text = append(b.text, cells.text...)
	for i := range b.width {
		end := len(b.text)
		if i < len(cells.ends) {
			end = begin + cells.ends[i]
		}
		b.ends = append(b.ends, end)
	}
}

func (b *block) First() int64 { return b.first }

func (b *block) Len() int { return len(b.lines) }

func (b *block) Each(visit func(table.Row) error) error {
	r := row{block: b}
	for r.index = range b.lines {
		if err := visit(&r); err != nil {
			return err
		}
	}
	return nil
}

// Release does nothing: the garbage collector frees the block.
func (b *block) Release() {}

// row is one row of a block.
type row struct {
	block *block
	index int
}

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.block.first + int64(r.index) }

// Line returns the number of the row in the sheet.
func (r *row) Line() int64 { return r.block.lines[r.index] }

func (r *row) Cell(i int) []byte {
	at := r.index*r.block.width + i
	start := 0
	if at > 0 {
		start = r.block.ends[at-1]
	}
	return r.block.text[start:r.block.ends[at]:r.block.ends[at]]
}
