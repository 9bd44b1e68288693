package scan

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"payonce/io/table"
)

const (
	// defaultAtOnce is how many first occurrences the first pass gathers.
	defaultAtOnce = 50_000
	// firstBytes is about what a first occurrence takes while it is gathered, with its texts.
	firstBytes = 512
)

// eachGathered calls visit for the first occurrences that ask for something, in the order of
// priority. Memory holds the order, but not all persons: each pass over the list gathers the
// next ones. Each pass takes more of them than the one before, up to the limit of the memory. So
// a fast service does not wait for many passes, and a slow one does not wait for a long pass.
func (s *Scan) eachGathered(ctx context.Context, list List, visit func(firstOccurrence) error) error {
	rows, err := s.order(ctx, list, s.asksAt)
	if err != nil {
		return err
	}
	for atOnce := cmp.Or(s.scope.Priority.AtOnce, defaultAtOnce); len(rows) > 0; atOnce = s.nextAtOnce(atOnce) {
		next := rows[:min(atOnce, len(rows))]
		rows = rows[len(next):]
		firsts, err := s.gather(ctx, list, next)
		if err != nil {
			return err
		}
		for _, l := range firsts {
			if err := visit(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextAtOnce returns how many first occurrences the next pass gathers after one of atOnce.
func (s *Scan) nextAtOnce(atOnce int) int {
	if s.scope.Memory == 0 {
		return 2 * atOnce
	}
	return max(atOnce, min(2*atOnce, int(s.scope.Memory/firstBytes)))
}

// gather reads the list once and returns the first occurrences of some rows, in the order of the rows.
func (s *Scan) gather(ctx context.Context, list List, rows []uint32) ([]firstOccurrence, error) {
	ordered := make([]orderedRow, len(rows))
	for i, row := range rows {
		ordered[i] = orderedRow{row: row, group: uint32(i)} // each its own group: the order is known
	}
	slices.SortFunc(ordered, byRow)
	firsts := make([]firstOccurrence, len(rows))
	readers := sync.Pool{New: func() any { return s.scope.ByOwn().Reader(s.keyOf) }}
	err := s.eachOrderedRow(ctx, list, s.scope.Columns(), ordered, func(line table.Row, p *orderedRow) (err error) {
		r := readers.Get().(*RowReader)
		defer readers.Put(r)
		firsts[p.group], err = firstOf(r, line, s.rows[p.row-1], s.scope.Known != nil)
		return err
	})
	return firsts, err
}
