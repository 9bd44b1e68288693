package checkpoint

import (
	"fmt"

	"payonce/attempt"
	"payonce/enrich"
)

// Record returns what is known of an identity, field by field.
func (j *Journal) Record(id enrich.Identity) (attempt.Record, error) {
	record, err := j.lockKnowing(j.Key(id), &id, enrich.AllFields)
	j.mu.Unlock()
	return record, err
}

// lockKnowing locks the journal for a decision and returns what is known at that
// moment of some fields of an identity. The lock is held also after an error.
//
// The store is read without the lock, which many decisions wait for. What became
// durable in between is read again: an attempt leaves the open ones, under the lock,
// only when the store has its resolution.
func (j *Journal) lockKnowing(key enrich.Key, id *enrich.Identity, fields enrich.Fields) (attempt.Record, error) {
	for {
		before := j.books.departures(key).Load()
		record, err := j.recorded(key, id, fields)
		j.lock()
		switch {
		case j.books.departures(key).Load() != before:
			j.mu.Unlock()
			continue
		case err == nil:
			err = j.addOpen(&record, key, id, fields)
		}
		return record, err
	}
}

// recorded returns what the store knows of some fields of an identity, which is compared
// when it is given.
func (j *Journal) recorded(key enrich.Key, id *enrich.Identity, fields enrich.Fields) (record attempt.Record, err error) {
	var compared attempt.ID // the last attempt whose identity was compared
	for f := range fields.Each() {
		entry, found, err := load[fieldEntry](j.store, fieldKey(key, f))
		if err != nil {
			return record, err
		}
		if !found {
			continue
		}
		if entry.State != attempt.Forgotten && id != nil && entry.Attempt != compared { // else there is nothing to compare
			if err := j.checkIdentity(entry.Attempt, id); err != nil {
				return record, err
			}
			compared = entry.Attempt
		}
		record.States[f], record.Attempts[f], record.At[f] = entry.State, entry.Attempt, entry.At
		record.Earlier[f] = entry.Earlier
	}
	return record, nil
}

// addOpen adds what is open, which counts more than what the store knows.
func (j *Journal) addOpen(record *attempt.Record, key enrich.Key, id *enrich.Identity, fields enrich.Fields) error {
	for f := range fields.Each() {
		open, found := j.books.byField[openField{key, f}]
		if !found {
			continue
		}
		a := j.books.open[open]
		if err := sameIdentity(a.intent, id); err != nil {
			return err
		}
		record.States[f], record.Attempts[f] = attempt.OutcomeUnknown, open
		record.At[f], record.Earlier[f] = a.At, a.Earlier[f]
	}
	return nil
}

// checkIdentity compares the identity of a recorded attempt with the one asked
// for, so that a collision of keys never hands out someone else's data.
func (j *Journal) checkIdentity(id attempt.ID, asked *enrich.Identity) error {
	in, found, err := load[intent](j.store, idKey(intentPrefix, id))
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: attempt %d has no intent", ErrCorrupt, id)
	}
	return sameIdentity(in, asked)
}

// sameIdentity fails when the intent is about somebody else than was asked for; nil
// stands for anybody.
func sameIdentity(in intent, asked *enrich.Identity) error {
	if asked != nil && !in.Erased && in.Identity != *asked && in.Identity.Canonical() != asked.Canonical() {
		return fmt.Errorf("%w: %q and %q", attempt.ErrCollision, in.Identity, *asked)
	}
	return nil
}

// Resolution returns how an attempt ended, and false while it has not.
func (j *Journal) Resolution(id attempt.ID) (attempt.Resolution, bool, error) {
	return load[attempt.Resolution](j.store, idKey(resolutionPrefix, id))
}
