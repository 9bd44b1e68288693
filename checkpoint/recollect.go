package checkpoint

import (
	"fmt"
	"sync"
	"sync/atomic"

	"payonce/attempt"
	"payonce/enrich"
)

// Recall returns a function that appends to known what is known of attempts, whose
// numbers ascend, in their order. Many attempts cost much less than as many calls of
// Resolution, those that lie near each other least of all. When too many lie apart it
// goes once through all attempts and holds their records in memory, if they take no more
// than so many bytes, 0 for no ceiling.
//
// The function may be called from many goroutines. It is for the time of one job: what
// was erased since it was made it may still tell.
func (j *Journal) Recall(memory int64, _ bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &recollection{journal: j, attempts: j.books.persisted.NextID - 1, memory: memory}
	return r.outcomes
}

// recollection tells what is known of attempts.
type recollection struct {
	journal  *Journal
	attempts attempt.ID // the last
	memory   int64
	sought   atomic.Int64 // how many attempts lay apart from those before
	held     atomic.Pointer[held]
	holding  sync.Mutex // held by who makes held, and for ever when there will be none
}

func (r *recollection) outcomes(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	if err := r.hold(ids); err != nil {
		return known, err
	}
	intents, err := r.gather(intentPrefix, ids)
	if err != nil {
		return known, err
	}
	if intents.found < len(ids) {
		return known, fmt.Errorf("%w: %d of %d attempts have no intent", ErrCorrupt, len(ids)-intents.found, len(ids))
	}
	resolutions, err := r.gather(resolutionPrefix, ids)
	if err != nil {
		return known, err
	}
	resolutions.answers = make([]enrich.Answer, 0, resolutions.found)
	for i, id := range ids {
		outcome := attempt.Outcome{ID: id}
		var asked about
		if err := decodeGathered(intents, i, id, &asked); err != nil {
			return known, err
		}
		if !asked.Erased {
			outcome.Who = asked.Identity
		}
		if err := decodeGathered(resolutions, i, id, &outcome.Ended); err != nil {
			return known, err
		}
		if outcome.Ended.State == 0 {
			outcome.Doubt = r.journal.Doubt(id)
		}
		known = append(known, outcome)
	}
	return known, nil
}

// worthHolding is how many attempts are read in a row in the time of one that is sought.
const worthHolding = 16

// hold counts how many of the attempts lie apart, and begins to hold all in memory when
// it was so many that to read all would have cost as much. Who comes while somebody else
// does that does not wait.
func (r *recollection) hold(ids []attempt.ID) error {
	if r.held.Load() != nil {
		return nil
	}
	apart := int64(0)
	for i, id := range ids {
		if i == 0 || id-ids[i-1] > nearby {
			apart++
		}
	}
	if r.sought.Add(apart)*worthHolding <= int64(r.attempts) || !r.holding.TryLock() {
		return nil
	}
	made, err := holdAll(r.journal.store, r.attempts, r.memory)
	if err != nil || made == nil {
		return err
	}
	r.held.Store(made)
	return nil
}

// gathered are the values of the records of one kind of some attempts. They stand one
// after the other, also as a text of which the texts of all records become parts: so
// that to read a record takes no memory of its own.
type gathered struct {
	packet
	prefix byte
	values []byte
	text   string
	places []place // of the values, by the place of the attempt
	found  int
}

// place is where a value stands, the zero place of a record that is not there.
type place struct {
	start, end int
	found      bool
}

// gather reads the records of one kind of attempts, whose numbers ascend.
func (r *recollection) gather(prefix byte, ids []attempt.ID) (g *gathered, err error) {
	const room = 256 // for most records
	g = &gathered{prefix: prefix, values: make([]byte, 0, room*len(ids)), places: make([]place, len(ids))}
	if held := r.held.Load(); held == nil {
		err = eachRecord(r.journal.store, prefix, ids, g.add)
	} else {
		err = g.addHeld(r.journal.store, held, ids)
	}
	g.text = string(g.values)
	return g, err
}

func (g *gathered) add(i int, value []byte) error {
	start := len(g.values)
	g.values = append(g.values, value...)
	g.places[i] = place{start, len(g.values), true}
	g.found++
	return nil
}

// addHeld adds the records that are held, and the others from the store.
func (g *gathered) addHeld(store Store, held *held, ids []attempt.ID) error {
	var others []attempt.ID
	var at []int // of the others among ids
	for i, id := range ids {
		if value := held.value(g.prefix, id); value != nil {
			_ = g.add(i, value) // never fails
			continue
		}
		others, at = append(others, id), append(at, i)
	}
	return eachRecord(store, g.prefix, others, func(i int, value []byte) error { return g.add(at[i], value) })
}

// decodeGathered reads the record of the attempt at a place, when it is there.
func decodeGathered[T any](g *gathered, i int, id attempt.ID, into *T) error {
	at := g.places[i]
	if !at.found {
		return nil
	}
	return decodeFrom(&g.packet, idKey(g.prefix, id), g.values[at.start:at.end], g.text[at.start:at.end], into)
}
