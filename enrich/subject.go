package enrich

// Subject is a kind of what a call is about.
type Subject uint8

// The kinds of subjects.
const (
	Persons Subject = iota
	Companies
)

// String names one subject of the kind.
func (s Subject) String() string {
	if s == Companies {
		return "company"
	}
	return "person"
}

// Pattern is a way to name a subject: which of its values an identity has.
type Pattern uint8

// The patterns. Persons are named by the first two (specification v1, "What the service does"), companies by
// the others (specification v2, "Enrichment").
const (
	ByProfile        Pattern = iota
	ByName                   // first and last name, and the domain or the name of the company
	ByID                     // the service's own id of a company
	ByRegistration           // country, and registration or VAT number
	ByWebsite                // the host of a company's website
	ByCompanyProfile         // the page of a company in a network
)

// NumPatterns is the number of patterns.
const NumPatterns = int(ByCompanyProfile) + 1

// patternNames are the names of the patterns, in records and to the user.
func patternNames() [NumPatterns]string {
	return [...]string{
		ByProfile: "profile", ByName: "name",
		ByID: "id", ByRegistration: "registration", ByWebsite: "website", ByCompanyProfile: "company_profile",
	}
}

// String names the pattern, in records and to the user.
func (p Pattern) String() string {
	if names := patternNames(); int(p) < len(names) {
		return names[p]
	}
	return "name"
}

// ParsePattern returns the pattern with a name, and false when none has it.
func ParsePattern(name string) (Pattern, bool) {
	for p, known := range patternNames() {
		if known == name {
			return Pattern(p), true
		}
	}
	return 0, false
}

// Subject returns the kind of subjects that the pattern names.
func (p Pattern) Subject() Subject {
	if p >= ByID {
		return Companies
	}
	return Persons
}
