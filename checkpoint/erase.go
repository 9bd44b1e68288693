package checkpoint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Found is what the journal holds about a person who is to be forgotten.
type Found struct {
	Matches []PersonMatch // in the order of their attempts
	// Namesakes have the person's name, and nothing says whether they are the person.
	Namesakes []PersonMatch
	// order has the matches in the order in which they were found: each shares something with the
	// person who was named or with matches before it.
	order []PersonMatch
	keys  map[enrich.Key]attempt.Account // of the person's identities, also of those without an attempt
	names func(text string) bool
	// former has those of keys that identities had in earlier versions.
	former map[enrich.Key]bool
}

// Names reports whether a text, such as a row of a list, may name the person.
func (f Found) Names(text string) bool { return f.names(text) }

// IsEmpty reports whether there is nothing to erase and no identity to remember.
func (f Found) IsEmpty() bool { return len(f.keys)+len(f.order) == 0 }

// Erasure counts what was erased.
type Erasure struct {
	Persons    int `json:"persons"`
	Identities int `json:"identities,omitempty"` // of the person, also those that were never asked for
	Attempts   int `json:"attempts"`
	Answers    int `json:"answers"`
	// Mentions are those in answers about others, which keep the rest.
	Mentions int `json:"mentions,omitempty"`
	// Events are what was decided about values for records of a CRM.
	Events int `json:"events,omitempty"`
	// Observations are changes of watched companies that have lost their content.
	Observations int `json:"observations,omitempty"`
}

// Find returns what the journal holds about a person, under every identity.
func (j *Journal) Find(who Person, facts ReadAnswer) (Found, error) {
	interfaces, err := record.Interfaces(j.store)
	if err != nil {
		return Found{}, err
	}
	reading := PersonReading{
		Store: j.store, Last: attempt.ID(j.attempts()), KeysOf: j.everyKeyOf, OwnKeysOf: j.ownKeysOf, Facts: facts, Interfaces: interfaces,
	}
	matched, err := reading.Find(who)
	found := Found{
		Matches: slices.Clone(matched.Matches), Namesakes: matched.Namesakes, order: matched.Matches, names: matched.Names,
		keys: map[enrich.Key]attempt.Account{}, former: map[enrich.Key]bool{},
	}
	slices.SortFunc(found.Matches, func(a, b PersonMatch) int { return cmp.Compare(a.ID, b.ID) })
	others := append(matched.Others, who.Identity)
	for _, m := range found.order {
		if m.IsWhole() {
			found.keys[m.Key] = m.Account
			others = append(others, m.Identity)
		}
	}
	for _, id := range others {
		if id == (enrich.Identity{}) {
			continue
		}
		for number := range j.Catalogues() {
			on := Journal{ledger: j.ledger, number: attempt.Account(number)}
			own := on.Key(id)
			found.keys[own] = on.number
			for _, key := range on.keysWith(own, nil)[1:] {
				found.keys[key] = on.number
			}
			for _, key := range on.keysWith(own, &id)[1:] {
				found.former[key] = true
			}
		}
	}
	return found, err
}

