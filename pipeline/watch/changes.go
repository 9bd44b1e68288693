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

// span is what was observed of a field before the same answer.
type span struct {
	field       string
	later       int       // the place of the answer that has the new value
	first, last time.Time // of the changes, by the clock of the service
	observed    time.Time // the first time since the date that was asked for
	count       int       // since then
}

// spans returns what was observed of the fields of a record, in the order of the answers. A change after the last
// answer, or before the first one, is not among them, because its new or old value is not known.
func (p *part) spans(since time.Time) (all []*span) {
	for _, o := range p.changes {
		later := slices.IndexFunc(p.answers, func(id attempt.ID) bool { return id > o.After })
		if later < 1 {
			continue
		}
		i := slices.IndexFunc(all, func(one *span) bool { return one.field == o.field() && one.later == later })
		if i < 0 {
			i, all = len(all), append(all, &span{field: o.field(), later: later, first: o.at(), last: o.at()})
		}
		one := all[i]
		if o.at().Before(one.first) {
			one.first = o.at()
		}
		if o.at().After(one.last) {
			one.last = o.at()
		}
		if o.At.Before(since) {
			continue
		}
		if one.count == 0 || o.At.Before(one.observed) {
			one.observed = o.At
		}
		one.count++
	}
	return all
}

// changes returns the rows of a record.
func (s *session) changes(p *part, since time.Time) (rows []change, err error) {
	shown := map[string]int{} // by field, the place of the answer that had the new value of its last row
	for _, one := range p.spans(since) {
		// An answer may have come because of another field after this one changed and before that was observed. So the
		// old value is that of the last answer before the change, and at the earliest the value that was shown last.
		from := shown[one.field]
		shown[one.field] = one.later
		if one.count == 0 {
			continue
		}
		earlier, err := s.resolution(p.answers[from])
		if err != nil {
			return nil, err
		}
		for _, id := range p.answers[from+1 : one.later] {
			next, err := s.resolution(id)
			if err != nil {
				return nil, err
			}
			if next.At.After(one.first) {
				break
			}
			earlier = next
		}
		later, err := s.resolution(p.answers[one.later])
		if err != nil {
			return nil, err
		}
		before, err := valueOf(earlier, one.field)
		if err != nil {
			return nil, err
		}
		after, err := valueOf(later, one.field)
		if err != nil {
			return nil, err
		}
		rows = append(rows, change{one.observed, []string{
			p.id, p.name, one.field, before, after, one.observed.UTC().Format(time.RFC3339), one.last.UTC().Format(time.RFC3339),
			fmt.Sprint(one.count), later.At.UTC().Format(time.RFC3339),
		}})
	}
	return rows, nil
}

func (s *session) resolution(id attempt.ID) (attempt.Resolution, error) {
	ended, _, err := s.Journal.Resolution(id)
	return ended, err
}

// valueOf returns the value of a watched field in an answer, "" when there is none or when it was erased.
func valueOf(ended attempt.Resolution, field string) (string, error) {
	if ended.Erased || ended.Status == enrich.NotFound {
		return "", nil
	}
	value, _, err := v2.WatchedValue(ended.Answer(), field)
	return value, err
}
