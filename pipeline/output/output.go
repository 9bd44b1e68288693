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

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/scan"
)

// OutputAnswers reads what the journal knows, for the output. It shows durable
// resolutions only.
type OutputAnswers interface {
	// KeyOf returns a short stand-in for an identity, by its canonical form; equal
	// persons have equal keys.
	KeyOf(canonical []byte) enrich.Key
	// RecordOf returns what durable attempts say about some fields of the person with a key.
	RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error)
	// Recall returns a function that appends to known the outcomes of the given attempts, in
	// their order. The attempts' numbers must ascend. who says whether the persons are
	// wanted. The function may be called from many goroutines. It may keep what it reads in
	// at most memory bytes; 0 means no limit.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// Index returns for every row what its output needs to know besides the answers. It may be asked
// from many goroutines.
type Index interface {
	Rows() int64
	// Facts appends the facts of n rows, of which first is the number of the first one. A list
	// with more rows than the index is scan.ErrListChanged.
	Facts(first int64, n int, facts []scan.RowFacts) ([]scan.RowFacts, error)
}

// Decoder reads answers. It may be used from many goroutines.
type Decoder interface {
	// Values reads the values of an answer into values.
	Values(answer enrich.Answered, values *enrich.Values) error
}

// namingDecoder is a Decoder that can read in less time what rows of later steps need of an answer.
type namingDecoder interface {
	// Naming is Values, but details that have no role and describe nobody may be empty.
	Naming(answer enrich.Answered, values *enrich.Values) error
}

// Output says how the output of a step is made.
type Output struct {
	Scope   scan.Scope
	Run     string // charges of this run alone are shown
	Stopped string // why rows were not attempted
	// Optional says that the optional details of answers are the last columns.
	Optional bool
	Decoder  Decoder
	// Units are the meters of which the output shows what lookups used up, besides money.
	Units []Unit
	// Names are the names of the list's columns, which reasons name.
	Names []string
	// CopyHeld says that a value that a row holds in a further column is copied into its own empty cell.
	CopyHeld bool
	// AcceptMismatch says that rows also get the values of answers that contradict what they say of their subjects.
	AcceptMismatch bool
	// Decided is called by Write, when it is not nil: for each row in order, with the attempts that decided the
	// fields of its subject that have a value. Duplicates have those of the first occurrence.
	Decided func(of enrich.Field, id attempt.ID)

	shown attemptSet // attempts whose charges rows show in earlier steps
}

// Unit is a meter by the name that its column in the output has.
type Unit struct {
	Name  string
	Meter cost.Meter
}

// UnitsOf returns the units that calls of a step for some fields can use up.
func UnitsOf(tariff cost.Tariff, fields enrich.Fields) (units []Unit) {
	for m := range tariff.Counted(fields).Each() {
		units = append(units, Unit{tariff.Meters[m].Name, m})
	}
	return units
}

// The places of some of columns.Outcomes.
const (
	statusColumn = 0
	reasonColumn = 1
)

// Columns returns the appended columns. A name that the list has already gets a number, so that
// every name is unique.
func (o Output) Columns(schema table.Schema) []table.Column { return o.alone().Columns(schema) }

// Filled returns the columns of the list in which empty cells are filled.
func (o Output) Filled() []int { return o.alone().Filled() }

// ValueColumns returns the names of the columns that hold the wanted values, filled or appended.
func (o Output) ValueColumns(schema table.Schema) []string { return o.alone().ValueColumns(schema) }

// alone returns the sequence of this step alone.
func (o Output) alone() Sequence { return Sequence{{Output: o}} }

// Write writes the output of a run of one step, as Sequence.Write does.
func (o Output) Write(
	ctx context.Context, list scan.List, index Index, answers OutputAnswers, out, rejects table.Writer,
) (rows map[scan.Status]int64, err error) {
	return Sequence{{Output: o, Index: index, Answers: answers}}.Write(ctx, list, out, rejects)
}

// StepOutput is a step of a run, for the output.
type StepOutput struct {
	Output
	Name    string // in reasons and names of columns, where a run has several steps
	Index   Index  // of the list, or of Answered of the steps before
	Answers OutputAnswers
	// Refuses says which lookups the step does not send because of a limit of its account; nil for none. What it does not
	// ask for goes to the next step.
	Refuses dispatch.Refuses
}

// Sequence is the steps of a run in their order, one at least. The Scope of a later step is made by Follow.
type Sequence []StepOutput

