package enrich_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

func TestIdentifyCompany(t *testing.T) {
	long := strings.Repeat("x", longest+1)
	tests := []struct {
		name    string
		company enrich.Company
		want    enrich.Company
		form    string // the canonical form, with | for the separator
		text    string
	}{
		{"id", enrich.Company{ID: " 0042 "}, enrich.Company{ID: "0042"}, "company|id|0042", "company 0042"},
		{"case of an id", enrich.Company{ID: "aB"}, enrich.Company{ID: "aB"}, "company|id|aB", "company aB"},
		{"full-width id", enrich.Company{ID: "４２"}, enrich.Company{ID: "42"}, "company|id|42", "company 42"},
		{
			"registration number",
			enrich.Company{Country: "de", RegistrationNumber: " hrb 12/345-b. "},
			enrich.Company{Country: "DE", RegistrationNumber: "HRB 12/345-B."},
			"company|registration|DE||HRB12345B", "company HRB 12/345-B. in DE",
		},
		{
			"state outside the US is left out",
			enrich.Company{Country: "GB", State: "ny", RegistrationNumber: "00123"},
			enrich.Company{Country: "GB", RegistrationNumber: "00123"},
			"company|registration|GB||00123", "company 00123 in GB",
		},
		{
			"state in the US",
			enrich.Company{Country: "usa", State: "ny", RegistrationNumber: "7"},
			enrich.Company{Country: "US", State: "NY", RegistrationNumber: "7"},
			"company|registration|US|NY|7", "company 7 in US-NY",
		},
		{
			"the United Kingdom",
			enrich.Company{Country: "UK", RegistrationNumber: "7"},
			enrich.Company{Country: "GB", RegistrationNumber: "7"},
			"company|registration|GB||7", "company 7 in GB",
		},
		{
			"VAT number with its country",
			enrich.Company{Country: "DE", VATNumber: "de 123.456.789"},
			enrich.Company{Country: "DE", VATNumber: "DE 123.456.789"},
			"company|vat|DE||123456789", "company with VAT number DE 123.456.789 in DE",
		},
		{
			"VAT number of Greece",
			enrich.Company{Country: "GR", VATNumber: "EL094019245"},
			enrich.Company{Country: "GR", VATNumber: "EL094019245"},
			"company|vat|GR||094019245", "company with VAT number EL094019245 in GR",
		},
		{
			"VAT number of letters like the country",
			enrich.Company{Country: "DE", VATNumber: "DEX"},
			enrich.Company{Country: "DE", VATNumber: "DEX"},
			"company|vat|DE||DEX", "company with VAT number DEX in DE",
		},
		{
			"registration number before the VAT number",
			enrich.Company{Country: "DE", RegistrationNumber: "1", VATNumber: "2"},
			enrich.Company{Country: "DE", RegistrationNumber: "1"},
			"company|registration|DE||1", "company 1 in DE",
		},
		{
			"VAT number in place of a registration number without digits",
			enrich.Company{Country: "DE", RegistrationNumber: "--", VATNumber: "2"},
			enrich.Company{Country: "DE", VATNumber: "2"},
			"company|vat|DE||2", "company with VAT number 2 in DE",
		},
		{
			"website",
			enrich.Company{Website: "HTTPS://www.Acme.example:443/about?x=1"},
			enrich.Company{Website: "acme.example"},
			"company|website|acme.example", "acme.example",
		},
		{
			"international website",
			enrich.Company{Website: "bücher.example"},
			enrich.Company{Website: "xn--bcher-kva.example"},
			"company|website|xn--bcher-kva.example", "xn--bcher-kva.example",
		},
		{
			"profile in a network",
			enrich.Company{ProfileURL: "www.linkedin.com/Company/Acme/?x"},
			enrich.Company{ProfileURL: "https://linkedin.com/Company/Acme"},
			"company|profile|linkedin.com/company/acme", "https://linkedin.com/Company/Acme",
		},
		{
			"profile elsewhere",
			enrich.Company{ProfileURL: "https://network.example/acme/"},
			enrich.Company{ProfileURL: "https://network.example/acme"},
			"company|address|network.example/acme", "https://network.example/acme",
		},
		{
			"country and state by their names",
			enrich.Company{Country: "Vereinigte Staaten", State: "New York", RegistrationNumber: "7"},
			enrich.Company{Country: "US", State: "NY", RegistrationNumber: "7"},
			"company|registration|US|NY|7", "company 7 in US-NY",
		},
		{
			"VAT number that tells the country",
			enrich.Company{VATNumber: "DE123456789"},
			enrich.Company{Country: "DE", VATNumber: "DE123456789"},
			"company|vat|DE||123456789", "company with VAT number DE123456789 in DE",
		},
		{
			"VAT number of Greece that tells the country",
			enrich.Company{VATNumber: "EL094019245"},
			enrich.Company{Country: "GR", VATNumber: "EL094019245"},
			"company|vat|GR||094019245", "company with VAT number EL094019245 in GR",
		},
		{
			"number with a fraction of zero",
			enrich.Company{Country: "DE", RegistrationNumber: "4711.0"},
			enrich.Company{Country: "DE", RegistrationNumber: "4711"},
			"company|registration|DE||4711", "company 4711 in DE",
		},
		{
			"number with an exponent and all digits",
			enrich.Company{Country: "GB", RegistrationNumber: "1.2345678E+07"},
			enrich.Company{Country: "GB", RegistrationNumber: "12345678"},
			"company|registration|GB||12345678", "company 12345678 in GB",
		},
		{"id with a fraction of zero", enrich.Company{ID: "42.0"}, enrich.Company{ID: "42"}, "company|id|42", "company 42"},
		{
			"name and country",
			enrich.Company{Name: " ACME  Straße ", Country: "Germany"},
			enrich.Company{Name: "ACME Straße", Country: "DE"},
			"company|name|DE||acme strasse", "company named ACME Straße in DE",
		},
		{"name alone", enrich.Company{Name: "Acme"}, enrich.Company{Name: "Acme"}, "company|name|||acme", "company named Acme"},
		{
			"name in the US without a state",
			enrich.Company{Name: "Acme", Country: "US"},
			enrich.Company{Name: "Acme", Country: "US"},
			"company|name|US||acme", "company named Acme in US",
		},
		{
			"name where the number has no country",
			enrich.Company{Name: "Acme", RegistrationNumber: "7"},
			enrich.Company{Name: "Acme"},
			"company|name|||acme", "company named Acme",
		},
		{
			"id before the rest",
			enrich.Company{ID: "1", Country: "DE", RegistrationNumber: "2", Website: "a.example", ProfileURL: "b.example/c"},
			enrich.Company{ID: "1"},
			"company|id|1", "company 1",
		},
		{
			"website where the number has no country",
			enrich.Company{RegistrationNumber: "2", Website: "a.example"},
			enrich.Company{Website: "a.example"},
			"company|website|a.example", "a.example",
		},
		{
			"website where the id is too long",
			enrich.Company{ID: long, Website: "a.example"},
			enrich.Company{Website: "a.example"},
			"company|website|a.example", "a.example",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason := tt.company.Identify(enrich.ByID)
			if reason != "" {
				t.Fatalf("unidentifiable: %s", reason)
			}
			if diff := cmp.Diff(enrich.Identity{Company: tt.want}, got); diff != "" {
				t.Error(diff)
			}
			if form := strings.ReplaceAll(got.Canonical(), "\x1f", "|"); form != tt.form || got.String() != tt.text {
				t.Errorf("canonical form %q, described as %q; want %q and %q", form, got, tt.form, tt.text)
			}
			if got.Subject() != enrich.Companies || got.Subject().String() != "company" {
				t.Errorf("the subject is a %s", got.Subject())
			}
			checkCompany(t, tt.company, enrich.ByID)
		})
	}
}

