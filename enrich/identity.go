package enrich

import "strings"

// Contact is what a row of the list says about a person, as it stands there.
type Contact struct {
	ProfileURL    string
	FirstName     string
	LastName      string
	CompanyDomain string // a domain, a URL or an email address whose domain is meant
	CompanyName   string
	Email         string // one address or several; the first counts
	ContactID     string // the service's own
}

// Identity is a subject as the service is asked about it, by one pattern. A person has either the service's own id, or a
// profile URL, or an email, or a first and last name with exactly one of company domain and company name. A company has the
// members of Company alone. The values are clean (NFC, no stray white space) and are sent as they stand; Canonical is
// what makes two spellings of one subject equal.
type Identity struct {
	ProfileURL    string `json:"profile_url,omitempty"`
	FirstName     string `json:"first_name,omitempty"`
	LastName      string `json:"last_name,omitempty"`
	CompanyDomain string `json:"company_domain,omitempty"`
	CompanyName   string `json:"company_name,omitempty"`
	Email         string `json:"email,omitempty"`
	// ContactID is the service's own id of a person; text, also where it is a number.
	ContactID string `json:"contact_id,omitempty"`
	// Company names a company that the call is about. It is zero in the identity of a person.
	Company Company `json:"company,omitzero"`
	// Search names a page of the results of a search by what is sent for it, in the canonical form of the
	// interface. An identity with it has nothing else.
	Search string `json:"search,omitempty"`
}

// Subject returns what kind of subject the identity names.
func (id Identity) Subject() Subject { return id.Pattern().Subject() }

// Pattern returns the pattern that the identity uses.
func (id Identity) Pattern() Pattern {
	switch {
	case id.Search != "":
		return BySearch
	case id.Company != (Company{}):
		return id.Company.pattern()
	case id.ContactID != "":
		return ByContactID
	case id.ProfileURL != "":
		return ByProfile
	case id.Email != "":
		return ByEmail
	default:
		return ByName
	}
}

// Unidentifiable says why a row names no subject; "" when it names one. The rows are
// counted by these reasons, so they hold no value of a row.
type Unidentifiable string

// The reasons why a contact is unidentifiable.
const (
	NoIdentifiers  Unidentifiable = "no profile URL and no name"
	NoFirstName    Unidentifiable = "first name missing"
	NoLastName     Unidentifiable = "last name missing"
	NoCompany      Unidentifiable = "company missing"
	BadProfileURL  Unidentifiable = "profile URL is not a URL of a profile"
	BadEmail       Unidentifiable = "email is not an email address"
	BadDomain      Unidentifiable = "company domain is not a domain"
	BadContactID   Unidentifiable = "contact id is damaged; format the column as text and save the list as UTF-8"
	FreeMailDomain Unidentifiable = "the email's domain belongs to a mail provider, not to a company"
	// The reasons for hosts that many companies share; see sharedhost.go.
	MailProviderDomain Unidentifiable = "company domain belongs to a mail provider"
	NetworkDomain      Unidentifiable = "company domain belongs to a social network"
	DirectoryDomain    Unidentifiable = "company domain belongs to a directory of companies"
	PageDomain         Unidentifiable = "company domain belongs to a link page or a document"
	ParkedDomain       Unidentifiable = "company domain belongs to a seller of domains"

	MangledText Unidentifiable = "name or company name has lost characters; save the list as UTF-8"
	TooLong     Unidentifiable = "what names the person is longer than 4 KB; is a quote missing in this row?"
)

// maxIdentity bounds the values of an identity together, in bytes. Nobody has a longer one:
// addresses beyond 2,048 bytes work hardly anywhere, and three values of 255 letters have 3,060
// bytes in most scripts. A quote that is missing, though, makes one cell of many rows. What is
// bounded is what is sent and kept, so the canonical form has its bound from it: a form alone
// would not do, as escapes of what cannot be seen fold to nothing.
const maxIdentity = 4096

// Identify builds the identity of a contact. When several patterns are whole, prefer decides. Otherwise a profile comes
// first, because a call about one can leave values out, and then the service's own id, which names one person alone. An
// email comes last: a run may fill one in, and the person has to keep the identity by which it was asked about.
// A contact with no whole pattern gets a reason and no identity.
func (c Contact) Identify(prefer Pattern) (Identity, Unidentifiable) {
	emailed, emailReason := c.byEmail()
	if emailReason == "" && prefer == ByEmail {
		return emailed, ""
	}
	profile, profileReason := c.byProfile()
	if profileReason == "" && prefer != ByName {
		return profile, ""
	}
	own, ownReason := c.byID()
	if ownReason == "" && prefer != ByName {
		return own, ""
	}
	named, nameReason := c.byName()
	switch {
	case nameReason == "":
		return named, ""
	case profileReason == "":
		return profile, ""
	case ownReason == "":
		return own, ""
	case emailReason == "":
		return emailed, ""
	case nameReason == NoIdentifiers && profileReason == NoIdentifiers && emailReason == NoIdentifiers:
		return Identity{}, ownReason
	case nameReason == NoIdentifiers && profileReason == NoIdentifiers:
		return Identity{}, emailReason
	case nameReason == NoIdentifiers:
		return Identity{}, profileReason
	default:
		return Identity{}, nameReason
	}
}

