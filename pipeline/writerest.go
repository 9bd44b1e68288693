package pipeline

import (
	"context"
	"errors"
	"sync"

	"payonce/io/table"
)

// writeRest writes the rows behind the last one that is written, when the table of
// persons does not fit into memory: it enters the rest of the list in the temporary
// file, finds the rows that lead, shard by shard, and writes the rest with them.
func (w *writing) writeRest(ctx context.Context) (err error) {
	census := newCensus(w.Scope)
	defer func() { err = errors.Join(err, census.close()) }()
	if err := census.takeOver(&w.leads); err != nil {
		return err
	}
	rows, err := w.enterRest(ctx, census)
	if err != nil {
		return err
	}
	d, err := w.findDuplicates(census, rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.spill.close()) }()
	return w.pass(ctx, func(p *pen, _ table.Turn) error {
		p.full = false
		return d.name(&p.sights)
	})
}

// enterRest enters the rows behind the last one that is written, and returns the number
// of rows of the list.
func (w *writing) enterRest(ctx context.Context, census *census) (rows int64, err error) {
	reader, err := w.list.Open(w.Scope.Mapping.columns())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	surveyors := sync.Pool{New: func() any { return &surveyor{looker: w.Scope.looker(w.answers.KeyOf)} }}
	err = table.Ordered(ctx, reader, func(block table.Block) (struct{}, error) {
		if endOf(block) <= w.last {
			return struct{}{}, nil
		}
		v := surveyors.Get().(*surveyor)
		defer surveyors.Put(v)
		_, err := v.survey(block, census)
		return struct{}{}, err
	}, func(block table.Block, _ struct{}) error {
		rows = endOf(block)
		return nil
	})
	return rows, err
}

// duplicates holds for every row that another one leads the number of that row, in a
// temporary file: in as many logs as there are shards, each for as many rows.
type duplicates struct {
	spill *spill
	span  int64 // rows of a log

	mu     sync.Mutex
	loaded [2]loadedLeads // the last logs that were read
}

// loadedLeads are the leads of the rows of a log, 0 where a row leads itself.
type loadedLeads struct {
	number int
	leads  []int64 // nil when none is loaded
}

// findDuplicates finds the rows behind the last one that is written that others lead.
func (w *writing) findDuplicates(census *census, rows int64) (*duplicates, error) {
	spilled, err := newSpill(w.Scope.TempDir, numShards, 2)
	if err != nil {
		return nil, err
	}
	d := &duplicates{spill: spilled, span: rows/numShards + 1}
	err = census.eachShard(func(number int, persons *distinct) error {
		var failed error
		err := census.spill.each(number, func(record []uint64) {
			e := entry{record[0], record[1], record[2]}
			if lead := persons.find(e.key()).row(); e.row() > w.last && lead != e.row() {
				failed = errors.Join(failed, d.spill.appendLead(int(e.row()/d.span), e.row(), lead))
			}
		})
		return errors.Join(err, failed)
	})
	if err != nil {
		return nil, errors.Join(err, spilled.close())
	}
	return d, nil
}

// name puts the rows that lead others into what was seen of a run of rows.
func (d *duplicates) name(s *sights) error {
	for row, end := s.first, s.first+int64(len(s.rows)); row < end; {
		number := int(row / d.span)
		leads, err := d.load(number)
		if err != nil {
			return err
		}
		for _, lead := range leads[row-int64(number)*d.span:] {
			if row == end {
				break
			}
			if lead != 0 {
				s.ledBy(row, lead)
			}
			row++
		}
	}
	return nil
}

// load reads a log, or returns it when it was read before.
func (d *duplicates) load(number int) ([]int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.loaded {
		if l.number == number && l.leads != nil {
			return l.leads, nil
		}
	}
	leads := make([]int64, d.span)
	err := d.spill.each(number, func(record []uint64) {
		leads[int64(record[0])-int64(number)*d.span] = int64(record[1])
	})
	if err != nil {
		return nil, err
	}
	d.loaded[0], d.loaded[1] = d.loaded[1], loadedLeads{number, leads}
	return leads, nil
}
