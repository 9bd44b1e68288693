package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"payonce/attempt"
	"payonce/io/table"
)

// Answers reads what the journal knows, for the output. It shows durable
// resolutions only.
type Answers interface {
	Recorder
	// Recall returns a function that appends to known what is known of attempts, whose
	// numbers ascend, in their order; whom they were about only when who says so. It may be
	// called from many goroutines, and hold what it knows in so many bytes of memory, 0 for
	// no ceiling.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// Output says how the output of a run is made: from the list, the configuration
// and the journal alone.
type Output struct {
	Scope   Scope
	Run     string // charges of this run alone are shown
	Stopped string // why rows were not attempted
	Profile bool   // the person's profile is the last column
}

// The columns that are appended to every list, behind those of fields without a
// column of their own.
var resultColumns = []table.Column{
	{Name: "full_name"},
	{Name: "phone_type"},
	{Name: "enrich_status"},
	{Name: "enrich_reason"},
	{Name: "enrich_charge_usd", Kind: table.Money},
	{Name: "enrich_request_id"},
	{Name: "enrich_retrieved_at", Kind: table.Time},
	{Name: "enrich_provenance"},
}

// The places of some of them.
const (
	statusColumn = 2
	reasonColumn = 3
)

// Columns returns the appended columns. A name that the list has already gets a
// number, so that every column can be told from the others.
func (o Output) Columns(schema table.Schema) []table.Column {
	columns := append(o.fieldColumns(), resultColumns...)
	if o.Profile {
		columns = append(columns, table.Column{Name: appendedProfile})
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(schema.Columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	for i, column := range columns {
		for n := 2; taken(columns[i].Name); n++ {
			columns[i].Name = fmt.Sprintf("%s_%d", column.Name, n)
		}
	}
	return columns
}

// fieldColumns returns the appended columns of fields without a column of their own.
func (o Output) fieldColumns() (columns []table.Column) {
	for f := range o.Scope.Wanted.Each() {
		if o.Scope.Mapping.columnOf(f) == none {
			columns = append(columns, table.Column{Name: f.String()})
		}
	}
	return columns
}

// Filled returns the columns of the list in which empty cells are filled.
func (o Output) Filled() []int {
	var columns []int
	for f := range o.Scope.Wanted.Each() {
		if column := o.Scope.Mapping.columnOf(f); column != none {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	return columns
}

// Write writes every row of the list, and to rejects those that could not be looked up;
// rejects may be nil. It returns the rows by outcome. The roster is one of the list, the
// scope and the journal as they are now; a list of other rows is ErrListChanged.
//
// It reads the list once, several blocks at the same time.
func (o Output) Write(ctx context.Context, list List, roster *Roster, answers Answers, out, rejects table.Writer) (rows map[Status]int64, err error) {
	w := &writing{
		Output: o, roster: roster, answers: answers, out: out, rejects: rejects,
		recallAll: answers.Recall(o.Scope.Memory, true), rows: map[Status]int64{},
	}
	w.pens.New = func() any { return w.newPen() }
	err = pass(ctx, list, o.Scope.columns(), w.format, w.write)
	if err == nil && w.last != roster.rows {
		err = ErrListChanged
	}
	return w.rows, err
}

// writing is a Write under way.
type writing struct {
	Output
	roster       *Roster
	answers      Answers
	out, rejects table.Writer
	recallAll    func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) // of Answers
	pens         sync.Pool
	rows         map[Status]int64 // that are written
	last         int64            // the last row that is written
}

// format formats a block.
func (w *writing) format(block table.Block) (f formatted, err error) {
	p := w.pens.Get().(*pen)
	defer w.pens.Put(p)
	if p.told, err = w.roster.of(block.First(), block.Len(), p.told[:0]); err != nil {
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
