package output

import (
	"bytes"
	"fmt"
	"slices"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// recollections are what the journal knows of some attempts.
type recollections struct {
	ids   []attempt.ID // ascending
	known []attempt.Outcome
	said  []enrich.Values // by the service, to each of known
	at    int             // of the one that was asked for last
}

// of returns what is known of an attempt and its answer, nil when nothing is. Most calls ask for
// the attempt of the call before or for the next one. The others search the numbers, which lie close
// together.
func (r *recollections) of(id attempt.ID) (*attempt.Outcome, *enrich.Values) {
	for at := r.at; at < min(r.at+2, len(r.ids)); at++ {
		if r.ids[at] == id {
			r.at = at
			return &r.known[at], &r.said[at]
		}
	}
	at, found := slices.BinarySearch(r.ids, id)
	if !found {
		return nil, nil
	}
	r.at = at
	return &r.known[at], &r.said[at]
}

// remember reads the attempts of the block's persons, all at once: their order in the
// journal is much like that of the list.
func (p *formatter) remember(block table.Block) error {
	if err := p.unpack(block); err != nil {
		return err
	}
	ids := p.attempts.ids[:0]
	for i := range p.records {
		record := &p.records[i]
		for f := range p.Scope.Wanted.Each() {
			ids = append(append(ids, record.Earlier[f]...), record.Attempts[f])
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 0 && ids[0] == 0 {
		ids = slices.Delete(ids, 0, 1)
	}
	known, err := p.recallAll(ids, p.attempts.known[:0])
	p.attempts = recollections{ids: ids, known: known, said: slices.Grow(p.attempts.said[:0], len(known))[:len(known)]}
	if err != nil {
		return err
	}
	for i := range known {
		said := &p.attempts.said[i]
		if !known[i].Ended.Answered() {
			*said = enrich.Values{Details: said.Details[:0]}
		} else if err := p.Decoder.Values(known[i].Ended.Answer(), said); err != nil {
			return fmt.Errorf("attempt %d: %w", known[i].ID, err)
		}
	}
	return nil
}

// unpack gathers what the journal knows of the block's persons. It asks the journal for records
// that were too large for the index.
func (p *formatter) unpack(block table.Block) error {
	p.records = p.records[:0]
	incomplete := false
	for i := range p.facts {
		facts := &p.facts[i]
		switch {
		case facts.Record == nil:
		case !facts.Record.IsComplete():
			incomplete = true
			p.records = append(p.records, attempt.Record{})
		default:
			p.records = append(p.records, facts.Record.Unpack(p.Scope.Wanted))
		}
	}
	if !incomplete {
		return nil
	}
	at, known := 0, p.records
	return block.Each(func(line table.Row) (err error) {
		facts := &p.facts[at]
		at++
		if facts.Record == nil {
			return nil
		}
		if !facts.Record.IsComplete() {
			key, _, _ := p.Key(line)
			known[0], err = p.answers.RecordOf(key)
		}
		known = known[1:]
		return err
	})
}

// recognise compares the person of a row with those that the attempts were about, so that
// nobody gets somebody else's data when two identities share a key.
func (p *formatter) recognise(row table.Row, record *attempt.Record) error {
	form, _, _ := p.Canonical(row)
	same := attempt.ID(0)
	for f, id := range record.Attempts {
		if id == 0 || id == same || !p.Scope.Wanted.Has(enrich.Field(f)) {
			continue
		}
		known, _ := p.attempts.of(id)
		if known == nil {
			return fmt.Errorf("attempt %d is missing in the journal", id)
		}
		if known.Who == (enrich.Identity{}) {
			continue // erased
		}
		p.other = known.Who.AppendCanonical(p.other[:0])
		if !bytes.Equal(form, p.other) {
			return fmt.Errorf("%w: %q, and that of row %d", attempt.ErrCollision, known.Who, row.Number())
		}
		same = id
	}
	return nil
}
