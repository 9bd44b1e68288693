package pipeline

import (
	"context"
	"errors"
	"sync"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// Recorder tells what is known of people. It may be called from many goroutines.
type Recorder interface {
	// KeyOf returns a short stand-in for an identity, by its canonical form; equal
	// persons have equal keys.
	KeyOf(canonical []byte) enrich.Key
	// People returns of how many persons something is known at most; zero only when
	// nothing is known of anybody.
	People() int64
	// Records hands the keys that begin with a byte, of all persons something is known
	// of, to visit, with a function that returns what is known. A key may come twice.
	Records(first byte, visit func(key enrich.Key, record func() (attempt.Record, error)) error) error
	// RecordOf returns what durable attempts say about the person with a key.
	RecordOf(key enrich.Key) (attempt.Record, error)
}

// List opens the same rows as often as it is asked to.
type List interface {
	// Open opens the list for one pass, in which the cells of these columns are read.
	Open(columns []int) (table.Reader, error)
}

// Scope says which rows ask for what.
type Scope struct {
	Mapping Mapping
	Wanted  enrich.Fields
	Prefer  enrich.Pattern
	Reask   attempt.Reask
	// Limit keeps the lookups to the first so many persons of the list that miss
	// something, answered or not, so that running again asks no more; zero for all.
	Limit int64
	// Priority is the order of the lookups, nil for the list's. The limit keeps the
	// first ones in that order. The output is in the list's order in any case.
	Priority *Priority
	// Memory is how many bytes the entries of the persons may take before they go on in
	// a temporary file; zero for no ceiling. A 256th part of the persons has to fit once
	// for each core.
	Memory int64
	// TempDir is the directory of temporary files, the system's when it is "".
	TempDir string
}

// Survey is what one pass over the list found. It takes a byte for each row; what
// Take needs for the persons meanwhile is gone when it returns.
type Survey struct {
	Rows           int64
	Filled         int64 // rows in which nothing wanted is missing
	Duplicates     int64 // rows of an identity that an earlier row leads
	Unidentifiable map[enrich.Unidentifiable]int64

	rows    []rowMark // what is to be done at each row
	settled Counts    // the persons that nothing is asked for
	keyOf   func(canonical []byte) enrich.Key
}

// blockCounts is what a goroutine counted in a block.
type blockCounts struct {
	rows, filled, identified int64
	unidentifiable           map[enrich.Unidentifiable]int64
}

// surveyor is what a goroutine needs to survey blocks.
type surveyor struct {
	*looker
	batch batch
}

// Take reads the whole list: every error of the list shows here, before anything
// is spent.
func (s Scope) Take(ctx context.Context, list List, journal Recorder) (survey *Survey, err error) {
	census := newCensus(s)
	defer func() { err = errors.Join(err, census.close()) }()
	var identified int64
	survey = &Survey{Unidentifiable: map[enrich.Unidentifiable]int64{}, keyOf: journal.KeyOf}
	err = eachSurveyed(ctx, s, list, journal, func(v *surveyor, block table.Block) (blockCounts, error) {
		return v.survey(block, census)
	}, func(counts blockCounts) {
		identified += counts.identified
		survey.Rows += counts.rows
		survey.Filled += counts.filled
		for reason, n := range counts.unidentifiable {
			survey.Unidentifiable[reason] += n
		}
	})
	if err != nil {
		return nil, err
	}
	if err := survey.mark(s, census, journal); err != nil {
		return nil, err
	}
	survey.Duplicates = identified - survey.leads()
	if s.Limit > 0 {
		err = s.limit(ctx, list, survey)
	}
	return survey, err
}

// survey counts the rows of a block and enters their persons.
func (v *surveyor) survey(block table.Block, census *census) (blockCounts, error) {
	counts := blockCounts{rows: int64(block.Len())}
	err := block.Each(func(row table.Row) error {
		missing := v.missing(row)
		if missing == 0 {
			counts.filled++
			return nil
		}
		key, pattern, reason := v.key(row)
		if reason != "" {
			if counts.unidentifiable == nil {
				counts.unidentifiable = map[enrich.Unidentifiable]int64{}
			}
			counts.unidentifiable[reason]++
			return nil
		}
		counts.identified++
		v.batch.add(newEntry(key, row.Number(), person{wants: missing, pattern: pattern}.marks()))
		return nil
	})
	return counts, errors.Join(err, census.add(&v.batch))
}

// mark finds out what is known of everybody and marks the rows that lead.
func (v *Survey) mark(scope Scope, census *census, journal Recorder) error {
	v.rows = make([]rowMark, v.Rows)
	var counting sync.Mutex
	return census.eachShard(func(number int, persons *distinct) error {
		err := recall(persons, number, journal, func(person int, record *attempt.Record) {
			e := &persons.entries[person]
			p := personOf(e.marks())
			p.recall(*record, scope.Reask)
			e.lead |= p.marks()
		})
		if err != nil {
			return err
		}
		settled := v.markEach(persons.entries, number)
		counting.Lock()
		defer counting.Unlock()
		v.settled = v.settled.plusSettled(settled)
		return nil
	})
}

// markEach marks the rows that lead the persons of a shard, and counts those persons of
// whom nothing is asked. The entries are nearly in the list's order; each shard begins at
// another place, so that several at a time do not write to the same lines of the cache.
func (v *Survey) markEach(entries []entry, number int) (settled Counts) {
	begin := len(entries) * (number % 16) / 16
	for _, part := range [...][]entry{entries[begin:], entries[:begin]} {
		for i := range part {
			e := &part[i]
			mark := newRowMark(e)
			v.rows[e.row()-1] = mark
			if mark.ask() == 0 {
				settled.addSettled(personOf(e.marks()))
			}
		}
	}
	return settled
}

// recall hands what the journal knows of the persons of a shard to remember, with the place
// of the person among the entries. It goes through what the journal knows where that is
// less than the persons.
func recall(persons *distinct, number int, journal Recorder, remember func(person int, record *attempt.Record)) error {
	known := journal.People()
	if known == 0 || len(persons.entries) == 0 {
		return nil
	}
	if known/numShards >= int64(len(persons.entries)) {
		for person := range persons.entries {
			record, err := journal.RecordOf(persons.entries[person].key())
			if err != nil {
				return err
			}
			remember(person, &record)
		}
		return nil
	}
	return journal.Records(byte(number), func(key enrich.Key, recordOf func() (attempt.Record, error)) error {
		person, found := persons.find(key)
		if !found {
			return nil
		}
		record, err := recordOf()
		if err == nil {
			remember(person, &record)
		}
		return err
	})
}

// leads returns how many rows lead a person.
func (v *Survey) leads() int64 {
	var leads int64
	for _, mark := range v.rows {
		if mark.leads() {
			leads++
		}
	}
	return leads
}

// ErrListChanged says that the list is no longer what the survey saw.
var ErrListChanged = errors.New("the list changed while it was being worked on; run the same command again")
