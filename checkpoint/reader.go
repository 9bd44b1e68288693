// This file reads what the journal knows of many attempts at a time.

package checkpoint

import (
	"fmt"
	"slices"
	"sync/atomic"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/numbered"
)

// OutcomeOptions say what a Reader tells.
type OutcomeOptions struct {
	Last   attempt.ID // the last attempt so far
	Memory int64      // how many bytes a Reader may take; 0 means no limit
	Who    bool       // whether Outcome.Who is wanted, which takes about as long again
	// Doubt returns why an attempt is in doubt.
	Doubt func(attempt.ID) string
	// MayBeFree has the provisional charges.
	MayBeFree map[attempt.ID]enrich.Fields
}

// outcomeReader reads what is known of attempts. Many goroutines may use it at the same time.
type outcomeReader struct {
	OutcomeOptions
	store       record.Store
	resolutions *cache
	intents     *cache // nil when nobody wants to know who the attempts were about
}

// newOutcomeReader returns a reader of the outcomes in a store.
func newOutcomeReader(s record.Store, options OutcomeOptions) *outcomeReader {
	room := &atomic.Int64{}
	room.Store(roomIn(options.Memory))
	r := &outcomeReader{OutcomeOptions: options, store: s, resolutions: newCache(s, record.ResolutionPrefix, options.Last, room)}
	if options.Who {
		r.intents = newCache(s, record.IntentPrefix, options.Last, room)
	}
	return r
}

// Read appends to known what is known of attempts, whose numbers ascend, in their order.
func (r *outcomeReader) Read(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	before := len(known)
	known = slices.Grow(known, len(ids))
	for _, id := range ids {
		known = append(known, attempt.Outcome{ID: id, MayBeFree: r.MayBeFree[id]})
	}
	if err := r.tell(ids, known[before:]); err != nil {
		return known[:before], err
	}
	return known, nil
}

// tell completes the outcomes of attempts.
func (r *outcomeReader) tell(ids []attempt.ID, outcomes []attempt.Outcome) error {
	if err := r.tellEnds(ids, outcomes); err != nil {
		return err
	}
	if r.intents != nil {
		if err := r.tellWho(ids, outcomes); err != nil {
			return err
		}
	}
	var unended []attempt.ID
	for i := range outcomes {
		if o := &outcomes[i]; o.Ended.State == 0 {
			o.Doubt = r.Doubt(o.ID)
			unended = append(unended, o.ID)
		}
	}
	if r.intents != nil {
		return nil // they have an intent
	}
	return r.mustHaveBegun(unended)
}

// tellEnds tells how attempts ended, of those that have.
func (r *outcomeReader) tellEnds(ids []attempt.ID, outcomes []attempt.Outcome) error {
	var texts record.Texts
	from := &numbered.Members{}
	return r.resolutions.each(ids, func(i int, key []byte, value string) error {
		return record.DecodeFrom(from, key, value, &outcomes[i].Ended)
	}, texts.Keep)
}

// tellWho tells who attempts were about.
func (r *outcomeReader) tellWho(ids []attempt.ID, outcomes []attempt.Outcome) error {
	var texts record.Texts
	var asked record.About
	from, found := &numbered.Members{}, 0
	err := r.intents.each(ids, func(i int, key []byte, value string) error {
		asked = record.About{}
		if err := record.DecodeFrom(from, key, value, &asked); err != nil {
			return err
		}
		outcomes[i].Who = asked.Identity
		found++
		return nil
	}, texts.Keep)
	return orWithoutIntent(err, found, len(ids))
}

// mustHaveBegun verifies that there are attempts, of which there is no resolution.
func (r *outcomeReader) mustHaveBegun(ids []attempt.ID) error {
	found := 0
	err := eachRecord(r.store, record.IntentPrefix, ids, func(int, []byte, []byte) error {
		found++
		return nil
	})
	return orWithoutIntent(err, found, len(ids))
}

func orWithoutIntent(err error, found, want int) error {
	if err == nil && found < want {
		err = fmt.Errorf("%w: %d of %d attempts have no intent", record.ErrCorrupt, want-found, want)
	}
	return err
}
