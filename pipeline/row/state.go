package row

import "payonce/enrich"

// State is what is known of a row, in two bytes: some of its fields, the pattern that names its
// person, whether the row leads the person, and whether the journal knows the person. Which
// fields they are depends on who asks: those that the row misses, that all rows of its person
// miss, or that are to be looked up.
type State uint16

// The bits of a State. Those of the fields have the width of their type.
const (
	statePattern   = 8      // where the pattern begins
	stateNobody    = 3 << 8 // in place of a pattern; the fields then hold the number of a reason
	stateLeads     = 1 << 10
	stateKnown     = 1 << 11
	stateKey       = 0xf000 // four bits of the key, by which a list that has changed is noticed
	stateKeyBegins = 12
)

// NumLookupStates is the number of states that Lookup may return.
const NumLookupStates = stateLeads

// Names returns the state of a row that names somebody and misses fields.
func Names(pattern enrich.Pattern, fields enrich.Fields) State {
	return State(pattern)<<statePattern | State(fields)
}

// NamesNobody returns the state of a row that names nobody, by the number of the reason.
func NamesNobody(reason uint8) State { return stateNobody | State(reason) }

// Fields returns the fields.
func (s State) Fields() enrich.Fields { return enrich.Fields(s) }

// WithFields returns the state with other fields.
func (s State) WithFields(fields enrich.Fields) State { return s&^0xff | State(fields) }

// HasFields reports whether there are any fields.
func (s State) HasFields() bool { return s.Fields() != 0 }

// Pattern returns the pattern that names the person.
func (s State) Pattern() enrich.Pattern { return enrich.Pattern(s & stateNobody >> statePattern) }

// Reason returns the number of the reason why the row names nobody, and false when it names
// somebody.
func (s State) Reason() (number uint8, nobody bool) { return uint8(s), s&stateNobody == stateNobody }

// AsKnown returns the state of a row whose person the journal knows.
func (s State) AsKnown() State { return s | stateKnown }

// IsKnown reports whether the journal knows the person.
func (s State) IsKnown() bool { return s&stateKnown != 0 }

// AsLead returns the state of the row that leads the person with a key.
func (s State) AsLead(key enrich.Key) State {
	return s&^stateKey | stateLeads | State(key[len(key)-1])<<stateKeyBegins
}

// Leads reports whether the row leads its person.
func (s State) Leads() bool { return s&stateLeads != 0 }

// IsOf reports whether the row may be the one that leads the person with a key.
func (s State) IsOf(key enrich.Key) bool { return s == s.AsLead(key) }

// Lookup returns the part of the state that a lookup follows from: the fields and the pattern.
func (s State) Lookup() State { return s & (NumLookupStates - 1) }
