package fit

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/publicsuffix"

	"payonce/enrich"
)

// companyLevels is how the parts of a company compare.
type companyLevels struct {
	id, country, number, website, profile, name level
}

// company compares two descriptions of a company.
//
// Which part decides follows from how certain it is. A country is certain. A number is, where both have the same form.
// A website may be that of a group, a name that of a brand, and a number in a list may be a wrong one: so a number, a
// website or an id that agrees does not make up for a name without a common word, unless something else agrees too.
func (c *comparison) company() {
	l := c.companyLevels()
	identified := l.id == same || l.number == same
	c.companyCountry(l)
	c.companyNumber(l)
	c.companyID(l)
	c.companyWebsite(l, identified)
	c.companyName(l, identified)
}

func (c *comparison) companyLevels() (l companyLevels) {
	row, answer := c.row, c.answer
	l.id = compareIdentifiers(enrich.ByID, row[enrich.PartCompanyID], answer[enrich.PartCompanyID])
	l.country = compareCountries(row[enrich.PartCountry], answer[enrich.PartCountry])
	l.number = c.compareNumbers()
	l.website = compareWebsites(row[enrich.PartWebsite], answer[enrich.PartWebsite])
	l.profile = compareIdentifiers(enrich.ByCompanyProfile, row[enrich.PartCompanyProfile], answer[enrich.PartCompanyProfile])
	l.name = c.compareCompanyNames()
	return l
}

func (c *comparison) companyCountry(l companyLevels) {
	verdict := Contradicts
	switch {
	case l.country == same:
		// A country is that of many companies. It agrees only together with another part.
		if l.name.agrees() || l.website.agrees() {
			c.agreed++
		}
		return
	case l.country == missing:
		return
	case l.country == related, l.id == same && l.name.agrees():
		verdict = Unclear
	}
	c.differ(verdict, "country", c.row[enrich.PartCountry], c.answer[enrich.PartCountry])
}

func (c *comparison) companyNumber(l companyLevels) {
	switch l.number {
	case same:
		c.agree(2)
	case differs, related:
		verdict := Contradicts
		if l.number == related || l.name == same && l.website == same && l.country != differs {
			verdict = Unclear
		}
		part, name := enrich.PartRegistration, "registration number"
		if !c.both(part) {
			part, name = enrich.PartVAT, "VAT number"
		}
		c.differ(verdict, name, c.row[part], c.answer[part])
	}
}

func (c *comparison) companyID(l companyLevels) {
	switch l.id {
	case same:
		c.agree(2)
	case differs: // an id of the list may be an old one, and the company found by something else
		verdict := Contradicts
		if c.asked != enrich.ByID && (l.number == same || l.name.agrees() && (l.website.agrees() || l.country == same)) {
			verdict = Unclear
		}
		c.differ(verdict, "company_id", c.row[enrich.PartCompanyID], c.answer[enrich.PartCompanyID])
	}
}

// companyWebsite compares the websites, and the pages in networks.
func (c *comparison) companyWebsite(l companyLevels, identified bool) {
	for _, part := range []struct {
		level level
		name  string
		part  enrich.Part
		asked enrich.Pattern
	}{
		{l.website, "website", enrich.PartWebsite, enrich.ByWebsite},
		{l.profile, "profile", enrich.PartCompanyProfile, enrich.ByCompanyProfile},
	} {
		switch part.level {
		case same, alike:
			c.agree(1)
		case contains, differs:
			verdict := Unclear
			// The name alone found the company, and several companies have the name.
			if part.level == differs && !identified && c.asked == enrich.ByCompanyName && !l.otherPage(part.part).agrees() {
				verdict = Contradicts
			}
			c.differ(verdict, part.name, c.row[part.part], c.answer[part.part])
		}
	}
}

// otherPage returns how the page compares that is not the given one.
func (l companyLevels) otherPage(part enrich.Part) level {
	if part == enrich.PartWebsite {
		return l.profile
	}
	return l.website
}

func (c *comparison) companyName(l companyLevels, identified bool) {
	paged := l.website.agrees() || l.profile.agrees()
	isOwn := func() bool { return isOwnWebsite(c.row[enrich.PartCompanyName], c.row[enrich.PartWebsite]) }
	verdict := Contradicts
	switch {
	case l.name == missing:
		return
	case l.name.agrees() && (l.name != near || c.asked != enrich.ByCompanyName || identified || paged):
		c.agree(1)
		return
	case l.name == near,
		l.name == contains && (identified || paged || c.asked != enrich.ByCompanyName),
		l.name == related && paged && (identified || isOwn()),
		l.name == differs && paged && (identified || isOwn()): // renamed, or a brand
		verdict = Unclear
	}
	c.differ(verdict, "name", c.row[enrich.PartCompanyName], c.answer[enrich.PartCompanyName])
}

