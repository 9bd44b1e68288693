package enrich

// Subject is a kind of what a call is about.
type Subject uint8

// The kinds of subjects.
const (
	Persons Subject = iota
	Companies
	Searches // a page of the results of a search
)

// String names one subject of the kind.
func (s Subject) String() string {
	switch s {
	case Companies:
		return "company"
	case Searches:
		return "search"
	default:
		return "person"
	}
}

// Pattern is a way to name a subject: which of its values an identity has.
type Pattern uint8

// The patterns (specification v1, "What the service does"; v2, "Enrichment"). Their order has no meaning: it is
// that in which they came into the program.
const (
	ByProfile        Pattern = iota
	ByName                   // first and last name, and the domain or the name of the company
	ByID                     // the service's own id of a company
	ByRegistration           // country, and registration or VAT number
	ByWebsite                // the host of a company's website
	ByCompanyProfile         // the page of a company in a network
	ByEmail                  // a person's email
	ByCompanyName            // name of a company, and its country where that is known; it may name several
	ByContactID              // the service's own id of a person
)

// NumPatterns is the number of patterns that name rows of a list. They stand before the others: what is kept
// of a row has room for their numbers alone.
const NumPatterns = int(ByContactID) + 1

// BySearch names a page of the results of a search. It never names a row of a list.
const BySearch Pattern = 15

// patternNames are the names of the patterns, in records and to the user. Numbers that no pattern has are "".
func patternNames() [BySearch + 1]string {
	return [...]string{
		ByProfile: "profile", ByName: "name",
		ByID: "id", ByRegistration: "registration", ByWebsite: "website", ByCompanyProfile: "company_profile",
		ByEmail: "email", ByCompanyName: "company_name", ByContactID: "contact_id", BySearch: "search",
	}
}

// String names the pattern, in records and to the user.
func (p Pattern) String() string {
	if names := patternNames(); int(p) < len(names) && names[p] != "" {
		return names[p]
	}
	return "name"
}

// Subject returns the kind of subjects that the pattern names.
func (p Pattern) Subject() Subject {
	switch p {
	case BySearch:
		return Searches
	case ByProfile, ByName, ByEmail, ByContactID:
		return Persons
	default:
		return Companies
	}
}

// Patterns is a set of patterns.
type Patterns uint16

// PatternsOf returns the set of the given patterns.
func PatternsOf(patterns ...Pattern) (set Patterns) {
	for _, p := range patterns {
		set |= 1 << p
	}
	return set
}

// Has reports whether a pattern is in the set.
func (s Patterns) Has(p Pattern) bool { return s&(1<<p) != 0 }

// UsualPatterns are the patterns by which subjects are named when nothing else is said: all but an email and the id of a
// person, which not every interface takes, and the name of a company, which may be that of several.
func UsualPatterns() Patterns {
	return (1<<NumPatterns - 1) &^ PatternsOf(ByEmail, ByContactID, ByCompanyName)
}
