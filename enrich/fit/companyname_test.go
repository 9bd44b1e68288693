package fit

import (
	"strings"
	"testing"
)

func TestCompanyNamesAreComparedWithoutSpellingDifferences(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Acme", "ACME", true},
		{"Acme Ltd", "Acme Limited", true},
		{"Acme Ltd.", "Acme", true},
		{"Acme Ltd", "Acme GmbH", false},
		{"Acme", "Acme Holding", false},
		{"Acme Trading", "Acme", false},
		{"Müller & Söhne GmbH & Co. KG", "Muller und Sohne GmbH & Co KG", true},
		{"Müller GmbH & Co. KG", "Müller GmbH", false},
		{"Müller Gesellschaft mit beschränkter Haftung", "Müller GmbH", true},
		{"Dupont S.A.R.L.", "SARL Dupont", true},
		{"Société Générale", "SOCIETE GENERALE", true},
		{"Rossi S.p.A.", "Rossi SpA", true},
		{"O'Neil Inc.", "ONeil Incorporated", true},
		{"Straße AG", "STRASSE AG", true},
		{"株式会社", "株式会社", true},
		{"Co", "Co", true},
		{"Co", "Ltd", false},
		{"", "", false},
		{"!", "?", false},
		{"Acme 1", "Acme 2", false},
	} {
		if got := SameCompanyName(tt.a, tt.b); got != tt.want || SameCompanyName(tt.b, tt.a) != tt.want {
			t.Errorf("%q and %q are the same: %t", tt.a, tt.b, got)
		}
	}
}

// FuzzSameName: a name is its own, whatever is added that does not count, and the order has no meaning.
func FuzzSameName(f *testing.F) {
	f.Add("Müller & Söhne GmbH & Co. KG", "muller und sohne")
	f.Add("SARL Dupont", "Dupont SARL")
	f.Add("\xff", "ß")
	f.Add("a co", "co")
	f.Fuzz(func(t *testing.T, a, b string) {
		if SameCompanyName(a, b) != SameCompanyName(b, a) {
			t.Errorf("%+q and %+q: the order counts", a, b)
		}
		if name, _ := normalise(a); name != "" && (!SameCompanyName(a, a) || !SameCompanyName(a, " "+strings.ToUpper(a)+" ")) && strings.EqualFold(strings.ToUpper(a), a) {
			t.Errorf("%+q is not itself", a)
		}
	})
}
