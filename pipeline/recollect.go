package pipeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"payonce/attempt"
	"payonce/enrich"
)

// recollections are what the journal knows of some attempts, by ascending number.
type recollections struct {
	known []attempt.Outcome
	at    int // of the one that was asked for last
}

// of returns what is known of an attempt, nil when nothing is. Attempts are asked for
// nearly in their order, and for each field again.
func (r *recollections) of(id attempt.ID) *attempt.Outcome {
	for at := r.at; at < min(r.at+2, len(r.known)); at++ {
		if r.known[at].ID == id {
			r.at = at
			return &r.known[at]
		}
	}
	at, found := slices.BinarySearchFunc(r.known, id, func(known attempt.Outcome, id attempt.ID) int { return cmp.Compare(known.ID, id) })
	if !found {
		return nil
	}
	r.at = at
	return &r.known[at]
}

func (r *recollections) clear() { r.known, r.at = r.known[:0], 0 }

// remember reads the attempts of the block's persons, all at once: their order in the
// journal is much like that of the list.
func (p *pen) remember() (err error) {
	p.ids = p.ids[:0]
	for i := range p.records {
		record := &p.records[i]
		for f := range p.wanted.Each() {
			p.ids = append(append(p.ids, record.Earlier[f]...), record.Attempts[f])
		}
	}
	slices.Sort(p.ids)
	ids := slices.Compact(p.ids)
	if len(ids) > 0 && ids[0] == 0 {
		ids = ids[1:]
	}
	p.attempts.clear()
	if len(ids) == 0 {
		return nil
	}
	p.attempts.known, err = p.recallAll(ids, p.attempts.known)
	return err
}

// ErrCollision says that two identities share a key in the journal.
var ErrCollision = errors.New("two identities share a key in the journal")

// recognise compares the person of a row, by the canonical form, with those that the
// attempts were about, so that nobody gets somebody else's data when two identities share
// a key.
func (p *pen) recognise(row int64, form []byte, record *attempt.Record) error {
	same := attempt.ID(0)
	for f, id := range record.Attempts {
		if id == 0 || id == same || !p.wanted.Has(enrich.Field(f)) || record.States[f] == attempt.Forgotten {
			continue
		}
		known := p.attempts.of(id)
		if known == nil {
			return fmt.Errorf("attempt %d is missing in the journal", id)
		}
		if known.Who == (enrich.Identity{}) {
			continue // erased
		}
		p.canonical = known.Who.AppendCanonical(p.canonical[:0])
		if !bytes.Equal(form, p.canonical) {
			return fmt.Errorf("%w: %q, and that of row %d", ErrCollision, known.Who, row)
		}
		same = id
	}
	return nil
}
