package scan

import "payonce/enrich"

// RowState is what is known of a row, in two bytes: some of its fields, the pattern that names its subject, and what
// differs between a scan and an index. A scan has the states of first occurrences, with a part of their keys, and of rows
// that name nobody; other rows are 0. An index has marks. Which fields they are depends on who asks: those that the row misses, that all rows of
// its subject miss, or that are to be looked up.
type RowState uint16

// The bits of a State. Those of the fields have the width of their type.
const (
	statePattern   = 8 // where the pattern begins, one above its number; 0 for a row that names no subject
	statePatterns  = 15 << statePattern
	stateKey       = 0xf000 // in a scan: four bits of the key, by which a list that has changed is noticed
	stateKeyBegins = 12
	// In an index, which has no bits of keys: the journal knows the subject.
	stateKnown = 1 << 12
	// In an index: the row names no subject. The fields then hold the number of a reason.
	stateNobody = 1 << 13
)

// numLookupStates is the number of states that Lookup may return.
const numLookupStates = 1 << stateKeyBegins

// namesSubject returns the state of a row that names a subject and misses fields.
func namesSubject(pattern enrich.Pattern, fields enrich.Fields) RowState {
	return RowState(pattern+1)<<statePattern | RowState(fields)
}

// namesNobody returns the state of a row that names no subject, by the number of the reason.
func namesNobody(reason uint8) RowState { return stateNobody | RowState(reason) }

// Fields returns the fields.
func (s RowState) Fields() enrich.Fields { return enrich.Fields(s) }

// WithFields returns the state with other fields.
func (s RowState) WithFields(fields enrich.Fields) RowState { return s&^0xff | RowState(fields) }

// HasFields reports whether there are any fields.
func (s RowState) HasFields() bool { return s.Fields() != 0 }

// Pattern returns the pattern that names the subject of a row that names one.
func (s RowState) Pattern() enrich.Pattern { return enrich.Pattern(s&statePatterns>>statePattern) - 1 }

// Reason returns, of a row of an index, the number of the reason why it names no subject, and false when it
// names one.
func (s RowState) Reason() (number uint8, nobody bool) { return uint8(s), s&stateNobody != 0 }

// AsKnown returns the state, in an index, of a row whose subject the journal knows.
func (s RowState) AsKnown() RowState { return s | stateKnown }

// IsKnown reports whether the journal knows the subject of a row of an index.
func (s RowState) IsKnown() bool { return s&stateKnown != 0 }

// AsFirst returns the state, in a scan, of the first occurrence of the subject with a key.
func (s RowState) AsFirst(key enrich.Key) RowState {
	return s&^stateKey | RowState(key[len(key)-1])<<stateKeyBegins
}

// IsFirst reports whether a row of a scan is a first occurrence.
func (s RowState) IsFirst() bool { return s&statePatterns != 0 }

// IsOf reports whether the row may be the first occurrence of the subject with a key.
func (s RowState) IsOf(key enrich.Key) bool { return s == s.AsFirst(key) }

// Lookup returns the part of the state that a lookup follows from: the fields and the pattern.
func (s RowState) Lookup() RowState { return s & (numLookupStates - 1) }
