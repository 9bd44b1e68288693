// This file writes the tables of a run: what answers say in several rows about one subject. Which tables
// there are, and how an answer becomes rows, only the package of the interface knows.
//
// The tables follow from the list, the configuration and the journal alone: the subjects stand in the order of
// the rows that name them first, each once, and the rows of a subject in the order of its answer. So writing
// them again gives the same bytes.
//
// Answers are read from the journal a few at a time, once for the columns of the tables and once for their rows.
// Only the number of each attempt stays in memory, 16 bytes each.

package output

import (
	"context"
	"slices"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// TableInterface describes the tables of an interface of the service. Its methods may be called from many goroutines.
type TableInterface interface {
	// Tables returns all tables, always the same ones in the same order.
	Tables() []enrich.Table
	// Rows returns the rows of an answer about a field, in an order that follows from the answer alone. What
	// cannot be read of the answer is a problem; an error says that the answer is damaged.
	Rows(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error)
	// Extras returns the rows that Rows returns, and their problems. They may be without cells, but have the values for
	// which there is no column.
	Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error)
}

// TableAnswers reads what the journal knows. It shows durable resolutions only.
type TableAnswers interface {
	// Recall returns a function that appends to known the outcomes of the given attempts, in their order. The
	// function may be called from many goroutines. It may keep what it reads in at most memory bytes.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// TableFiles creates the files of tables.
type TableFiles interface {
	// Create starts the file of a table. Whoever made the Files ends it, also when Write fails.
	Create(name string, columns []table.Column) (table.Writer, error)
}

// TableStep is a step of a run, as far as its tables are concerned.
type TableStep struct {
	Interface TableInterface // nil for one without tables
	Answers   TableAnswers
	Wanted    enrich.Fields
}

// TableSteps are the steps of a run in their order.
type TableSteps []TableStep

// Tables returns the tables of what the steps want, each once, in their order.
func (s TableSteps) Tables() (tables []enrich.Table) {
	for _, step := range s {
		for _, t := range step.tables() {
			if !slices.ContainsFunc(tables, func(other enrich.Table) bool { return other.Name == t.Name }) {
				tables = append(tables, t)
			}
		}
	}
	return tables
}

// tables returns the tables of what the step wants.
func (s TableStep) tables() []enrich.Table {
	if s.Interface == nil {
		return nil
	}
	return slices.DeleteFunc(s.Interface.Tables(), func(t enrich.Table) bool { return !s.Wanted.Has(t.Of) })
}

// DecidedAnswers are the answers of a run, in the order of the list. One goroutine may use it.
type DecidedAnswers struct {
	steps   TableSteps
	wanted  []enrich.Fields // that have tables, of each step
	answers []answer
	seen    []uint64 // a bit for each attempt in answers
}

// answer is an attempt that decided a field of a subject.
type answer struct {
	id   attempt.ID
	step uint16
	of   enrich.Field
}

// NewDecidedAnswers returns a Decided without answers.
func NewDecidedAnswers(steps TableSteps) *DecidedAnswers {
	d := &DecidedAnswers{steps: steps}
	for _, step := range steps {
		wanted := enrich.Fields(0)
		for _, t := range step.tables() {
			wanted = wanted.With(t.Of)
		}
		d.wanted = append(d.wanted, wanted)
	}
	return d
}

// Add adds the attempt that decided a field of the next row, or of the same one, in a step. Duplicates of a
// subject, and fields without tables, are left out.
func (d *DecidedAnswers) Add(step int, of enrich.Field, id attempt.ID) {
	if !d.wanted[step].Has(of) {
		return
	}
	word, bit := int(id/64), uint64(1)<<(id%64)
	if missing := word + 1 - len(d.seen); missing > 0 {
		d.seen = append(d.seen, make([]uint64, missing)...)
	}
	if d.seen[word]&bit == 0 {
		d.seen[word] |= bit
		d.answers = append(d.answers, answer{id, uint16(step), of})
	}
}

// TablesSummary says what was written.
type TablesSummary struct {
	Tables []WrittenTable
	// Problems are values that could not be read. Their cells are empty.
	Problems []TableProblem // at most maxProblems
	Count    int64          // of all problems
}

// WrittenTable is a table that was written.
type WrittenTable struct {
	Name string
	Rows int64
}

// TableProblem is a value that could not be read.
type TableProblem struct {
	Subject string // the key of its rows
	enrich.CellProblem
}

// maxProblems is how many problems a summary describes.
const maxProblems = 100

// add adds the problems of an answer.
func (s *TablesSummary) add(subject string, found enrich.CellProblems) {
	s.Count += int64(found.Count)
	for _, p := range found.First[:min(len(found.First), maxProblems-len(s.Problems))] {
		s.Problems = append(s.Problems, TableProblem{strings.Clone(subject), p})
	}
}

// answerRows are the rows of an answer that are written.
type answerRows struct {
	subject  string
	rows     []tableRow
	problems enrich.CellProblems
}

// Write writes all tables of the steps, also those without rows.
func (d *DecidedAnswers) Write(ctx context.Context, files TableFiles) (TablesSummary, error) {
	var summary TablesSummary
	all := newSheets(d.steps)
	isOpen := func(t enrich.Table) bool { return t.Open }
	err := each(ctx, d, isOpen, func(t TableInterface) rowsOf { return t.Extras }, all.extrasOf, func(values []tableExtras) error {
		all.addColumns(values)
		return nil
	})
	if err == nil {
		err = all.create(files)
	}
	if err != nil {
		return summary, err
	}
	every := func(enrich.Table) bool { return true }
	rowsOfRead := func(from read) answerRows { return answerRows{from.subject, all.rowsOf(from), from.problems} }
	err = each(ctx, d, every, func(t TableInterface) rowsOf { return t.Rows }, rowsOfRead, func(of answerRows) error {
		summary.add(of.subject, of.problems)
		return all.write(of.subject, of.rows)
	})
	if err == nil {
		summary.Tables, err = all.end()
	}
	return summary, err
}
