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
	rows, err := s.order(ctx, list, RowState.IsFirst)
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
	scope.Most, scope.Forgotten, scope.Selected, scope.Next, scope.Limit, scope.Last = true, nil, nil, nil, 0, 0
	scope.Known = nil
	return New(ctx, scope, list, nobodyKnown{journal})
}

// nobodyKnown is a journal that knows nothing of anybody.
type nobodyKnown struct{ Recorder }

func (nobodyKnown) People() int64 { return 0 }

// LastOf returns the number of the n-th row that is a first occurrence in at least one of the scans of a list, and of
// the last row when there are not that many.
func LastOf(n int64, scans ...*Scan) int64 {
	rows := scans[0].Rows
	for i := range rows {
		if slices.ContainsFunc(scans, func(v *Scan) bool { return v.rows[i].IsFirst() }) {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return rows
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

// SkipAfter makes all rows after a row ask for nothing. The first occurrence of a subject is its first row, so
// earlier rows still get what they ask for.
func (s *Scan) SkipAfter(row int64) {
	for i := int(row); i < len(s.rows); i++ {
		s.skip(i)
	}
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
