// Package output writes the list of a run with its answers: for every row the filled cells, the
// appended ones and a status. The output follows from the list, the configuration and the
// journal alone.
package output

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/row"
)

// Answers reads what the journal knows, for the output. It shows durable
// resolutions only.
type Answers interface {
	// KeyOf returns a short stand-in for an identity, by its canonical form; equal
	// persons have equal keys.
	KeyOf(canonical []byte) enrich.Key
	// RecordOf returns what durable attempts say about the person with a key.
	RecordOf(key enrich.Key) (attempt.Record, error)
	// Recall returns a function that appends to known the outcomes of the given attempts, in
	// their order. The attempts' numbers must ascend. who says whether the persons are
	// wanted. The function may be called from many goroutines. It may keep what it reads in
	// at most memory bytes; 0 means no limit.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// Index tells of every row what its output needs to know besides the answers. It may be asked
// from many goroutines.
type Index interface {
	Rows() int64
	// Facts appends the facts of n rows, of which first is the number of the first one. A list
	// with more rows than the index is row.ErrListChanged.
	Facts(first int64, n int, facts []row.Facts) ([]row.Facts, error)
}

// Decoder reads answers. It may be used from many goroutines.
type Decoder interface {
	// Values reads the values of an answer into values.
	Values(answer enrich.Answered, values *enrich.Values) error
}

// Output says how the output of a run is made.
type Output struct {
	Scope   row.Scope
	Run     string // charges of this run alone are shown
	Stopped string // why rows were not attempted
	// Optional says that the optional details of answers are the last columns.
	Optional bool
	Decoder  Decoder
	// Names are the names of the list's columns, which reasons name.
	Names []string
	// CopyHeld says that a value that a row holds in a further column is copied into its own empty cell.
	CopyHeld bool
}

// The places of some of columns.Outcomes.
const (
	statusColumn = 0
	reasonColumn = 1
)

// Columns returns the appended columns. A name that the list has already gets a number, so that
// every name is unique.
func (o Output) Columns(schema table.Schema) []table.Column {
	appended := append(o.fieldColumns(), columns.Results(o.Scope.Catalogue, o.Optional)...)
	taken := func(name string) bool {
		return slices.ContainsFunc(schema.Columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	for i, column := range appended {
		for n := 2; taken(appended[i].Name); n++ {
			appended[i].Name = fmt.Sprintf("%s_%d", column.Name, n)
		}
	}
	return appended
}

// fieldColumns returns the appended columns of fields without a column of their own.
func (o Output) fieldColumns() (appended []table.Column) {
	for _, f := range o.Scope.FieldColumns() {
		if f.Column == columns.None {
			appended = append(appended, table.Column{Name: o.Scope.Catalogue.Name(f.Field)})
		}
	}
	return appended
}

// Filled returns the columns of the list in which empty cells are filled.
func (o Output) Filled() []int {
	var filled []int
	for _, f := range o.Scope.FieldColumns() {
		if f.Column != columns.None {
			filled = append(filled, f.Column)
		}
	}
	slices.Sort(filled)
	return filled
}

// Write writes every row of the list, and to rejects those that could not be looked up;
// rejects may be nil. It returns the rows by outcome. The index is one of the list, the
// scope and the journal as they are now; a list of other rows is row.ErrListChanged.
//
// It reads the list once, several blocks at the same time.
func (o Output) Write(
	ctx context.Context, list row.List, index Index, answers Answers, out, rejects table.Writer,
) (rows map[row.Status]int64, err error) {
	w := &writing{
		Output: o, index: index, answers: answers, out: out, rejects: rejects,
		recallAll: answers.Recall(o.Scope.Memory, true), rows: map[row.Status]int64{},
	}
	w.formatters.New = func() any { return w.newFormatter() }
	err = row.Pass(ctx, list, o.Scope.Columns(), w.format, w.write)
	if err == nil && w.last != index.Rows() {
		err = row.ErrListChanged
	}
	return w.rows, err
}

// writing is a Write under way.
type writing struct {
	Output
	index        Index
	answers      Answers
	out, rejects table.Writer
	recallAll    func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) // of Answers
	formatters   sync.Pool
	rows         map[row.Status]int64 // that are written
	last         int64                // the last row that is written
}

// format formats a block.
func (w *writing) format(block table.Block) (f formatted, err error) {
	p := w.formatters.Get().(*formatter)
	defer w.formatters.Put(p)
	if p.facts, err = w.index.Facts(block.First(), block.Len(), p.facts[:0]); err != nil {
		return f, err
	}
	if err := p.remember(block); err != nil {
		return f, err
	}
	return p.format(block)
}

// write writes a block and counts its rows.
func (w *writing) write(block table.Block, f formatted) error {
	if err := w.out.Write(f.part); err != nil {
		return err
	}
	if w.rejects != nil {
		if err := w.rejects.Write(f.rejected); err != nil {
			return err
		}
	}
	for o, n := range f.rows {
		if n > 0 {
			w.rows[outcome(o).status()] += n
		}
	}
	w.last = block.First() + int64(block.Len()) - 1
	return nil
}

// ValueColumns returns the names of the columns that hold the wanted values, filled or appended.
func (o Output) ValueColumns(schema table.Schema) (names []string) {
	appended := o.Columns(schema) // those of fields come first
	for _, f := range o.Scope.FieldColumns() {
		if f.Column != columns.None {
			names = append(names, schema.Columns[f.Column])
			continue
		}
		names = append(names, appended[0].Name)
		appended = appended[1:]
	}
	return names
}