// TestNumbersOfListsAreNotChangedIntoOtherNumbers shows what is sent for a registration or VAT number and how it is
// compared. A number must never become that of another company.
func TestNumbersOfListsAreNotChangedIntoOtherNumbers(t *testing.T) {
	for _, tt := range []struct{ number, sent, form string }{
		{"4711", "4711", "4711"},
		{"4711.0", "4711", "4711"},                     // of a column of floating-point numbers
		{"4711.00", "4711", "4711"},                    // with two decimals
		{"4711,0", "4711", "4711"},                     // the same in Germany
		{"4711,00", "4711", "4711"},                    //
		{"4711.000000", "4711", "4711"},                // as C writes it
		{"123.000", "123.000", "123000"},               // thousands, as in 123.456
		{"123,000", "123,000", "123000"},               //
		{"123.456", "123.456", "123456"},               //
		{"1.234.000", "1.234.000", "1234000"},          //
		{"1,234.00", "1234", "1234"},                   // thousands and two decimals
		{"1.234,0", "1234", "1234"},                    //
		{"1.234.0", "1.234.0", "12340"},                // points between groups
		{"12.34,00", "12.34,00", "123400"},             //
		{"0123.0", "0123.0", "01230"},                  // text: no number begins with zero
		{"0471.000", "0471.000", "0471000"},            //
		{"0123.456.000", "0123.456.000", "0123456000"}, // a Belgian enterprise number
		{"BE 0123.456.000", "BE 0123.456.000", "BE0123456000"},
		{"CHE-123.456.000", "CHE-123.456.000", "CHE123456000"},
		{"12.345.678/0001-00", "12.345.678/0001-00", "12345678000100"}, // a Brazilian CNPJ
		{"HRB 123.000", "HRB 123.000", "HRB123000"},
		{"HRB 4711.0", "HRB 4711.0", "HRB47110"},
		{"552 100 554 00013", "552 100 554 00013", "55210055400013"}, // a French SIRET
		{"55210055400013.0", "55210055400013", "55210055400013"},     //
		{"00445790", "00445790", "00445790"},
		{"SC123456", "SC123456", "SC123456"},
		{"0.0", "0", "0"},
	} {
		for _, company := range []enrich.Company{{Country: "CH", RegistrationNumber: tt.number}, {Country: "CH", VATNumber: tt.number}} {
			id, reason := company.Identify(enrich.ByRegistration)
			sent := id.Company.RegistrationNumber + id.Company.VATNumber
			values := strings.Split(id.Canonical(), "\x1f")
			if form := values[len(values)-1]; reason != "" || sent != tt.sent || form != tt.form && form != strings.TrimPrefix(tt.form, "CH") {
				t.Errorf("%s is sent as %q and compared as %q (%s), want %q and %q", tt.number, sent, form, reason, tt.sent, tt.form)
			}
			checkCompany(t, company, enrich.ByRegistration)
		}
	}
	for _, number := range []string{"911100001000123456.0", "1.2E+08", "5E+7", "1,23457E+08"} {
		if id, reason := (enrich.Company{Country: "CN", RegistrationNumber: number}).Identify(enrich.ByRegistration); reason != enrich.RoundedNumber {
			t.Errorf("%s is %s (%s)", number, id, reason)
		}
	}
	if id, _ := (enrich.Company{ID: "42.000"}).Identify(enrich.ByID); id.Company.ID != "42.000" {
		t.Errorf("the id 42.000 became %s", id.Company.ID)
	}
}

