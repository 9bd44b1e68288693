package columns

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"payonce/enrich/fit"
)

// IsReversed reports whether a text has the form "Last, First": one comma, with one to four words before it and one
// to three behind it that may be parts of names. isGiven says that a usual given name is behind the comma, as it is
// not in "Berlin, Germany" or "Acme, Inc.".
func IsReversed(text string) (isReversed, isGiven bool) {
	last, first, found := strings.Cut(text, ",")
	before, after := strings.Fields(last), withoutTitles(strings.Fields(first))
	if !found || len(before) == 0 || len(before) > 4 || len(after) == 0 || len(after) > 3 || hasLegalForm(text) {
		return false, false
	}
	for _, word := range append(before, after...) {
		if !isNamePart(word) {
			return false, false
		}
	}
	return true, isGivenName(after[0])
}

// isNamePart reports whether a word has letters, and otherwise only the signs of names.
func isNamePart(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune("-.'’", r) {
			return false
		}
	}
	return strings.ContainsFunc(word, unicode.IsLetter) && utf8.RuneCountInString(word) <= 30
}

// isGivenName reports whether a word, or the first part of one such as "Jean-Pierre", is a usual given name.
func isGivenName(word string) bool {
	word, _, _ = strings.Cut(word, "-")
	simple := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ł' || r == 'Ł':
			return 'l'
		case r == 'ø' || r == 'Ø':
			return 'o'
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
	return fit.IsGivenName(simple)
}