// Forget erases a person's identities and answers. The money record stays, and none of the person's
// fields is ever asked for again; an identity that the journal does not know is remembered by its
// key alone, for that purpose. Once the journal is closed, the values are gone from its files. No
// call may be in flight. An answer about others that mentions the person keeps the rest.
//
// What was found may be more than one commit takes. The attempts that were found last are erased
// first. So after a crash Find still finds the others.
func (j *Journal) Forget(found Found) (Erasure, error) {
	e := erasing{j: j}
	catalogues := j.Catalogues()
	all := map[attempt.ID]bool{}
	for _, m := range found.order {
		all[m.ID] = all[m.ID] || m.IsWhole()
	}
	forgotten := map[enrich.Key]bool{}
	forget := func(key enrich.Key) error {
		if forgotten[key] {
			return nil
		}
		forgotten[key] = true
		if found.former[key] {
			return e.forgetFormer(key, catalogues[found.keys[key]].All(), all)
		}
		return e.forget(key, catalogues[found.keys[key]].All())
	}
	isPerson := func(event record.Event) bool { _, is := found.keys[event.Person]; return is }
	if err := e.events(isPerson); err != nil { // first, because the attempts say which keys are the person's
		return e.sum, err
	}
	if err := e.observations(func(o record.Observation) bool { return found.Names(o.Content) }); err != nil {
		return e.sum, err
	}
	whole, taken := map[attempt.ID]bool{}, map[attempt.ID]map[int]bool{}
	for _, m := range slices.Backward(found.order) {
		var err error
		switch {
		case m.IsWhole():
			whole[m.ID] = true
			if found.former[m.Key] && m.Identity != (enrich.Identity{}) {
				for _, own := range j.ownKeysOf(m.Identity) { // they say whose former key it is, also after a crash
					err = errors.Join(err, forget(own))
				}
			}
			err = errors.Join(err, e.attempt(m.ID), forget(m.Key))
		case !whole[m.ID]:
			e.sum.Mentions += len(m.Mentions)
			if taken[m.ID] == nil {
				taken[m.ID] = map[int]bool{}
			}
			maps.Copy(taken[m.ID], m.Mentions) // with those that were found after them
			err = e.mentions(m, taken[m.ID])
		}
		if err != nil {
			return e.sum, err
		}
		if err := e.commitIfLong(); err != nil {
			return e.sum, err
		}
	}
	for key := range found.keys {
		if err := errors.Join(forget(key), e.commitIfLong()); err != nil {
			return e.sum, err
		}
	}
	e.sum.Persons, e.sum.Identities = min(1, len(found.keys)+len(found.order)), found.identities()
	return e.sum, e.commit()
}

// identities counts the identities: each has a key in every account.
func (f Found) identities() (count int) {
	for key, account := range f.keys {
		if account == 0 && !f.former[key] {
			count++
		}
	}
	return count
}

// everyKeyOf returns the keys of an identity in all accounts, with the former ones.
func (j *Journal) everyKeyOf(id enrich.Identity) (keys []enrich.Key) {
	for account := range j.Catalogues() {
		on := Journal{ledger: j.ledger, number: attempt.Account(account)}
		keys = append(keys, on.keysWith(on.Key(id), &id)...)
	}
	return keys
}

// ownKeysOf returns the keys of an identity in all accounts, without former ones.
func (j *Journal) ownKeysOf(id enrich.Identity) (keys []enrich.Key) {
	for account := range j.Catalogues() {
		on := Journal{ledger: j.ledger, number: attempt.Account(account)}
		keys = append(keys, on.Key(id))
	}
	return keys
}

// erasing gathers the writes of an erasure and commits as many at a time as one commit takes.
type erasing struct {
	j      *Journal
	sum    Erasure
	writes []Write
	size   int          // of the writes in bytes
	ids    []attempt.ID // the attempts of the writes
	begun  bool         // the store was told that an erasure begins
}

func (e *erasing) add(writes ...Write) {
	e.writes = append(e.writes, writes...)
	for _, w := range writes {
		e.size += w.Size()
	}
}

// attempt erases the identity and the answer of an attempt.
func (e *erasing) attempt(id attempt.ID) error {
	intent, found, err := record.Change(e.j.store, record.IDKey(record.IntentPrefix, id), eraseIdentity)
	if err != nil || !found {
		return err
	}
	answered := false
	resolution, found, err := record.Change(e.j.store, record.IDKey(record.ResolutionPrefix, id), func(res *attempt.Resolution) {
		answered = erase(res)
	})
	if err != nil {
		return err
	}
	e.add(intent)
	e.ids = append(e.ids, id)
	e.sum.Attempts++
	if found && answered {
		e.add(resolution)
		e.sum.Answers++
	}
	return nil
}

// mentions takes the person out of an answer about others. What was charged and returned stays.
func (e *erasing) mentions(m PersonMatch, mentions map[int]bool) error {
	data, err := m.Facts.Without(mentions)
	if err != nil {
		return fmt.Errorf("the answer of the lookup %d: %w", m.ID, err)
	}
	resolution, found, err := record.Change(e.j.store, record.IDKey(record.ResolutionPrefix, m.ID), func(res *attempt.Resolution) {
		res.Data = data
	})
	if err != nil || !found {
		return err
	}
	e.add(resolution)
	return nil
}

