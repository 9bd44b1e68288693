package enrich

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	Name               string `json:"name,omitempty"`
}

// The reasons why a company is unidentifiable. A website has those of a domain as well.
const (
	NoCompanyIdentifiers Unidentifiable = "no company id, registration number, VAT number, website or profile URL"
	NoCompanyID          Unidentifiable = "no company id" // of one who is named by an id alone
	NoCountry            Unidentifiable = "country missing; a registration or VAT number needs one"
	NoCountryOfName      Unidentifiable = "country missing; a search by name needs one to find the right company"
	BadCountry           Unidentifiable = "country is neither a country code nor the name of a country"
	NoState              Unidentifiable = "state missing; a company in the US needs one"
	BadState             Unidentifiable = "state is neither a code of two letters nor the name of a state of the US"
	BadNumber            Unidentifiable = "registration or VAT number has no letter and no digit"
	BadWebsite           Unidentifiable = "website is not a web address"
	BadCompanyProfile    Unidentifiable = "profile URL is not a URL of a company's profile"
	MangledNumber        Unidentifiable = "company id or number has lost characters; save the list as UTF-8"
	MangledName          Unidentifiable = "company name has lost characters; save the list as UTF-8"
	RoundedNumber        Unidentifiable = "company id or number was rounded by a spreadsheet; format the column as text"
	TooLongCompany       Unidentifiable = "what names the company is longer than 4 KB; is a quote missing in this row?"
)

