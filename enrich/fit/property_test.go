package fit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/enrich/fit"
)

// distinct are first words of names, no two of which are spellings of one.
var distinct = strings.Fields(`Amber Birch Cobalt Dynamo Ebony Fjord Granite Hazel Indigo Juniper Kestrel Lumen Marble Nimbus Obsidian
	Pyramid Quartz Raven Saffron Tundra Umbra Velvet Walnut Xylem Yonder Zephyr Bäcker Łódź Øresund Çelik`)

var kinds = []string{"Logistics", "Software", "Foods", "Engineering", "Werke", "Textiles", "& Sons", "et Fils"}

// respell returns a name as somebody else writes it.
func respell(random *rand.Rand, name, form string) string {
	words := strings.Fields(name)
	for i, word := range words {
		switch random.IntN(5) {
		case 0:
			words[i] = strings.ToUpper(word)
		case 1:
			words[i] = strings.ToLower(word)
		}
	}
	switch random.IntN(4) {
	case 0:
		words = append(words, form)
	case 1:
		words = append(words, "Group")
	case 2:
		words = append([]string{"The"}, words...)
	}
	name = strings.Join(words, []string{" ", "  ", " \t"}[random.IntN(3)])
	if random.IntN(4) == 0 {
		name = strings.NewReplacer("ä", "a", "Ł", "L", "ó", "o", "ź", "z", "Ø", "O", "Ç", "C", "&", "and").Replace(name)
	}
	return " " + name + " "
}

func firm(random *rand.Rand) (name, site, number string) {
	name = fmt.Sprintf("%s %s", distinct[random.IntN(len(distinct))], kinds[random.IntN(len(kinds))])
	return name, fmt.Sprintf("https://www.site%d.example/about", random.IntN(1e9)), fmt.Sprintf("%08d", random.IntN(1e8))
}

var asking = []enrich.Pattern{enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName}

// TestEverySpellingOfACompanyFitsIt respells companies, of which lists have some parts.
func TestEverySpellingOfACompanyFitsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		name, site, number := firm(random)
		forms := [][]string{{"Ltd", "Limited", "LTD.", "ltd"}, {"plc", "PLC", "Public Limited Company"}, {"GmbH", "G.m.b.H.", "GMBH"}, {"S.A.", "SA", "S A", "Société Anonyme"}}[random.IntN(4)]
		form := func() string { return forms[random.IntN(len(forms))] }
		answer := company(respell(random, name, form()), "GB", site, number, "GB"+number, "7")
		row := company(respell(random, name, form()), []string{"GB", "gb", "UK", "United Kingdom", "Great Britain", ""}[random.IntN(6)],
			strings.TrimSuffix(strings.TrimPrefix(site, "https://"), "/about"), strings.TrimLeft(number, "0"), "", "")
		for part := range row {
			if random.IntN(3) == 0 {
				row[part] = ""
			}
		}
		got := fit.Compare(asking[random.IntN(len(asking))], row, answer)
		if got.Verdict == fit.Contradicts {
			t.Fatalf("%q and %q: %+v", *row, *answer, got)
		}
		if row[enrich.PartRegistration] != "" && got.Verdict == fit.Unknown {
			t.Fatalf("%q and %q: %+v", *row, *answer, got)
		}
	})
}

// TestAnotherCompanyWithOneSharedIdentifierNeverFits gives a row the answer about another company that has one
// identifier of it.
func TestAnotherCompanyWithOneSharedIdentifierNeverFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		name, site, number := firm(random)
		other, _, otherNumber := firm(random)
		for strings.Fields(other)[0] == strings.Fields(name)[0] || otherNumber == number {
			other, _, otherNumber = firm(random)
		}
		country := []string{"GB", "FR"}[random.IntN(2)]
		row, answer := company(respell(random, name, "Ltd"), "GB", site), company(respell(random, other, "plc"), country, site, otherNumber)
		asked := enrich.ByWebsite
		if random.IntN(2) == 0 {
			row, answer = company(respell(random, name, "Ltd"), "GB", "", number), company(respell(random, other, "Ltd"), country, "", number)
			asked = enrich.ByRegistration
		}
		if got := fit.Compare(asked, row, answer); got.Verdict != fit.Contradicts || got.Differences == "" {
			t.Fatalf("asked by %s, %q and %q: %+v", asked, *row, *answer, got)
		}
	})
}

// TestDifferingNumbersAreAlwaysNamed: whatever else agrees, the difference is named.
func TestDifferingNumbersAreAlwaysNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		name, site, number := firm(random)
		_, _, other := firm(random)
		if number == other {
			return
		}
		row, answer := company(name, "GB", site, number), company(name, "GB", site, other)
		for _, part := range []enrich.Part{enrich.PartCompanyName, enrich.PartWebsite, enrich.PartCountry} {
			if random.IntN(2) == 0 {
				row[part] = ""
			}
		}
		got := fit.Compare(asking[random.IntN(len(asking))], row, answer)
		if got.Verdict < fit.Unclear || !strings.Contains(got.Differences, "registration number") {
			t.Fatalf("%q and %q: %+v", *row, *answer, got)
		}
	})
}

// TestAnyTextsCanBeCompared: no text fails, the result is always the same, and each verdict has its reason. A subject
// never contradicts itself.
func TestAnyTextsCanBeCompared(t *testing.T) {
	texts := rapid.OneOf(
		rapid.String(), rapid.Just(""), rapid.SampledFrom([]string{
			"Acme Ltd", "ACME", "GB", "Frankreich", "http://a.example", "ann@a.example", "https://www.linkedin.com/in/ann", "HRB 1", "Dr. Ann (Anny) Lee",
			"王伟", "Иван", "…", "\xff", "0", "n/a", "-", "Co", "The", "a b c", "s a",
		}),
	)
	described := rapid.Custom(func(t *rapid.T) enrich.Described {
		var d enrich.Described
		for part := range d {
			d[part] = texts.Draw(t, "part")
		}
		return d
	})
	patterns := append([]enrich.Pattern{enrich.ByName, enrich.ByProfile, enrich.ByEmail}, asking...)
	rapid.Check(t, func(t *rapid.T) {
		row, answer := described.Draw(t, "row"), described.Draw(t, "answer")
		asked := rapid.SampledFrom(patterns).Draw(t, "asked")
		got := fit.Compare(asked, &row, &answer)
		if again := fit.Compare(asked, &row, &answer); again != got {
			t.Fatalf("%+v, then %+v", got, again)
		}
		if (got.Verdict == fit.Contradicts || got.Verdict == fit.Unclear) != (got.Differences != "") {
			t.Fatalf("%+v", got)
		}
		if itself := fit.Compare(asked, &row, &row); itself.Verdict == fit.Contradicts {
			t.Fatalf("%q with itself: %+v", row, itself)
		}
	})
}
