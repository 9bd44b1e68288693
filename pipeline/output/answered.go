package output

import (
	"slices"
	"sync"

	"payonce/io/table"
	"payonce/pipeline/scan"
)

// Answered returns the list as a step that follows the sequence sees it: its rows are scan.answeredRow. The
// indexes of the steps must be those of the journal as it is now; those of steps that nobody reads may be nil. Nothing
// of the list is kept in memory.
func (s Sequence) Answered(list scan.List) scan.List { return &answeredList{s.reading(), list} }

type answeredList struct {
	*reading
	list scan.List
}

// Open opens the list for the columns of the list among these, and for those that the steps read. The answers of steps
// that cannot have values of these columns are not read.
func (l *answeredList) Open(columns []int) (table.Reader, error) {
	feeding := l.steps.feeding(columns)
	reader, err := l.list.Open(l.steps.with(columns))
	if err != nil {
		return nil, err
	}
	r := &answeredReader{Reader: reader}
	r.rows.New = func() any { return l.newThrough(feeding, true) }
	return r, nil
}

// feeding reports of each step whether its answers can say something in columns of the rows that follow the sequence,
// or in columns that such a step reads. A search can leave a row unresolved, which shows in no column.
func (s Sequence) feeding(columns []int) []bool {
	l, feeding, read := s.layout(), make([]bool, len(s)), slices.Clone(columns)
	for i, step := range slices.Backward(s) {
		feeding[i] = step.Scope.Searches() || slices.ContainsFunc(s.given(l, i), func(column int) bool {
			return slices.Contains(read, column)
		})
		if feeding[i] {
			read = append(read, step.Scope.Columns()...)
		}
	}
	return feeding
}

// given returns the columns in which a step can say something: those of its fields, and those of the details that are
// about them. Where somebody chose companies, a step also says by which id it asked.
func (s Sequence) given(l *layout, step int) (given []int) {
	scope, places := s[step].Scope, l.steps[step]
	for _, f := range scope.FieldColumns() {
		given = append(given, l.columns[places.fields[f.Field]])
	}
	for d, detail := range scope.Catalogue.Details {
		if detail.Of == 0 || scope.FieldsOf(detail) != 0 || len(scope.Selected) > 0 {
			given = append(given, l.columns[places.details[d]])
		}
		if position := places.acceptedIDs[d]; position != 0 {
			given = append(given, l.columns[position])
		}
	}
	return given
}

type answeredReader struct {
	table.Reader
	rows sync.Pool // of *through
}

func (r *answeredReader) Next() (table.Block, error) {
	block, err := r.Reader.Next()
	if err != nil {
		return nil, err
	}
	return &answeredBlock{block, &r.rows}, nil
}

type answeredBlock struct {
	table.Block
	rows *sync.Pool
}

// Each calls visit for every row with what the steps found for it.
func (b *answeredBlock) Each(visit func(table.Row) error) error {
	t := b.rows.Get().(*through)
	defer b.rows.Put(t)
	if err := t.load(b.Block); err != nil {
		return err
	}
	return t.each(b.Block, len(t.evaluators), visit)
}
