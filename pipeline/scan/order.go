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

// place is a first occurrence while the rows are being ordered by priority.
type place struct {
	word  uint64 // of its cell, the one that is looked at
	row   uint32
	group uint32 // where in the order the rows with the same words so far begin
}

func byGroup(a, b place) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.word, b.word), byRow(a, b))
}

func byRow(a, b place) int { return cmp.Compare(a.row, b.row) }

// ErrTooLongToOrder says that a list has too many rows for an order by priority.
var ErrTooLongToOrder = errors.New("lists of more than 4294967295 rows cannot be ordered by priority")

// order returns the first occurrences that choose picks in the order of priority. It reads the
// column once, and again for each eight bytes more by which texts in it have to be told
// apart: at most nine times, however long the list is. It takes 16 bytes for each
// row that it orders, and then four.
func (s *Scan) order(ctx context.Context, list List, choose func(RowState) bool) ([]uint32, error) {
	if s.Rows > math.MaxUint32 {
		return nil, ErrTooLongToOrder
	}
	places := s.places(choose)
	for number := 0; ; number++ {
		if err := s.readWords(ctx, list, places, number); err != nil {
			return nil, err
		}
		slices.SortFunc(places, byGroup)
		if !regroup(ranking(*s.scope.Priority), places, number) {
			break
		}
		slices.SortFunc(places, byRow)
	}
	rows := make([]uint32, len(places))
	for i, p := range places {
		rows[i] = p.row
	}
	return rows, nil
}

// places returns the first occurrences that choose picks, in the list's order.
func (s *Scan) places(choose func(RowState) bool) []place {
	count := 0
	for _, state := range s.rows {
		if choose(state) {
			count++
		}
	}
	places := make([]place, 0, count)
	for i, state := range s.rows {
		if choose(state) {
			places = append(places, place{row: uint32(i + 1)})
		}
	}
	return places
}

// readWords reads a word of the cell of each place.
func (s *Scan) readWords(ctx context.Context, list List, places []place, number int) error {
	column, ranking := s.scope.Priority.Column, ranking(*s.scope.Priority)
	return s.eachPlace(ctx, list, []int{column}, places, func(row table.Row, p *place) error {
		p.word = ranking.word(row.Cell(column), number)
		return nil
	})
}

// regroup parts the groups of sorted places by their words, and reports whether the
// next words are needed to tell some places apart.
func regroup(r ranking, places []place, number int) (more bool) {
	for i := 0; i < len(places); {
		first := places[i]
		end := i + 1
		for end < len(places) && places[end].group == first.group && places[end].word == first.word {
			end++
		}
		more = more || end > i+1 && r.goesOn(first.word, number)
		for at := range places[i:end] {
			places[i+at].group = uint32(i)
		}
		i = end
	}
	return more
}

// eachPlace reads the columns of the list and calls visit for each of the places, which
// are in the list's order. It does so in many goroutines.
func (s *Scan) eachPlace(
	ctx context.Context, list List, columns []int, places []place, visit func(table.Row, *place) error,
) error {
	rows := int64(0)
	err := Pass(ctx, list, columns, func(block table.Block) (struct{}, error) {
		left := placesFrom(places, block.First())
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

// placesFrom returns the places from a row on. It reads their rows alone, because other
// goroutines write the words of theirs meanwhile.
func placesFrom(places []place, row int64) []place {
	at := sort.Search(len(places), func(i int) bool { return int64(places[i].row) >= row })
	return places[at:]
}
