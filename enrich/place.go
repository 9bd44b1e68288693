// This file knows the countries and the states of the US by their names, as lists have them.

package enrich

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// countries are names of countries in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish,
// Danish, Norwegian, Finnish and Czech. Each line has a code and names with semicolons between them.
//
//go:embed countries.txt
var countries string

// further are names that the standard does not have, in the form of countries.
const further = `AE uae;u.a.e.;vae;eau
CZ czech republic;tschechische republik;republique tcheque;republica checa;repubblica ceca
GB uk;great britain;england;scotland;wales;northern ireland;britain;grossbritannien;grande-bretagne;gran bretana;gran bretagna;gra-bretanha;groot-brittannie;united kingdom of great britain and northern ireland
IE republic of ireland;eire
KR republic of korea;korea, republic of
NL the netherlands;holland;hollande;olanda
RU russian federation
US us of america;united states of america;vereinigte staaten von amerika;etats-unis d'amerique;estados unidos de america;stati uniti d'america;verenigde staten van amerika;eua;eeuu;ee.uu.;e.u.a.;u.s.;u.s.a.;america
VN viet nam`

// states are the states of the US, their capital district and their territories, in the form of countries.
const states = `AL alabama
AK alaska
AZ arizona
AR arkansas
CA california
CO colorado
CT connecticut
DC district of columbia;washington dc;washington, d.c.
DE delaware
FL florida
GA georgia
HI hawaii
ID idaho
IL illinois
IN indiana
IA iowa
KS kansas
KY kentucky
LA louisiana
ME maine
MD maryland
MA massachusetts
MI michigan
MN minnesota
MS mississippi
MO missouri
MT montana
NE nebraska
NV nevada
NH new hampshire
NJ new jersey
NM new mexico
NY new york;new york state
NC north carolina
ND north dakota
OH ohio
OK oklahoma
OR oregon
PA pennsylvania
PR puerto rico
RI rhode island
SC south carolina
SD south dakota
TN tennessee
TX texas
UT utah
VT vermont
VA virginia
WA washington;washington state
WV west virginia
WI wisconsin
WY wyoming`

var byCountry = sync.OnceValue(func() map[string]string { return codes(countries + "\n" + further) })

var byState = sync.OnceValue(func() map[string]string { return codes(states) })

// codes returns the codes by the names in the form of plain.
func codes(text string) map[string]string {
	byName := map[string]string{}
	for line := range strings.Lines(text) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name := range strings.SplitSeq(names, ";") {
			byName[plain(name)] = code
		}
	}
	delete(byName, "")
	return byName
}

// plain returns the letters of a text in small letters, without accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ReplaceAll(text, "ß", "ss")))
}

// countryCode returns the ISO code of a country, which is given by its code of two or three letters or by a name in
// English, German, French, Spanish, Italian, Portuguese or Dutch. The code "UK" is that of the United Kingdom.
func countryCode(text string) (code string, found bool) {
	text = strings.TrimSpace(text)
	if isLetters(text) && (len(text) == 2 || len(text) == 3) {
		region, err := language.ParseRegion(text)
		if code = region.Canonicalize().String(); err == nil && region.IsCountry() && len(code) == 2 {
			return code, true
		}
	}
	code, found = byCountry()[plain(text)]
	return code, found
}

// stateCode returns the code of a state of the US, which is given by its code or its name in English.
func stateCode(text string) (code string, found bool) {
	code = strings.ToUpper(strings.TrimSpace(text))
	for _, known := range byState() {
		if code == known {
			return code, true
		}
	}
	code, found = byState()[plain(text)]
	return code, found
}

func isLetters(text string) bool {
	for _, r := range text {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
