package checkpoint

import (
	"bytes"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Key returns the key of an identity in the account.
func (j *Journal) Key(id enrich.Identity) enrich.Key {
	return record.KeyIn(j.number, j.secret, record.HashKey(j.secret, id))
}

// KeyOf returns the key of an identity in the account by its canonical form.
func (j *Journal) KeyOf(canonical []byte) enrich.Key {
	return record.KeyIn(j.number, j.secret, record.KeyOf(j.secret, canonical))
}

// People returns an upper estimate of the persons that the journal has records of: the number of
// attempts, or 1 when there are no attempts but somebody was forgotten. It returns 0 only when there
// are no records of anybody.
func (j *Journal) People() int64 {
	attempts := j.attempts()
	if attempts > 0 {
		return attempts
	}
	err := j.store.Scan([]byte{record.FieldPrefix}, nil, func(_, _ []byte) (bool, error) {
		attempts = 1
		return false, nil
	})
	if err != nil {
		return 1 // because 0 would say that there are no records
	}
	return attempts
}

// attempts returns how many attempts there are.
func (j *Journal) attempts() int64 {
	j.look()
	defer j.mu.Unlock()
	return int64(j.state.persisted.NextID) - 1
}

// Records calls visit for every person who has records and whose key is from first to last. A person has
// another key in each account. The
// function recall returns what is known of the person. It must not be called after visit returns.
// visit may get a key twice. Records may be called for several ranges at the same time. A range is
// faster to read when first and last begin with the same bytes.
func (j *Journal) Records(first, last enrich.Key, visit func(key enrich.Key, recall func() (attempt.Record, error)) error) error {
	keys := j.openKeys(first, last)
	for _, f := range j.formersIn(first, last) {
		keys = append(keys, f.key)
	}
	for _, key := range keys {
		if err := visit(key, func() (attempt.Record, error) { return j.RecordOf(key, j.fields) }); err != nil {
			return err
		}
	}
	person := fieldValues{}
	recall := func() (attempt.Record, error) { return j.recall(&person) }
	end := func() error {
		if person.empty() {
			return nil
		}
		return visit(person.key, recall)
	}
	prefix := []byte{record.FieldPrefix}
	for i := 0; i < len(first) && first[i] == last[i]; i++ {
		prefix = append(prefix, first[i])
	}
	err := j.store.Scan(prefix, nil, func(name, value []byte) (bool, error) {
		field, ok := record.FieldOf(name)
		if !ok || !isBetween(field.Key, first, last) {
			return true, nil
		}
		if field.Key != person.key {
			if err := end(); err != nil {
				return false, err
			}
			person.begin(field.Key)
		}
		person.values[field.Field] = person.texts.Keep(value)
		return true, nil
	})
	if err != nil {
		return err
	}
	return end()
}

// recall returns what is known of a person: the field records and the open attempts.
func (j *Journal) recall(person *fieldValues) (attempt.Record, error) {
	if j.hasFormers(person.key) {
		return j.RecordOf(person.key, j.fields)
	}
	known, err := j.recordOf(person)
	if err != nil {
		return known, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.state.byField) == 0 {
		return known, nil
	}
	return known, j.addOpen(&known, person.key, person.key, nil, j.fields)
}

// isBetween reports whether a key lies from first to last.
func isBetween(key, first, last enrich.Key) bool {
	return bytes.Compare(first[:], key[:]) <= 0 && bytes.Compare(key[:], last[:]) <= 0
}

// openKeys returns the keys of the persons with an open attempt. They are from first to last.
func (j *Journal) openKeys(first, last enrich.Key) []enrich.Key {
	j.look()
	defer j.mu.Unlock()
	var open []enrich.Key
	for field := range j.state.byField {
		if isBetween(field.Key, first, last) {
			open = append(open, field.Key)
		}
	}
	return open
}

// fieldValues has the values of a person's field records. The value of a missing record is "". Its
// memory is used again for the next person.
type fieldValues struct {
	key    enrich.Key
	values enrich.ByField[string]
	texts  record.Texts
	packet numbered.Members
	entry  record.FieldEntry
}

func (v *fieldValues) begin(key enrich.Key) {
	v.key, v.values = key, enrich.ByField[string]{}
}

func (v *fieldValues) empty() bool { return v.values == (enrich.ByField[string]{}) }

// recordOf decodes the values of a person.
func (j *Journal) recordOf(v *fieldValues) (known attempt.Record, err error) {
	for f, value := range v.values {
		if value == "" {
			continue
		}
		v.entry = record.FieldEntry{}
		if err := record.DecodeFrom(&v.packet, record.FieldKey(v.key, enrich.Field(f)), value, &v.entry); err != nil {
			return known, err
		}
		known.States[f], known.Attempts[f], known.At[f] = v.entry.State, v.entry.Attempt, v.entry.At
		known.Earlier[f] = v.entry.Earlier
		if known.Kept[f], err = j.keptOf(enrich.Field(f), v.entry); err != nil {
			return known, err
		}
	}
	return known, nil
}

// RecordOf returns what is known of some fields of the identity with a key; each field takes a reading of the store.
// Unlike Record, it cannot notice that two identities share the key. So its result must not justify returning an answer.
func (j *Journal) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	known, err := j.lockKnowing(j.lockPlain, key, nil, fields&j.fields)
	j.mu.Unlock()
	return known, err
}

// lockPlain locks the journal for a caller that reads what this process knows.
func (j *Journal) lockPlain() { j.mu.Lock() }

// Recall returns a function that appends to known the outcomes of the given attempts, in their
// order. The attempts' numbers must ascend. who says whether to set Outcome.Who, which doubles the
// time. Reading many attempts in one call is much faster than calling Resolution for each, above all
// when their numbers are near each other. When too many are far apart, the function keeps the
// records that it reads, in at most memory bytes. 0 means no limit.
//
// The function may be called from many goroutines. Use it for one job only: it may return outcomes
// that were erased after Recall returned.
func (j *Journal) Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
	j.look()
	defer j.mu.Unlock()
	return newOutcomeReader(j.store, OutcomeOptions{
		Last: j.state.persisted.NextID - 1, Memory: memory, Who: who, Doubt: j.Doubt, MayBeFree: j.state.provisional(),
	}).Read
}
