// Package record has the formats of the journal's records, and which of them a store must hold.
//
// A later program can give records members that this program does not know. What becomes of them
// follows from the kind of the record:
//
//   - Records of facts keep them when they are rewritten: intents, doubts, resolutions, runs, files,
//     jobs, occurrences, alerts, events, observations, accounts, fields that are forgotten, the last erasure by age, the names of
//     the fields and the key's fingerprint. Change and Replace do it.
//   - The ledger state, totals and days are computed again with every commit. A member that is not
//     computed with them would be wrong. So a journal with such a member does not open, and stays as
//     it is. DecodeComputed and LoadComputed refuse it.
//   - Marks, and the field record of a new resolution, are indexes of facts. They are replaced as
//     a whole.
package record

import (
	"fmt"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/numbered"
)

// Version is the version of the form of all records, and the first byte of every value. A
// program reads the forms of all versions from 7 on, and writes the newest. There is one so
// far: the members of records have numbers, as package numbered writes them. The functions in
// this package whose names end in Members give each member its number.
const Version = 7

// IsKnownVersion reports whether a value is of a version that this program reads.
func IsKnownVersion[T string | []byte](value T) bool {
	return len(value) > 0 && value[0] == Version
}

// Record is everything that a value can be decoded as.
type Record interface {
	Intent | About | Payer | Subject | Doubt | OpenMark | FieldEntry | attempt.Resolution | Ending | Answer | cost.Totals | Span | State | Registration | FirstAccount | Run | File | Job | Occurrence | Alert | Event | Observation | Polled | Pruned | Forms | Aliases | Journal | FieldNames | []byte
}

// members describes the members of a record that is pointed to.
func members(m *numbered.Members, record any) {
	switch r := record.(type) {
	case *Intent:
		intentMembers(m, r)
	case *About:
		aboutMembers(m, r)
	case *Payer:
		payerMembers(m, r)
	case *Subject:
		subjectMembers(m, r)
	case *Doubt:
		doubtMembers(m, r)
	case *FieldEntry:
		fieldEntryMembers(m, r)
	case *attempt.Resolution:
		resolutionMembers(m, r)
	case *Ending:
		endingMembers(m, r)
	case *Answer:
		answerMembers(m, r)
	case *cost.Totals:
		totalsMembers(m, r)
	case *Span:
		spanMembers(m, r)
	case *State:
		stateMembers(m, r)
	case *Registration:
		registrationMembers(m, r)
	case *FirstAccount:
		firstAccountMembers(m, r)
	case *Run:
		runMembers(m, r)
	case *File:
		fileMembers(m, r)
	case *Job:
		jobMembers(m, r)
	case *Occurrence:
		occurrenceMembers(m, r)
	case *Alert:
		alertMembers(m, r)
	case *Event:
		eventMembers(m, r)
	case *Observation:
		observationMembers(m, r)
	case *Polled:
		polledMembers(m, r)
	case *Pruned:
		prunedMembers(m, r)
	case *Forms:
		numbered.Uint(m, 1, &r.Next)
	case *Aliases:
		aliasesMembers(m, r)
	case *Journal:
		journalMembers(m, r)
	case *FieldNames:
		fieldNamesMembers(m, r)
	case *[]byte:
		numbered.Bytes(m, 1, r)
	case *OpenMark: // which has none
	}
}

func membersOf[T Record](m *numbered.Members, record *T) { members(m, record) }

// Encode returns the value of a record: the version and its form.
func Encode[T Record](record *T) []byte {
	return numbered.Append(append(make([]byte, 0, roomForMost), Version), record, membersOf)
}

// roomForMost is a length of values that most records do not exceed.
const roomForMost = 256

// encodeOver is Encode for a record that replaces the one with the value was, which was read before.
// Members of was that this program does not know are kept.
func encodeOver[T Record](was []byte, record *T) []byte {
	value, err := numbered.AppendOver(append(make([]byte, 0, roomForMost), Version), string(was[1:]), record, membersOf)
	if err != nil {
		panic(fmt.Sprintf("the record that is replaced cannot be read: %v", err))
	}
	return value
}

// Decode reads the value of a record. The key is for errors.
func Decode[T Record](key, data []byte, into *T) error {
	return DecodeFrom(&numbered.Members{}, key, string(data), into)
}

// DecodeFrom is Decode for a caller that reads many records, with members that are used again.
// The texts of the record are parts of its value.
func DecodeFrom[T Record](m *numbered.Members, key []byte, value string, into *T) error {
	if value == "" {
		return fmt.Errorf("%w: record %q is empty; %s", ErrCorrupt, string(key), Restore)
	}
	if !IsKnownVersion(value) {
		return fmt.Errorf("%w: record %q has a version that is not known", ErrVersion, string(key))
	}
	if err := numbered.Read(m, value[1:], into, membersOf); err != nil {
		return fmt.Errorf("%w: record %q cannot be read: %w", ErrCorrupt, string(key), err)
	}
	return nil
}

// computed are the records that a program computes again with every commit.
type computed interface{ State | cost.Totals | Span }

// DecodeComputed is Decode for a record that is computed again. It refuses one with members that
// this program does not know.
func DecodeComputed[T computed](key, data []byte, into *T) error {
	var m numbered.Members
	if err := DecodeFrom(&m, key, string(data), into); err != nil {
		return err
	}
	if m.Unknown() {
		return fmt.Errorf("record %q has members that this program does not know: %w", string(key), ErrNewer)
	}
	return nil
}

// Load reads one record and reports whether it is there.
func Load[T Record](s Store, key []byte) (record T, found bool, err error) {
	data, err := s.Get(key)
	if err != nil || data == nil {
		return record, false, err
	}
	return record, true, Decode(key, data, &record)
}

// Change returns the write that changes a record, and reports whether there is one with the
// key. Members that this program does not know are kept.
func Change[T Record](s Store, key []byte, change func(*T)) (write Write, found bool, err error) {
	var record T
	value, err := s.Get(key)
	if err != nil || value == nil {
		return write, false, err
	}
	if err := Decode(key, value, &record); err != nil {
		return write, false, err
	}
	change(&record)
	return Write{Key: key, Value: encodeOver(value, &record)}, true, nil
}

// Replace returns the write that sets a record. Members that this program does not know are kept
// when there is one with the key.
func Replace[T Record](s Store, key []byte, record *T) (Write, error) {
	write, found, err := Change(s, key, func(was *T) { *was = *record })
	if !found {
		write = Write{Key: key, Value: Encode(record)}
	}
	return write, err
}
