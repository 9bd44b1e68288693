package fit

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payonce/enrich"
)

// compareNumbers compares the registration and VAT numbers. A VAT number often contains the registration number, and
// lists have one in the column of the other. So any number of the row that is any number of the answer agrees.
func (c *comparison) compareNumbers() level {
	row, answer := c.row, c.answer
	country := countryOf(answer[enrich.PartCountry])
	if country == "" {
		country = countryOf(row[enrich.PartCountry])
	}
	if compareCountries(row[enrich.PartCountry], answer[enrich.PartCountry]) == differs {
		return missing // a number is that of one country
	}
	best := missing
	for _, pair := range [...][2]enrich.Part{
		{enrich.PartRegistration, enrich.PartRegistration},
		{enrich.PartVAT, enrich.PartVAT},
		{enrich.PartRegistration, enrich.PartVAT},
		{enrich.PartVAT, enrich.PartRegistration},
	} {
		found := compareNumbers(country, row[pair[0]], answer[pair[1]])
		switch {
		case found == same:
			return same
		case pair[0] == pair[1]:
			best = max(best, found)
		}
	}
	return best
}

// compareNumbers compares two numbers of a country. Numbers of different forms are related: registers write them with
// and without prefixes, and a company has several numbers.
func compareNumbers(country, a, b string) level {
	a, b = bareNumber(country, a), bareNumber(country, b)
	if a == "" || b == "" {
		return missing
	}
	if a == b {
		return same
	}
	lettersA, digitsA := partsOfNumber(a)
	lettersB, digitsB := partsOfNumber(b)
	shorter, longer := digitsA, digitsB
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	switch {
	case shorter == "" || longer == "":
		return related
	case digitsA == digitsB && lettersA == lettersB:
		return same
	case digitsA == digitsB && lettersA != "" && lettersB != "":
		return differs
	case digitsA == digitsB && country == "GB": // the prefix says which register
		return related
	case digitsA == digitsB:
		return same
	case len(shorter) >= leastContained && (strings.HasPrefix(longer, shorter) || strings.HasSuffix(longer, shorter)):
		return same
	case country == "US", country == "": // states count on their own, and there are numbers of the tax office
		return related
	case lettersA != lettersB, lettersA == "" && !haveOneForm(a, b):
		return related
	default:
		return differs
	}
}

// leastContained is the length of the shortest number that may be a part of another one.
const leastContained = 7

// haveOneForm reports whether two numbers can be of one register: they have the same length, but for a zero that a
// spreadsheet cut.
func haveOneForm(a, b string) bool {
	return len(a) == len(b) || len(a) == len(b)+1 && a[0] == '0' || len(b) == len(a)+1 && b[0] == '0'
}

// bareNumber returns the capital letters and digits of a number, without the code of the country and words around it.
func bareNumber(country, number string) string {
	if number == "" {
		return ""
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, norm.NFKC.String(number))
	if !strings.ContainsAny(bare, "0123456789") {
		return ""
	}
	for _, word := range []string{country, map[string]string{"GR": "EL", "GB": "XI"}[country]} {
		if rest, found := strings.CutPrefix(bare, word); word != "" && found && strings.ContainsAny(rest, "0123456789") {
			bare = rest
			break
		}
	}
	for _, suffix := range []string{"MVA", "MWST", "TVA", "IVA"} { // Norway and Switzerland
		bare = strings.TrimSuffix(bare, suffix)
	}
	return bare
}

// partsOfNumber returns the letters of a number, and its digits without leading zeros.
func partsOfNumber(number string) (letters, digits string) {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	letters = strings.Map(func(r rune) rune {
		if isDigit(r) {
			return -1
		}
		return r
	}, number)
	digits = strings.Map(func(r rune) rune {
		if isDigit(r) {
			return r
		}
		return -1
	}, number)
	return letters, strings.TrimLeft(digits, "0")
}
