// This file splits the full names of persons into first and last names. It is own code, because no
// maintained Go library does it.

package columns

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PersonName is a full name that was split. Middle names are left out.
type PersonName struct {
	First, Last string
	// Doubtful says that the name could be split in another way: it has several words that may belong to
	// the first or the last name.
	Doubtful bool
}

// SplitName splits a full name. Without a first or a last name in it, that part is empty. A text with the legal form
// of a company, such as "Acme Ltd" or "Ann Lee, Acme GmbH", is not a name of a person, and both are empty.
func SplitName(full string) PersonName {
	full = withoutAsides(full)
	if hasLegalForm(full) {
		return PersonName{}
	}
	if last, first, found := strings.Cut(full, ","); found {
		before, after := withoutTitles(strings.Fields(last)), withoutTitles(strings.Fields(withoutSuffixes(first)))
		if len(after) > 0 && len(before) > 0 {
			return PersonName{First: after[0], Last: strings.Join(before, " "), Doubtful: len(before) > 1 && !isParticle(before[0])}
		}
		full = last
	}
	words := withoutTitles(strings.Fields(full))
	switch len(words) {
	case 0:
		return PersonName{}
	case 1:
		return PersonName{First: words[0]}
	}
	if last, first := capitals(words); len(last) > 0 {
		return PersonName{First: first[0], Last: strings.Join(last, " ")}
	}
	for i := 1; i < len(words); i++ {
		if isParticle(words[i]) && i < len(words)-1 {
			return PersonName{First: words[0], Last: strings.Join(words[i:], " "), Doubtful: i > 2}
		}
	}
	middle := words[1 : len(words)-1]
	return PersonName{First: words[0], Last: words[len(words)-1], Doubtful: !areInitials(middle)}
}

// withoutAsides removes text in brackets or quotes, and signs that no name has.
func withoutAsides(full string) string {
	var text strings.Builder
	closing := rune(0)
	for _, r := range full {
		switch {
		case closing != 0:
			if r == closing {
				closing = 0
			}
		case r == '(':
			closing = ')'
		case r == '[':
			closing = ']'
		case r == '"' || r == '“':
			closing = map[rune]rune{'"': '"', '“': '”'}[r]
		case unicode.In(r, unicode.So, unicode.Sk, unicode.Cs, unicode.Variation_Selector) || r == '|' || r == '\u200d':
			text.WriteByte(' ')
		default:
			text.WriteRune(r)
		}
	}
	if closing != 0 { // it never closed
		return full
	}
	return text.String()
}

// particles begin a last name.
const particles = ` van von de der den del della delle dello degli di da dos das do du des la le los las lo zu zum zur vom
	af av bin ibn al el ten ter te 't st st. saint san santa mac ben abu `

// titles stand before a name.
const titles = ` mr mrs ms miss mx dr prof professor sir madam herr frau hr fr m mme mlle monsieur madame mademoiselle sr sra
	srta don dona sig sigra signor signora dott dottssa ing dipl-ing dipling mag ddr drs ir dhr mevr mw rev hon lic arq eng
	dipl-kfm dipl-inf `

// suffixes stand behind a name.
const suffixes = ` jr sr ii iii iv phd dphil md mba msc bsc ma ba llm llb jd esq cpa cfa pmp ceng dds rn mph mpa bba meng
	beng dba cissp acca pe msw shrm-cp shrm-scp cfp cma fca aca ca `

// legalForms are words of companies' names that no person has.
const legalForms = ` ltd limited inc incorporated llc llp plc gmbh mbh kgaa ohg gbr gcv bvba sarl sasu eurl srl srls spa sapa slu lda ltda
	eireli aps oyj sro kft zrt pty corp corporation holding holdings ggmbh `

// shortForms are legal forms that can be names of persons, unless they stand in capitals in a text that is not.
const shortForms = ` AG SA SAS SE AB AS OY KG UG EV BV NV SL SNC ASA OÜ SIA UAB `

// hasLegalForm reports whether a word of a text is the legal form of a company.
func hasLegalForm(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' || r == '(' || r == ')' })
	shouts := text == strings.ToUpper(text)
	for i, word := range words {
		bare := strings.ReplaceAll(word, ".", "")
		if i > 0 && (hasWord(legalForms, bare) || strings.EqualFold(word, "d.o.o.") || !shouts && i == len(words)-1 && strings.Contains(shortForms, " "+strings.ReplaceAll(bare, "/", "")+" ")) {
			return true
		}
	}
	return false
}

// hasWord reports whether a list has a word, ignoring case and dots.
func hasWord(list, word string) bool {
	word = strings.ToLower(strings.ReplaceAll(strings.Trim(word, ",;"), ".", ""))
	if word == "" {
		return false
	}
	for known := range strings.FieldsSeq(list) {
		if known == word {
			return true
		}
	}
	return false
}

func isParticle(word string) bool { return hasWord(particles, word) }

// withoutTitles removes titles before a name, suffixes behind it, and words without a letter.
func withoutTitles(words []string) []string {
	var kept []string
	for _, word := range words {
		if word = strings.Trim(word, ",;/"); strings.ContainsFunc(word, unicode.IsLetter) {
			kept = append(kept, word)
		}
	}
	for len(kept) > 1 && hasWord(titles, kept[0]) {
		kept = kept[1:]
	}
	for len(kept) > 2 && hasWord(suffixes, kept[len(kept)-1]) {
		kept = kept[:len(kept)-1]
	}
	return kept
}

// withoutSuffixes removes the parts of a list with commas that hold suffixes alone.
func withoutSuffixes(text string) string {
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		for len(words) > 0 && hasWord(suffixes, words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		if len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// capitals returns the last name of a name whose last name alone is in capitals, as in French lists, and the
// rest.
func capitals(words []string) (last, first []string) {
	for _, word := range words {
		if utf8.RuneCountInString(word) > 1 && !strings.Contains(word, ".") && word == strings.ToUpper(word) && word != strings.ToLower(word) {
			last = append(last, word)
		} else {
			first = append(first, word)
		}
	}
	inOrder := strings.Join(append(append([]string{}, last...), first...), " ") == strings.Join(words, " ") ||
		strings.Join(append(append([]string{}, first...), last...), " ") == strings.Join(words, " ")
	if len(first) == 0 || len(last) == 0 || !inOrder {
		return nil, words
	}
	return last, first
}

// areInitials reports whether all words are single letters, perhaps with dots.
func areInitials(words []string) bool {
	for _, word := range words {
		if utf8.RuneCountInString(strings.Trim(word, ".")) != 1 {
			return false
		}
	}
	return true
}
