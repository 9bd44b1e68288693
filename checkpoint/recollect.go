package checkpoint

import (
	"fmt"
	"sync/atomic"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Recall returns a function that appends to known what is known of attempts, whose
// numbers ascend, in their order; who says whether Outcome.Who is wanted, which takes
// about as long again. Many attempts cost much less than as many calls of Resolution,
// those that lie near each other least of all. When too many lie apart it holds the
// records that it reads in memory, as far as they take no more than so many bytes, 0 for
// no ceiling.
//
// The function may be called from many goroutines. It is for the time of one job: what
// was erased since it was made it may still tell.
func (j *Journal) Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := newRecollection(j, j.books.persisted.NextID-1, memory, who)
	r.mayBeFree = j.books.provisional()
	return r.outcomes
}

// recollection tells what is known of attempts.
type recollection struct {
	journal     *Journal
	resolutions *held
	intents     *held // nil when nobody wants to know who the attempts were about
	mayBeFree   map[attempt.ID]enrich.Fields
}

func newRecollection(j *Journal, last attempt.ID, memory int64, who bool) *recollection {
	room := &atomic.Int64{}
	room.Store(roomIn(memory))
	r := &recollection{journal: j, resolutions: newHeld(j.store, record.ResolutionPrefix, last, room)}
	if who {
		r.intents = newHeld(j.store, record.IntentPrefix, last, room)
	}
	return r
}

func (r *recollection) outcomes(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	before := len(known)
	for _, id := range ids {
		known = append(known, attempt.Outcome{ID: id, MayBeFree: r.mayBeFree[id]})
	}
	if err := r.tell(ids, known[before:]); err != nil {
		return known[:before], err
	}
	return known, nil
}

// tell completes the outcomes of attempts.
func (r *recollection) tell(ids []attempt.ID, outcomes []attempt.Outcome) error {
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
			o.Doubt = r.journal.Doubt(o.ID)
			unended = append(unended, o.ID)
		}
	}
	if r.intents != nil {
		return nil // they have an intent
	}
	return r.mustHaveBegun(unended)
}

// tellEnds tells how attempts ended, of those that have.
func (r *recollection) tellEnds(ids []attempt.ID, outcomes []attempt.Outcome) error {
	var texts record.Texts
	from := &record.Packet{}
	return r.resolutions.each(ids, func(i int, key []byte, value string) error {
		from.ReserveAnswers(min(answersTogether, len(ids)))
		return record.DecodeFrom(from, key, value, &outcomes[i].Ended)
	}, texts.Keep)
}

// answersTogether is for how many answers memory is taken at a time.
const answersTogether = 128

// tellWho tells who attempts were about.
func (r *recollection) tellWho(ids []attempt.ID, outcomes []attempt.Outcome) error {
	var texts record.Texts
	var asked record.About
	from, found := &record.Packet{}, 0
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
func (r *recollection) mustHaveBegun(ids []attempt.ID) error {
	found := 0
	err := eachRecord(r.journal.store, record.IntentPrefix, ids, func(int, []byte, []byte) error {
		found++
		return nil
	})
	return orWithoutIntent(err, found, len(ids))
}

func orWithoutIntent(err error, found, want int) error {
	if err == nil && found < want {
		err = fmt.Errorf("%w: %d of %d attempts have no intent", ErrCorrupt, want-found, want)
	}
	return err
}
