package enrich

import (
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Company is what names a company. It holds what a row of a list or an answer says, as it stands there. In an
// Identity it holds one pattern, in its clean form.
type Company struct {
	ID                 string `json:"id,omitempty"`      // the service's own; text, also where it is a number
	Country            string `json:"country,omitempty"` // clean: ISO 3166, two capital letters
	State              string `json:"state,omitempty"`   // clean: two capital letters, of a company in the US
	RegistrationNumber string `json:"registration_number,omitempty"`
	VATNumber          string `json:"vat_number,omitempty"`
	Website            string `json:"website,omitempty"` // clean: a host
	ProfileURL         string `json:"profile_url,omitempty"`
}

// The reasons why a company is unidentifiable. A website has those of a domain as well.
const (
	NoCompanyIdentifiers Unidentifiable = "no company id, registration number, VAT number, website or profile URL"
	NoCountry            Unidentifiable = "country missing; a registration or VAT number needs one"
	BadCountry           Unidentifiable = "country is not a country code of two letters"
	NoState              Unidentifiable = "state missing; a company in the US needs one"
	BadState             Unidentifiable = "state is not a code of two letters"
	BadNumber            Unidentifiable = "registration or VAT number has no letter and no digit"
	BadWebsite           Unidentifiable = "website is not a web address"
	BadCompanyProfile    Unidentifiable = "profile URL is not a URL of a company's profile"
	MangledNumber        Unidentifiable = "company id or number has lost characters; save the list as UTF-8"
	TooLongCompany       Unidentifiable = "what names the company is longer than 4 KB; is a quote missing in this row?"
)

// Identify builds the identity of the company. When several patterns are whole, prefer decides, then the
// order of the patterns. A company with no whole pattern gets a reason and no identity.
func (c Company) Identify(prefer Pattern) (Identity, Unidentifiable) {
	first := NoCompanyIdentifiers
	for _, pattern := range [...]Pattern{prefer, ByID, ByRegistration, ByWebsite, ByCompanyProfile} {
		company, reason := c.by(pattern)
		switch {
		case reason == "" && company.len() > maxIdentity:
			reason = TooLongCompany
		case reason == "":
			return Identity{Company: company}, ""
		}
		if first == NoCompanyIdentifiers {
			first = reason
		}
	}
	return Identity{}, first
}

// by returns the values of one pattern in their clean form.
func (c Company) by(pattern Pattern) (Company, Unidentifiable) {
	switch pattern {
	case ByID:
		return c.byID()
	case ByRegistration:
		return c.byRegistration()
	case ByWebsite:
		return c.byWebsite()
	case ByCompanyProfile:
		return c.byProfile()
	default: // of a person
		return Company{}, NoCompanyIdentifiers
	}
}

func (c Company) byID() (Company, Unidentifiable) {
	id := cleanID(c.ID)
	switch {
	case id == "":
		return Company{}, NoCompanyIdentifiers
	case isMangled(id):
		return Company{}, MangledNumber
	}
	return Company{ID: id}, ""
}

// byRegistration takes the registration number, and the VAT number where that is missing or wrong.
func (c Company) byRegistration() (Company, Unidentifiable) {
	if isBlank(c.RegistrationNumber) && isBlank(c.VATNumber) {
		return Company{}, NoCompanyIdentifiers
	}
	clean, reason := c.cleanPlace()
	if reason != "" {
		return Company{}, reason
	}
	clean.RegistrationNumber, reason = cleanNumber(c.RegistrationNumber)
	if clean.RegistrationNumber != "" {
		return clean, ""
	}
	var vatReason Unidentifiable
	clean.VATNumber, vatReason = cleanNumber(c.VATNumber)
	switch {
	case clean.VATNumber != "":
		return clean, ""
	case reason != "":
		return Company{}, reason
	default:
		return Company{}, vatReason
	}
}

// cleanPlace returns the country, and the state of a company in the US. Elsewhere the number is that of the
// whole country.
func (c Company) cleanPlace() (clean Company, reason Unidentifiable) {
	if isBlank(c.Country) {
		return clean, NoCountry
	}
	country, ok := cleanCountry(c.Country)
	if !ok {
		return clean, BadCountry
	}
	if country != "US" {
		return Company{Country: country}, ""
	}
	if isBlank(c.State) {
		return clean, NoState
	}
	state := capitals(c.State)
	if !isCode(state, 2) {
		return clean, BadState
	}
	return Company{Country: country, State: state}, ""
}

func (c Company) byWebsite() (Company, Unidentifiable) {
	host, reason := cleanDomain(c.Website)
	switch {
	case reason == BadDomain || isMangled(host):
		return Company{}, BadWebsite
	case reason != "":
		return Company{}, reason
	case host == "":
		return Company{}, NoCompanyIdentifiers
	}
	return Company{Website: host}, ""
}

func (c Company) byProfile() (Company, Unidentifiable) {
	if isBlank(c.ProfileURL) {
		return Company{}, NoCompanyIdentifiers
	}
	address, ok := cleanCompanyPage(c.ProfileURL)
	if !ok {
		return Company{}, BadCompanyProfile
	}
	return Company{ProfileURL: address}, ""
}

// cleanID returns an id as it is sent. Its case stays: only the service knows whether it matters.
func cleanID(s string) string { return cleanText(norm.NFKC.String(cleanText(s))) }

// capitals returns text in capital letters, in the composition and width in which spellings are equal.
func capitals(s string) string { return cleanText(strings.ToUpper(foldText(s))) }

// isCode reports whether a text consists of capital ASCII letters, as many as letters says.
func isCode(s string, letters int) bool {
	return len(s) == letters && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// cleanCountry returns the ISO code of a country, which is given by its code of two or three letters. "UK" is
// that of the United Kingdom, whose code is GB.
func cleanCountry(s string) (string, bool) {
	code := capitals(s)
	if !isCode(code, 2) && !isCode(code, 3) {
		return "", false
	}
	region, err := language.ParseRegion(code)
	if err != nil || !region.IsCountry() {
		return "", false
	}
	code = region.Canonicalize().String()
	return code, isCode(code, 2)
}

// cleanNumber returns a registration or VAT number as it is sent. A blank one gives "" and no reason.
func cleanNumber(s string) (string, Unidentifiable) {
	number := capitals(s)
	switch {
	case isMangled(number):
		return "", MangledNumber
	case number == "":
		return "", ""
	case foldNumber(number) == "":
		return "", BadNumber
	}
	return number, ""
}

// foldNumber returns the comparable form of a number made by cleanNumber: its letters and digits.
func foldNumber(number string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, number)
}

// foldVATNumber returns the comparable form of a VAT number, which may begin with the code of its country or
// not.
func foldVATNumber(number, country string) string {
	number = foldNumber(number)
	codes := []string{country}
	switch country {
	case "GR":
		codes = append(codes, "EL")
	case "GB":
		codes = append(codes, "XI") // Northern Ireland
	}
	for _, code := range codes {
		if bare, found := strings.CutPrefix(number, code); found && strings.ContainsAny(bare, "0123456789") {
			return bare
		}
	}
	return number
}

// pattern returns the pattern that the clean company uses.
func (c Company) pattern() Pattern {
	switch {
	case c.ID != "":
		return ByID
	case c.RegistrationNumber != "" || c.VATNumber != "":
		return ByRegistration
	case c.Website != "":
		return ByWebsite
	default:
		return ByCompanyProfile
	}
}

// canonical returns the form in which two spellings of the clean company are equal.
func (c Company) canonical() string {
	values := []string{"company"}
	switch {
	case c.ID != "":
		values = append(values, "id", c.ID)
	case c.RegistrationNumber != "":
		values = append(values, "registration", c.Country, c.State, foldNumber(c.RegistrationNumber))
	case c.VATNumber != "":
		values = append(values, "vat", c.Country, c.State, foldVATNumber(c.VATNumber, c.Country))
	case c.Website != "":
		values = append(values, "website", c.Website)
	default:
		values = append(values, "profile", foldProfileURL(c.ProfileURL))
	}
	return strings.Join(values, unitSeparator)
}

// len returns the number of bytes of the values.
func (c Company) len() int {
	return len(c.ID) + len(c.Country) + len(c.State) + len(c.RegistrationNumber) + len(c.VATNumber) +
		len(c.Website) + len(c.ProfileURL)
}

// String describes the company for a person to read.
func (c Company) String() string {
	place := c.Country
	if c.State != "" {
		place += "-" + c.State
	}
	switch {
	case c.ID != "":
		return "company " + c.ID
	case c.RegistrationNumber != "":
		return "company " + c.RegistrationNumber + " in " + place
	case c.VATNumber != "":
		return "company with VAT number " + c.VATNumber + " in " + place
	case c.Website != "":
		return c.Website
	default:
		return c.ProfileURL
	}
}
