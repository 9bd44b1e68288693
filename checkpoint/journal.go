// Package checkpoint is the journal: the durable record of every paid call, on
// which every decision to spend is made. It alone uses Badger.
//
// What it guarantees, whatever ends the process and whenever:
//
//   - Begin is one atomic decision. Its ticket is handed out only when the intent
//     is durable, so a POST without a durable intent cannot exist.
//   - A resolution is visible to decisions and readers only when it is durable.
//     Commits are in the order of the decisions, so nothing durable ever rests on
//     something that is not.
//   - An attempt that has an intent and no resolution when the journal is opened
//     is in doubt: it keeps its hold, and its fields are not sent again.
//   - After a failed commit the journal refuses everything; reopening decides.
package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dchest/siphash"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Errors of the journal.
var (
	// ErrCorrupt is wrapped by errors about records that cannot be trusted.
	ErrCorrupt = errors.New("the journal is damaged")
	// ErrFailed is wrapped by every error after a commit failed.
	ErrFailed = errors.New("the journal stopped because it could not write; nothing more is sent")
	// ErrNotWritable says that the journal's directory cannot be written.
	ErrNotWritable = errors.New("the journal cannot be written")
	// ErrCollision says that two identities share a key.
	ErrCollision = errors.New("two identities share a key in the journal")
)

// Journal is the record of the paid calls of one workspace. Its methods may be
// called from many goroutines.
type Journal struct {
	store  Store
	unlock func() error // releases the lock of the directory
	now    func() time.Time
	id     string
	secret []byte // 16 bytes, that keys are hashed with

	mu      sync.Mutex
	books   *books
	queue   []operation
	failure error // why nothing can be written any more

	wake     chan struct{} // has room for one: the queue is not empty
	stopping chan struct{}
	stopped  chan struct{}
}

// Key returns the journal's key of an identity.
func (j *Journal) Key(id enrich.Identity) enrich.Key {
	return hashKey(j.secret, id)
}

func hashKey(secret []byte, id enrich.Identity) (key enrich.Key) {
	hash := siphash.New128(secret)
	hash.Write([]byte(id.Canonical())) // never fails
	copy(key[:], hash.Sum(nil))
	return key
}

// Begin decides whether a lookup may be sent, and if so holds its money and its
// slot of the window and writes its intent. The decision is made at once and in
// the order of the calls; only the ticket of a Granted waits for the disk.
func (j *Journal) Begin(req attempt.Request) (attempt.Decision, error) {
	if _, err := req.Prices.Total(req.Lookup.Fields); err != nil {
		return nil, err
	}
	key := j.Key(req.Lookup.Identity)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure != nil {
		return nil, j.failure
	}
	if store, ok := j.store.(roomy); ok {
		if err := store.Room(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFailed, err)
		}
	}
	record, err := j.record(key, req.Lookup.Identity)
	if err != nil {
		return nil, err
	}
	if decision := j.decided(record, req); decision != nil {
		return decision, nil
	}
	now := j.now()
	hold, decision := j.books.decide(req, now)
	if decision != nil {
		return decision, nil
	}
	in := intent{
		At: now, Key: key, Identity: req.Lookup.Identity, Hold: hold, Run: req.Run, Scopes: scopesOf(req),
		Earlier: earlier(record, req.Lookup.Fields),
	}
	id := j.books.begin(in)
	durable := j.enqueue(in.Scopes, nil,
		Write{idKey(intentPrefix, id), encode(in)},
		Write{idKey(openPrefix, id), encode(struct{}{})})
	return attempt.Granted{Ticket: func() (attempt.Ticket, error) {
		return attempt.Ticket{ID: id, Lookup: req.Lookup, Hold: hold}, <-durable
	}}, nil
}

// earlier returns the forfeited attempts of the fields, which go on to count for
// the person when a field is bought again.
func earlier(record attempt.Record, fields enrich.Fields) map[enrich.Field][]attempt.ID {
	forfeited := map[enrich.Field][]attempt.ID{}
	for f := range fields.Each() {
		ids := slices.Clone(record.Earlier[f])
		if record.States[f] == attempt.PaidAndGone {
			ids = append(ids, record.Attempts[f])
		}
		if len(ids) > 0 {
			forfeited[f] = ids
		}
	}
	return forfeited
}

