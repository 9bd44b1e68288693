package row

import "payonce/enrich"

// State is what is known of a row, in two bytes: some of its fields, the pattern that names its
// subject, and a mark. In a survey the mark says that the row leads its subject, in an index that the
// journal knows the subject. Which fields they are depends on who asks: those that the row misses,
// that all rows of its subject miss, or that are to be looked up.
type State uint16

// The bits of a State. Those of the fields have the width of their type.
const (
	statePattern   = 8 // where the pattern begins
	statePatterns  = 7 << statePattern
	stateMarked    = 1 << 11
	stateKey       = 0xf000 // in a survey: four bits of the key, by which a list that has changed is noticed
	stateKeyBegins = 12
	// In an index, which has no bits of keys: the row names no subject. The fields then hold the number of a
	// reason.
	stateNobody = 1 << 12
)

// NumLookupStates is the number of states that Lookup may return.
const NumLookupStates = stateMarked

// Names returns the state of a row that names a subject and misses fields.
func Names(pattern enrich.Pattern, fields enrich.Fields) State {
	return State(pattern)<<statePattern | State(fields)
}

// NamesNobody returns the state of a row that names no subject, by the number of the reason.
func NamesNobody(reason uint8) State { return stateNobody | State(reason) }

// Fields returns the fields.
func (s State) Fields() enrich.Fields { return enrich.Fields(s) }

// WithFields returns the state with other fields.
func (s State) WithFields(fields enrich.Fields) State { return s&^0xff | State(fields) }

// HasFields reports whether there are any fields.
func (s State) HasFields() bool { return s.Fields() != 0 }

// Pattern returns the pattern that names the subject.
func (s State) Pattern() enrich.Pattern { return enrich.Pattern(s & statePatterns >> statePattern) }

// Reason returns, of a row of an index, the number of the reason why it names no subject, and false when it
// names one.
func (s State) Reason() (number uint8, nobody bool) { return uint8(s), s&stateNobody != 0 }

// AsKnown returns the state, in an index, of a row whose subject the journal knows.
func (s State) AsKnown() State { return s | stateMarked }

// IsKnown reports whether the journal knows the subject of a row of an index.
func (s State) IsKnown() bool { return s&stateMarked != 0 }

// AsLead returns the state, in a survey, of the row that leads the subject with a key.
func (s State) AsLead(key enrich.Key) State {
	return s&^stateKey | stateMarked | State(key[len(key)-1])<<stateKeyBegins
}

// Leads reports whether a row of a survey leads its subject.
func (s State) Leads() bool { return s&stateMarked != 0 }

// IsOf reports whether the row may be the one that leads the subject with a key.
func (s State) IsOf(key enrich.Key) bool { return s == s.AsLead(key) }

// Lookup returns the part of the state that a lookup follows from: the fields and the pattern.
func (s State) Lookup() State { return s & (NumLookupStates - 1) }
