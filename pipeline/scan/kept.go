package scan

import (
	"context"
	"errors"
	"maps"
	"sync"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

// mostOpen is how many rows of open persons an index may have. Reading the records of that many persons by their keys
// takes about 0.05 s.
const mostOpen = 10_000

// openPersons are persons whose records may still change. An index leaves out their rows until the records no longer
// change.
type openPersons struct {
	sync.Mutex
	persons []openPerson
	rows    int
	tooMany bool // there are more rows than mostOpen, and not all are here
}

// openPerson is a person with its first occurrence and its other rows.
type openPerson struct {
	key      enrich.Key
	firstRow int64
	others   []int64
}

// add adds persons, unless there are too many.
func (o *openPersons) add(persons []openPerson) {
	o.Lock()
	defer o.Unlock()
	for _, p := range persons {
		o.rows += 1 + len(p.others)
	}
	if o.persons = append(o.persons, persons...); o.rows > mostOpen {
		o.tooMany, o.persons = true, nil
	}
}

// isFull reports whether there are too many.
func (o *openPersons) isFull() bool {
	o.Lock()
	defer o.Unlock()
	return o.tooMany
}

// indexShard enters a shard of persons into an index.
type indexShard struct {
	*Index
	number  int
	persons *PersonTable
	records subjectRecords // of the persons
}

// ofShard returns a shard of the index.
func (x *Index) ofShard(number int, persons *PersonTable) *indexShard {
	return &indexShard{x, number, persons, newSubjectRecords(x.wanted, len(persons.Entries))}
}

// note keeps what the journal knows of a person.
func (s *indexShard) note(person int, record *attempt.Record) {
	if s.records.Of(person).Pack(s.wanted, record) {
		e := &s.persons.Entries[person]
		e.SetMarks(uint16(RowState(e.Marks()).AsKnown()))
	}
}

// mayChange reports whether the record of a person may still change: the scan asks for something for the person, or
// the outcome of an attempt is unknown.
func (s *indexShard) mayChange(person int) bool {
	return RowState(s.persons.Entries[person].Marks()).HasFields() || s.records.Of(person).IsOpen()
}

// enter records the duplicates, and the persons that the journal knows. It leaves out open persons.
func (s *indexShard) enter(all *deduplicator, isOpen func(person int) bool) error {
	if s.open.isFull() {
		return nil
	}
	var left []openPerson
	at := map[int]int{} // of open persons in left
	for person := range s.persons.Entries {
		e := &s.persons.Entries[person]
		if isOpen != nil && isOpen(person) {
			at[person] = len(left)
			left = append(left, openPerson{key: e.Key(), firstRow: e.Row()})
		} else if RowState(e.Marks()).IsKnown() {
			if err := s.addRecord(e.Row(), 0, true, s.records.Of(person)); err != nil {
				return err
			}
		}
	}
	err := all.EachDuplicate(s.number, s.persons, func(number int64, person int) error {
		if i, isOpen := at[person]; isOpen {
			left[i].others = append(left[i].others, number)
			return nil
		}
		e := &s.persons.Entries[person]
		return s.addRecord(number, e.Row(), RowState(e.Marks()).IsKnown(), s.records.Of(person))
	})
	s.open.add(left)
	return err
}

// enterOpen enters the open persons with what the journal knows of them now.
func (x *Index) enterOpen(journal Recorder) error {
	for _, p := range x.open.persons {
		record, err := journal.RecordOf(p.key, x.wanted)
		if err != nil {
			return err
		}
		packed := newSubjectRecords(x.wanted, 1).Of(0)
		known := packed.Pack(x.wanted, &record)
		if known {
			err = x.addRecord(p.firstRow, 0, true, packed)
		}
		for _, number := range p.others {
			err = errors.Join(err, x.addRecord(number, p.firstRow, known, packed))
		}
		if err != nil {
			return err
		}
	}
	x.open.persons = nil
	return nil
}

// Index returns the index that NewIndex returns now, of the same list, scope and journal as the scan. It reads
// again only what the journal knows of open persons: those that the scan asks something about, and those with
// attempts of unknown outcome. So nothing else may have been recorded of the account since, except that
// identities were forgotten. It reads everything when there are many open persons, when identities were forgotten, when
// the journal has other keys now, and when Index was called before. The index has to be closed.
func (s *Scan) Index(ctx context.Context, scope Scope, list List, journal Recorder) (*Index, error) {
	kept := s.kept
	sameKeys := s.keyOf(nil) == journal.KeyOf(nil) // an account that was not recorded before has other keys now
	if kept == nil || !sameKeys || !maps.Equal(scope.Forgotten, s.scope.Forgotten) {
		if err := s.Close(); err != nil {
			return nil, err
		}
		return NewIndex(ctx, scope, list, journal)
	}
	s.kept = nil
	if err := kept.enterOpen(journal); err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return kept, nil
}

// KeepsIndex reports whether there is a scan, and it keeps an index for Index.
func (s *Scan) KeepsIndex() bool { return s != nil && s.kept != nil }

// Close drops what is kept for Index.
func (s *Scan) Close() error {
	kept := s.kept
	if s.kept = nil; kept == nil {
		return nil
	}
	return kept.Close()
}
