package sandbox

import (
	"crypto/sha256"
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
	"payonce/service/v1/v1fields"
)

// people makes up whoever is asked for, from a seed and the identity's canonical
// form: the same identity, however it is spelled, is always the same person.
type people struct {
	seed        uint64
	unknownRate float64
	matchRates  enrich.ByField[float64]
}

// person is what the service knows of somebody.
type person struct {
	fullName  string
	values    enrich.ByField[string] // empty: not known
	phoneType string
	profile   profile
}

// profile is the additional data that include_profile asks for.
type profile struct {
	Headline string `json:"headline"`
	Company  string `json:"company"`
	Location string `json:"location"`
	Country  string `json:"country"` // of the location
}

// returned returns those of the fields that have a value.
func (p person) returned(fields enrich.Fields) enrich.Fields {
	var known enrich.Fields
	for f := range fields.Each() {
		if p.values[f] != "" {
			known = known.With(f)
		}
	}
	return known
}

// find returns the person behind an identity. It reports false when nothing is known of them.
func (p people) find(id enrich.Identity) (person, bool) {
	canonical := id.Canonical()
	if p.dice("unknown", canonical).Float64() < p.unknownRate {
		return person{}, false
	}
	first, last := p.name(id, canonical)
	company := p.company(id, canonical)
	city, country, _ := strings.Cut(pick(p.dice("location", canonical), "Denver, US", "Leeds, GB", "Bremen, DE", "Pune, IN", "Recife, BR"), ", ")
	found := person{
		fullName:  first + " " + last,
		phoneType: pick(p.dice("phone type", canonical), "direct", "office", "unknown"),
		profile: profile{
			Headline: pick(p.dice("headline", canonical), "Operations Manager", "Sales Director", "Software Engineer", "Head of Finance"),
			Company:  company,
			Location: city,
			Country:  country,
		},
	}
	if p.knows(v1fields.WorkEmail, canonical) {
		found.values[v1fields.WorkEmail] = p.mailbox(first, last, canonical) + "@" + company
	}
	if p.knows(v1fields.BusinessPhone, canonical) {
		found.values[v1fields.BusinessPhone] = phoneNumber(p.dice("phone", canonical))
	}
	return found, true
}

func (p people) knows(f enrich.Field, canonical string) bool {
	return p.dice("knows "+v1fields.Catalogue().Name(f), canonical).Float64() < p.matchRates[f]
}

// dice returns the random numbers that belong to the given words. Each question
// about a person has its own dice, so that one answer never moves another.
func (p people) dice(words ...string) *rand.Rand { return dice(p.seed, words...) }

func dice(seed uint64, words ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %q", seed, words))))
}

func pick(dice *rand.Rand, choices ...string) string { return choices[dice.IntN(len(choices))] }

// phoneNumber returns a number that can never ring: no area has the code 555, and
// no exchange begins with a zero.
func phoneNumber(dice *rand.Rand) string {
	return fmt.Sprintf("+1-555-01%02d-%03d", dice.IntN(100), dice.IntN(1000))
}

// name returns the person's names, made up where the profile's address has none.
func (p people) name(id enrich.Identity, canonical string) (first, last string) {
	if id.Pattern() == enrich.ByName {
		return title(id.FirstName), title(id.LastName)
	}
	slug := path.Base(canonical)
	if plain, err := url.PathUnescape(slug); err == nil {
		slug = plain
	}
	words := nameWords(slug)
	if len(words) == 0 {
		words = append(words, pick(p.dice("first name", canonical), "Alex", "Kim", "Noor", "Robin", "Sasha"))
	}
	if len(words) == 1 {
		words = append(words, pick(p.dice("last name", canonical), "Almeida", "Berg", "Okafor", "Singh", "Young"))
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
func (p people) company(id enrich.Identity, canonical string) string {
	if id.CompanyDomain != "" {
		return id.CompanyDomain
	}
	if id.CompanyName != "" {
		return orCode(asciiWord(id.CompanyName), p.dice("company", canonical)) + ".example"
	}
	return pick(p.dice("company", canonical), "acme", "globex", "initech", "umbrella", "wayne") + ".example"
}

// mailbox returns the part of an address before the "@".
func (p people) mailbox(first, last, canonical string) string {
	dice := p.dice("mailbox", canonical)
	first, last = orCode(asciiWord(first), dice), orCode(asciiWord(last), dice)
	return pick(dice, first+"."+last, first[:1]+last, first)
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
func orCode(word string, dice *rand.Rand) string {
	if word != "" {
		return word
	}
	return fmt.Sprintf("x%06x", dice.IntN(1<<24))
}
