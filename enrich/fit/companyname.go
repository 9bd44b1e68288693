package fit

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payonce/enrich"
)

// SameCompanyName reports whether two names of companies are equal but for case, accents, signs and the spelling of the
// legal form. A name without a legal form equals one with any: "Acme" is "Acme Ltd" and "Acme Limited", but
// "Acme Ltd" is not "Acme GmbH".
func SameCompanyName(a, b string) bool {
	nameA, formA := normalise(a)
	nameB, formB := normalise(b)
	return nameA != "" && nameA == nameB && (formA == formB || formA == "" || formB == "")
}

// forms are words of legal forms, each with the spelling that they are compared by.
const forms = `ltd limited=ltd plc llc llp lp inc incorporated=inc corp corporation=corp co company=co cooperative=coop coop
	gmbh ggmbh ag kg kgaa ohg ug se mbh ek ev eg gbr partg
	sa sas sasu sarl eurl sci snc scop
	sl slu slne sau scoop srl srls spa sapa sas ss
	lda limitada=lda ltda eireli
	bv nv vof cv bvba
	as asa ab aps oy oyj sro zoo spzoo kft zrt doo ood ead pty pte pvt bhd kk`

// phrases are legal forms of several words.
var phrases = [...][2]string{
	{"gesellschaft mit beschrankter haftung", "gmbh"},
	{"aktiengesellschaft", "ag"},
	{"kommanditgesellschaft", "kg"},
	{"societe anonyme", "sa"},
	{"societe par actions simplifiee", "sas"},
	{"societe a responsabilite limitee", "sarl"},
	{"sociedad anonima", "sa"},
	{"sociedad limitada", "sl"},
	{"sociedad de responsabilidad limitada", "sl"},
	{"sociedade anonima", "sa"},
	{"societa per azioni", "spa"},
	{"societa a responsabilita limitata", "srl"},
	{"public limited company", "plc"},
	{"limited liability company", "llc"},
	{"limited liability partnership", "llp"},
	{"besloten vennootschap", "bv"},
	{"naamloze vennootschap", "nv"},
}

// formOf returns the spelling by which the word of a legal form is compared, "" for other words.
func formOf(word string) string { return comparedForms()[word] }

// comparedForms returns the spelling by which each word of forms is compared.
var comparedForms = sync.OnceValue(func() map[string]string {
	compared := map[string]string{}
	for form := range strings.FieldsSeq(forms) {
		spelling, other, found := strings.Cut(form, "=")
		switch _, known := compared[spelling]; {
		case known:
		case found:
			compared[spelling] = other
		default:
			compared[spelling] = spelling
		}
	}
	return compared
})

var signsOfAnd = strings.NewReplacer("&", " and ", "+", " and ")

// normalise returns a name without its legal form, and the legal form.
func normalise(text string) (name, form string) {
	words := wordsOf(text)
	var legal []string
	for len(words) > 1 {
		last := words[len(words)-1]
		spelling := formOf(last)
		if last == "and" && len(legal) > 0 {
			spelling = last
		}
		if spelling == "" {
			break
		}
		legal, words = append(legal, spelling), words[:len(words)-1]
	}
	for len(words) > 1 && len(legal) == 0 && slices.Contains([]string{"sarl", "sas", "sasu", "sa", "eurl", "sci", "snc"}, words[0]) {
		legal, words = append(legal, words[0]), words[1:]
	}
	slices.Reverse(legal)
	return strings.Join(words, " "), strings.Join(slices.DeleteFunc(legal, func(word string) bool { return word == "and" }), " ")
}

// wordsOf returns the words of a name in small letters, without accents and signs.
func wordsOf(text string) []string {
	folded := string(enrich.AppendName(nil, text))
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), strings.ContainsRune(".'’`´", r):
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
			return r
		case r == '&' || r == '+':
			return r
		}
		return ' '
	}, norm.NFD.String(folded))
	plain = signsOfAnd.Replace(plain)
	plain = " " + strings.Join(strings.Fields(plain), " ") + " "
	for _, phrase := range phrases {
		plain = strings.ReplaceAll(plain, " "+phrase[0]+" ", " "+phrase[1]+" ")
	}
	words := strings.Fields(plain)
	for i, word := range words {
		if word == "und" {
			words[i] = "and"
		}
	}
	return words
}