// forget marks an identity and its fields as forgotten.
func (e *erasing) forget(key enrich.Key, fields enrich.Fields) error {
	for f := range fields.Each() {
		name := record.FieldKey(key, f)
		forgotten := func(entry *record.FieldEntry) {
			entry.State, entry.At = attempt.Forgotten, e.j.now() // what it points to still has a charge
		}
		write, found, err := record.Change(e.j.store, name, forgotten)
		if err != nil {
			return err
		}
		if !found {
			var entry record.FieldEntry
			forgotten(&entry)
			write = Write{Key: name, Value: record.Encode(&entry)}
		}
		e.add(write)
	}
	e.add(Write{Key: record.ForgottenKey(key), Value: record.Encode(&record.OpenMark{})})
	return nil
}

// forgetFormer marks a former key as forgotten. When others had the key as well, it marks only those fields whose
// attempts are erased. The person's own key is marked whole in any case.
func (e *erasing) forgetFormer(key enrich.Key, fields enrich.Fields, erased map[attempt.ID]bool) error {
	var marks []Write
	shared := false
	for f := range fields.Each() {
		var was record.FieldEntry
		write, found, err := record.Change(e.j.store, record.FieldKey(key, f), func(entry *record.FieldEntry) {
			was = *entry
			entry.State, entry.At = attempt.Forgotten, e.j.now()
		})
		if err != nil {
			return err
		}
		e.j.mu.Lock()
		open, isOpen := e.j.state.byField[record.KeyedField{Key: key, Field: f}]
		e.j.mu.Unlock()
		shared = shared || isOpen && !erased[open]
		switch {
		case found && erased[was.Attempt]:
			marks = append(marks, write)
		case found && was.State != attempt.Forgotten:
			shared = true
		}
	}
	if !shared {
		return e.forget(key, fields)
	}
	e.add(marks...)
	return nil
}

// commitIfLong commits the writes when they fill half of a commit.
func (e *erasing) commitIfLong() error {
	if e.size < maxQueue/2 {
		return nil
	}
	return e.commit()
}

// commit writes what was gathered and waits until it is durable.
func (e *erasing) commit() error {
	if len(e.writes) == 0 {
		return nil
	}
	if e.j.eraser != nil && !e.begun {
		if err := e.j.eraser.Erase(); err != nil {
			return fmt.Errorf("%w: %w", ErrNotWritable, err)
		}
		e.begun = true
	}
	err := e.j.commitErasure(e.ids, e.writes)
	e.writes, e.size, e.ids = nil, 0, nil
	return err
}

// Forgotten returns the keys of the identities that were forgotten on request. A former key is among them only if no
// present one says whose it was.
func (j *Journal) Forgotten() (map[enrich.Key]bool, error) {
	keys := map[enrich.Key]bool{}
	err := j.store.Scan([]byte{record.ForgottenPrefix}, nil, func(key, _ []byte) (bool, error) {
		keys[enrich.Key(key[1:])] = true
		keys[record.KeyIn(j.number, j.secret, enrich.Key(key[1:]))] = true // of before it had the account
		return true, nil
	})
	for _, f := range j.formers() {
		if keys[f.key] {
			delete(keys, f.former)
		}
	}
	return keys, err
}

// commitErasure writes an erasure and waits until it is durable.
func (j *Journal) commitErasure(forgotten []attempt.ID, writes []Write) error {
	j.lock()
	if refused := j.shared.turn.Refused; j.failure == nil && refused != nil { // others may have called since
		j.mu.Unlock()
		return fmt.Errorf("%w: %w; nothing more is erased", ErrFailed, refused)
	}
	if !j.state.idle(nil) {
		j.mu.Unlock()
		return errors.New("nothing is erased while lookups are in flight; first drain the accounts")
	}
	for _, id := range forgotten {
		if a := j.state.open[id]; a != nil {
			eraseIdentity(&a.Intent)
		}
	}
	durable := j.enqueue(j.state.departAll, writes...)
	j.mu.Unlock()
	return <-durable
}