func (c Contact) byEmail() (Identity, Unidentifiable) {
	if isBlank(c.Email) {
		return Identity{}, NoIdentifiers
	}
	email, ok := cleanEmail(c.Email)
	if !ok {
		return Identity{}, BadEmail
	}
	return Identity{Email: email}.bounded()
}

func (c Contact) byID() (Identity, Unidentifiable) {
	if isBlank(c.ContactID) {
		return Identity{}, NoIdentifiers
	}
	id, whole := withoutFraction(cleanID(c.ContactID))
	if !whole || isMangled(id) || id == "" {
		return Identity{}, BadContactID
	}
	return Identity{ContactID: id}.bounded()
}

func (c Contact) byProfile() (Identity, Unidentifiable) {
	if isBlank(c.ProfileURL) {
		return Identity{}, NoIdentifiers
	}
	address, ok := cleanProfileURL(c.ProfileURL)
	if !ok {
		return Identity{}, BadProfileURL
	}
	return Identity{ProfileURL: address}.bounded()
}

func (c Contact) byName() (Identity, Unidentifiable) {
	id := Identity{FirstName: cleanText(c.FirstName), LastName: cleanText(c.LastName)}
	switch {
	case id.FirstName == "" && id.LastName == "":
		return Identity{}, NoIdentifiers
	case id.FirstName == "":
		return Identity{}, NoFirstName
	case id.LastName == "":
		return Identity{}, NoLastName
	case isMangled(id.FirstName) || isMangled(id.LastName):
		return Identity{}, MangledText
	}
	domain, domainReason := cleanDomain(c.CompanyDomain)
	if domain != "" {
		id.CompanyDomain = domain
		return id.bounded()
	}
	id.CompanyName = cleanText(c.CompanyName)
	switch {
	case isMangled(id.CompanyName):
		return Identity{}, MangledText
	case id.CompanyName != "":
		return id.bounded()
	case domainReason != "":
		return Identity{}, domainReason
	default:
		return Identity{}, NoCompany
	}
}

// bounded returns the identity, or that it is too long.
func (id Identity) bounded() (Identity, Unidentifiable) {
	if id.Len() > maxIdentity {
		return Identity{}, TooLong
	}
	return id, ""
}

// Len returns the number of bytes of the identity's values.
func (id Identity) Len() int {
	return len(id.ProfileURL) + len(id.FirstName) + len(id.LastName) + len(id.CompanyDomain) + len(id.CompanyName) +
		len(id.Email) + len(id.ContactID) + id.Company.len() + len(id.Search)
}

// unitSeparator parts the values of a canonical form; cleaning removes it from
// every value, so two different identities never share a canonical form.
const unitSeparator = "\x1f"

// Canonical returns the form in which two spellings of one subject are equal: NFKC, folded case, single spaces. Of
// the address of a profile it has only what names the subject, as far as that is certain; see page.naming. It is what
// keys are made of; it is never sent. Its first value is "profile", "address", "name", "email" or "contact" for a person,
// "company" for a company and "search" for a page of results.
//
// An identity that an earlier version of the program recorded may have had another form; see Former. No form is the
// former one of another identity.
func (id Identity) Canonical() string {
	if id.Search != "" {
		return "search" + unitSeparator + id.Search
	}
	if id.Company != (Company{}) {
		return id.Company.canonical()
	}
	if id.ContactID != "" {
		return "contact" + unitSeparator + id.ContactID
	}
	if id.ProfileURL != "" {
		return canonicalPage(id.ProfileURL)
	}
	if id.Email != "" {
		return "email" + unitSeparator + foldEmail(id.Email)
	}
	company := "domain" + unitSeparator + id.CompanyDomain
	if id.CompanyDomain == "" {
		company = "company" + unitSeparator + foldText(id.CompanyName)
	}
	return strings.Join([]string{"name", foldText(id.FirstName), foldText(id.LastName), company}, unitSeparator)
}

// String describes the identity for a person to read.
func (id Identity) String() string {
	switch {
	case id.Search != "":
		return "search " + id.Search
	case id.Company != (Company{}):
		return id.Company.String()
	case id.ContactID != "":
		return "contact " + id.ContactID
	case id.ProfileURL != "":
		return id.ProfileURL
	case id.Email != "":
		return id.Email
	case id.CompanyDomain != "":
		return id.FirstName + " " + id.LastName + ", " + id.CompanyDomain
	default:
		return id.FirstName + " " + id.LastName + ", " + id.CompanyName
	}
}
