package scan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"payonce/io/table"
)

// orderedRow is a row while the rows are being ordered by priority.
type orderedRow struct {
	word  uint64 // of its cell, the one that is looked at
	row   uint32
	group uint32 // where in the order the rows with the same words so far begin
}

func byGroup(a, b orderedRow) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.word, b.word), byRow(a, b))
}

func byRow(a, b orderedRow) int { return cmp.Compare(a.row, b.row) }

// ErrTooLongToOrder says that a list has too many rows for an order by priority.
var ErrTooLongToOrder = errors.New("lists of more than 4294967295 rows cannot be ordered by priority")

// ByPriority returns the rows that choose picks in the order of priority, and nil for a scan without a priority.
func (s *Scan) ByPriority(ctx context.Context, list List, choose func(row int64) bool) ([]uint32, error) {
	if s.scope.Priority == nil {
		return nil, nil
	}
	return s.order(ctx, list, choose)
}

// order returns the rows that choose picks in the order of priority. It reads the
// column once, and again for each eight bytes more by which texts in it have to be told
// apart: at most nine times, however long the list is. It takes 16 bytes for each
// row that it orders, and then four.
func (s *Scan) order(ctx context.Context, list List, choose func(row int64) bool) ([]uint32, error) {
	if s.Rows > math.MaxUint32 {
		return nil, ErrTooLongToOrder
	}
	ordered := s.orderedRows(choose)
	for number := 0; ; number++ {
		if err := s.readWords(ctx, list, ordered, number); err != nil {
			return nil, err
		}
		slices.SortFunc(ordered, byGroup)
		if !regroup(ranking(*s.scope.Priority), ordered, number) {
			break
		}
		slices.SortFunc(ordered, byRow)
	}
	rows := make([]uint32, len(ordered))
	for i, p := range ordered {
		rows[i] = p.row
	}
	return rows, nil
}

// orderedRows returns the rows that choose picks, in the list's order.
func (s *Scan) orderedRows(choose func(row int64) bool) []orderedRow {
	count := 0
	for row := range s.Rows {
		if choose(row + 1) {
			count++
		}
	}
	ordered := make([]orderedRow, 0, count)
	for row := range s.Rows {
		if choose(row + 1) {
			ordered = append(ordered, orderedRow{row: uint32(row + 1)})
		}
	}
	return ordered
}

// isFirst reports whether a row is a first occurrence, and asksAt whether it asks for something.
func (s *Scan) isFirst(row int64) bool { return s.rows[row-1].IsFirst() }

func (s *Scan) asksAt(row int64) bool { return s.rows[row-1].HasFields() }

// readWords reads a word of the cell of each row.
func (s *Scan) readWords(ctx context.Context, list List, ordered []orderedRow, number int) error {
	column, ranking := s.scope.Priority.Column, ranking(*s.scope.Priority)
	return s.eachOrderedRow(ctx, list, []int{column}, ordered, func(row table.Row, p *orderedRow) error {
		p.word = ranking.word(row.Cell(column), number)
		return nil
	})
}

// regroup parts the groups of sorted rows by their words, and reports whether the
// next words are needed to tell some rows apart.
func regroup(r ranking, ordered []orderedRow, number int) (more bool) {
	for i := 0; i < len(ordered); {
		first := ordered[i]
		end := i + 1
		for end < len(ordered) && ordered[end].group == first.group && ordered[end].word == first.word {
			end++
		}
		more = more || end > i+1 && r.goesOn(first.word, number)
		for at := range ordered[i:end] {
			ordered[i+at].group = uint32(i)
		}
		i = end
	}
	return more
}

// eachOrderedRow reads the columns of the list and calls visit for each of the rows, which
// are in the list's order. It does so in many goroutines.
func (s *Scan) eachOrderedRow(
	ctx context.Context, list List, columns []int, ordered []orderedRow, visit func(table.Row, *orderedRow) error,
) error {
	rows := int64(0)
	err := Pass(ctx, list, columns, func(block table.Block) (struct{}, error) {
		left := rowsFrom(ordered, block.First())
		if len(left) == 0 || int64(left[0].row) >= block.First()+int64(block.Len()) {
			return struct{}{}, nil
		}
		return struct{}{}, block.Each(func(row table.Row) error {
			if len(left) == 0 || int64(left[0].row) != row.Number() {
				return nil
			}
			p := &left[0]
			left = left[1:]
			return visit(row, p)
		})
	}, func(block table.Block, _ struct{}) error {
		rows += int64(block.Len())
		return nil
	})
	if err != nil {
		return err
	}
	return s.ended(rows)
}

// rowsFrom returns the rows from a row on. It reads their rows alone, because other
// goroutines write the words of theirs meanwhile.
func rowsFrom(ordered []orderedRow, row int64) []orderedRow {
	at := sort.Search(len(ordered), func(i int) bool { return int64(ordered[i].row) >= row })
	return ordered[at:]
}
