package world

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// World is everybody and everything that the sandbox knows. It holds nothing but the seed and the shares.
type World struct {
	People People
}

// Company is one company of the world. Its values follow from its key.
type Company struct {
	listed  listed
	key     uint64
	first   uint64 // the key of the first company of its name
	country int
}

// attribute parts the numbers that are drawn for one company.
type attribute uint64

const (
	ofExistence attribute = iota + 1
	ofCountry
	ofPlace
	ofForm
	ofStatus
	ofSize
	ofFounding
	ofIndustry
	ofContacts
	ofVAT
	ofCoverage
	ofYears
	ofTurnover
	ofMargin
	ofBalance
	ofExports
	ofDirectors
	ofFigure
	ofVisits
	ofRank
	ofTechnologies
	ofOwners
	ofGroup
	ofStaff
	ofStreet
	ofActivity
	ofNameForm
	ofSmallCountry
)

func (c Company) draw(a attribute, more ...uint64) uint64 {
	mixed := kit.Mix(c.key, uint64(a))
	for _, number := range more {
		mixed = kit.Mix(mixed, number)
	}
	return mixed
}

// share returns a number from 0 to 1, without 1.
func (c Company) share(a attribute, more ...uint64) float64 {
	return float64(c.draw(a, more...)>>11) / (1 << 53)
}

// exists reports whether there is a listed company. Some names have several.
func (w World) exists(l listed) bool {
	drawn := func(generation int) uint64 {
		return kit.Mix(w.People.Seed, uint64(ofExistence), uint64(l.name), uint64(generation)) % 100
	}
	switch l.generation {
	case 0:
		return true
	case 1:
		return drawn(1) < 4
	case 2:
		return drawn(1) < 4 && drawn(2) < 15
	case 3:
		return drawn(3) < 5
	}
	return false
}

// listedCompany returns a listed company that exists.
func (w World) listedCompany(l listed) Company {
	c := Company{listed: l, key: kit.Mix(w.People.Seed, uint64(l.id())), first: kit.Mix(w.People.Seed, uint64(l.name+1))}
	c.country = countryOf(c.first)
	if l.generation == 3 { // the same name in another country
		c.country = (c.country + 1) % len(countries)
	}
	return c
}

// countryOf draws the country of a name. The countries without a share of their own have one together.
func countryOf(key uint64) int {
	left := int(kit.Mix(key, uint64(ofCountry)) % 100)
	firstSmall := slices.IndexFunc(countries[:], func(c Country) bool { return c.share == 0 })
	for i := range firstSmall {
		if left -= countries[i].share; left < 0 {
			return i
		}
		if countries[i].Code == "US" {
			if left -= smallShare; left < 0 {
				return firstSmall + int(kit.Mix(key, uint64(ofSmallCountry))%uint64(len(countries)-firstSmall))
			}
		}
	}
	return 0
}

// ID returns the company's identifier, in decimal digits.
func (c Company) ID() string { return strconv.Itoa(c.listed.id()) }

// Domain returns the domain of its website.
func (c Company) Domain() string { return c.listed.label() + sandboxTop }

// Website returns the address of its website.
func (c Company) Website() string { return "https://www." + c.Domain() }

// Profile returns the address of its page in a professional network.
func (c Company) Profile() string {
	return companyPages + c.listed.label()
}

// plainName returns the name without a legal form.
func (c Company) plainName() string {
	start, end, number := c.listed.words()
	return fmt.Sprintf("%s %s %d", start, end, number)
}

// Name returns its name. Companies with the same plain name write the legal form in the same way.
func (c Company) Name() string {
	if c.listed.name%4 == 3 {
		return c.plainName() + " " + c.LegalForm()
	}
	return c.plainName()
}

// Country returns where it is registered.
func (c Company) Country() Country { return countries[c.country] }

// Place returns where it has its seat.
func (c Company) Place() Place {
	places := countries[c.country].Places
	return places[c.draw(ofPlace)%uint64(len(places))]
}

// Street returns its street and house number.
func (c Company) Street() string {
	drawn := c.draw(ofStreet)
	return fmt.Sprintf("%d %s", drawn%180+1, streets[drawn/180%uint64(len(streets))])
}

// LegalForm returns its legal form.
func (c Company) LegalForm() string {
	forms := countries[c.country].Forms
	return forms[kit.Mix(uint64(c.listed.name), uint64(ofForm))%uint64(len(forms))]
}

