package enrich

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
