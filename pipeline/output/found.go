// This file returns what the steps of a run found, for a decision about each value, and does not write it.

package output

import (
	"context"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// FoundRow is a row of the list with the values that the steps found for it.
type FoundRow struct {
	table.Row
	// Who is the subject of the row as the first step that can name it was asked about it; zero where none can.
	Who enrich.Identity
	// Says is what the row says of its subject.
	Says enrich.Described
	// Values are those that columns of the list take.
	Values []FoundValue
}

// FoundValue is one value. Its attempt is the one that the service answered.
type FoundValue struct {
	Column    int // of the list
	Field     string
	Role      columns.Role
	Value     string
	Attempt   attempt.ID
	RequestID string
	// Says is what the answers of the step say of their subject.
	Says enrich.Described
	// Fit says how the answers compare with the row. A value that contradicts the row is there, too.
	Fit fit.Result
	// About are the details of the answers that are about this value alone, such as the type of a phone.
	About map[string]string
}

// EachFound reads the rows with further columns of the list, and what the steps found for them. It calls read for rows of
// many blocks at the same time, and take with what read returned, in the order of the list. Row and the maps of a
// FoundRow are valid until read returns.
func EachFound[T any](
	ctx context.Context, r *AnsweredRows, further []int, read func(*FoundRow) T, take func(T) error,
) error {
	if err := r.Index(ctx); err != nil {
		return err
	}
	reading := r.steps.reading()
	last := int64(0)
	err := scan.Pass(ctx, r.list, r.steps.with(further), func(block table.Block) (all []T, err error) {
		t := reading.newThrough(nil, false)
		if err := t.load(block); err != nil {
			return nil, err
		}
		t.rewind()
		return all, block.Each(func(line table.Row) error {
			if err := t.evaluate(line); err != nil {
				return err
			}
			all = append(all, read(t.foundRow(line)))
			return nil
		})
	}, func(block table.Block, all []T) error {
		last = block.First() + int64(block.Len()) - 1
		for _, one := range all {
			if err := take(one); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && last != r.Rows() {
		err = scan.ErrListChanged
	}
	return err
}

// foundRow returns what was found for the row that was evaluated last.
func (t *through) foundRow(line table.Row) *FoundRow {
	found := &FoundRow{Row: line}
	taken := map[int]bool{}
	for _, e := range t.evaluators {
		if e.row.Reason == "" && found.Who == (enrich.Identity{}) {
			e.Describe(&found.Says)
			found.Who = e.Identity()
		}
		if !e.hasResult || e.row.Record == nil {
			continue
		}
		record := &e.records[e.known-1]
		for _, f := range e.fields {
			value, position := e.result.values[f.Field], e.positions.fields[f.Field]
			if value == "" || f.Column >= scan.FirstAnswer || f.Column == columns.None || taken[position] || t.found.values[position] != value {
				continue
			}
			taken[position] = true
			known, _ := e.attempts.of(record.FoundBy(f.Field))
			if known == nil {
				continue
			}
			one := FoundValue{
				Column: f.Column, Field: e.Scope.Catalogue.Name(f.Field), Role: f.Role, Value: value,
				Attempt: known.ID, RequestID: known.Ended.RequestID, Fit: e.result.judged.result, About: map[string]string{},
			}
			e.Scope.Catalogue.Describe(&e.result.answer, &one.Says)
			for i, d := range e.Scope.Catalogue.Details[:len(e.result.answer.Details)] {
				if d.Of == enrich.FieldsOf(f.Field) && e.result.answer.Details[i] != "" {
					one.About[d.Name] = e.result.answer.Details[i]
				}
			}
			found.Values = append(found.Values, one)
		}
	}
	return found
}
