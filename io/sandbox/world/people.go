// Package world makes up who and what the sandbox knows: people, companies, their figures, owners and
// insights. Everything follows from a seed and an identifier. Nothing is held in memory, so any number of
// companies and people can be asked for.
package world

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// People makes up whoever is asked for, from a seed and the identity's canonical
// form: the same identity, however it is spelled, is always the same person.
type People struct {
	Seed uint64
	// UnknownRate is the share of identities that belong to nobody known.
	UnknownRate float64
	// MatchRates are the shares of the others that have a value, by field of v1.
	MatchRates enrich.ByField[float64]
}

// Person is what the service knows of somebody.
type Person struct {
	FullName  string
	Values    enrich.ByField[string] // by field of v1; empty: not known
	PhoneType string
	Profile   Profile
}

// Profile is the additional data that include_profile asks for.
type Profile struct {
	Headline string `json:"headline"`
	Company  string `json:"company"`
	Location string `json:"location"`
	Country  string `json:"country"` // of the location
}

// Returned returns those of the fields that have a value.
func (p Person) Returned(fields enrich.Fields) enrich.Fields {
	var known enrich.Fields
	for f := range fields.Each() {
		if p.Values[f] != "" {
			known = known.With(f)
		}
	}
	return known
}

// Find returns the person with an identity. It reports false when nothing is known of the person. A person of the world of
// v2 has the same name, email and phone by every identity. Whether the values are known depends on the identity.
func (p People) Find(id enrich.Identity) (Person, bool) {
	asked := drawnBy(id)
	if p.dice("unknown", asked).Float64() < p.UnknownRate {
		return Person{}, false
	}
	found := p.values(p.whoIs(id, asked))
	for f := range v1.AllFields.Each() {
		if !p.knows(f, asked) {
			found.Values[f] = ""
		}
	}
	return found, true
}

// who is a person before the values are drawn.
type who struct {
	drawn       string // the text by which they are drawn
	first, last string
	company     string // the domain of the employer
	mailbox     string // the part of the email before the "@"; empty: drawn
}

// whoIs returns the person that an identity names: one of the world of v2, or an invented one.
func (p People) whoIs(id enrich.Identity, asked string) who {
	if e, found := (World{p}).identified(id); found {
		return e.who()
	}
	first, last := p.name(id, asked)
	return who{drawn: asked, first: first, last: last, company: p.company(id, asked)}
}

// values returns a person with every value.
func (p People) values(w who) Person {
	city, country, _ := strings.Cut(kit.Pick(p.dice("location", w.drawn), "Denver, US", "Leeds, GB", "Bremen, DE", "Pune, IN", "Recife, BR"), ", ")
	found := Person{
		FullName:  w.first + " " + w.last,
		PhoneType: kit.Pick(p.dice("phone type", w.drawn), "direct", "office", "unknown"),
		Profile: Profile{
			Headline: kit.Pick(p.dice("headline", w.drawn), "Operations Manager", "Sales Director", "Software Engineer", "Head of Finance"),
			Company:  w.company,
			Location: city,
			Country:  country,
		},
	}
	found.Values[v1.WorkEmail] = p.email(w)
	found.Values[v1.BusinessPhone] = phoneNumber(p.dice("phone", w.drawn))
	return found
}

// email returns the email of a person.
func (p People) email(w who) string {
	mailbox := w.mailbox
	if mailbox == "" {
		mailbox = p.mailbox(w.first, w.last, w.drawn)
	}
	return mailbox + "@" + w.company
}

// drawnBy returns the text by which everything about somebody is drawn. Everybody keeps it when canonical forms change.
func drawnBy(id enrich.Identity) string {
	const address, profile = "address\x1f", "profile\x1f"
	if form, found := strings.CutPrefix(id.Canonical(), address); found {
		return profile + strings.ToLower(form)
	}
	return id.Canonical()
}

func (p People) knows(f enrich.Field, canonical string) bool {
	return p.dice("knows "+v1.Catalogue().Name(f), canonical).Float64() < p.MatchRates[f]
}

// dice returns the random numbers that belong to the given words. Each question
// about a person has its own dice, so that one answer never moves another.
func (p People) dice(words ...string) *rand.Rand { return kit.Roll(p.Seed, words...) }

// phoneNumber returns a number that can never ring: no area has the code 555, and
// no exchange begins with a zero.
func phoneNumber(numbers *rand.Rand) string {
	return fmt.Sprintf("+1-555-01%02d-%03d", numbers.IntN(100), numbers.IntN(1000))
}

// name returns the person's names, made up where the profile's address has none.
func (p People) name(id enrich.Identity, canonical string) (first, last string) {
	if id.Pattern() == enrich.ByName {
		return title(id.FirstName), title(id.LastName)
	}
	slug := path.Base(canonical)
	if plain, err := url.PathUnescape(slug); err == nil {
		slug = plain
	}
	words := nameWords(slug)
	if len(words) == 0 {
		words = append(words, kit.Pick(p.dice("first name", canonical), "Alex", "Kim", "Noor", "Robin", "Sasha"))
	}
	if len(words) == 1 {
		words = append(words, kit.Pick(p.dice("last name", canonical), "Almeida", "Berg", "Okafor", "Singh", "Young"))
	}
	return title(words[0]), title(strings.Join(words[1:], " "))
}

// nameWords returns the words of a profile's slug that can be names.
func nameWords(slug string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(slug, func(r rune) bool { return strings.ContainsRune("-._ ", r) }) {
		if !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			words = append(words, word)
		}
	}
	return words
}

// title writes every spelling of a name in the same way.
func title(name string) string {
	folded := cases.Fold().String(norm.NFKC.String(name))
	return norm.NFC.String(cases.Title(language.Und).String(folded))
}

// company returns the domain of the person's employer, under .example, which
// nobody can own, unless the identity names a domain itself.
func (p People) company(id enrich.Identity, canonical string) string {
	if id.CompanyDomain != "" {
		return id.CompanyDomain
	}
	if id.CompanyName != "" {
		return orCode(asciiWord(id.CompanyName), p.dice("company", canonical)) + ".example"
	}
	return kit.Pick(p.dice("company", canonical), "acme", "globex", "initech", "umbrella", "wayne") + ".example"
}

// mailbox returns the part of an address before the "@".
func (p People) mailbox(first, last, canonical string) string {
	numbers := p.dice("mailbox", canonical)
	first, last = orCode(asciiWord(first), numbers), orCode(asciiWord(last), numbers)
	return kit.Pick(numbers, first+"."+last, first[:1]+last, first)
}

// asciiWord returns the ASCII letters and digits of a text, in lower case.
func asciiWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKD.String(title(text))))
}

// orCode stands in for a name that cannot be written in ASCII.
func orCode(word string, numbers *rand.Rand) string {
	if word != "" {
		return word
	}
	return fmt.Sprintf("x%06x", numbers.IntN(1<<24))
}
