package checkpoint

import (
	"encoding/binary"
	"fmt"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The records of the journal, by the first byte of their key:
//
//	a ID           intent      written once, by Begin
//	d ID           doubt       written once, by Park or by Open after a crash
//	r ID           resolution  written once, by Settle, Void, Reconcile or Assume
//	o ID           open        an index: the attempts in doubt that have no resolution yet
//	f KEY FIELD    field       an index: the last settled, rejected or forfeited attempt
//	c SCOPE        totals      the sums of a scope
//	t DAY          day         the first and the last attempt that ended on a day, UTC
//	u NAME         run         what a run was asked to do and how it ended
//	m NAME         meta        the journal's identity and secret, its books, the API key's fingerprint, the last opening
//
// Written once has one exception, erasure: it takes the identity out of intents and
// the values out of answers, and leaves the rest, the money above all, as it was. A
// field that was forgotten on request says so, and still points to what was charged for
// it; those of older journals point to no attempt.
//
// The value of a record is in the form that codec.go says.
//
// IDs are 8 bytes, big-endian, so that records are in the order of Begin. Indexes
// and sums change in the same commit as the records that they follow from.
const (
	intentPrefix     = 'a'
	doubtPrefix      = 'd'
	resolutionPrefix = 'r'
	openPrefix       = 'o'
	fieldPrefix      = 'f'
	totalsPrefix     = 'c'
	dayPrefix        = 't'
	runPrefix        = 'u'
	metaPrefix       = 'm'
)

// kindOf returns the name of a kind of record, "" when there is none.
func kindOf(prefix byte) string {
	names := map[byte]string{
		intentPrefix: "intent", doubtPrefix: "doubt", resolutionPrefix: "resolution", openPrefix: "open",
		fieldPrefix: "field", totalsPrefix: "totals", dayPrefix: "day", runPrefix: "run", metaPrefix: "meta",
	}
	return names[prefix]
}

// secretLength is the length of the secret that keys are hashed with, in bytes.
const secretLength = 16

// The meta records.
var (
	identityKey    = nameKey(metaPrefix, "journal")
	booksKey       = nameKey(metaPrefix, "books")
	fingerprintKey = nameKey(metaPrefix, "key-fingerprint")
	openingKey     = nameKey(metaPrefix, "opening")
)

func idKey(prefix byte, id attempt.ID) []byte {
	return appendIDKey(make([]byte, 0, idKeyLength), prefix, id)
}

func appendIDKey(key []byte, prefix byte, id attempt.ID) []byte {
	return binary.BigEndian.AppendUint64(append(key, prefix), uint64(id))
}

// idKeyLength is the length of the keys that idKey makes.
const idKeyLength = 9

func idOf(key []byte) attempt.ID { return attempt.ID(binary.BigEndian.Uint64(key[1:])) }

func nameKey(prefix byte, name string) []byte { return append([]byte{prefix}, name...) }

func fieldKey(key enrich.Key, f enrich.Field) []byte {
	return append(append(append(make([]byte, 0, fieldKeyLength), fieldPrefix), key[:]...), byte(f))
}

// fieldKeyLength is the length of the keys that fieldKey makes.
const fieldKeyLength = 1 + len(enrich.Key{}) + 1

// fieldOf returns the field of an identity that a field record is about.
func fieldOf(key []byte) (field openField, ok bool) {
	if len(key) != fieldKeyLength || key[len(key)-1] >= enrich.NumFields {
		return field, false
	}
	copy(field.key[:], key[1:])
	field.field = enrich.Field(key[len(key)-1])
	return field, true
}

// String names the field record for a person to read.
func (f openField) String() string { return fmt.Sprintf("field %s of identity %s", f.field, f.key) }

// intent is what is durable before a POST leaves.
type intent struct {
	At       time.Time       `json:"at"`
	Key      enrich.Key      `json:"key"`
	Identity enrich.Identity `json:"identity"`
	Pattern  string          `json:"pattern,omitempty"` // of the identity, which may be erased
	Hold     cost.Hold       `json:"hold"`
	Run      string          `json:"run"`
	Job      string          `json:"job,omitempty"` // "" is a job of the run's name
	// Earlier are the forfeited attempts of fields that are bought again.
	Earlier map[enrich.Field][]attempt.ID `json:"earlier,omitempty"`
	Erased  bool                          `json:"erased,omitempty"` // the identity is gone; the key stays
}

// doubt says since when and why the outcome of an attempt is unknown.
type doubt struct {
	At    time.Time `json:"at"`
	Cause string    `json:"cause"`
	Crash bool      `json:"crash,omitempty"`
}

// openMark says that an attempt in doubt has no resolution yet. Of those in flight the
// books tell, which every commit writes anyway: most attempts never get a mark. Up to
// version 3 of the records they all did.
type openMark struct{}

// fieldEntry points to the attempt that decided a field.
type fieldEntry struct {
	State   attempt.FieldState `json:"state"`
	Attempt attempt.ID         `json:"attempt"`
	At      time.Time          `json:"at"`
	Earlier []attempt.ID       `json:"earlier,omitempty"` // forfeited before
}