// events removes the events that a function chooses. They are read whole before the first commit: a scan must not wait
// for one.
func (e *erasing) events(chosen func(record.Event) bool) error {
	var keys [][]byte
	err := e.j.store.Scan([]byte{record.EventPrefix}, nil, func(key, value []byte) (bool, error) {
		var event record.Event
		err := record.Decode(key, value, &event)
		if err == nil && chosen(event) {
			keys = append(keys, bytes.Clone(key))
		}
		return true, err
	})
	for i := 0; err == nil && i < len(keys); i++ {
		e.add(Write{Key: keys[i]})
		e.sum.Events++
		err = e.commitIfLong()
	}
	return errors.Join(err, e.commit())
}

// observations takes the content out of the observations that a function chooses. Their keys and attempts stay, so that
// the same change, when it is told again, is not observed again.
func (e *erasing) observations(chosen func(record.Observation) bool) error {
	var keys [][]byte
	err := e.j.store.Scan([]byte{record.ObservedPrefix}, nil, func(key, value []byte) (bool, error) {
		var o record.Observation
		err := record.Decode(key, value, &o)
		if err == nil && o.Content != "" && chosen(o) {
			keys = append(keys, bytes.Clone(key))
		}
		return true, err
	})
	for i := 0; err == nil && i < len(keys); i++ {
		var write Write
		write, _, err = record.Change(e.j.store, keys[i], func(o *record.Observation) { o.Content = "" })
		if err == nil {
			e.add(write)
			e.sum.Observations++
			err = e.commitIfLong()
		}
	}
	return errors.Join(err, e.commit())
}

// eraseIdentity takes the identity out of an intent. What it counts in stays.
func eraseIdentity(in *record.Intent) {
	in.Identity, in.Erased = enrich.Identity{}, true
}

// erase takes the values out of an answer and reports whether it had any. What
// was returned, and so charged, and the answer's status stay.
func erase(res *attempt.Resolution) bool {
	if !res.Answered() || res.Erased {
		return false
	}
	res.Erased, res.Data = true, ""
	return true
}

// Prune erases the identities and the values of all attempts that ended before a time. Their
// fields stay answered: they are not bought again. Once the journal is closed, the values are gone
// from its files. Prune reads only what ended since the last one.
func (j *Journal) Prune(before time.Time) (Erasure, error) {
	e := erasing{j: j}
	next := attempt.ID(j.attempts()) + 1
	pruned, spans, err := expiredSince(j.store, before)
	if err != nil {
		return e.sum, err
	}
	for _, span := range spans {
		if err := e.prune(span, before); err != nil {
			return e.sum, err
		}
	}
	if err := e.events(func(event record.Event) bool { return event.Changed.Before(before) }); err != nil {
		return e.sum, err
	}
	if err := e.observations(func(o record.Observation) bool { return o.At.Before(before) }); err != nil {
		return e.sum, err
	}
	pruned.Next = next
	if before.After(pruned.Before) {
		pruned.Before = before
	}
	write, err := record.Replace(j.store, record.PrunedKey, &pruned)
	if err != nil {
		return e.sum, err
	}
	return e.sum, j.commitErasure(nil, []Write{write})
}

// IsPruned reports whether answers have ever been erased by their age.
func (j *Journal) IsPruned() (bool, error) {
	_, found, err := record.Load[record.Pruned](j.store, record.PrunedKey)
	return found, err
}

// prune erases attempts of a span. A scan must not wait for a commit, so they are committed when
// some of them were read.
func (e *erasing) prune(span record.Span, before time.Time) error {
	for first := span.First; first <= span.Last; first += AttemptsTogether {
		var due []attempt.ID
		err := eachAttempt(e.j.store, first, min(span.Last, first+AttemptsTogether-1), func(a *attemptRecord) error {
			if isExpired(a, before) {
				due = append(due, a.ID)
			}
			return nil
		})
		for i := 0; err == nil && i < len(due); i++ {
			err = errors.Join(e.attempt(due[i]), e.commitIfLong())
		}
		if err != nil {
			return err
		}
	}
	return e.commit()
}