// Configuration returns a text of all that the output follows from besides the list and the journal. It has every
// member of a step that is not left out here: a new member makes outputs differ until somebody leaves it out. It has no
// pointers, which differ in each process.
func (s Sequence) Configuration() string {
	var text strings.Builder
	for _, step := range s {
		step.Index, step.Answers = nil, nil
		step.Decoder, step.Decided, step.shown = nil, nil, nil // the catalogue says what the decoder reads
		step.Refuses, step.Scope.Next = nil, nil
		step.Scope.Forgotten = nil         // the journal knows them
		step.Scope.Known = nil             // from the journal
		step.Scope.Only = nil              // it decides what is sent, too
		step.Scope.Priority = nil          // the output is in the order of the list
		step.Scope.Reask = attempt.Reask{} // it decides what is sent, often by the time of the start
		step.Scope.InFlight = nil          // it decides what is sent
		step.Scope.Memory, step.Scope.TempDir = 0, ""
		fmt.Fprintf(&text, "%#v\n", step)
	}
	return text.String()
}

// Write writes every row of the list, and to rejects those that could not be looked up;
// rejects may be nil. It returns the rows by outcome. Each index is one of the list, the
// scope and the journal as they are now; a list of other rows is scan.ErrListChanged.
//
// It reads the list once, several blocks at the same time. Where a column shows rows of one company, it reads the list
// once before that.
func (s Sequence) Write(
	ctx context.Context, list scan.List, out, rejects table.Writer,
) (rows map[scan.Status]int64, err error) {
	return s.WriteAll(ctx, list, Writers{Out: out, Rejects: rejects})
}

// Writers are the writers of a Write. All but Out may be nil.
type Writers struct {
	Out, Rejects table.Writer
	New          *NewWriter // of rows with new values
}

// WriteAll is Write for all writers.
func (s Sequence) WriteAll(ctx context.Context, list scan.List, to Writers) (rows map[scan.Status]int64, err error) {
	if s, err = s.withCharges(); err != nil {
		return nil, err
	}
	w := &writing{reading: s.reading(), Writers: to, rows: map[scan.Status]int64{}}
	if s.hasSameCompany() {
		if w.same, err = w.sameCompanies(ctx, list); err != nil {
			return nil, err
		}
	}
	w.formatters.New = func() any { return w.newFormatter() }
	var further []int
	if to.New != nil {
		further = to.New.own
	}
	err = scan.Pass(ctx, list, s.with(further), w.format, w.write)
	if err == nil && w.last != s[0].Index.Rows() {
		err = scan.ErrListChanged
	}
	return w.rows, err
}

// reading is what the goroutines that read the answers of a sequence share.
type reading struct {
	steps  Sequence
	layout *layout
	recall []func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) // of Answers, by step
}

func (s Sequence) reading() *reading {
	r := &reading{steps: s, layout: s.layout()}
	for _, step := range s {
		r.recall = append(r.recall, step.Answers.Recall(step.Scope.Memory, true))
	}
	return r
}

// with returns the columns of the list that the steps read, with those of the list among further columns.
func (s Sequence) with(further []int) []int {
	read := slices.Clone(further)
	for _, step := range s {
		read = append(read, step.Scope.Columns()...)
	}
	slices.Sort(read)
	read = slices.Compact(read)
	return slices.DeleteFunc(read, func(column int) bool { return column >= scan.FirstAnswer })
}

// writing is a Write under way.
type writing struct {
	*reading
	Writers
	same       *sameCompanies // nil where no column shows them
	formatters sync.Pool
	rows       map[scan.Status]int64 // that are written
	last       int64                 // the last row that is written
}

// format formats a block.
func (w *writing) format(block table.Block) (f formatted, err error) {
	p := w.formatters.Get().(*formatter)
	defer w.formatters.Put(p)
	if err := p.load(block); err != nil {
		return f, err
	}
	return p.format(block)
}

// write writes a block and counts its rows.
func (w *writing) write(block table.Block, f formatted) error {
	if err := w.Out.Write(f.part); err != nil {
		return err
	}
	if w.Rejects != nil {
		if err := w.Rejects.Write(f.rejected); err != nil {
			return err
		}
	}
	if w.New != nil {
		if err := w.New.Write(f.added.part); err != nil {
			return err
		}
		w.New.Count.Rows += f.added.count.Rows
		w.New.Count.Cells += f.added.count.Cells
	}
	for _, one := range f.decided {
		w.steps[one.step].Decided(one.of, one.id)
	}
	for o, n := range f.rows {
		if n > 0 {
			w.rows[outcome(o).status()] += n
		}
	}
	w.last = block.First() + int64(block.Len()) - 1
	return nil
}
