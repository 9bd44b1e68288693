package checkpoint

import (
	"errors"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Person says who is to be forgotten, by exactly one of the three.
type Person struct {
	Identity enrich.Identity
	Email    string // as it was returned
	Phone    string // as it was returned; its digits are compared
}

// Decode reads an answer.
type Decode func(enrich.Answered) (enrich.Answer, error)

// Erasure counts what was erased.
type Erasure struct {
	Persons  int `json:"persons"`
	Attempts int `json:"attempts"`
	Answers  int `json:"answers"`
}

// Forget erases a person's identity and answers. The money record stays, and none
// of the person's fields is ever asked for again; an identity that the journal
// does not know is remembered by its key alone, for that purpose. The values are
// gone from the directory's files after Rewrite. No call may be in flight.
func (j *Journal) Forget(who Person, decode Decode) (Erasure, error) {
	var erasure Erasure
	if who.Identity == (enrich.Identity{}) && who.Email == "" && digits(who.Phone) == "" {
		return erasure, errors.New("nobody is named who is to be forgotten")
	}
	keys, err := j.keysOf(who, decode)
	if err != nil {
		return erasure, err
	}
	attempts, err := j.attemptsOf(keys)
	if err != nil {
		return erasure, err
	}
	for key := range keys {
		answers, err := j.forget(key, attempts[key])
		if err != nil {
			return erasure, err
		}
		erasure.Persons++
		erasure.Attempts += len(attempts[key])
		erasure.Answers += answers
	}
	return erasure, nil
}

// keysOf returns the keys of the identities under which a person was asked for.
func (j *Journal) keysOf(who Person, decode Decode) (map[enrich.Key]bool, error) {
	keys := map[enrich.Key]bool{}
	if who.Identity != (enrich.Identity{}) {
		keys[j.Key(who.Identity)] = true
		return keys, nil
	}
	err := eachResolution(j.store, func(id attempt.ID, res attempt.Resolution) error {
		answer, err := decode(res.Answer())
		if err != nil || !who.answers(answer) {
			return err
		}
		in, _, err := record.Load[record.Intent](j.store, record.IDKey(record.IntentPrefix, id))
		keys[in.Key] = true
		return err
	})
	return keys, err
}

// answers reports whether the answer holds the person's email or phone.
func (p Person) answers(answer enrich.Answer) bool {
	if p.Email != "" {
		return strings.EqualFold(answer.WorkEmail, p.Email)
	}
	return answer.BusinessPhone != "" && digits(answer.BusinessPhone) == digits(p.Phone)
}

func digits(phone string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, phone)
}

// attemptsOf returns all attempts for the keys, not only the last ones.
func (j *Journal) attemptsOf(keys map[enrich.Key]bool) (map[enrich.Key][]attempt.ID, error) {
	attempts := map[enrich.Key][]attempt.ID{}
	err := j.store.Scan([]byte{record.IntentPrefix}, nil, func(key, value []byte) (bool, error) {
		var who record.About
		err := record.Decode(key, value, &who)
		if keys[who.Key] {
			attempts[who.Key] = append(attempts[who.Key], record.IDOf(key))
		}
		return true, err
	})
	return attempts, err
}

// forget erases one identity in one commit, so that a crash never leaves an
// answer of which nobody knows any more whose it is.
func (j *Journal) forget(key enrich.Key, attempts []attempt.ID) (answers int, err error) {
	var writes []Write
	for _, id := range attempts {
		intent, _, err := record.Change(j.store, record.IDKey(record.IntentPrefix, id), eraseIdentity)
		if err != nil {
			return 0, err
		}
		writes = append(writes, intent)
		erased := false
		resolution, found, err := record.Change(j.store, record.IDKey(record.ResolutionPrefix, id), func(res *attempt.Resolution) {
			erased = erase(res)
		})
		if err != nil {
			return 0, err
		}
		if found && erased {
			answers++
			writes = append(writes, resolution)
		}
	}
	for f := range j.fields.Each() {
		name := record.FieldKey(key, f)
		forgotten := func(entry *record.FieldEntry) {
			entry.State, entry.At = attempt.Forgotten, j.now() // what it points to still has a charge
		}
		write, found, err := record.Change(j.store, name, forgotten)
		if err != nil {
			return 0, err
		}
		if !found {
			var entry record.FieldEntry
			forgotten(&entry)
			write = Write{Key: name, Value: record.Encode(&entry)}
		}
		writes = append(writes, write)
	}
	return answers, j.commitErasure(attempts, writes)
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

// Prune erases the values of all answers from before a time. Their fields stay
// answered: they are not bought again. The values are gone from the directory's
// files after Rewrite.
func (j *Journal) Prune(before time.Time) (Erasure, error) {
	var erasure Erasure
	for next, more := attempt.ID(1), true; more; {
		var writes []Write
		size := 0
		var err error
		// A scan must not wait for a commit, so each batch starts another scan.
		next, more, err = scanResolutions(j.store, next, func(id attempt.ID, value []byte, res attempt.Resolution) bool {
			if res.At.Before(before) && erase(&res) {
				erasure.Answers++
				writes = append(writes, Write{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.EncodeOver(value, &res)})
				size += writes[len(writes)-1].Size()
			}
			return size < maxQueue/2
		})
		if err != nil {
			return erasure, err
		}
		if len(writes) > 0 {
			if err := j.commitErasure(nil, writes); err != nil {
				return erasure, err
			}
		}
	}
	return erasure, nil
}

// scanResolutions visits resolutions from an attempt on until visit returns false, and
// returns the attempt to go on from, and whether there may be more.
func scanResolutions(s Store, from attempt.ID, visit func(id attempt.ID, value []byte, res attempt.Resolution) bool) (next attempt.ID, more bool, err error) {
	err = s.Scan([]byte{record.ResolutionPrefix}, record.IDKey(record.ResolutionPrefix, from), func(key, value []byte) (bool, error) {
		var res attempt.Resolution
		if err := record.Decode(key, value, &res); err != nil {
			return false, err
		}
		next, more = record.IDOf(key)+1, !visit(record.IDOf(key), value, res)
		return !more, nil
	})
	return next, more, err
}

func eachResolution(s Store, visit func(attempt.ID, attempt.Resolution) error) error {
	return s.Scan([]byte{record.ResolutionPrefix}, nil, func(key, value []byte) (bool, error) {
		var res attempt.Resolution
		if err := record.Decode(key, value, &res); err != nil {
			return false, err
		}
		return true, visit(record.IDOf(key), res)
	})
}
