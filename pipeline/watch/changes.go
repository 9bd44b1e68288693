// This file has the table of changes: the values of watched fields in two answers between which changes were observed.
// The table is a function of the journal.

package watch

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/output"
)

// request says how a table is written.
func (s *session) request(o pipeline.Output) output.Request {
	return output.Request{Path: o.Path, Stdout: o.Stdout, Mode: s.Work.Env.FileMode, Raw: s.Work.Env.Raw, Remade: true}
}

// changeColumns are the columns of the table of changes.
func changeColumns() []string {
	return []string{"company_id", "company_name", "field", "old", "new", "observed_at", "changed_at", "changes", "answered_at"}
}

// write writes the table of changes.
func (s *session) write(ctx context.Context, r *refreshing) ([]output.KeptVersion, int64, error) {
	var rows []change
	for _, c := range r.companies {
		if now, _, err := s.answer(c.who, nil); err != nil {
			return nil, 0, err
		} else if now != nil {
			c.name = now.Name.Value // the same in every start without new answers
		}
		parts, _, err := s.parts(c)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range parts {
			of, err := s.changes(p, r.Since)
			if err != nil {
				return nil, 0, err
			}
			rows = append(rows, of...)
		}
	}
	slices.SortStableFunc(rows, func(a, b change) int {
		return cmp.Or(a.observed.Compare(b.observed), cmp.Compare(a.cells[0], b.cells[0]), cmp.Compare(a.cells[2], b.cells[2]))
	})
	cells := make([][]string, len(rows))
	for i := range rows {
		cells[i] = table.EscapeFormulas(rows[i].cells, s.Work.Env.Raw)
	}
	path := r.Output.Path
	defer s.Work.Observer.Writing()()
	kept, err := output.WriteNew(ctx, s.request(r.Output), table.NewMemory(changeColumns(), cells), output.Protection{
		Journal: s.Journal, Run: r.Run, Now: s.Work.Env.Now(), Most: r.Output.Keep, Rows: int64(len(rows)),
	})
	if err != nil {
		if path != listfile.Standard {
			path, _ = filepath.Abs(path)
		}
		return nil, 0, &output.NotWrittenError{Path: path, Err: err}
	}
	return kept, int64(len(rows)), nil
}

// change is a row of the table: the values of a watched field in two answers between which changes of it were observed.
type change struct {
	observed time.Time
	cells    []string
}

// changes returns the rows of a record. A change after the last answer, or before the first one, has no row, because
// its new or old value is not known.
func (s *session) changes(p *part, since time.Time) (rows []change, err error) {
	type between struct {
		field string
		later int // the place of the later answer
	}
	found := map[between]*change{}
	count := map[between]int{}
	var order []between
	last := map[between]observation{}
	for _, o := range p.changes {
		later := slices.IndexFunc(p.answers, func(id attempt.ID) bool { return id > o.After })
		if later < 1 || o.At.Before(since) {
			continue
		}
		at := between{o.field(), later}
		if found[at] == nil {
			found[at] = &change{observed: o.At}
			order = append(order, at)
		} else if o.At.Before(found[at].observed) {
			found[at].observed = o.At
		}
		count[at]++
		if before, is := last[at]; !is || o.at().After(before.at()) {
			last[at] = o
		}
	}
	for _, at := range order {
		earlier, _, err := s.Journal.Resolution(p.answers[at.later-1])
		if err != nil {
			return nil, err
		}
		later, _, err := s.Journal.Resolution(p.answers[at.later])
		if err != nil {
			return nil, err
		}
		before, err := valueOf(earlier, at.field)
		if err != nil {
			return nil, err
		}
		after, err := valueOf(later, at.field)
		if err != nil {
			return nil, err
		}
		c := found[at]
		c.cells = []string{
			p.id, p.name, at.field, before, after, c.observed.UTC().Format(time.RFC3339), last[at].at().UTC().Format(time.RFC3339),
			fmt.Sprint(count[at]), later.At.UTC().Format(time.RFC3339),
		}
		rows = append(rows, *c)
	}
	return rows, nil
}

// valueOf returns the value of a watched field in an answer, "" when there is none or when it was erased.
func valueOf(ended attempt.Resolution, field string) (string, error) {
	if ended.Erased || ended.Status == enrich.NotFound {
		return "", nil
	}
	value, _, err := v2.WatchedValue(ended.Answer(), field)
	return value, err
}
