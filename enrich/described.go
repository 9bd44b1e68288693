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

// Names returns the identities of a subject: of a person the id, the profile and the email, because persons share
// names, and of a company those of Company.Names.
func (d *Described) Names(subject Subject) (all []Identity) {
	if subject == Companies {
		return Company{
			ID: d[PartCompanyID], Country: d[PartCountry], RegistrationNumber: d[PartRegistration], VATNumber: d[PartVAT],
			Website: d[PartWebsite], ProfileURL: d[PartCompanyProfile], Name: d[PartCompanyName],
		}.Names()
	}
	for _, c := range []Contact{{ContactID: d[PartContactID]}, {ProfileURL: d[PartProfile]}, {Email: d[PartEmail]}} {
		if id, reason := c.Identify(ByProfile); reason == "" {
			all = append(all, id)
		}
	}
	return all
}