func TestIdentifyCompanyPrefersOnePattern(t *testing.T) {
	company := enrich.Company{
		ID: "1", Country: "DE", RegistrationNumber: "2", Website: "a.example", ProfileURL: "b.example/c",
		Name: "Acme",
	}
	for _, prefer := range []enrich.Pattern{enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName} {
		if id, reason := company.Identify(prefer); reason != "" || id.Pattern() != prefer {
			t.Errorf("%s was preferred: %s by %s", prefer, id, id.Pattern())
		}
	}
}

func TestUnidentifiableCompanies(t *testing.T) {
	number := enrich.Company{Country: "DE", RegistrationNumber: "1"}
	with := func(change func(*enrich.Company)) enrich.Company {
		c := number
		change(&c)
		return c
	}
	tests := []struct {
		name    string
		company enrich.Company
		want    enrich.Unidentifiable
	}{
		{"nothing", enrich.Company{}, enrich.NoCompanyIdentifiers},
		{"blanks", enrich.Company{ID: " \u200b", Website: "\t"}, enrich.NoCompanyIdentifiers},
		{"country alone", enrich.Company{Country: "DE"}, enrich.NoCompanyIdentifiers},
		{"no country", with(func(c *enrich.Company) { c.Country = "" }), enrich.NoCountry},
		{"no name of a country", with(func(c *enrich.Company) { c.Country = "Atlantis" }), enrich.BadCountry},
		{"no such country", with(func(c *enrich.Company) { c.Country = "QQ" }), enrich.BadCountry},
		{"a continent", with(func(c *enrich.Company) { c.Country = "150" }), enrich.BadCountry},
		{"US without state", with(func(c *enrich.Company) { c.Country = "US" }), enrich.NoState},
		{"no name of a state", with(func(c *enrich.Company) { c.Country, c.State = "US", "Bavaria" }), enrich.BadState},
		{"number that a spreadsheet rounded", with(func(c *enrich.Company) { c.RegistrationNumber = "1.23457E+08" }), enrich.RoundedNumber},
		{"id that a spreadsheet rounded", enrich.Company{ID: "1,2E+10"}, enrich.RoundedNumber},
		{"name with lost characters", enrich.Company{Name: "M\ufffdller"}, enrich.MangledName},
		{"name in no country", enrich.Company{Name: "Acme", Country: "Atlantis"}, enrich.BadCountry},
		{"number of punctuation", with(func(c *enrich.Company) { c.RegistrationNumber = "-/-" }), enrich.BadNumber},
		{"number with lost characters", with(func(c *enrich.Company) { c.RegistrationNumber = "1\xff" }), enrich.MangledNumber},
		{"id with lost characters", enrich.Company{ID: "1\xff"}, enrich.MangledNumber},
		{"website that is no address", enrich.Company{Website: "acme"}, enrich.BadWebsite},
		{"website in a network", enrich.Company{Website: "linkedin.com"}, enrich.NetworkDomain},
		{"address at a mail provider", enrich.Company{Website: "a@gmail.com"}, enrich.FreeMailDomain},
		{"profile that is no address", enrich.Company{ProfileURL: "acme"}, enrich.BadCompanyProfile},
		{"profile of a person", enrich.Company{ProfileURL: "linkedin.com/in/jane"}, enrich.BadCompanyProfile},
		{"long id", enrich.Company{ID: strings.Repeat("x", longest+1)}, enrich.TooLongCompany},
		{"the first reason counts", enrich.Company{RegistrationNumber: "1", Website: "acme"}, enrich.NoCountry},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if id, got := tt.company.Identify(enrich.ByID); got != tt.want || id != (enrich.Identity{}) {
				t.Errorf("reason %q, want %q; identity %q", got, tt.want, id)
			}
		})
	}
}

