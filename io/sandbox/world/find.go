package world

import (
	"iter"
	"strconv"
	"strings"

	"payonce/enrich"
)

// ByID returns the company with an identifier.
func (w World) ByID(id string) (Company, bool) {
	number, err := strconv.Atoi(id)
	if err != nil || strconv.Itoa(number) != id {
		return Company{}, false
	}
	l, exists := w.listedOf(number)
	if !exists {
		return Company{}, false
	}
	return w.listedCompany(l), true
}

// ByDomain returns the company with a domain.
func (w World) ByDomain(domain string) (Company, bool) {
	label, isExample := strings.CutSuffix(domain, sandboxTop)
	l, ofForm := parseListed(label)
	if !isExample || !ofForm || l.name < 0 || !w.exists(l) || l.label() != label {
		return Company{}, false
	}
	return w.listedCompany(l), true
}

// ByWebsite returns the company with a website: a domain, an address or an email address.
func (w World) ByWebsite(website string) (Company, bool) { return w.ByDomain(cleanDomain(website)) }

// cleanDomain returns the domain that a text names; "" when it names none of a company.
func cleanDomain(text string) string {
	id, _ := enrich.Contact{FirstName: "a", LastName: "b", CompanyDomain: text}.Identify(enrich.ByName)
	return id.CompanyDomain
}

// ByProfile returns the company with a page in a professional network.
func (w World) ByProfile(address string) (Company, bool) {
	id, _ := enrich.Company{ProfileURL: address}.Identify(enrich.ByCompanyProfile)
	label, found := strings.CutPrefix(strings.ToLower(id.Company.ProfileURL), companyPages)
	if !found {
		return Company{}, false
	}
	return w.ByDomain(label + sandboxTop)
}

// plainNumber returns a number of a register without signs and spaces, in capital letters.
func plainNumber(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, strings.ToUpper(text))
}

// byNumber returns the company of a country whose number, of the kind that numberOf returns, begins with a
// prefix and ends in digits that hold the identifier.
func (w World) byNumber(number, prefix string, numberOf func(Company) string) (Company, bool) {
	number = plainNumber(number)
	digits, _ := strings.CutPrefix(number, prefix)
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return Company{}, false
	}
	c, found := w.ByID(digits[:len(digits)-1])
	return c, found && strings.TrimLeft(strings.TrimPrefix(numberOf(c), prefix), "0") == digits
}

// ByRegistration returns the company with a number in the register of a country, or of one of its states
// where that is given.
func (w World) ByRegistration(country, state, number string) (Company, bool) {
	for i := range countries {
		if !strings.EqualFold(countries[i].Code, country) {
			continue
		}
		c, found := w.byNumber(number, countries[i].Register, Company.Registration)
		inState := state == "" || strings.EqualFold(c.Place().RegionCode, state)
		return c, found && c.country == i && inState
	}
	return Company{}, false
}

// ByVAT returns the company with a VAT number in a country.
func (w World) ByVAT(country, number string) (Company, bool) {
	country = strings.ToUpper(country)
	c, found := w.byNumber(number, country, Company.VAT)
	return c, found && c.VAT() != "" && c.Country().Code == country
}

// ByLEI returns the company with a legal entity identifier.
func (w World) ByLEI(number string) (Company, bool) {
	number = plainNumber(number)
	digits := strings.TrimLeft(strings.TrimPrefix(number, "9845"), "0")
	if len(number) != 20 || len(digits) < 4 {
		return Company{}, false
	}
	c, found := w.ByID(digits[:len(digits)-3])
	return c, found && c.LEI() == number
}

// ByPhone returns the company with a phone number.
func (w World) ByPhone(number string) (Company, bool) {
	number = plainNumber(number)
	for i := range countries {
		digits, found := strings.CutPrefix(number, plainNumber(countries[i].Dial)+"555")
		c, exists := w.ByID(strings.TrimLeft(digits, "0"))
		if found && exists && c.country == i && len(c.Phones()) > 0 && plainNumber(c.Phones()[0]) == number {
			return c, true
		}
	}
	return Company{}, false
}

// ByRegistrationAnywhere returns the companies with a number in the register of any country or state.
func (w World) ByRegistrationAnywhere(number string) []Company {
	var found []Company
	for _, country := range countries {
		if c, exists := w.ByRegistration(country.Code, "", number); exists {
			found = append(found, c)
		}
	}
	return found
}

// ByName returns the companies with a name, then some with a name that begins with it. A name that is spelled wrong
// finds nothing.
func (w World) ByName(name string) []Company {
	l, valid := nameOfListed(name)
	if pair := pairOf(labelOfName(name)); !valid && pair >= 0 { // the words alone, without a number
		return w.numbered(pair)
	}
	if !valid {
		return nil
	}
	found := w.ofName(l)
	start, end, number := l.words()
	for digit := range 2 {
		label := strings.ToLower(start+end) + strconv.Itoa(number*10+digit)
		if longer, _ := parseListed(label); longer.name >= 0 {
			found = append(found, w.listedCompany(longer))
		}
	}
	return found
}

// labelOfName returns the letters and digits of a name without its legal form.
func labelOfName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(title(name)), func(r rune) bool { return strings.ContainsRune(" ,.-&()/", r) })
	for len(words) > 1 && isLegalWord(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return asciiWord(strings.Join(words, ""))
}

// nameOfListed returns which listed name a text has.
func nameOfListed(text string) (listed, bool) {
	l, ofForm := parseListed(labelOfName(text))
	return l, ofForm && l.generation == 0 && l.name >= 0
}

// ofName returns the companies with a listed name.
func (w World) ofName(l listed) []Company {
	var found []Company
	for l.generation = range generations {
		if w.exists(l) {
			found = append(found, w.listedCompany(l))
		}
	}
	return found
}

// pairOf returns which two words a label is made of, -1 when it is not.
func pairOf(label string) int {
	l, ofForm := parseListed(label + "1")
	if _, numbered := parseListed(label); !ofForm || numbered {
		return -1
	}
	return l.name
}

// numbered returns the first companies whose names begin with two words.
func (w World) numbered(pair int) []Company {
	var found []Company
	for number := range 50 {
		found = append(found, w.listedCompany(listed{name: number*len(nameStarts)*len(nameEnds) + pair}))
	}
	return found
}

// Listed returns every company that the world lists, in the order of the names.
func (w World) Listed() iter.Seq[Company] {
	return func(yield func(Company) bool) {
		for name := range listedNames {
			for generation := range generations {
				l := listed{name, generation}
				if w.exists(l) && !yield(w.listedCompany(l)) {
					return
				}
			}
		}
	}
}
