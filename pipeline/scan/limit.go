package scan

import (
	"context"
	"slices"

	"payonce/enrich"
)

// limit keeps the lookups to the first persons, in the order of the lookups.
func (s *Scan) limit(ctx context.Context, list List) error {
	if s.scope.Priority == nil {
		left := s.scope.Limit
		for i, state := range s.rows {
			if state.IsFirst() {
				if left--; left < 0 {
					s.skip(i)
				}
			}
		}
		return nil
	}
	rows, err := s.order(ctx, list, s.isFirst)
	if err != nil {
		return err
	}
	kept := rows[:min(s.scope.Limit, int64(len(rows)))]
	slices.Sort(kept)
	for i, state := range s.rows {
		switch {
		case len(kept) > 0 && int64(kept[0]) == int64(i)+1:
			kept = kept[1:]
		case state.IsFirst():
			s.skip(i)
		}
	}
	return nil
}

// OfList scans the list alone for a step: as if nothing were known of anybody, nobody were forgotten and nothing
// were selected or known by another identity. So the first occurrences in it are the same at every start.
func OfList(ctx context.Context, scope Scope, list List, journal Recorder) (*Scan, error) {
	scope.Most, scope.Forgotten, scope.Selected, scope.Next, scope.Limit, scope.Only = true, nil, nil, nil, 0, nil
	scope.Known = nil
	return New(ctx, scope, list, nobodyKnown{journal})
}

// nobodyKnown is a journal that knows nothing of anybody.
type nobodyKnown struct{ Recorder }

func (nobodyKnown) People() int64 { return 0 }

// FirstOf returns which rows are among the first n, in the order of the lookups, that are first occurrences in at least
// one of the scans of a list.
func FirstOf(ctx context.Context, list List, n int64, scans ...*Scan) ([]bool, error) {
	first := scans[0]
	for _, other := range scans[1:] {
		for i, state := range other.rows {
			if state.IsFirst() && !first.rows[i].IsFirst() {
				first.rows[i] = state
			}
		}
	}
	only := make([]bool, len(first.rows))
	if first.scope.Priority != nil {
		rows, err := first.order(ctx, list, first.isFirst)
		for _, row := range rows[:min(n, int64(len(rows)))] {
			only[row-1] = true
		}
		return only, err
	}
	for i, state := range first.rows {
		if only[i] = true; state.IsFirst() {
			if n--; n == 0 {
				break
			}
		}
	}
	return only, nil
}

// InBoth returns how many rows are first occurrences in two scans of a list and ask for nothing in the first of
// them.
func InBoth(first, second *Scan) (rows int64) {
	for i, state := range first.rows {
		if state.IsFirst() && !state.HasFields() && second.rows[i].IsFirst() {
			rows++
		}
	}
	return rows
}

// Asked returns the fields that are asked for at a row, none for a row that is not a first occurrence.
func (s *Scan) Asked(row int64) enrich.Fields { return s.rows[row-1].Fields() }

// NamesNobody reports whether a row misses something and names no subject.
func (s *Scan) NamesNobody(row int64) bool { return s.rows[row-1] == namesNobody(0) }

// Keep makes all rows that are not to be kept ask for nothing.
func (s *Scan) Keep(keep func(row int64) bool) {
	for i := range s.rows {
		if !keep(int64(i + 1)) {
			s.skip(i)
		}
	}
}

// skip asks for nothing at a row.
func (s *Scan) skip(i int) {
	if s.rows[i].HasFields() {
		s.settled.Skipped++
		s.rows[i] = s.rows[i].WithFields(0)
	}
}
