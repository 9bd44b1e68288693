// Package enrich has the types that every other package uses: subjects and their identities, fields, calls,
// answers and verdicts. It knows no transport, no storage, no clock and no price.
package enrich

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Field is one thing that a service looks up and charges for when it returns it. It is a small
// number within the catalogue of its interface.
type Field uint8

// MaxFields is the most fields that a catalogue can have: Fields has a bit for each.
const MaxFields = 8

// firstNames are the names of fields in JSON that names no catalogue: those of v1.
func firstNames() []string { return []string{"work_email", "business_phone"} }

// String returns the name of the field in JSON. Texts have the name from the catalogue.
func (f Field) String() string {
	if names := firstNames(); int(f) < len(names) {
		return names[f]
	}
	return "field_" + strconv.Itoa(int(f))
}

// parseField returns the field with a name of String.
func parseField(name string) (Field, error) {
	for f := range PossibleFields.Each() {
		if f.String() == name {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%q is not a field; the fields are %s", name, strings.Join(firstNames(), ","))
}

// MarshalText writes the field's name.
func (f Field) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Field) UnmarshalText(text []byte) (err error) {
	*f, err = parseField(string(text))
	return err
}

// Fields is a set of fields.
type Fields uint8

// PossibleFields is the set of every field that a catalogue can have.
const PossibleFields Fields = 1<<MaxFields - 1

// FieldsOf returns the set of the given fields.
func FieldsOf(fields ...Field) Fields {
	var set Fields
	for _, f := range fields {
		set |= 1 << f
	}
	return set
}

// Has reports whether f is in the set.
func (s Fields) Has(f Field) bool { return s&(1<<f) != 0 }

// With returns the set with f added.
func (s Fields) With(f Field) Fields { return s | 1<<f }

// Without returns the fields of s that are not in other.
func (s Fields) Without(other Fields) Fields { return s &^ other }

// Each yields the fields of the set in their order.
func (s Fields) Each() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for rest := s; rest != 0; rest &= rest - 1 {
			if !yield(Field(bits.TrailingZeros8(uint8(rest)))) {
				return
			}
		}
	}
}

// String returns the names of the fields joined by commas, "" for the empty set.
func (s Fields) String() string {
	var names []string
	for f := range s.Each() {
		names = append(names, f.String())
	}
	return strings.Join(names, ",")
}

// MarshalText writes the names of the fields joined by commas.
func (s Fields) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Fields) UnmarshalText(text []byte) error {
	*s = 0
	if len(text) == 0 {
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		f, err := parseField(name)
		if err != nil {
			return err
		}
		*s = s.With(f)
	}
	return nil
}

// ByField holds a value for each field that a catalogue can have. It is an array: assigning it
// copies the values.
type ByField[T any] [MaxFields]T

// MarshalJSON writes the values of the first two fields, and those of later fields up to the last
// one that is not zero.
func (b ByField[T]) MarshalJSON() ([]byte, error) {
	length := 2
	for f := length; f < MaxFields; f++ {
		if !reflect.ValueOf(&b[f]).Elem().IsZero() {
			length = f + 1
		}
	}
	return json.Marshal(b[:length])
}

// Lookup is one question to the service: an identity and the fields still wanted.
type Lookup struct {
	Identity Identity
	Fields   Fields
	// Row is what the row of the lookup says of its subject. It is nil where no answer to another lookup can make this one
	// unnecessary, and where the identity alone decides that.
	Row *Described
}

// Key stands for an identity: a 128-bit hash keyed with a journal's own secret,
// so that it says nothing about the person outside that journal.
type Key [16]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText writes the key in hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != 2*len(k) {
		return fmt.Errorf("a key has %d hexadecimal digits, not %d", 2*len(k), len(text))
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// Status is the service's word on a completed lookup.
type Status string

// The statuses of a completed lookup (specification v1, "Enrichment result").
const (
	Matched  Status = "matched"
	Partial  Status = "partial"
	NotFound Status = "not_found"
)

// Ambiguous is the status of values that may be those of several subjects, of which somebody has to choose one.
// No service says so: it follows from what a search found.
const Ambiguous Status = "ambiguous"

// Valid reports whether s is one of the three statuses.
func (s Status) Valid() bool { return s == Matched || s == Partial || s == NotFound }

// Values are what an answer says, as text. Memory of one may be used again for the next.
type Values struct {
	Status      Status
	Fields      ByField[string] // "" when not returned
	Details     []string        // as Catalogue.Details lists them
	RetrievedAt time.Time
	Provenance  string
	Reason      string // why they are Ambiguous, or which of them could not be read
}
