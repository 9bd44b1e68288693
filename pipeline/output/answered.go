package output

import (
	"sync"

	"payonce/io/table"
	"payonce/pipeline/scan"
)

// Answered returns the list as a step that follows the sequence sees it: its rows are scan.answeredRow. The
// indexes of the steps must be those of the journal as it is now. Nothing of the list is kept in memory.
func (s Sequence) Answered(list scan.List) scan.List {
	l := &answeredList{reading: s.reading(), list: list}
	l.rows.New = func() any { return l.newThrough(true) }
	return l
}

type answeredList struct {
	*reading
	list scan.List
	rows sync.Pool // of *through
}

// Open opens the list for the columns of the list among these, and for those that the steps read.
func (l *answeredList) Open(columns []int) (table.Reader, error) {
	reader, err := l.list.Open(l.steps.with(columns))
	if err != nil {
		return nil, err
	}
	return &answeredReader{reader, l}, nil
}

type answeredReader struct {
	table.Reader
	list *answeredList
}

func (r *answeredReader) Next() (table.Block, error) {
	block, err := r.Reader.Next()
	if err != nil {
		return nil, err
	}
	return &answeredBlock{block, r.list}, nil
}

type answeredBlock struct {
	table.Block
	list *answeredList
}

// Each calls visit for every row with what the steps found for it.
func (b *answeredBlock) Each(visit func(table.Row) error) error {
	t := b.list.rows.Get().(*through)
	defer b.list.rows.Put(t)
	if err := t.load(b.Block); err != nil {
		return err
	}
	return t.each(b.Block, len(t.evaluators), visit)
}