// The statuses of companies, as the nomenclature numbers them.
const (
	Active = iota + 1
	Dissolved
	InLiquidation
	Dormant
)

// Status returns its status, as the nomenclature numbers it.
func (c Company) Status() int {
	switch drawn := c.draw(ofStatus) % 100; {
	case drawn < 6:
		return Dissolved
	case drawn < 8:
		return InLiquidation
	case drawn < 11:
		return Dormant
	}
	return Active
}

// Employees returns how many people it employs.
func (c Company) Employees() int { return int(math.Exp2(c.share(ofSize) * 14)) }

// Founded returns the day of its foundation.
func (c Company) Founded() time.Time {
	return time.Date(1950, time.January, 1+int(c.draw(ofFounding)%26_000), 0, 0, 0, 0, time.UTC)
}

// Emails returns its public addresses; some companies have none.
func (c Company) Emails() []string {
	if c.draw(ofContacts)%10 < 2 {
		return []string{}
	}
	emails := []string{"info@" + c.Domain()}
	if c.draw(ofContacts, 1)%4 == 0 {
		emails = append(emails, "sales@"+c.Domain())
	}
	return emails
}

// Phones returns its public numbers; some companies have none. No area has the code 555.
func (c Company) Phones() []string {
	if c.draw(ofContacts, 2)%10 < 2 {
		return []string{}
	}
	return []string{countries[c.country].Dial + "-555-" + c.digits()}
}

// Fax returns its fax numbers, nil when nothing is known of any.
func (c Company) Fax() []string {
	if c.draw(ofContacts, 3)%10 < 7 {
		return nil
	}
	return []string{countries[c.country].Dial + "-555-9" + c.digits()}
}

// SocialPages returns the addresses of its pages in two further networks, "" for none.
func (c Company) SocialPages() (microblog, social string) {
	label := c.listed.label()
	if c.draw(ofContacts, 4)%2 == 0 {
		microblog = "https://microblog.example/" + label
	}
	if c.draw(ofContacts, 5)%3 == 0 {
		social = "https://social.example/" + label
	}
	return microblog, social
}

// digits returns the identifier with at least eight digits.
func (c Company) digits() string { return fmt.Sprintf("%08s", c.ID()) }

// numbered returns digits that end in a check digit, and hold the identifier.
func (c Company) numbered() string {
	id := c.ID()
	check := uint64(c.country)
	for i, digit := range []byte(id) {
		check += uint64(digit-'0') * uint64(i%7+2)
	}
	return id + strconv.FormatUint(check%10, 10)
}

// Registration returns its number in the register of its country, or of its state.
func (c Company) Registration() string {
	country := countries[c.country]
	number := c.numbered()
	return country.Register + strings.Repeat("0", max(0, country.Width-len(number))) + number
}

// VAT returns its VAT number; "" for none.
func (c Company) VAT() string {
	if countries[c.country].Code == "US" || c.draw(ofVAT)%100 < 15 {
		return ""
	}
	return fmt.Sprintf("%s%09s", countries[c.country].Code, c.numbered())
}

// LEI returns its legal entity identifier; "" for none.
func (c Company) LEI() string {
	if c.draw(ofVAT, 1)%100 < 60 {
		return ""
	}
	return fmt.Sprintf("9845%014s00", c.numbered())
}

// Industry returns its industry, an index of the nomenclature.
func (c Company) Industry() int { return int(c.draw(ofIndustry) % uint64(len(industries))) }

// Activity returns what it does, its type and its trading activity: indexes of nomenclatures.
func (c Company) Activity() (activity, kind, trading int) {
	drawn := c.draw(ofActivity)
	return int(drawn % 4), int(drawn / 4 % 3), int(drawn / 16 % 3)
}

// What is known of a company besides its record.
func (c Company) covered(which uint64, percent uint64) bool {
	return c.draw(ofCoverage, which)%100 < percent
}

// HasFinancials reports whether figures are known.
func (c Company) HasFinancials() bool { return c.covered(1, 75) }

// HasInsights reports whether something is known of its website.
func (c Company) HasInsights() bool { return c.covered(2, 80) }

// HasOwnership reports whether owners are known.
func (c Company) HasOwnership() bool { return c.covered(3, 75) }
