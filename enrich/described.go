package enrich

// Part is a part of what a row of a list, or an answer, says of its subject.
type Part uint8

// The parts. Those of a company are also those of the company that a person works for.
const (
	NoPart Part = iota
	PartFullName
	PartFirstName
	PartLastName
	PartEmail
	PartProfile // of the person
	PartContactID
	PartCompanyID
	PartCompanyName
	PartBrands // further names of the company
	PartCountry
	PartRegistration // number
	PartVAT          // number
	PartWebsite
	PartCompanyProfile
	numParts
)

// Described is what a row of a list, or an answer, says of its subject, as it stands there: a text for each Part, ""
// where it says nothing.
type Described [numParts]string
