package survey

import (
	"context"
	"slices"

	"payonce/pipeline/row"
)

// limit keeps the lookups to the first persons, in the order of the lookups.
func (v *Survey) limit(ctx context.Context, list row.List) error {
	if v.scope.Priority == nil {
		left := v.scope.Limit
		for i, state := range v.rows {
			if state.Leads() {
				if left--; left < 0 {
					v.skip(i)
				}
			}
		}
		return nil
	}
	rows, err := v.order(ctx, list, row.State.Leads)
	if err != nil {
		return err
	}
	kept := rows[:min(v.scope.Limit, int64(len(rows)))]
	slices.Sort(kept)
	for i, state := range v.rows {
		switch {
		case len(kept) > 0 && int64(kept[0]) == int64(i)+1:
			kept = kept[1:]
		case state.Leads():
			v.skip(i)
		}
	}
	return nil
}

// skip asks for nothing at a row.
func (v *Survey) skip(i int) {
	if v.rows[i].HasFields() {
		v.settled.Skipped++
		v.rows[i] = v.rows[i].WithFields(0)
	}
}