// Identify builds the identity of the company. When several patterns are whole, prefer decides, then the
// order of the patterns. A company with no whole pattern gets a reason and no identity.
func (c Company) Identify(prefer Pattern) (Identity, Unidentifiable) {
	first := NoCompanyIdentifiers
	for i, pattern := range [...]Pattern{prefer, ByID, ByRegistration, ByWebsite, ByCompanyProfile, ByCompanyName} {
		if i > 0 && pattern == prefer {
			continue // it came first
		}
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

// Identities returns the identities that the patterns of the company make, in the order in which Identify chooses among
// them. A name is one with a country alone.
func (c Company) Identities(prefer Pattern) (all []Identity) {
	for i, pattern := range [...]Pattern{prefer, ByID, ByRegistration, ByWebsite, ByCompanyProfile, ByCompanyName} {
		if i > 0 && pattern == prefer {
			continue
		}
		company, reason := c.by(pattern)
		if reason == "" && company.len() <= maxIdentity && !(pattern == ByCompanyName && company.Country == "") {
			all = append(all, Identity{Company: company})
		}
	}
	return all
}

// Only returns the company without the values that belong to other patterns than the given ones.
func (c Company) Only(patterns Patterns) Company {
	if !patterns.Has(ByID) {
		c.ID = ""
	}
	if !patterns.Has(ByRegistration) {
		c.RegistrationNumber, c.VATNumber = "", ""
	}
	if !patterns.Has(ByWebsite) {
		c.Website = ""
	}
	if !patterns.Has(ByCompanyProfile) {
		c.ProfileURL = ""
	}
	if !patterns.Has(ByCompanyName) {
		c.Name = ""
	}
	return c
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
	case ByCompanyName:
		return c.byName()
	default: // of a person
		return Company{}, NoCompanyIdentifiers
	}
}

func (c Company) byID() (Company, Unidentifiable) {
	if isBlank(c.ID) {
		return Company{}, NoCompanyIdentifiers
	}
	id, whole := withoutFraction(cleanID(c.ID))
	switch {
	case !whole:
		return Company{}, RoundedNumber
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
	if isBlank(c.Country) {
		c.Country = countryOfVAT(c.VATNumber)
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
		country, c.State, ok = c.jurisdiction()
	}
	if !ok {
		return clean, BadCountry
	}
	if country != "US" {
		return Company{Country: country}, ""
	}
	if isBlank(c.State) {
		return clean, NoState
	}
	state, ok := cleanState(c.State)
	if !ok {
		return clean, BadState
	}
	return Company{Country: country, State: state}, ""
}

// jurisdiction returns the country and the state of a code such as "us_de", "US-CA" or "GB-SCT", as registers have them. A
// state in a column of its own counts.
func (c Company) jurisdiction() (country, state string, ok bool) {
	code, part, found := strings.Cut(strings.ReplaceAll(foldText(c.Country), "_", "-"), "-")
	country, ok = cleanCountry(code)
	if !found || !ok || !isCode(capitals(code), 2) || len(part) < 2 || len(part) > 3 || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "", "", false
	}
	if isBlank(c.State) {
		return country, part, true
	}
	return country, c.State, true
}

// byName takes the name, with the country and the state where they are given.
func (c Company) byName() (Company, Unidentifiable) {
	name := cleanText(c.Name)
	switch {
	case isMangled(name):
		return Company{}, MangledName
	case foldText(name) == "":
		return Company{}, NoCompanyIdentifiers
	case isBlank(c.Country):
		return Company{Name: name}, ""
	}
	clean, reason := c.cleanPlace()
	if reason == NoState {
		clean, reason = Company{Country: "US"}, ""
	}
	if reason != "" {
		return Company{}, reason
	}
	clean.Name = name
	return clean, ""
}

func (c Company) byWebsite() (Company, Unidentifiable) {
	if isBlank(c.Website) {
		return Company{}, NoCompanyIdentifiers
	}
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

// cleanCountry returns the ISO code of a country, which is given by its code of two or three letters or by its
// name.
func cleanCountry(s string) (string, bool) { return countryCode(foldText(s)) }

// cleanState returns the code of a state of the US, which is given by its code or its name. Other codes of two
// letters stay: a service may know more of them.
func cleanState(s string) (string, bool) {
	if code, found := stateCode(foldText(s)); found {
		return code, true
	}
	code := capitals(s)
	return code, isCode(code, 2)
}

// withoutFraction returns a number that a spreadsheet wrote with a fraction of zeros, such as "4711.0", or with
// an exponent, without them. It reports false for one whose last digits the spreadsheet left out. Three zeros after a
// point or a comma stay: it may separate thousands, as in "123.000".
func withoutFraction(number string) (whole string, ok bool) {
	mantissa, exponent, hasExponent := strings.Cut(number, "E+")
	point := strings.LastIndexAny(mantissa, ".,")
	switch {
	case point < 0 && hasExponent:
		return withoutExponent(number, mantissa, "", exponent)
	case point < 0:
		return number, true
	}
	integer, fraction := mantissa[:point], mantissa[point+1:]
	switch {
	case !isDigits(fraction):
		return number, true
	case hasExponent:
		return withoutExponent(number, integer, fraction, exponent)
	case strings.Trim(fraction, "0") != "" || len(fraction) == 3:
		return number, true
	}
	if separator := strings.TrimLeft(integer, "0123456789"); separator != "" && separator[0] != mantissa[point] {
		integer = withoutThousands(integer, separator[:1])
	}
	switch {
	case !isDigits(integer) || len(integer) > 1 && integer[0] == '0': // no number begins with zero
		return number, true
	case len(integer) > mostDigits:
		return "", false
	}
	return integer, true
}

// mostDigits is how many digits of a number a spreadsheet keeps.
const mostDigits = 15

// withoutExponent returns the digits of a number such as "1.2345E+4".
func withoutExponent(number, integer, fraction, exponent string) (whole string, ok bool) {
	if len(integer) != 1 || !isDigits(integer) || !isDigits(exponent) {
		return number, true
	}
	if power, err := strconv.Atoi(exponent); err != nil || power != len(fraction) {
		return "", false
	}
	return integer + fraction, true
}

// withoutThousands returns an integer without the separators of its thousands; the text itself when it is none.
func withoutThousands(text, separator string) string {
	groups := strings.Split(text, separator)
	for i, group := range groups {
		if !isDigits(group) || len(group) > 3 || i > 0 && len(group) != 3 {
			return text
		}
	}
	return strings.Join(groups, "")
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// countryOfVAT returns the code of the country with which a VAT number begins, "" when it begins with none.
func countryOfVAT(number string) string {
	const codes = "AT BE BG CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI"
	number = foldNumber(capitals(number))
	if len(number) < 8 || !strings.ContainsAny(number[2:], "0123456789") {
		return ""
	}
	switch code := number[:2]; {
	case !isCode(code, 2) || !slices.Contains(strings.Fields(codes), code):
		return ""
	case code == "EL":
		return "GR"
	case code == "XI":
		return "GB"
	default:
		return code
	}
}

// cleanNumber returns a registration or VAT number as it is sent. A blank one gives "" and no reason.
func cleanNumber(s string) (string, Unidentifiable) {
	number, whole := withoutFraction(capitals(s))
	switch {
	case !whole:
		return "", RoundedNumber
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
	case c.ProfileURL != "":
		return ByCompanyProfile
	default:
		return ByCompanyName
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
	case c.ProfileURL != "":
		values = append(values, canonicalPage(c.ProfileURL))
	default:
		values = append(values, "name", c.Country, c.State, foldText(c.Name))
	}
	return strings.Join(values, unitSeparator)
}

// len returns the number of bytes of the values.
func (c Company) len() int {
	return len(c.ID) + len(c.Country) + len(c.State) + len(c.RegistrationNumber) + len(c.VATNumber) +
		len(c.Website) + len(c.ProfileURL) + len(c.Name)
}

// String describes the company for a person to read.
func (c Company) String() string {
	where := c.Country
	if c.State != "" {
		where += "-" + c.State
	}
	switch {
	case c.ID != "":
		return "company " + c.ID
	case c.RegistrationNumber != "":
		return "company " + c.RegistrationNumber + " in " + where
	case c.VATNumber != "":
		return "company with VAT number " + c.VATNumber + " in " + where
	case c.Website != "":
		return c.Website
	case c.ProfileURL != "":
		return c.ProfileURL
	case where == "":
		return "company named " + c.Name
	default:
		return "company named " + c.Name + " in " + where
	}
}
