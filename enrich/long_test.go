package enrich_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// longest is the most bytes that the values of an identity have together.
const longest = 4096

func TestIdentifyLimitsTheLengthOfIdentifiers(t *testing.T) {
	text := func(length int) string { return strings.Repeat("x", length) }
	address := func(length int) string {
		const host = "https://network.example/in/"
		return host + text(length-len(host))
	}
	named := func(length int) enrich.Contact {
		return enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyName: text(length - len("JaneDoe"))}
	}
	profile := enrich.Contact{ProfileURL: address(50)}
	tests := []struct {
		name    string
		contact enrich.Contact
		prefer  enrich.Pattern
		want    enrich.Unidentifiable
	}{
		{"address as long as may be", enrich.Contact{ProfileURL: address(longest)}, enrich.ByProfile, ""},
		{"address one byte longer", enrich.Contact{ProfileURL: address(longest + 1)}, enrich.ByProfile, enrich.TooLong},
		{"address with a long query", enrich.Contact{ProfileURL: address(50) + "?utm_source=" + text(longest)}, enrich.ByProfile, ""},
		{"address with a long query that may name the person", enrich.Contact{ProfileURL: address(50) + "?" + text(longest)}, enrich.ByProfile, enrich.TooLong},
		{"address that escaping makes long", enrich.Contact{ProfileURL: address(50) + strings.Repeat("é", longest/6)}, enrich.ByProfile, enrich.TooLong},
		{"address of what folds to nothing", enrich.Contact{ProfileURL: address(50) + strings.Repeat("%E2%80%8B", longest/9)}, enrich.ByProfile, enrich.TooLong},
		{"values as long as may be together", named(longest), enrich.ByName, ""},
		{"values one byte longer together", named(longest + 1), enrich.ByName, enrich.TooLong},
		{"long first name", enrich.Contact{FirstName: text(longest), LastName: "Doe", CompanyDomain: "acme.example"}, enrich.ByName, enrich.TooLong},
		{"name among much white space", enrich.Contact{FirstName: "Jane", LastName: "Doe" + strings.Repeat(" \n", longest), CompanyName: "Acme"}, enrich.ByName, ""},
		{"name that composing makes long", enrich.Contact{FirstName: strings.Repeat("\U0001d160", longest/12), LastName: "Doe", CompanyName: "Acme"}, enrich.ByName, enrich.TooLong},
		{"long company name beside a domain", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example", CompanyName: text(longest)}, enrich.ByName, ""},
		{"long domain", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: text(longest) + ".example"}, enrich.ByName, enrich.BadDomain},
		{"a cell of many rows", named(300_000), enrich.ByName, enrich.TooLong},
		{"long address, half a name", enrich.Contact{ProfileURL: address(longest + 1), LastName: "Doe"}, enrich.ByProfile, enrich.NoFirstName},
		{"long name with bytes that are no text", enrich.Contact{FirstName: text(longest) + "\xff", LastName: "Doe", CompanyName: "Acme"}, enrich.ByName, enrich.MangledText},
		{"long address, whole name", with(named(50), enrich.Contact{ProfileURL: address(longest + 1)}), enrich.ByProfile, ""},
		{"long name, whole address", with(named(longest+1), profile), enrich.ByName, ""},
		{"both long", with(named(longest+1), enrich.Contact{ProfileURL: address(longest + 1)}), enrich.ByProfile, enrich.TooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := tt.contact.Identify(tt.prefer); got != tt.want {
				t.Errorf("reason %q, want %q", got, tt.want)
			}
			checkIdentify(t, tt.contact, tt.prefer)
			checkCells(t, tt.contact, tt.prefer)
		})
	}
}

// with returns the contact with the profile URL of another.
func with(c, profile enrich.Contact) enrich.Contact {
	c.ProfileURL = profile.ProfileURL
	return c
}

// longTexts generates texts of about a quarter of the bound or all of it, of characters that
// grow, shrink or vanish where text is cleaned, folded or escaped.
func longTexts() *rapid.Generator[string] {
	unit := rapid.SampledFrom([]string{"a", "A b", "é", "É", "Ａ", "ﷺ", "\U0001d160", "\u0958", "ΐ", " ", "\u200b", "%41", "%C3%BC", "%EF%B7%BA", "%E2%80%8B", "/", "\xff"})
	return rapid.Custom(func(t *rapid.T) string {
		of := unit.Draw(t, "unit")
		bytes := rapid.OneOf(rapid.IntRange(longest/4-100, longest/4+100), rapid.IntRange(longest/13, longest), rapid.IntRange(longest-60, longest+20)).Draw(t, "bytes")
		return strings.Repeat(of, bytes/len(of))
	})
}

// TestLongCellsAgreeWithContacts: what is short enough is so for both, and identified again
// it still is.
func TestLongCellsAgreeWithContacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := longTexts().Draw(t, "long")
		c := enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyName: "Acme", ProfileURL: rapid.SampledFrom([]string{"", "https://network.example/in/jane"}).Draw(t, "address")}
		cell := rapid.SampledFrom([]*string{&c.ProfileURL, &c.FirstName, &c.LastName, &c.CompanyDomain, &c.CompanyName}).Draw(t, "cell")
		*cell = rapid.SampledFrom([]string{"", "a", "network.example/in/"}).Draw(t, "before") + long
		prefer := patterns.Draw(t, "prefer")
		checkIdentify(t, c, prefer)
		checkCells(t, c, prefer)
		if id, _ := c.Identify(prefer); len(id.ProfileURL+id.FirstName+id.LastName+id.CompanyDomain+id.CompanyName) > longest {
			t.Fatalf("%+q is longer than %d bytes", id, longest)
		}
	})
}
