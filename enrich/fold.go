package enrich

import "bytes"

// AppendName appends the form in which two spellings of a name are equal.
func AppendName(form []byte, name string) []byte {
	start := len(form)
	form, ok := appendName(form, []byte(name))
	if !ok {
		return form[:start]
	}
	return form
}

// EachCanonical appends to form the canonical form of each identity that the contact gives, and
// hands it to visit, until visit returns true. It reports whether visit did. The former form of the profile is among
// them.
func (c *Cells) EachCanonical(form []byte, visit func(canonical []byte) bool) bool {
	named := *c
	named.ProfileURL, named.ContactID = nil, nil
	byCompany := named
	byCompany.CompanyDomain = nil
	profile, email, own := Cells{ProfileURL: c.ProfileURL}, Cells{Email: c.Email}, Cells{ContactID: c.ContactID}
	named.Email, byCompany.Email = nil, nil
	for _, cells := range []*Cells{&profile, &named, &byCompany, &email, &own} {
		if form, _, reason := cells.AppendCanonical(form[:0], ByProfile); reason == "" && visit(form) {
			return true
		}
	}
	id, _ := Contact{ProfileURL: string(c.ProfileURL)}.Identify(ByProfile)
	former := id.Former()
	return former != "" && visit(append(form[:0], former...))
}

// Further returns the cells of a further identity of the contact: 1 for the one after that of AppendCanonical. After it
// come the email, the profile, the id, the name with the domain of the company, and the name with the name of the
// company. The cells name the further identity when an email is preferred. It reports false when there is none.
func (c Cells) Further(number int, prefer Pattern) (further Cells, found bool) {
	form, pattern, reason := c.AppendCanonical(nil, prefer)
	for number > 0 && reason == "" {
		before := form
		c.leaveOut(pattern)
		if form, pattern, reason = c.AppendCanonical(nil, ByEmail); !bytes.Equal(form, before) {
			number--
		}
	}
	return c, reason == ""
}

// leaveOut empties the cells by which a pattern names the contact. Of a name with a domain it leaves the name, which may
// name the contact with the name of the company.
func (c *Cells) leaveOut(pattern Pattern) {
	switch {
	case pattern == ByProfile:
		c.ProfileURL = nil
	case pattern == ByContactID:
		c.ContactID = nil
	case pattern == ByEmail:
		c.Email = nil
	case len(c.CompanyDomain) > 0:
		c.CompanyDomain = nil
	default:
		c.FirstName, c.LastName = nil, nil
	}
}
