// This file records changes of watched companies. The service gives them no id, so one is known by its company and its
// content.

package checkpoint

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Observation is a change of a watched company that is recorded.
type Observation = record.Observation

// Observed is what the service told of a watched company: its id, and JSON.
type Observed struct {
	Company string
	Content []byte
}

// Observe records changes of companies of the account, each with the last attempt that has begun. A change that is
// recorded already stays as it is. It returns how many were new. When it returns nil, all are durable. After an error,
// some of them may be.
//
// The attempt is that of the order of commits: an observation is durable only when the intents of all attempts up to it
// are. So no later attempt gets the number of one of them, also after a crash.
func (j *Journal) Observe(changes []Observed) (added int, err error) {
	j.observing.Lock()
	defer j.observing.Unlock()
	var writes []record.Observation
	var keys [][]byte
	size := 0
	save := func() error {
		if len(writes) == 0 {
			return nil
		}
		j.lock()
		var all []Write
		for i := range writes {
			known, err := j.knownInTurn(keys[i])
			if err != nil {
				j.mu.Unlock()
				return err
			}
			if known {
				continue
			}
			writes[i].At, writes[i].After = j.now(), j.state.persisted.NextID-1
			all = append(all, Write{Key: keys[i], Value: record.Encode(&writes[i])})
		}
		durable := j.enqueue(nil, all...)
		j.mu.Unlock()
		added += len(all)
		writes, keys, size = nil, nil, 0
		return <-durable
	}
	seen := map[string]bool{}
	for _, change := range changes {
		key := record.ObservedKey(j.companyKey(change.Company), record.KeyOf(j.secret, canonicalJSON(change.Content)))
		known, err := j.store.Get(key)
		if err != nil {
			return added, err
		}
		if known != nil || seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		writes = append(writes, record.Observation{Company: change.Company, Content: string(change.Content)})
		keys = append(keys, key)
		if size += len(change.Content) + maxOperation/16; size >= maxQueue/2 {
			if err := save(); err != nil {
				return added, err
			}
		}
	}
	return added, save()
}

// knownInTurn reports whether there is a record of a key that was missing before the turn. Another process may have
// written it since. A journal that is not shared has no other processes. The lock is held.
func (j *Journal) knownInTurn(key []byte) (bool, error) {
	if j.shared.store == nil {
		return false, nil
	}
	value, err := j.store.Get(key)
	return value != nil, err
}

// companyKey returns the key of a company by its id.
func (j *Journal) companyKey(id string) enrich.Key {
	return j.Key(enrich.Identity{Company: enrich.Company{ID: id}})
}

// canonicalJSON returns the form of JSON in which values are compared: the order of members and white space have no
// meaning.
func canonicalJSON(text []byte) []byte {
	var value any
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	if from.Decode(&value) != nil {
		return text
	}
	form, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return form
}

// Observations returns the changes of a company of the account that are recorded.
func (j *Journal) Observations(company string) (all []record.Observation, err error) {
	key := j.companyKey(company)
	err = j.store.Scan(append([]byte{record.ObservedPrefix}, key[:]...), nil, func(key, value []byte) (bool, error) {
		var o record.Observation
		err := record.Decode(key, value, &o)
		if err == nil && o.Company == company {
			all = append(all, o)
		}
		return true, err
	})
	return all, err
}

// Polled returns the time up to which the changes of the account's watched companies are observed; zero before the first
// poll.
func (j *Journal) Polled() (time.Time, error) {
	polled, _, err := record.Load[record.Polled](j.store, record.PolledKey(j.number))
	return polled.Through, err
}

// SavePolled records the time up to which all changes are observed. They must be durable before.
func (j *Journal) SavePolled(through time.Time) error {
	write, err := record.Replace(j.store, record.PolledKey(j.number), &record.Polled{Through: through})
	if err != nil {
		return err
	}
	j.lock()
	durable := j.enqueue(nil, write)
	j.mu.Unlock()
	return <-durable
}

// LastAttempt returns the last attempt that has begun, 0 for none.
func (j *Journal) LastAttempt() attempt.ID {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.persisted.NextID - 1
}

// AnswersOf returns the attempts that answered a field of the identity with a key, in the order of their Begin: the one
// that counts, and those before it whose answers were asked for again.
func (j *Journal) AnswersOf(key enrich.Key, f enrich.Field) (ids []attempt.ID, err error) {
	known, err := j.RecordOf(key, enrich.FieldsOf(f))
	for id := known.Attempts[f]; id != 0 && err == nil; {
		var ended attempt.Resolution
		if ended, _, err = j.Resolution(id); err == nil && ended.Answered() {
			ids = append(ids, id)
		}
		var in record.Intent
		if err == nil {
			in, _, err = record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
		}
		before := in.Before[f]
		if id = 0; len(before) > 0 {
			id = before[0]
		}
	}
	slices.Reverse(ids)
	return ids, err
}