// checkCompany fails unless the identity of a company is whole and stays the same when it is identified
// again and when it is written in JSON; a company has either an identity or a reason.
func checkCompany(t rapid.TB, c enrich.Company, prefer enrich.Pattern) {
	t.Helper()
	id, reason := c.Identify(prefer)
	if (reason == "") == (id == enrich.Identity{}) || (enrich.Identity{Company: id.Company}) != id {
		t.Fatalf("%+q: reason %q, identity %+q", c, reason, id)
	}
	if reason != "" {
		return
	}
	second, reason := id.Company.Identify(prefer)
	if second != id || reason != "" {
		t.Errorf("%+q: identified as %+q, again as %+q (%s)", c, id, second, reason)
	}
	form := id.Canonical()
	if !utf8.ValidString(form) || !strings.HasPrefix(form, "company\x1f") || strings.HasSuffix(form, "\x1f") {
		t.Errorf("%+q: canonical form %+q", c, form)
	}
	if appended := id.AppendCanonical([]byte("before")); string(appended) != "before"+form {
		t.Errorf("%+q: the form %+q is appended, want %+q", c, appended, form)
	}
	text, err := json.Marshal(id)
	var read enrich.Identity
	if err != nil || json.Unmarshal(text, &read) != nil || read != id {
		t.Errorf("%+q: %+q in JSON is %s, which is %+q; %v", c, id, text, read, err)
	}
}

// companies generates companies of which one pattern or more is whole.
func companies() *rapid.Generator[enrich.Company] {
	number := rapid.StringMatching(`[A-Za-z0-9Жß]{1,4}([ ./-][0-9]{1,4}){0,2}`)
	return rapid.Custom(func(t *rapid.T) enrich.Company {
		c := enrich.Company{
			Country: rapid.SampledFrom([]string{"DE", "GB", "US", "GR"}).Draw(t, "country"),
			State:   rapid.SampledFrom([]string{"NY", "CA"}).Draw(t, "state"),
		}
		switch rapid.IntRange(0, 5).Draw(t, "pattern") {
		case 5:
			c.Name = words().Draw(t, "name")
		case 0:
			c.ID = rapid.StringMatching(`[A-Za-z0-9-]{1,8}`).Draw(t, "id")
		case 1:
			c.RegistrationNumber = number.Draw(t, "registration number")
		case 2:
			c.VATNumber = number.Draw(t, "VAT number")
		case 3:
			c.Website = domains().Draw(t, "website")
		default:
			c.ProfileURL = "https://linkedin.com/company/" + rapid.StringMatching(`[a-z0-9é-]{1,9}`).Draw(t, "path")
		}
		return c
	})
}