// decided returns a decision when what is known of the fields makes it, else nil.
func (j *Journal) decided(record attempt.Record, req attempt.Request) attempt.Decision {
	var known, open enrich.Fields
	for f := range req.Lookup.Fields.Each() {
		switch {
		case record.States[f] == attempt.OutcomeUnknown:
			if j.books.open[record.Attempts[f]].state == attempt.Intended {
				return attempt.Blocked{}
			}
			open = open.With(f)
		case !record.Askable(f, req.Reask):
			known = known.With(f)
		}
	}
	switch {
	case open != 0:
		return attempt.Unsettled{Fields: open}
	case known != 0:
		return attempt.Known{Fields: known}
	}
	return nil
}

// scopesOf returns the scopes that an attempt counts in, each once.
func scopesOf(req attempt.Request) []string {
	scopes := []string{ScopeAll, ScopeAccount, RunScope(req.Run)}
	for _, ceiling := range req.Ceilings {
		if !slices.Contains(scopes, ceiling.Scope) {
			scopes = append(scopes, ceiling.Scope)
		}
	}
	return scopes
}

// Record returns what is known of an identity, field by field.
func (j *Journal) Record(id enrich.Identity) (attempt.Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.record(j.Key(id), id)
}

func (j *Journal) record(key enrich.Key, id enrich.Identity) (attempt.Record, error) {
	var record attempt.Record
	for f := range enrich.Field(enrich.NumFields) {
		if open, found := j.books.byField[openField{key, f}]; found {
			if err := j.books.open[open].sameIdentity(id); err != nil {
				return record, err
			}
			record.States[f], record.Attempts[f] = attempt.OutcomeUnknown, open
			record.At[f], record.Earlier[f] = j.books.open[open].At, j.books.open[open].Earlier[f]
			continue
		}
		entry, found, err := load[fieldEntry](j.store, fieldKey(key, f))
		if err != nil {
			return record, err
		}
		if !found {
			continue
		}
		if entry.State != attempt.Forgotten { // then there is nothing left to compare with
			if err := j.checkIdentity(entry.Attempt, id); err != nil {
				return record, err
			}
		}
		record.States[f], record.Attempts[f], record.At[f] = entry.State, entry.Attempt, entry.At
		record.Earlier[f] = entry.Earlier
	}
	return record, nil
}

// checkIdentity compares the identity of a recorded attempt with the one asked
// for, so that a collision of keys never hands out someone else's data.
func (j *Journal) checkIdentity(id attempt.ID, asked enrich.Identity) error {
	in, found, err := load[intent](j.store, idKey(intentPrefix, id))
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: attempt %d has no intent", ErrCorrupt, id)
	}
	return in.sameIdentity(asked)
}

func (in intent) sameIdentity(asked enrich.Identity) error {
	if !in.Erased && in.Identity != asked && in.Identity.Canonical() != asked.Canonical() {
		return fmt.Errorf("%w: %q and %q", ErrCollision, in.Identity, asked)
	}
	return nil
}

// Resolution returns how an attempt ended, and false while it has not.
func (j *Journal) Resolution(id attempt.ID) (attempt.Resolution, bool, error) {
	return load[attempt.Resolution](j.store, idKey(resolutionPrefix, id))
}

// Totals returns the sums of a scope.
func (j *Journal) Totals(scope string) cost.Totals {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.books.totals[scope]
}

// Forgo says how many units of the free allowance somebody else has used since the
// base at least; they are not counted on any more.
func (j *Journal) Forgo(units [enrich.NumFields]int64) error {
	j.mu.Lock()
	for f, n := range units {
		j.books.persisted.Forgone[f] = max(j.books.persisted.Forgone[f], n)
	}
	durable := j.enqueue(nil, nil)
	j.mu.Unlock()
	return <-durable
}
