package output

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
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
	rows   rowsOf
}

// rowsOf reads the rows of an answer about a field, as TableInterface.Rows or TableInterface.Extras.
type rowsOf func(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error)

// nothingKept is the memory in which the journal keeps nothing of what it reads: nothing is read twice in a row.
const nothingKept = 1

// sources returns the steps as they are read for the tables for which wanted returns true.
func (d *DecidedAnswers) sources(wanted func(enrich.Table) bool, rows func(TableInterface) rowsOf) []source {
	sources := make([]source, len(d.steps))
	for i, step := range d.steps {
		s := source{TableStep: step}
		for _, t := range step.tables() {
			if wanted(t) && s.first[t.Of].Name == "" {
				s.first[t.Of] = t
			}
		}
		if step.Interface != nil {
			s.recall, s.rows = step.Answers.Recall(nothingKept, true), rows(step.Interface)
		}
		sources[i] = s
	}
	return sources
}

// wants reports whether a table of the answer's field is wanted.
func (s *source) wants(a answer) bool { return s.first[a.of].Name != "" }

// again reads an answer that read has read.
func (s *source) again(a answer) (from read, err error) {
	known, err := s.recall([]attempt.ID{a.id}, nil)
	if err == nil && len(known) > 0 {
		from, _, err = s.read(a, &known[0])
	}
	return from, err
}

// read reads the answer of an attempt. It returns false for one that has nothing for a table: it is not wanted, it was
// erased, or nothing was found.
func (s *source) read(a answer, known *attempt.Outcome) (from read, found bool, err error) {
	if !s.wants(a) || known == nil || !known.Ended.Answered() || known.Ended.Erased {
		return from, false, nil
	}
	from = read{subject: known.Who.Company.ID, step: int(a.step)}
	from.rows, from.problems, err = s.rows(a.of, known.Ended.Answer())
	if len(from.rows) > 0 && from.rows[0].Subject != "" {
		from.subject, from.named = from.rows[0].Subject, true
	}
	if from.subject == "" && len(from.rows) > 0 {
		from.problems.Add(s.first[a.of].Key, "known")
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
	ctx context.Context, d *DecidedAnswers, wanted func(enrich.Table) bool, rows func(TableInterface) rowsOf,
	work func(read) T, use func(T) error,
) error {
	type result struct {
		answer  answer
		subject string
		named   bool
		large   bool // its value is made in its turn
		value   T
	}
	sources := d.sources(wanted, rows)
	readSpan := func(b table.Block) (results []result, err error) {
		s := b.(*span)
		for i, a := range s.answers {
			from, found, err := sources[a.step].read(a, s.known[i])
			s.known[i] = nil
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
	return table.Ordered(ctx, &spans{rest: d.answers, sources: sources}, readSpan, func(_ table.Block, results []result) error {
		for _, r := range results {
			if !known.isFirst(sources[r.answer.step].first[r.answer.of].Name, int(r.answer.step), r.subject, r.named) {
				continue
			}
			if r.large {
				again, err := sources[r.answer.step].again(r.answer)
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

const (
	// spanLength is how many answers become rows together. Each of them can be long.
	spanLength = 4
	// recalled is how many answers are read from the journal together: those of one step lie next to each other there.
	recalled = 16 * spanLength
)

// spans is a table.Reader of answers.
type spans struct {
	rest    []answer
	sources []source
	known   []*attempt.Outcome // of the first answers of rest
}

// Schema returns no columns.
func (s *spans) Schema() table.Schema { return table.Schema{} }

// Close does nothing.
func (s *spans) Close() error { return nil }

// Next returns the next answers.
func (s *spans) Next() (table.Block, error) {
	if len(s.rest) == 0 {
		return nil, io.EOF
	}
	if len(s.known) == 0 {
		if err := s.recall(s.rest[:min(recalled, len(s.rest))]); err != nil {
			return nil, err
		}
	}
	length := min(spanLength, len(s.known))
	next := &span{s.rest[:length], s.known[:length]}
	s.rest, s.known = s.rest[length:], s.known[length:]
	return next, nil
}

// recall reads answers from the journal, those of each step together.
func (s *spans) recall(answers []answer) error {
	s.known = make([]*attempt.Outcome, len(answers))
	var ids []attempt.ID
	for step := range s.sources {
		source := &s.sources[step]
		isWanted := func(a answer) bool { return int(a.step) == step && source.wants(a) }
		ids = ids[:0]
		for _, a := range answers {
			if isWanted(a) {
				ids = append(ids, a.id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		outcomes, err := source.recall(slices.Compact(ids), nil)
		if err != nil {
			return err
		}
		for i, a := range answers {
			at, found := slices.BinarySearchFunc(outcomes, a.id, func(o attempt.Outcome, id attempt.ID) int { return cmp.Compare(o.ID, id) })
			if found && isWanted(a) {
				s.known[i] = &outcomes[at]
			}
		}
	}
	return nil
}

// span is a table.Block of answers, which are not rows.
type span struct {
	answers []answer
	known   []*attempt.Outcome // what the journal knows of each; nil for nothing
}

// First returns no number: answers have none.
func (s *span) First() int64 { return 0 }

// Len returns the number of answers.
func (s *span) Len() int { return len(s.answers) }

// Each visits no rows.
func (s *span) Each(func(table.Row) error) error { return nil }

// Release does nothing.
func (s *span) Release() {}
