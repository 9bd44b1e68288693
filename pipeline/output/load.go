package output

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// loadedAttempts are what the journal knows of some attempts.
type loadedAttempts struct {
	ids    []attempt.ID // ascending
	known  []attempt.Outcome
	values []enrich.Values // of the answer of each of known
	at     int             // of the one that was asked for last
}

// of returns what is known of an attempt and its answer, nil when nothing is. Most calls ask for
// the attempt of the call before or for the next one. The others search the numbers, which lie close
// together.
func (l *loadedAttempts) of(id attempt.ID) (*attempt.Outcome, *enrich.Values) {
	for at := l.at; at < min(l.at+2, len(l.ids)); at++ {
		if l.ids[at] == id {
			l.at = at
			return &l.known[at], &l.values[at]
		}
	}
	at, found := slices.BinarySearch(l.ids, id)
	if !found {
		return nil, nil
	}
	l.at = at
	return &l.known[at], &l.values[at]
}

// load reads the attempts of the block's subjects, all at once: their order in the
// journal is much like that of the list. The function each visits the rows of the block.
func (e *evaluator) load(each func(visit func(table.Row) error) error) error {
	if err := e.unpack(each); err != nil {
		return err
	}
	ids := e.attempts.ids[:0]
	for i := range e.records {
		record := &e.records[i]
		for f := range e.Scope.Wanted.Each() {
			ids = append(append(ids, record.Earlier[f]...), record.Attempts[f], record.Kept[f])
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 0 && ids[0] == 0 {
		ids = slices.Delete(ids, 0, 1)
	}
	e.attempts = loadedAttempts{ids: ids, known: e.attempts.known[:0], values: slices.Grow(e.attempts.values[:0], len(ids))}
	for piece := range slices.Chunk(ids, readTogether) {
		if err := e.recall(piece); err != nil {
			return err
		}
	}
	return nil
}

// readTogether is how many attempts are read at a time. Their answers are in memory until they are decoded.
const readTogether = 256

// recall reads further attempts and the values of their answers.
func (e *evaluator) recall(ids []attempt.ID) (err error) {
	l := &e.attempts
	before := len(l.known)
	if l.known, err = e.recallAll(ids, l.known); err != nil {
		return err
	}
	keeps := keepsAnswers(l.known[before:])
	for i := range l.known[before:] {
		known := &l.known[before+i]
		l.values = l.values[:before+i+1] // with the memory of an earlier block
		values, answered := &l.values[before+i], known.Ended.Answer()
		if !keeps {
			e.dropAnswer(&known.Ended)
			answered.Status, answered.RequestID = known.Ended.Status, known.Ended.RequestID
		}
		if !known.Ended.Answered() {
			*values = enrich.Values{Details: values.Details[:0]}
		} else if err := e.decode(answered, values); err != nil {
			return fmt.Errorf("attempt %d: %w", known.ID, err)
		}
	}
	return nil
}

// smallAnswer is the length of answers, in bytes, that may stay in memory.
const smallAnswer = 512

// keepsAnswers reports whether the answers of attempts that were read together are small enough to stay in memory. They
// share it: whatever keeps a text of one of the attempts keeps all of their answers.
func keepsAnswers(known []attempt.Outcome) bool {
	size := 0
	for i := range known {
		size += len(known[i].Ended.Data)
	}
	return size <= len(known)*smallAnswer
}

// dropAnswer leaves the answer out of the end of an attempt, with the memory that other answers share.
func (e *evaluator) dropAnswer(ended *attempt.Resolution) {
	ended.Data = ""
	if ended.Run != e.run {
		e.run = strings.Clone(ended.Run) // most attempts are of one run
	}
	ended.Run, ended.Status = e.run, enrich.Status(strings.Clone(string(ended.Status)))
	ended.RequestID, ended.Reason = strings.Clone(ended.RequestID), strings.Clone(ended.Reason)
}

// unpack gathers what the journal knows of the block's subjects. It asks the journal for records
// that were too large for the index.
func (e *evaluator) unpack(each func(visit func(table.Row) error) error) error {
	e.records = e.records[:0]
	incomplete := false
	for i := range e.facts {
		facts := &e.facts[i]
		switch {
		case facts.Record == nil:
		case !facts.Record.IsComplete():
			incomplete = true
			e.records = append(e.records, attempt.Record{})
		default:
			e.records = append(e.records, facts.Record.Unpack(e.Scope.Wanted))
		}
	}
	if !incomplete {
		return nil
	}
	at, known := 0, e.records
	return each(func(line table.Row) (err error) {
		facts := &e.facts[at]
		at++
		if facts.Record == nil {
			return nil
		}
		if !facts.Record.IsComplete() {
			if known[0], err = e.recordOf(line); err != nil {
				return err
			}
		}
		known = known[1:]
		return err
	})
}

// recordOf returns what the journal knows of the subject of a row.
func (e *evaluator) recordOf(line table.Row) (attempt.Record, error) {
	reader := e.RowReader
	if e.Scope.Known != nil {
		reader = e.Scope.Reader(e.Answers.KeyOf)
	}
	reader.At(line)
	key, _, _ := reader.Key()
	if err := reader.Err(); err != nil {
		return attempt.Record{}, err
	}
	return e.Answers.RecordOf(key, e.Scope.Wanted)
}

// recognise compares the subject of a row with those that the attempts were about, so that
// no row gets the data of another subject when two identities share a key.
func (e *evaluator) recognise(row table.Row, record *attempt.Record) error {
	form, pattern, _ := e.Canonical()
	e.judge.asked = pattern
	same := attempt.ID(0)
	for f, id := range record.Attempts {
		if id == 0 || id == same || !e.Scope.Wanted.Has(enrich.Field(f)) {
			continue
		}
		known, _ := e.attempts.of(id)
		if known == nil {
			return fmt.Errorf("attempt %d is missing in the journal", id)
		}
		if known.Who == (enrich.Identity{}) {
			continue // erased
		}
		e.other = known.Who.AppendCanonical(e.other[:0])
		isOther := !bytes.Equal(form, e.other)
		if isOther && e.Scope.Known != nil {
			isAlias, err := e.Scope.Known.IsAlias(e.Answers.KeyOf(form), e.Answers.KeyOf(e.other))
			if err != nil {
				return err
			}
			isOther = !isAlias
		}
		if isOther {
			return fmt.Errorf("%w: %q, and that of row %d", attempt.ErrCollision, known.Who, row.Number())
		}
		same = id
	}
	return nil
}
