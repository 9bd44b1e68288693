package checkpoint

import (
	"fmt"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Record returns what is known of an identity, field by field.
func (j *Journal) Record(id enrich.Identity) (attempt.Record, error) {
	known, err := j.lockKnowing(j.look, j.Key(id), &id, j.fields)
	j.mu.Unlock()
	return known, err
}

// lockKnowing locks the journal for a decision and returns what is known at that
// moment of some fields of an identity. The lock is held also after an error.
//
// The store is read without the lock, which many decisions wait for. What became
// durable in between is read again: an attempt leaves the open ones, under the lock,
// only when the store has its resolution.
//
// In a shared journal, others may have made something durable just before the lock. Then it is read under the lock.
func (j *Journal) lockKnowing(lock func(), key enrich.Key, id *enrich.Identity, fields enrich.Fields) (attempt.Record, error) {
	keys := j.keysWith(key, id)
	records, unsure := make([]attempt.Record, len(keys)), make([]enrich.Fields, len(keys))
	for {
		var err error
		read := func() {
			for i := 0; err == nil && i < len(keys); i++ {
				records[i], unsure[i], err = j.recorded(keys[i], key, id, fields)
			}
		}
		before := j.state.departed(keys)
		read()
		lock()
		switch {
		case j.state.departed(keys) == before:
		case j.shared.inTurn:
			read()
		default:
			j.mu.Unlock()
			continue
		}
		for i := 0; err == nil && i < len(keys); i++ {
			err = j.addOpen(&records[i], keys[i], key, id, fields)
			dropUnsure(&records[i], &records[0], unsure[i])
		}
		if err != nil {
			return attempt.Record{}, err
		}
		return asOne(records, j.asksAgain)
	}
}

// recorded returns what the store knows under a key of some fields of an identity. Own is the identity's key, and the
// other one is that or a former one. The identity is compared when it is given. Unsure are the fields of a former key
// whose attempts are erased: they may be about somebody else.
func (j *Journal) recorded(
	key, own enrich.Key, id *enrich.Identity, fields enrich.Fields,
) (known attempt.Record, unsure enrich.Fields, err error) {
	if forgotten, err := j.forgottenBefore(id); forgotten || err != nil {
		for f := range fields.Each() {
			known.States[f] = attempt.Forgotten
		}
		return known, 0, err
	}
	var compared attempt.ID // the last attempt whose identity was compared
	var isAnother bool      // that attempt is about another identity
	var isErased bool       // nobody knows any more who it is about
	for f := range fields.Each() {
		entry, found, err := record.Load[record.FieldEntry](j.store, record.FieldKey(key, f))
		if err != nil {
			return known, 0, err
		}
		if !found {
			continue
		}
		if entry.State != attempt.Forgotten && (id != nil || key != own) && entry.Attempt != compared { // else there is nothing to compare
			if isAnother, isErased, err = j.checkIdentity(entry.Attempt, key, own, id); err != nil {
				return known, 0, err
			}
			compared = entry.Attempt
		}
		if isAnother && entry.Attempt == compared {
			continue
		}
		known.States[f], known.Attempts[f], known.At[f] = entry.State, entry.Attempt, entry.At
		known.Earlier[f] = entry.Earlier
		if known.Kept[f], err = j.keptOf(f, entry); err != nil {
			return known, 0, err
		}
		isUnsure := key != own && isErased && entry.Attempt == compared
		if key != own && entry.State == attempt.Forgotten {
			if isUnsure, err = j.mayBeOfAnother(key); err != nil {
				return known, 0, err
			}
		}
		if isUnsure {
			unsure = unsure.With(f)
		}
	}
	return known, unsure, nil
}

// dropUnsure drops what is known of erased attempts under a former key where the identity has a later attempt under its
// own: when that began, they were about somebody else, or did not prevent it.
func dropUnsure(known, own *attempt.Record, unsure enrich.Fields) {
	for f := range unsure.Each() {
		isOpen := known.States[f] == attempt.OutcomeUnknown
		if !isOpen && own.States[f] != attempt.Unasked && own.Attempts[f] > known.Attempts[f] {
			known.States[f], known.Attempts[f], known.At[f], known.Earlier[f] = attempt.Unasked, 0, time.Time{}, nil
			known.Kept[f] = 0
		}
	}
}

// forgottenBefore reports whether a person was forgotten when the journal had only other accounts.
func (j *Journal) forgottenBefore(id *enrich.Identity) (bool, error) {
	if j.number == 0 || id == nil {
		return false, nil // its own records tell
	}
	mark, err := j.store.Get(record.ForgottenKey(record.HashKey(j.secret, *id)))
	if former := id.Former(); mark == nil && err == nil && former != "" {
		key := record.KeyOf(j.secret, []byte(former))
		if mark, err = j.store.Get(record.ForgottenKey(key)); mark != nil && err == nil {
			if is, err := j.isFormerOfForgotten(key); is || err != nil {
				return false, err // of somebody else, whose own key is marked
			}
		}
	}
	return mark != nil, err
}

// mayBeOfAnother reports whether what is forgotten under a former key may be about another identity that had it. An
// earlier version of the program marked the former key alone.
func (j *Journal) mayBeOfAnother(former enrich.Key) (bool, error) {
	mark, err := j.store.Get(record.ForgottenKey(former))
	if mark == nil || err != nil {
		return err == nil, err
	}
	return j.isFormerOfForgotten(former)
}

// isFormerOfForgotten reports whether a key is a former one of an identity that is marked as forgotten itself.
func (j *Journal) isFormerOfForgotten(key enrich.Key) (bool, error) {
	for _, f := range j.formers() {
		if f.former != key {
			continue
		}
		if mark, err := j.store.Get(record.ForgottenKey(f.key)); mark != nil || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// addOpen adds what is open under a key, which counts more than what the store knows under it.
func (j *Journal) addOpen(known *attempt.Record, key, own enrich.Key, id *enrich.Identity, fields enrich.Fields) error {
	for f := range fields.Each() {
		open, found := j.state.byField[record.KeyedField{Key: key, Field: f}]
		if !found {
			continue
		}
		a := j.state.open[open]
		isAnother, err := j.isOther(a.Intent, key, own, id)
		if err != nil {
			return err
		}
		if isAnother {
			continue
		}
		known.States[f], known.Attempts[f] = attempt.OutcomeUnknown, open
		known.At[f], known.Earlier[f] = a.At, a.Earlier[f]
		if known.Kept[f], err = j.keptBefore(f, a.Intent); err != nil {
			return err
		}
	}
	return nil
}

// keptOf returns attempt.Record.Kept of a field that the store has a record of.
func (j *Journal) keptOf(f enrich.Field, entry record.FieldEntry) (attempt.ID, error) {
	if entry.State != attempt.PaidAndGone {
		return 0, nil
	}
	in, err := j.intent(entry.Attempt)
	if err != nil {
		return 0, err
	}
	return j.keptBefore(f, in)
}

// keptBefore returns the attempt that found the value for a field that an attempt asked for again. It skips attempts
// whose answers are lost. It returns 0 when the field had no value.
func (j *Journal) keptBefore(f enrich.Field, again record.Intent) (attempt.ID, error) {
	for {
		before := again.Before[f]
		if len(before) == 0 {
			return 0, nil
		}
		ended, _, err := j.Resolution(before[0])
		switch {
		case err != nil:
			return 0, err
		case ended.Returned.Has(f):
			return before[0], nil
		case ended.State != attempt.Forfeited:
			return 0, nil
		}
		if again, err = j.intent(before[0]); err != nil {
			return 0, err
		}
	}
}

// intentOf returns the intent of an attempt, which is not durable yet when the attempt is open. The lock is held.
func (j *Journal) intentOf(id attempt.ID) (record.Intent, error) {
	if open := j.state.open[id]; open != nil {
		return open.Intent, nil
	}
	return j.intent(id)
}

// intent returns a durable intent.
func (j *Journal) intent(id attempt.ID) (record.Intent, error) {
	in, found, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
	if err == nil && !found {
		err = fmt.Errorf("%w: attempt %d has no intent", ErrCorrupt, id)
	}
	return in, err
}

// checkIdentity compares the identity of a recorded attempt with the one asked
// for, so that a collision of keys never hands out someone else's data. See isOther.
func (j *Journal) checkIdentity(id attempt.ID, key, own enrich.Key, asked *enrich.Identity) (isAnother, isErased bool, err error) {
	in, err := j.intent(id)
	if err != nil {
		return false, false, err
	}
	isAnother, err = j.isOther(in, key, own, asked)
	return isAnother, in.Erased, err
}

// isOther reports whether an attempt under a former key is about another identity than that with the key own. Under
// that key itself there is no other one, and an identity that was asked for is compared.
func (j *Journal) isOther(in record.Intent, key, own enrich.Key, asked *enrich.Identity) (bool, error) {
	if key != own {
		return !j.isAbout(record.About{Identity: in.Identity, Erased: in.Erased}, in.Account, own), nil
	}
	return false, j.sameIdentity(in, asked)
}

// sameIdentity fails when the intent is about somebody else than was asked for, or for another account;
// nil stands for anybody.
func (j *Journal) sameIdentity(in record.Intent, asked *enrich.Identity) error {
	if asked != nil && in.Account != j.number {
		return fmt.Errorf("%w: %q in account %d and %q in account %d", attempt.ErrCollision, in.Identity, in.Account, *asked, j.number)
	}
	if asked != nil && !in.Erased && in.Identity != *asked && in.Identity.Canonical() != asked.Canonical() {
		return fmt.Errorf("%w: %q and %q", attempt.ErrCollision, in.Identity, *asked)
	}
	return nil
}

// Resolution returns how an attempt ended, and false while it has not.
func (j *Journal) Resolution(id attempt.ID) (attempt.Resolution, bool, error) {
	return record.Load[attempt.Resolution](j.store, record.IDKey(record.ResolutionPrefix, id))
}
