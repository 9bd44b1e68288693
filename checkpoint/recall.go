package checkpoint

import (
	"bytes"
	"encoding/binary"

	"github.com/dchest/siphash"

	"payonce/attempt"
	"payonce/enrich"
)

// Key returns the journal's key of an identity.
func (j *Journal) Key(id enrich.Identity) enrich.Key { return hashKey(j.secret, id) }

// KeyOf returns the journal's key of an identity by its canonical form.
func (j *Journal) KeyOf(canonical []byte) enrich.Key { return keyOf(j.secret, canonical) }

func hashKey(secret []byte, id enrich.Identity) enrich.Key {
	return keyOf(secret, []byte(id.Canonical()))
}

// keyOf hashes a canonical form. The two halves stand in little-endian order, as the
// hash's authors write them.
func keyOf(secret, canonical []byte) (key enrich.Key) {
	low, high := siphash.Hash128(binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[8:]), canonical)
	binary.LittleEndian.PutUint64(key[:], low)
	binary.LittleEndian.PutUint64(key[8:], high)
	return key
}

// People returns of how many persons something may be known, zero only when nothing
// is of anybody: as many as there were attempts, or one when persons were forgotten
// before the first.
func (j *Journal) People() int64 {
	j.mu.Lock()
	attempts := int64(j.books.persisted.NextID) - 1
	j.mu.Unlock()
	if attempts > 0 {
		return attempts
	}
	err := j.store.Scan([]byte{fieldPrefix}, nil, func(_, _ []byte) (bool, error) {
		attempts = 1
		return false, nil
	})
	if err != nil {
		return 1 // to say zero would be to say that nothing is known
	}
	return attempts
}

// Records hands the keys from first to last, of all persons something is known of, to visit,
// with a function that returns what is known; it may be called until visit returns. A key
// may come twice. Records may be called for several ranges at the same time. A range is the
// faster the more bytes its ends begin with in common.
func (j *Journal) Records(first, last enrich.Key, visit func(key enrich.Key, record func() (attempt.Record, error)) error) error {
	for _, key := range j.openKeys(first, last) {
		if err := visit(key, func() (attempt.Record, error) { return j.RecordOf(key) }); err != nil {
			return err
		}
	}
	person := fieldValues{}
	record := func() (attempt.Record, error) { return j.recall(&person) }
	end := func() error {
		if person.empty() {
			return nil
		}
		return visit(person.key, record)
	}
	prefix := []byte{fieldPrefix}
	for i := 0; i < len(first) && first[i] == last[i]; i++ {
		prefix = append(prefix, first[i])
	}
	err := j.store.Scan(prefix, nil, func(name, value []byte) (bool, error) {
		field, ok := fieldOf(name)
		if !ok || !isBetween(field.key, first, last) {
			return true, nil
		}
		if field.key != person.key {
			if err := end(); err != nil {
				return false, err
			}
			person.begin(field.key)
		}
		person.values[field.field] = person.texts.keep(value)
		return true, nil
	})
	if err != nil {
		return err
	}
	return end()
}

// recall returns what is known of a person, by the field records.
func (j *Journal) recall(person *fieldValues) (attempt.Record, error) {
	record, err := person.record()
	if err != nil {
		return record, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.books.byField) == 0 {
		return record, nil
	}
	return record, j.addOpen(&record, person.key, nil, enrich.AllFields)
}

// isBetween reports whether a key lies from first to last.
func isBetween(key, first, last enrich.Key) bool {
	return bytes.Compare(first[:], key[:]) <= 0 && bytes.Compare(key[:], last[:]) <= 0
}

// openKeys returns the keys from first to last of persons with an open attempt.
func (j *Journal) openKeys(first, last enrich.Key) []enrich.Key {
	j.mu.Lock()
	defer j.mu.Unlock()
	var open []enrich.Key
	for field := range j.books.byField {
		if isBetween(field.key, first, last) {
			open = append(open, field.key)
		}
	}
	return open
}

// fieldValues are the values of the field records of a person, "" for one that is not
// there. Its memory is used again for the next person.
type fieldValues struct {
	key    enrich.Key
	values [enrich.NumFields]string
	texts  texts
	packet packet
	entry  fieldEntry
}

func (v *fieldValues) begin(key enrich.Key) {
	v.key, v.values = key, [enrich.NumFields]string{}
}

func (v *fieldValues) empty() bool { return v.values == [enrich.NumFields]string{} }

// record returns what the values say.
func (v *fieldValues) record() (record attempt.Record, err error) {
	for f, value := range v.values {
		if value == "" {
			continue
		}
		v.entry = fieldEntry{}
		if err := decodeFrom(&v.packet, fieldKey(v.key, enrich.Field(f)), value, &v.entry); err != nil {
			return record, err
		}
		record.States[f], record.Attempts[f], record.At[f] = v.entry.State, v.entry.Attempt, v.entry.At
		record.Earlier[f] = v.entry.Earlier
	}
	return record, nil
}

// RecordOf returns what is known of the identity with a key. Unlike Record it cannot
// notice that two identities share the key, so it is no ground to hand out an answer.
func (j *Journal) RecordOf(key enrich.Key) (attempt.Record, error) {
	record, err := j.lockKnowing(key, nil, enrich.AllFields)
	j.mu.Unlock()
	return record, err
}
