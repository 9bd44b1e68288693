package enrich

// Cells is what a row of the list says about a person, as the bytes of its cells.
// Where a list has no such column, the cell is empty.
type Cells struct {
	ProfileURL    []byte
	FirstName     []byte
	LastName      []byte
	CompanyDomain []byte
	CompanyName   []byte
	Email         []byte
	ContactID     []byte
}

// Contact returns the cells as texts of their own.
func (c *Cells) Contact() Contact {
	return Contact{
		ProfileURL:    string(c.ProfileURL),
		FirstName:     string(c.FirstName),
		LastName:      string(c.LastName),
		CompanyDomain: string(c.CompanyDomain),
		CompanyName:   string(c.CompanyName),
		Email:         string(c.Email),
		ContactID:     string(c.ContactID),
	}
}

// AppendCanonical appends the canonical form of the contact's identity: what Identify
// and Canonical give. A contact with no whole pattern gets a reason, and nothing is
// appended. Cells of plain ASCII text need no allocation.
func (c *Cells) AppendCanonical(form []byte, prefer Pattern) ([]byte, Pattern, Unidentifiable) {
	start := len(form)
	if c.length() <= surelyBounded {
		if form, pattern, ok := c.appendPlain(form, prefer); ok {
			return form, pattern, ""
		}
	}
	id, reason := c.Contact().Identify(prefer)
	if reason != "" {
		return form[:start], 0, reason
	}
	return append(form, id.Canonical()...), id.Pattern(), ""
}

// surelyBounded is a length of cells whose identity is never too long, in bytes: cleaning a
// name makes three bytes of one at most, and an address that is plain gets a scheme at most.
const surelyBounded = maxIdentity / 4

// length returns the bytes of all cells.
func (c *Cells) length() int {
	return len(c.ProfileURL) + len(c.FirstName) + len(c.LastName) + len(c.CompanyDomain) + len(c.CompanyName) +
		len(c.Email) + len(c.ContactID)
}

// AppendCanonical appends the canonical form of the identity. One of plain ASCII text
// needs no allocation where form has room for three times as much.
func (id Identity) AppendCanonical(form []byte) []byte {
	if id.Company != (Company{}) || id.Search != "" || id.ContactID != "" {
		return append(form, id.Canonical()...)
	}
	start := len(form)
	cells, form := id.cells(form)
	end := len(form)
	if form, _, ok := cells.appendPlain(form, id.Pattern()); ok {
		return append(form[:start], form[end:]...)
	}
	return append(form[:start], id.Canonical()...)
}

// cells returns the identity as cells, which lie behind form.
func (id Identity) cells(form []byte) (Cells, []byte) {
	start := len(form)
	form = append(form, id.ProfileURL...)
	form = append(form, id.FirstName...)
	form = append(form, id.LastName...)
	form = append(form, id.CompanyDomain...)
	form = append(form, id.CompanyName...)
	form = append(form, id.Email...)
	rest := form[start:]
	cut := func(length int) (cell []byte) {
		cell, rest = rest[:length:length], rest[length:]
		return cell
	}
	return Cells{
		ProfileURL: cut(len(id.ProfileURL)), FirstName: cut(len(id.FirstName)), LastName: cut(len(id.LastName)),
		CompanyDomain: cut(len(id.CompanyDomain)), CompanyName: cut(len(id.CompanyName)),
		Email: cut(len(id.Email)),
	}, form
}

// appendPlain is AppendCanonical for most contacts. It reports false, and what it
// appended means nothing, where Identify has to look.
func (c *Cells) appendPlain(form []byte, prefer Pattern) ([]byte, Pattern, bool) {
	start := len(form)
	if len(c.ContactID) > 0 {
		return form, 0, false
	}
	if len(c.Email) > 0 && prefer == ByEmail {
		form, isEmail := appendPlainEmail(form, c.Email)
		return form, ByEmail, isEmail
	}
	form, hasProfile := appendPlainProfile(form, c.ProfileURL)
	if hasProfile && prefer != ByName {
		return form, ByProfile, true
	}
	if !hasProfile && len(c.ProfileURL) > 0 {
		return form, 0, false
	}
	if len(c.Email) > 0 && !hasProfile && len(c.FirstName)+len(c.LastName) == 0 {
		form, isEmail := appendPlainEmail(form, c.Email)
		return form, ByEmail, isEmail
	}
	end := len(form)
	form, named := c.appendPlainName(form)
	switch {
	case named:
		return append(form[:start], form[end:]...), ByName, true
	default:
		return form, 0, false
	}
}

// appendPlainName appends the canonical form of a name with a company.
func (c *Cells) appendPlainName(form []byte) ([]byte, bool) {
	form = append(form, "name"+unitSeparator...)
	form, first := appendName(form, c.FirstName)
	form = append(form, unitSeparator...)
	form, last := appendName(form, c.LastName)
	if !first || !last {
		return form, false
	}
	if len(c.CompanyDomain) > 0 {
		form = append(form, unitSeparator+"domain"+unitSeparator...)
		start := len(form)
		form, rest, ok := appendPlainHost(form, trimPlain(c.CompanyDomain))
		if !ok || OfPage(form[start:], rest) != NotSharedHost {
			return form, false
		}
		n, _ := plainPath(rest) // it has to be valid, and is left out
		return form, n == len(rest) || isPlainQuery(rest[n:])
	}
	form = append(form, unitSeparator+"company"+unitSeparator...)
	return appendName(form, c.CompanyName)
}

// appendName appends the folded form of a name, and reports false when it is blank
// or has lost characters.
func appendName(form, cell []byte) ([]byte, bool) {
	start := len(form)
	form, plain := appendPlainText(form, cell)
	if !plain {
		clean := cleanText(string(cell))
		if isMangled(clean) {
			return form, false
		}
		form = append(form[:start], foldText(clean)...)
	}
	return form, len(form) > start
}
