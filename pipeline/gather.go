package pipeline

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"payonce/io/table"
)

const (
	// defaultAtOnce is how many leads the first pass gathers.
	defaultAtOnce = 50_000
	// leadBytes is about what a lead takes while it is gathered, with its texts.
	leadBytes = 512
)

// eachGathered calls visit for the leading rows that ask for something, in the order of
// priority. Their persons are not kept in memory with the order: each pass over the list
// gathers those who come next. The passes take ever more of them, up to the ceiling, so that
// a fast service does not wait for many passes, and a slow one not for a long one.
func (s Scope) eachGathered(ctx context.Context, list List, survey *Survey, visit func(lead) error) error {
	rows, err := s.order(ctx, list, survey, rowMark.asks)
	if err != nil {
		return err
	}
	for atOnce := cmp.Or(s.Priority.AtOnce, defaultAtOnce); len(rows) > 0; atOnce = s.nextAtOnce(atOnce) {
		next := rows[:min(atOnce, len(rows))]
		rows = rows[len(next):]
		leads, err := s.gather(ctx, list, survey, next)
		if err != nil {
			return err
		}
		for _, l := range leads {
			if err := visit(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextAtOnce returns how many leads the pass after one of so many gathers.
func (s Scope) nextAtOnce(atOnce int) int {
	if s.Memory == 0 {
		return 2 * atOnce
	}
	return max(atOnce, min(2*atOnce, int(s.Memory/leadBytes)))
}

// gather reads the list once and returns the leads of some rows, in the order of the rows.
func (s Scope) gather(ctx context.Context, list List, survey *Survey, rows []uint32) ([]lead, error) {
	places := make([]place, len(rows))
	for i, row := range rows {
		places[i] = place{row: row, group: uint32(i)} // each its own group: the order is known
	}
	slices.SortFunc(places, byRow)
	leads := make([]lead, len(rows))
	lookers := sync.Pool{New: func() any { return s.looker(survey.keyOf) }}
	err := survey.eachPlace(ctx, list, s.columns(), places, func(row table.Row, p *place) (err error) {
		l := lookers.Get().(*looker)
		defer lookers.Put(l)
		leads[p.group], err = l.lead(row, survey.rows[p.row-1])
		return err
	})
	return leads, err
}
