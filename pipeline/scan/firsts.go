package scan

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"payonce/enrich"
	"payonce/io/table"
)

// Lookups reads the list again. It returns a function that yields the lookups in their order,
// then io.EOF, and a function that ends the reading.
func (s *Scan) Lookups(ctx context.Context, list List) (next func() (enrich.Lookup, error), done func()) {
	pull, stop := iter.Pull2(func(yield func(enrich.Lookup, error) bool) {
		err := s.eachInOrder(ctx, list, func(l firstOccurrence) error {
			if !yield(enrich.Lookup{Identity: l.identity, Fields: l.state.Fields(), Row: l.described}, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(enrich.Lookup{}, err)
		}
	})
	return func() (enrich.Lookup, error) {
		lookup, err, more := pull()
		if !more {
			return lookup, io.EOF
		}
		return lookup, err
	}, stop
}

// errEnough ends a pass whose reader wants no more.
var errEnough = errors.New("enough")

// firstOccurrence is a first occurrence.
type firstOccurrence struct {
	state     RowState
	identity  enrich.Identity
	described *enrich.Described // as enrich.Lookup has it
}

// firstOf returns the first occurrence with its person. Describes says whether the lookup needs what the row says.
func firstOf(r *RowReader, line table.Row, state RowState, describes bool) (firstOccurrence, error) {
	r.At(line)
	if key, _, reason := r.Key(); reason != "" || !state.IsOf(key) || r.Missing()|r.Unasked() == 0 {
		return firstOccurrence{}, ErrListChanged
	}
	first := firstOccurrence{state: state, identity: r.Identity()}
	if describes && !first.identity.IsExact() {
		first.described = new(enrich.Described)
		r.Describe(first.described)
	}
	return first, nil
}

// eachInOrder calls visit for the first occurrences that ask for something, in the order of
// the lookups.
func (s *Scan) eachInOrder(ctx context.Context, list List, visit func(firstOccurrence) error) (err error) {
	if s.scope.Priority != nil {
		return s.eachGathered(ctx, list, visit)
	}
	for _, pass := range s.passes() {
		if err := s.eachOf(ctx, list, pass, visit); err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls visit for the first occurrences of a pass, in the order of the list.
func (s *Scan) eachOf(ctx context.Context, list List, pass pass, visit func(firstOccurrence) error) (err error) {
	reader, err := list.Open(s.scope.Columns())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	r := s.scope.ByOwn().Reader(s.keyOf)
	for rows := int64(0); ; {
		block, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return s.ended(rows)
		case err != nil:
			return err
		}
		rows += int64(block.Len())
		err = s.eachFirst(block, pass.mayHave, func(line table.Row, state RowState) error {
			found, err := firstOf(r, line, state, s.scope.Known != nil)
			if err != nil || !pass.has(found.identity) {
				return err
			}
			return visit(found)
		})
		block.Release()
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// ended fails when a pass has not seen as many rows as the scan.
func (s *Scan) ended(rows int64) error {
	if rows != s.Rows {
		return ErrListChanged
	}
	return nil
}

// eachFirst calls visit for the first occurrences of a block that ask for something and are chosen. It skips a block
// without such a row.
func (s *Scan) eachFirst(block table.Block, chosen func(RowState) bool, visit func(table.Row, RowState) error) error {
	first := block.First()
	if first-1+int64(block.Len()) > s.Rows {
		return ErrListChanged
	}
	states := s.rows[first-1:][:block.Len()]
	if !slices.ContainsFunc(states, chosen) {
		return nil
	}
	return block.Each(func(row table.Row) error {
		if state := states[row.Number()-first]; chosen(state) {
			return visit(row, state)
		}
		return nil
	})
}

// RowsOf returns the numbers of the first occurrences of the given people. It is 0 for a person of
// whose rows none misses anything.
func RowsOf(ctx context.Context, scope Scope, list List, people []enrich.Identity) ([]int64, error) {
	rows := make([]int64, len(people))
	sought := map[string][]int{}
	for i, id := range people {
		sought[id.Canonical()] = append(sought[id.Canonical()], i)
	}
	seek := func(block table.Block) (found map[int]int64, err error) {
		r := scope.Reader(nil)
		found = map[int]int64{}
		return found, block.Each(func(row table.Row) error {
			if r.At(row); r.Missing() == 0 {
				return nil
			}
			if canonical, _, reason := r.Canonical(); reason == "" {
				for _, i := range sought[string(canonical)] {
					if found[i] == 0 {
						found[i] = row.Number()
					}
				}
			}
			return nil
		})
	}
	return rows, Pass(ctx, list, scope.Columns(), seek, func(_ table.Block, found map[int]int64) error {
		for i, row := range found {
			if rows[i] == 0 {
				rows[i] = row
			}
		}
		return nil
	})
}
