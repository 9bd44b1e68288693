package output

import (
	"context"
	"fmt"
	"io"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// read is an answer that was read.
type read struct {
	subject  string // the key of its rows
	named    bool   // the answer names the key, so that of another call can be the same
	step     int
	rows     []enrich.TableRow
	problems enrich.CellProblems
}

// source is a step whose answers are read.
type source struct {
	TableStep
	recall func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
	first  enrich.ByField[enrich.Table] // of the tables of a field that are wanted; without a name for none
}

// nothingKept is the memory in which the journal keeps nothing of what it reads: nothing is read twice in a row.
const nothingKept = 1

// sources returns the steps as they are read for the tables for which wanted returns true.
func (d *DecidedAnswers) sources(wanted func(enrich.Table) bool) []source {
	sources := make([]source, len(d.steps))
	for i, step := range d.steps {
		s := source{TableStep: step}
		for _, t := range step.tables() {
			if wanted(t) && s.first[t.Of].Name == "" {
				s.first[t.Of] = t
			}
		}
		if step.Interface != nil {
			s.recall = step.Answers.Recall(nothingKept, true)
		}
		sources[i] = s
	}
	return sources
}

// read reads an answer. It returns false for one that has nothing for a table: it is not wanted, it was erased, or
// nothing was found.
func (s *source) read(a answer) (from read, found bool, err error) {
	first := s.first[a.of]
	if first.Name == "" {
		return from, false, nil
	}
	known, err := s.recall([]attempt.ID{a.id}, nil)
	if err != nil || len(known) == 0 || !known[0].Ended.Answered() || known[0].Ended.Erased {
		return from, false, err
	}
	from = read{subject: known[0].Who.Company.ID, step: int(a.step)}
	from.rows, from.problems, err = s.Interface.Rows(a.of, known[0].Ended.Answer())
	if len(from.rows) > 0 && from.rows[0].Subject != "" {
		from.subject, from.named = from.rows[0].Subject, true
	}
	if from.subject == "" && len(from.rows) > 0 {
		from.problems.Add(first.Key, "known")
	}
	return from, len(from.rows) > 0 || from.problems.Count > 0, err
}

// largeRows is the most memory, in bytes, that the rows of an answer may take while it waits for those before it.
// cellSize is about what a cell takes without its text.
const (
	largeRows = 1 << 20
	cellSize  = 128
)

// isLarge reports whether the rows of an answer take much memory.
func (r read) isLarge() bool {
	size := 0
	for _, row := range r.rows {
		size += (len(row.Cells) + len(row.Extra)) * cellSize
		for _, cell := range row.Cells {
			size += textOf(&cell)
		}
		for _, v := range row.Extra {
			size += len(v.Name) + textOf(&v.Cell)
		}
		if size > largeRows {
			return true
		}
	}
	return false
}

// textOf returns the bytes of the texts of a cell.
func textOf(cell *enrich.Cell) int {
	size := len(cell.Text)
	for _, text := range cell.Texts {
		size += len(text)
	}
	return size
}

// each calls work with many answers at the same time, and use with the results in the order of the list. It
// leaves out answers without anything for the wanted tables, and those about a subject that an earlier step has
// rows of, or an earlier answer that names it. Only a few answers are in memory. A large one does not wait there: it is read again in its turn. So each
// core has at most one large answer, and use has one.
func each[T any](
	ctx context.Context, d *DecidedAnswers, wanted func(enrich.Table) bool, work func(read) T, use func(T) error,
) error {
	type result struct {
		answer  answer
		subject string
		named   bool
		large   bool // its value is made in its turn
		value   T
	}
	sources := d.sources(wanted)
	readSpan := func(b table.Block) (results []result, err error) {
		for _, a := range b.(span) {
			from, found, err := sources[a.step].read(a)
			if err != nil {
				return nil, fmt.Errorf("attempt %d: %w", a.id, err)
			}
			if !found {
				continue
			}
			r := result{answer: a, subject: from.subject, named: from.named, large: from.isLarge()}
			if !r.large {
				r.value = work(from)
			}
			results = append(results, r)
		}
		return results, nil
	}
	known := newSubjects(sources)
	return table.Ordered(ctx, &spans{d.answers}, readSpan, func(_ table.Block, results []result) error {
		for _, r := range results {
			if !known.isFirst(sources[r.answer.step].first[r.answer.of].Name, int(r.answer.step), r.subject, r.named) {
				continue
			}
			if r.large {
				again, _, err := sources[r.answer.step].read(r.answer)
				if err != nil {
					return fmt.Errorf("attempt %d: %w", r.answer.id, err)
				}
				r.value = work(again)
			}
			if err := use(r.value); err != nil {
				return err
			}
		}
		return nil
	})
}

// subjects are those that have rows already, in tables that several steps have rows of, or whose answers name them.
type subjects struct {
	steps map[string]int // how many, by the table
	seen  map[subject]int
}

// subject is one in a table.
type subject struct{ table, key string }

func newSubjects(sources []source) *subjects {
	s := &subjects{steps: map[string]int{}, seen: map[subject]int{}}
	for i := range sources {
		for _, t := range sources[i].first {
			s.steps[t.Name]++
		}
	}
	return s
}

// isFirst reports whether no other step has rows of a subject in a table, nor, where the answer names the subject,
// any other answer, and notes that this one has.
func (s *subjects) isFirst(table string, step int, key string, named bool) bool {
	if s.steps[table] < 2 && !named || key == "" {
		return true
	}
	by, known := s.seen[subject{table, key}]
	if !known {
		s.seen[subject{table, strings.Clone(key)}] = step
	}
	return !known || by == step && !named
}

// spanLength is how many answers are read together. Each of them can be long.
const spanLength = 4

// spans is a table.Reader of answers.
type spans struct{ rest []answer }

// Schema returns no columns.
func (s *spans) Schema() table.Schema { return table.Schema{} }

// Close does nothing.
func (s *spans) Close() error { return nil }

// Next returns the next answers.
func (s *spans) Next() (table.Block, error) {
	if len(s.rest) == 0 {
		return nil, io.EOF
	}
	next := span(s.rest[:min(spanLength, len(s.rest))])
	s.rest = s.rest[len(next):]
	return next, nil
}

// span is a table.Block of answers, which are not rows.
type span []answer

// First returns no number: answers have none.
func (s span) First() int64 { return 0 }

// Len returns the number of answers.
func (s span) Len() int { return len(s) }

// Each visits no rows.
func (s span) Each(func(table.Row) error) error { return nil }

// Release does nothing.
func (s span) Release() {}
