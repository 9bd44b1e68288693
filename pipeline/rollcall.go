package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// rollCall makes a roster. While it does, and afterwards as the roster's source, it holds
// a byte for each row, and in a temporary file, unless it is little, what is to be said of
// duplicates and of the persons that the journal knows.
type rollCall struct {
	notes []note
	// logs has for each span the rows that there is more to say of than a note, each with
	// the row that leads it, or 0, and the packed record.
	logs *spill
	each int64 // rows of a span
}

// CallRoll reads the whole list and finds out who its rows are about and what the journal
// knows of them. The roster has to be closed.
func (s Scope) CallRoll(ctx context.Context, list List, journal Recorder) (_ *Roster, err error) {
	census := newCensus(s)
	census.again = s.log(numShards, 2)
	defer func() { err = errors.Join(err, census.close()) }()
	c := &rollCall{}
	roster := &Roster{source: c}
	if err := c.read(ctx, s, list, journal, census, roster); err != nil {
		return nil, err
	}
	roster.rows = int64(len(c.notes))
	c.each = spanRows(roster.rows)
	c.logs = s.log(numRosterSpans, 3)
	err = census.eachShard(func(number int, persons *distinct) error { return c.enter(number, persons, census, journal) })
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return roster, nil
}

// log returns empty logs that stay in memory where no temporary file can be made, as far as
// the scope allows: a roll is called when lookups are paid already.
func (s Scope) log(logs, words int) *spill {
	spilled := newSpill(s.TempDir, logs, words)
	spilled.spare.Store(cmp.Or(s.Memory, math.MaxInt64))
	return spilled
}

// blockNotes are the notes of a block, with the reasons of the rows that name nobody.
type blockNotes struct {
	notes   []note
	reasons []enrich.Unidentifiable
}

// read notes what each row misses, and enters the persons.
func (c *rollCall) read(ctx context.Context, s Scope, list List, journal Recorder, census *census, roster *Roster) error {
	return eachSurveyed(ctx, s, list, journal, func(v *surveyor, block table.Block) (blockNotes, error) {
		return v.note(block, census)
	}, func(b blockNotes) {
		for i, n := range b.notes {
			if n.namesNobody() {
				b.notes[i] |= note(roster.numberOf(b.reasons[0]))
				b.reasons = b.reasons[1:]
			}
		}
		c.notes = append(c.notes, b.notes...)
	})
}

// note notes what each row of a block misses, and enters the persons.
func (v *surveyor) note(block table.Block, census *census) (blockNotes, error) {
	b := blockNotes{notes: make([]note, 0, block.Len())}
	err := block.Each(func(row table.Row) error {
		missing := v.missing(row)
		if missing == 0 {
			b.notes = append(b.notes, 0)
			return nil
		}
		key, _, reason := v.key(row)
		if reason != "" {
			b.notes, b.reasons = append(b.notes, noteNobody), append(b.reasons, reason)
			return nil
		}
		b.notes = append(b.notes, note(missing))
		v.batch.add(newEntry(key, row.Number(), 0))
		return nil
	})
	return b, errors.Join(err, census.add(&v.batch))
}

// numberOf returns the number by which notes refer to a reason.
func (r *Roster) numberOf(reason enrich.Unidentifiable) int {
	number := slices.Index(r.reasons, reason)
	if number < 0 {
		number = len(r.reasons)
		r.reasons = append(r.reasons, reason)
	}
	return number
}

// enter notes what there is to say of the rows of a shard's persons.
func (c *rollCall) enter(number int, persons *distinct, census *census, journal Recorder) error {
	records := make([]packedRecord, len(persons.entries))
	err := recall(persons, number, journal, func(person int, record *attempt.Record) {
		if record.States != [enrich.NumFields]attempt.FieldState{} {
			records[person] = packRecord(record)
		}
	})
	if err != nil {
		return err
	}
	for person, packed := range records {
		if packed != 0 {
			err = errors.Join(err, c.say(persons.entries[person].row(), 0, packed))
		}
	}
	return errors.Join(err, census.eachDuplicate(number, persons, func(row int64, person int) error {
		return c.say(row, persons.entries[person].row(), records[person])
	}))
}

// say puts on record what is to be said of a row.
func (c *rollCall) say(row, lead int64, packed packedRecord) error {
	n := &c.notes[row-1]
	if lead != 0 {
		*n |= noteDuplicate
	}
	if packed != 0 {
		*n |= noteKnown
	}
	return c.logs.add(int((row-1)/c.each), uint64(row), uint64(lead), uint64(packed))
}

func (c *rollCall) span(number int) (*rosterSpan, error) {
	first := int64(number) * c.each
	notes := c.notes[first:min(first+c.each, int64(len(c.notes)))]
	s := &rosterSpan{number: number, notes: notes, leads: make([]int64, len(notes)), records: make([]packedRecord, len(notes))}
	err := c.logs.each(number, func(record []uint64) {
		at := int64(record[0]) - 1 - first
		s.leads[at], s.records[at] = int64(record[1]), packedRecord(record[2])
	})
	return s, err
}

func (c *rollCall) close() error { return c.logs.close() }