// anyCompanies generates companies of arbitrary cells.
func anyCompanies() *rapid.Generator[enrich.Company] {
	return rapid.Custom(func(t *rapid.T) enrich.Company {
		cell := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringN(0, 12, -1), words(), domains(),
			rapid.SampledFrom([]string{"us", "UK", "GBR", "EL1", "1.0", "1.2E+1", "Ohio", "DE123456789", "linkedin.com/company/a", "ŉ", "ǰ1", "İ", "\u0345"}))
		return enrich.Company{
			ID: cell.Draw(t, "id"), Country: cell.Draw(t, "country"), State: cell.Draw(t, "state"),
			RegistrationNumber: cell.Draw(t, "registration number"), VATNumber: cell.Draw(t, "VAT number"),
			Website: cell.Draw(t, "website"), ProfileURL: cell.Draw(t, "profile URL"),
			Name: cell.Draw(t, "name"),
		}
	})
}

var companyPatterns = rapid.SampledFrom([]enrich.Pattern{
	enrich.ByProfile, enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName,
})

func TestIdentifyCompanyIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.OneOf(companies(), anyCompanies()).Draw(t, "company")
		checkCompany(t, c, companyPatterns.Draw(t, "prefer"))
	})
}

// TestCanonicalCompanyIgnoresCaseAndSpace adds noise to all values but the id, whose case counts.
func TestCanonicalCompanyIgnoresCaseAndSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := companies().Draw(t, "company")
		noisy := enrich.Company{
			ID: c.ID, Country: noise(t, c.Country), State: noise(t, c.State),
			RegistrationNumber: noise(t, c.RegistrationNumber), VATNumber: noise(t, c.VATNumber),
			Website: noise(t, c.Website), ProfileURL: noise(t, c.ProfileURL), Name: noise(t, c.Name),
		}
		want, wantReason := c.Identify(enrich.ByID)
		got, reason := noisy.Identify(enrich.ByID)
		if reason != wantReason || got.Canonical() != want.Canonical() {
			t.Errorf("%+q: %q (%s), want %q", noisy, got.Canonical(), reason, want.Canonical())
		}
	})
}

// TestCanonicalCompanyIsInjective uses values that no folding changes, and many that share parts. Two
// companies, or a company and a person, with one canonical form are then one identity.
func TestCanonicalCompanyIsInjective(t *testing.T) {
	value := rapid.SampledFrom([]string{"", "1", "2", "12", "A", "ID", "DE", "COMPANY", "1\x1f2", "VAT"})
	some := rapid.Custom(func(t *rapid.T) enrich.Identity {
		if rapid.IntRange(0, 3).Draw(t, "a person") == 0 {
			id, _ := enrich.Contact{
				FirstName: "company", LastName: value.Draw(t, "last name"), CompanyName: value.Draw(t, "company name"),
			}.Identify(enrich.ByName)
			return id
		}
		id, _ := enrich.Company{
			ID: value.Draw(t, "id"), RegistrationNumber: value.Draw(t, "number"), VATNumber: value.Draw(t, "VAT number"),
			Country:    rapid.SampledFrom([]string{"US", "FR"}).Draw(t, "country"),
			State:      rapid.SampledFrom([]string{"NY", "CA"}).Draw(t, "state"),
			Website:    rapid.SampledFrom([]string{"", "a.b", "b.a"}).Draw(t, "website"),
			ProfileURL: rapid.SampledFrom([]string{"", "a.b/a", "a.b/b"}).Draw(t, "profile URL"),
			Name:       rapid.SampledFrom([]string{"", "a", "website", "us"}).Draw(t, "name"),
		}.Identify(companyPatterns.Draw(t, "prefer"))
		return id
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		if (a == b) != (a.Canonical() == b.Canonical()) {
			t.Errorf("%+q and %+q: %q and %q", a, b, a.Canonical(), b.Canonical())
		}
	})
}

