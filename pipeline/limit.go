package pipeline

import (
	"context"
	"errors"
)

// limit keeps the lookups to the first persons.
func (s Scope) limit(ctx context.Context, list List, survey *Survey) error {
	left := s.Limit
	if s.Priority == nil {
		for i, mark := range survey.rows {
			if mark.leads() {
				if left--; left < 0 {
					survey.skip(i)
				}
			}
		}
		return nil
	}
	// Those that are kept lose their mark of leaders while the others are found.
	everybody := func(m rowMark) bool { return m.leads() }
	var kept []int64
	err := s.eachByPriority(ctx, list, survey, everybody, func(l lead) error {
		kept = append(kept, l.number)
		if left--; left == 0 {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for _, row := range kept {
		survey.rows[row-1] &^= markLeads
	}
	for i, mark := range survey.rows {
		if mark.leads() {
			survey.skip(i)
		}
	}
	for _, row := range kept {
		survey.rows[row-1] |= markLeads
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
