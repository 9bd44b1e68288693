package pipeline

import (
	"context"
	"slices"
)

// limit keeps the lookups to the first persons, in the order of the lookups.
func (s Scope) limit(ctx context.Context, list List, survey *Survey) error {
	if s.Priority == nil {
		left := s.Limit
		for i, mark := range survey.rows {
			if mark.leads() {
				if left--; left < 0 {
					survey.skip(i)
				}
			}
		}
		return nil
	}
	rows, err := s.order(ctx, list, survey, rowMark.leads)
	if err != nil {
		return err
	}
	kept := rows[:min(s.Limit, int64(len(rows)))]
	slices.Sort(kept)
	for i, mark := range survey.rows {
		switch {
		case len(kept) > 0 && int64(kept[0]) == int64(i)+1:
			kept = kept[1:]
		case mark.leads():
			survey.skip(i)
		}
	}
	return nil
}

// skip asks for nothing at a row.
func (v *Survey) skip(row int) {
	if v.rows[row].ask() != 0 {
		v.settled.Skipped++
		v.rows[row] &^= markAsk
	}
}