func FuzzIdentifyCompany(f *testing.F) {
	f.Add("42", "gb", "", "sc 123456", "GB 123", "https://www.acme.example/", "linkedin.com/company/acme", "Acme", uint8(0))
	f.Add("\u3164", "usa", "ny", "ŉ", "ΐ\u0345", "bücher.example", "a.b/jos%C3%A9", " ", uint8(3))
	f.Add("\xff", "UK", "", "", "xi1", "a@gmail.com", "", "Straße", uint8(5))
	f.Add("1.0", "", "ohio", "1.2E+1", "EL094019245", "", "", "\xff", uint8(7))
	f.Fuzz(func(t *testing.T, id, country, state, number, vat, website, profile, name string, prefer uint8) {
		checkCompany(t, enrich.Company{
			ID: id, Country: country, State: state, RegistrationNumber: number, VATNumber: vat,
			Website: website, ProfileURL: profile, Name: name,
		}, enrich.Pattern(prefer%uint8(enrich.NumPatterns)))
	})
}

func TestPatternNamesAreUnique(t *testing.T) {
	names := map[string]enrich.Pattern{}
	for p := range enrich.Pattern(enrich.NumPatterns) {
		if other, found := names[p.String()]; found || p.String() == "" {
			t.Errorf("%q is pattern %d and %d", p, other, p)
		}
		names[p.String()] = p
	}
	if p := enrich.BySearch; p.Subject() != enrich.Searches || p.String() != "search" {
		t.Errorf("the pattern of searches is %q, of the subject %s", p, p.Subject())
	}
	if p, found := names["search"]; found {
		t.Errorf("%d is called like the pattern of searches", p)
	}
	persons := enrich.PatternsOf(enrich.ByProfile, enrich.ByName, enrich.ByEmail, enrich.ByContactID)
	for p := range enrich.Pattern(enrich.NumPatterns) {
		if isPerson := p.Subject() == enrich.Persons; isPerson != persons.Has(p) {
			t.Errorf("the pattern %s names a person: %t", p, isPerson)
		}
		further := p == enrich.ByEmail || p == enrich.ByCompanyName || p == enrich.ByContactID
		if enrich.UsualPatterns().Has(p) == further {
			t.Errorf("%s is usual: %t", p, !further)
		}
	}
}

// TestTheIdentityOfASearchIsItsExactRequest shows that the page of a search is no person and no company, and that its
// canonical form is its text as it stands: case and spaces matter to what is asked.
func TestTheIdentityOfASearchIsItsExactRequest(t *testing.T) {
	id := enrich.Identity{Search: `prospecting {"filters":"{\"nace\":[\"J58  A\"]}","page":2}`}
	if id.Pattern() != enrich.BySearch || id.Subject() != enrich.Searches || id.Subject().String() != "search" {
		t.Errorf("the pattern is %s, the subject %s", id.Pattern(), id.Subject())
	}
	form := id.Canonical()
	if want := "search\x1f" + id.Search; form != want || string(id.AppendCanonical([]byte("before"))) != "before"+want {
		t.Errorf("the canonical form is %q", form)
	}
	if id.Len() != len(id.Search) || id.String() != "search "+id.Search {
		t.Errorf("%d bytes, shown as %q", id.Len(), id)
	}
}

// TestACodeOfARegisterIsACountryAndAState reads codes of jurisdictions.
func TestACodeOfARegisterIsACountryAndAState(t *testing.T) {
	for _, test := range []struct {
		country, state string
		want           enrich.Company
		reason         enrich.Unidentifiable
	}{
		{"us_de", "", enrich.Company{Country: "US", State: "DE", RegistrationNumber: "7"}, ""},
		{"US-CA", "", enrich.Company{Country: "US", State: "CA", RegistrationNumber: "7"}, ""},
		{"US-CA", "Texas", enrich.Company{Country: "US", State: "TX", RegistrationNumber: "7"}, ""},
		{"gb-sct", "", enrich.Company{Country: "GB", RegistrationNumber: "7"}, ""},
		{"xx-de", "", enrich.Company{}, enrich.BadCountry},
		{"gb-", "", enrich.Company{}, enrich.BadCountry},
		{"us-delaware", "", enrich.Company{}, enrich.BadCountry},
	} {
		id, reason := enrich.Company{Country: test.country, State: test.state, RegistrationNumber: "7"}.Identify(enrich.ByRegistration)
		if id.Company != test.want || reason != test.reason {
			t.Errorf("%q, %q: %+v, %q", test.country, test.state, id.Company, reason)
		}
	}
}