// compareCompanyNames compares the name of the row with the name and the brands of the answer.
func (c *comparison) compareCompanyNames() level {
	row, answer := c.row[enrich.PartCompanyName], c.answer[enrich.PartCompanyName]
	best := compareCompanyNames(row, answer)
	if best == same || best == missing || c.answer[enrich.PartBrands] == "" {
		return best
	}
	for _, brand := range brandsOf(c.answer[enrich.PartBrands]) {
		if compareCompanyNames(row, brand) == same {
			return alike
		}
	}
	return best
}

// brandsOf returns the brands in a text with separators, or in a JSON array.
func brandsOf(text string) []string {
	var brands []string
	if json.Unmarshal([]byte(text), &brands) == nil {
		return brands
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|/", r) })
}

// territories are countries with codes of their own that lists and registers count to another country.
const territories = ` GB-GG GB-JE GB-IM GB-GI FR-GP FR-MQ FR-GF FR-RE FR-YT FR-PM FR-BL FR-MF FR-NC FR-PF FR-MC US-PR US-VI US-GU US-AS US-MP
	DK-GL DK-FO NL-CW NL-SX NL-AW NL-BQ CN-HK CN-MO CN-TW FI-AX NO-SJ IT-SM IT-VA CH-LI AU-NF AU-CX NZ-CK RS-XK `

// compareCountries compares countries that are given by codes or names.
func compareCountries(a, b string) level {
	a, b = countryOf(a), countryOf(b)
	switch {
	case a == "" || b == "":
		return missing
	case a == b:
		return same
	case strings.Contains(territories, " "+a+"-"+b+" "), strings.Contains(territories, " "+b+"-"+a+" "):
		return related
	default:
		return differs
	}
}

// countryOf returns the code of a country, "" when the text is not a country.
func countryOf(text string) string {
	if text == "" {
		return ""
	}
	if len(text) == 2 && text == strings.ToUpper(text) && text != "UK" && text != "EL" && text != "XI" {
		return text
	}
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "EL":
		return "GR"
	case "XI":
		return "GB"
	}
	id, _ := enrich.Company{Name: "x", Country: text}.Identify(enrich.ByCompanyName)
	return id.Company.Country
}

// compareWebsites compares the websites by their registered domains. A page in a network or a directory is not the
// website of a company.
func compareWebsites(a, b string) level {
	hostA, hostB := hostOf(a), hostOf(b)
	if hostA == "" || hostB == "" {
		return missing
	}
	if hostA == hostB {
		return same
	}
	domainA, domainB := registered(hostA), registered(hostB)
	if domainA == domainB {
		return same
	}
	labelA, labelB := labelOf(domainA), labelOf(domainB)
	switch {
	case labelA == labelB:
		return alike
	case min(len(labelA), len(labelB)) > 3 && (holds(labelA, labelB) || holds(labelB, labelA)):
		return contains // another website of the company, or the website of another company
	}
	return differs
}

// hostOf returns the host of a website, "" for none and for one that many companies share.
func hostOf(website string) string {
	if website == "" {
		return ""
	}
	id, _ := enrich.Company{Website: website}.Identify(enrich.ByWebsite)
	return id.Company.Website
}

// registered returns the part of a host that its owner registered.
func registered(host string) string {
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

// labelOf returns the letters and digits of the first label of a domain.
func labelOf(domain string) string {
	label, _, _ := strings.Cut(domain, ".")
	return strings.ReplaceAll(label, "-", "")
}

// isOwnWebsite reports whether the label of a website has the whole name of the company.
func isOwnWebsite(name, website string) bool {
	host := hostOf(website)
	if name == "" || host == "" {
		return false
	}
	words, _ := splitForm(name)
	joined := strings.Join(namingWords(words), "")
	return len(joined) > 2 && holds(labelOf(registered(host)), joined)
}

// holds reports whether a label has another one in it, without a part of a number: "acme18" is not in "acme180".
func holds(label, part string) bool {
	start := strings.Index(label, part)
	if start < 0 {
		return false
	}
	return !splitsNumber(label, start) && !splitsNumber(label, start+len(part)) || holds(label[start+1:], part)
}

// splitsNumber reports whether a place in a text is between two digits.
func splitsNumber(text string, at int) bool {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	return isDigit(at-1) && isDigit(at)
}
