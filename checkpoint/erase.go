package checkpoint

import (
	"errors"
	"maps"
	"slices"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/outcomes"
	"payonce/checkpoint/persons"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Person says who is to be forgotten, by exactly one of the three.
type Person = persons.Person

// Found is what the journal holds about a person who is to be forgotten.
type Found struct {
	Matches []persons.Match
	keys    map[enrich.Key][]attempt.ID // of the person's identities, with their attempts
}

// Erasure counts what was erased.
type Erasure struct {
	Persons    int `json:"persons"`
	Identities int `json:"identities,omitempty"` // of the person, also those that were never asked for
	Attempts   int `json:"attempts"`
	Answers    int `json:"answers"`
}

// Find returns what the journal holds about a person, under every identity.
func (j *Journal) Find(who Person, facts func(enrich.Answered) (persons.Facts, error)) (Found, error) {
	reading := persons.Reading{Store: j.store, Last: attempt.ID(j.attempts()), KeyOf: j.Key, Facts: facts}
	matches, others, err := reading.Find(who)
	found := Found{Matches: matches, keys: map[enrich.Key][]attempt.ID{}}
	for _, m := range matches {
		found.keys[m.Key] = append(found.keys[m.Key], m.ID)
	}
	if who.Identity != (enrich.Identity{}) {
		others = append(others, who.Identity)
	}
	for _, id := range others {
		found.keys[j.Key(id)] = found.keys[j.Key(id)]
	}
	return found, err
}

// Forget erases a person's identities and answers. The money record stays, and none
// of the person's fields is ever asked for again; an identity that the journal
// does not know is remembered by its key alone, for that purpose. The values are
// gone from the directory's files after Rewrite. No call may be in flight.
func (j *Journal) Forget(found Found) (Erasure, error) {
	erasure := Erasure{Persons: min(1, len(found.keys)), Identities: len(found.keys), Attempts: len(found.Matches)}
	var writes []Write
	for key, attempts := range found.keys {
		answers, erased, err := j.forget(key, attempts)
		if err != nil {
			return Erasure{}, err
		}
		erasure.Answers += answers
		writes = append(writes, erased...)
	}
	return erasure, j.commitErasure(slices.Concat(slices.Collect(maps.Values(found.keys))...), writes)
}

// forget returns the writes that erase one identity.
func (j *Journal) forget(key enrich.Key, attempts []attempt.ID) (answers int, writes []Write, err error) {
	for _, id := range attempts {
		erased, write, err := j.eraseAttempt(id)
		if err != nil {
			return 0, nil, err
		}
		writes = append(writes, write...)
		if erased {
			answers++
		}
	}
	for f := range j.fields.Each() {
		name := record.FieldKey(key, f)
		forgotten := func(entry *record.FieldEntry) {
			entry.State, entry.At = attempt.Forgotten, j.now() // what it points to still has a charge
		}
		write, found, err := record.Change(j.store, name, forgotten)
		if err != nil {
			return 0, nil, err
		}
		if !found {
			var entry record.FieldEntry
			forgotten(&entry)
			write = Write{Key: name, Value: record.Encode(&entry)}
		}
		writes = append(writes, write)
	}
	return answers, append(writes, Write{Key: record.ForgottenKey(key), Value: record.Encode(&record.OpenMark{})}), nil
}

// eraseAttempt returns the writes that take the identity and the answer out of an attempt, and
// whether it had an answer.
func (j *Journal) eraseAttempt(id attempt.ID) (answered bool, writes []Write, err error) {
	intent, found, err := record.Change(j.store, record.IDKey(record.IntentPrefix, id), eraseIdentity)
	if err != nil || !found {
		return false, nil, err
	}
	resolution, found, err := record.Change(j.store, record.IDKey(record.ResolutionPrefix, id), func(res *attempt.Resolution) {
		answered = erase(res)
	})
	writes = append(writes, intent)
	if found && answered {
		writes = append(writes, resolution)
	}
	return answered, writes, err
}

// Forgotten returns the keys of the identities that were forgotten on request.
func (j *Journal) Forgotten() (map[enrich.Key]bool, error) {
	keys := map[enrich.Key]bool{}
	err := j.store.Scan([]byte{record.ForgottenPrefix}, nil, func(key, _ []byte) (bool, error) {
		keys[enrich.Key(key[1:])] = true
		return true, nil
	})
	return keys, err
}

// commitErasure writes an erasure and waits until it is durable.
func (j *Journal) commitErasure(forgotten []attempt.ID, writes []Write) error {
	j.lock()
	if !j.state.quiet() {
		j.mu.Unlock()
		return errors.New("nothing is erased while lookups are in flight")
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
// fields stay answered: they are not bought again. The values are gone from the directory's
// files after Rewrite.
func (j *Journal) Prune(before time.Time) (Erasure, error) {
	var erasure Erasure
	ended := j.attemptsIn(time.Time{}, before, func(time.Time) bool { return false })
	// A scan must not wait for a commit, so the attempts are committed when they were read.
	for first := ended.First; first <= ended.Last; first += outcomes.Together {
		var due []attempt.ID
		err := outcomes.EachAttempt(j.store, first, min(ended.Last, first+outcomes.Together-1), func(a *outcomes.Attempt) error {
			if a.Resolved && a.Ended.At.Before(before) && (!a.Intent.Erased || a.Ended.Data != "") {
				due = append(due, a.ID)
			}
			return nil
		})
		if err != nil {
			return erasure, err
		}
		if err := j.prune(due, &erasure); err != nil {
			return erasure, err
		}
	}
	return erasure, nil
}

// prune erases attempts, as many in a commit as it takes.
func (j *Journal) prune(due []attempt.ID, erasure *Erasure) error {
	var writes []Write
	size := 0
	for i, id := range due {
		answered, write, err := j.eraseAttempt(id)
		if err != nil {
			return err
		}
		erasure.Attempts++
		if answered {
			erasure.Answers++
		}
		for _, w := range write {
			size += w.Size()
		}
		if writes = append(writes, write...); size < maxQueue/2 && i < len(due)-1 {
			continue
		}
		if err := j.commitErasure(nil, writes); err != nil {
			return err
		}
		writes, size = nil, 0
	}
	return nil
}
