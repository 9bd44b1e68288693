package enrich

import (
	"flag"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var update = flag.Bool("update", false, "write countries.txt")

// TestCountryNamesMatchTheLanguageLibrary compares the names of countries with those of golang.org/x/text, which the
// program itself need not have.
func TestCountryNamesMatchTheLanguageLibrary(t *testing.T) {
	languages := []language.Tag{
		language.English, language.German, language.French, language.Spanish, language.Italian, language.Portuguese,
		language.EuropeanPortuguese, language.Dutch, language.Polish, language.Swedish, language.Danish, language.Norwegian,
		language.Finnish, language.Czech,
	}
	var text strings.Builder
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region, err := language.ParseRegion(string(a) + string(b))
			if err != nil || !region.IsCountry() || region.Canonicalize() != region {
				continue
			}
			var names []string
			seen := map[string]bool{}
			for _, l := range languages {
				name := cases.Fold().String(display.Regions(l).Name(region))
				if key := plain(name); key != "" && !seen[key] {
					seen[key] = true
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				text.WriteString(region.String() + " " + strings.Join(names, ";") + "\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile("countries.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text.String() != countries {
		t.Error("countries.txt has other names; run the test with -update")
	}
}

// TestEveryCountryNameIsUnique looks for names that would be lost in the map.
func TestEveryCountryNameIsUnique(t *testing.T) {
	for _, list := range []string{countries + "\n" + further, states} {
		of := map[string]string{}
		for line := range strings.Lines(list) {
			code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
			for name := range strings.SplitSeq(names, ";") {
				if other, found := of[plain(name)]; found && other != code {
					t.Errorf("%q is %s and %s", name, other, code)
				}
				of[plain(name)] = code
			}
		}
	}
}

func TestPlacesAreFoundByCodeAndName(t *testing.T) {
	for text, want := range map[string]string{
		"DE": "DE", "deu": "DE", "Deutschland": "DE", "allemagne": "DE", "ALEMANHA": "DE", "Duitsland": "DE", "uk": "GB",
		"England": "GB", "U.S.A.": "US", "USA": "US", "United States of America": "US", "Côte d'Ivoire": "CI", "São Tomé und Príncipe": "ST",
		"The Netherlands": "NL", "Österreich": "AT", " Schweiz ": "CH", "Belgio": "BE", "UAE": "AE",
		"": "", "Europe": "", "EU": "", "ZZ": "", "001": "", "Atlantis": "", "Georgia": "GE",
	} {
		if got, found := countryCode(text); got != want || found != (want != "") {
			t.Errorf("country %q is %q, %t", text, got, found)
		}
	}
	for text, want := range map[string]string{
		"ny": "NY", "New York": "NY", "GEORGIA": "GA", "Washington, D.C.": "DC", "Bavaria": "", "": "", "XX": "",
	} {
		if got, found := stateCode(text); got != want || found != (want != "") {
			t.Errorf("state %q is %q, %t", text, got, found)
		}
	}
}
