package enrich_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// canonical returns the canonical form of a contact that has to have one.
func canonical(t rapid.TB, c enrich.Contact, prefer enrich.Pattern) string {
	t.Helper()
	id, reason := c.Identify(prefer)
	if reason != "" {
		t.Fatalf("%+q is unidentifiable: %s", c, reason)
	}
	return id.Canonical()
}

// person returns a contact whose first name is given.
func person(firstName string) enrich.Contact {
	return enrich.Contact{FirstName: firstName, LastName: "Doe", CompanyDomain: "acme.example"}
}

// profile returns a contact with a profile at the given path, in a network whose addresses are known.
func profile(path string) enrich.Contact {
	return enrich.Contact{ProfileURL: "https://linkedin.com/in/" + path}
}

// elsewhere returns a contact with a profile in a network whose addresses are not known.
func elsewhere(path string) enrich.Contact {
	return enrich.Contact{ProfileURL: "https://network.example/in/" + path}
}

func TestCanonicalEqual(t *testing.T) {
	tests := []struct {
		name string
		a, b enrich.Contact
	}{
		{"case", person("JANE"), person("jane")},
		{"sharp s", person("Groß"), person("GROSS")},
		{"capital sharp s", person("GROẞ"), person("groß")},
		{"final sigma", person("Ανδρέας"), person("ΑΝΔΡΈΑΣ")},
		{"dotted capital I and its full lower case", person("İnci"), person("i\u0307nci")},
		{"full width", person("Ｊａｎｅ"), person("Jane")},
		{"ligature", person("Hoﬀmann"), person("hoffmann")},
		{"composition", person("José"), person("Jose\u0301")},
		{"Kelvin sign", person("\u212Aarl"), person("karl")},
		{"no-break space", person("Anna\u00a0Maria"), person("Anna Maria")},
		{"zero-width space", person("An\u200bna"), person("Anna")},
		{"case of a profile", profile("Jane-Doe"), profile("jane-doe")},
		{"escaped letter", profile("%6Aane"), profile("jane")},
		{"escaped accent", profile("jos%C3%A9"), profile("José")},
		{"hexadecimal digits", profile("jos%c3%a9"), profile("jos%C3%A9")},
		{"escaped decomposed accent", profile("jose%CC%81"), profile("josé")},
		{"escaped full width", profile("%EF%BD%8Aane"), profile("jane")},
		{"scheme, www, slash and query", enrich.Contact{ProfileURL: "WWW.linkedin.com/in/jane/?x"}, profile("jane")},
		{"scheme, www and slash elsewhere", enrich.Contact{ProfileURL: "WWW.network.example/in/jane/"}, elsewhere("jane")},
		{"parameters that say where a visitor came from", elsewhere("jane?utm_source=a&trk=b&fbclid=c"), elsewhere("jane")},
		{"escaped letter elsewhere", elsewhere("%6Aane"), elsewhere("jane")},
		{"escaped accent elsewhere", elsewhere("jos%C3%A9"), elsewhere("jos\u00e9")},
		{"hexadecimal digits elsewhere", elsewhere("jos%c3%a9"), elsewhere("jos%C3%A9")},
		{"escaped letter of a query", elsewhere("view?id=%6A"), elsewhere("view?id=j")},
		{
			"company name",
			enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyName: "ＡＣＭＥ  Straße"},
			enrich.Contact{FirstName: "jane", LastName: "DOE", CompanyName: "acme strasse"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := canonical(t, tt.a, enrich.ByProfile), canonical(t, tt.b, enrich.ByProfile)
			if a != b {
				t.Errorf("%q and %q differ", a, b)
			}
		})
	}
}

func TestCanonicalDifferent(t *testing.T) {
	tests := []struct {
		name string
		a, b enrich.Contact
	}{
		{"accent", person("José"), person("Jose")},
		{"dotted and plain I", person("İnci"), person("inci")},
		{"dotless and plain i", person("Işıl"), person("işil")},
		{
			"where the first name ends",
			enrich.Contact{FirstName: "Anna Maria", LastName: "Doe", CompanyName: "Acme"},
			enrich.Contact{FirstName: "Anna", LastName: "Maria Doe", CompanyName: "Acme"},
		},
		{
			"separators within a value",
			enrich.Contact{FirstName: "a\x1fb", LastName: "c", CompanyName: "Acme"},
			enrich.Contact{FirstName: "a", LastName: "b\x1fc", CompanyName: "Acme"},
		},
		{
			"domain and company name",
			enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example"},
			enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyName: "acme.example"},
		},
		{
			"subdomain",
			enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "uk.acme.example"},
			enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example"},
		},
		{
			"profile and company of the same text",
			enrich.Contact{ProfileURL: "network.example/in/jane"},
			enrich.Contact{FirstName: "profile", LastName: "network.example", CompanyName: "in/jane"},
		},
		{"escaped slash", profile("a%2Fb"), profile("a/b")},
		{"escaped question mark", profile("a%3Fb"), profile("a")},
		{"escaped twice", profile("a%252Fb"), profile("a%2Fb")},
		{"escaped bytes that are no text", profile("jan%E9"), profile("jan%E8")},
		{"subdomain of the network", enrich.Contact{ProfileURL: "de.network.example/in/jane"}, elsewhere("jane")},
		{"escaped slash elsewhere", elsewhere("a%2Fb"), elsewhere("a/b")},
		{"escaped question mark elsewhere", elsewhere("a%3Fb"), elsewhere("a?b")},
		{"escaped bytes that are not text, elsewhere", elsewhere("jan%E9"), elsewhere("jan%E8")},
		{"case elsewhere", elsewhere("Jane"), elsewhere("jane")},
		{"query elsewhere", elsewhere("jane?id=1"), elsewhere("jane?id=2")},
		{"a query and none elsewhere", elsewhere("jane?id=1"), elsewhere("jane")},
		{"case of a query elsewhere", elsewhere("jane?id=a"), elsewhere("jane?id=A")},
		{"fragment elsewhere", elsewhere("team#jane"), elsewhere("team#joe")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := canonical(t, tt.a, enrich.ByProfile), canonical(t, tt.b, enrich.ByProfile)
			if a == b {
				t.Errorf("both are %q", a)
			}
		})
	}
}

// words generates text of one to three words that may be a person's name.
func words() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-zA-ZäößÉñłŐδΣжИﬁＡ]{1,8}( [a-zA-Zéø'-]{1,5}){0,2}`)
}

// domains generates domains in their clean form.
func domains() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z][a-z0-9]{0,8}(\.[a-z]{2,6}){1,2}`).Filter(func(s string) bool {
		return !strings.HasPrefix(s, "www.")
	})
}

// contacts generates contacts that name somebody.
func contacts() *rapid.Generator[enrich.Contact] { return someContacts(false) }

// someContacts generates contacts that name somebody, with profiles where small and capital letters are the same or
// may be different.
func someContacts(insensitive bool) *rapid.Generator[enrich.Contact] {
	return rapid.Custom(func(t *rapid.T) enrich.Contact {
		if rapid.Bool().Draw(t, "by profile") {
			path := rapid.StringMatching(`(in|pub)/[a-zA-Zéß0-9_-]{1,10}(/[a-z(),'~]{0,2}[0-9a-f]{1,3})?`).Draw(t, "path")
			if insensitive {
				return enrich.Contact{ProfileURL: "https://linkedin.com/in/" + strings.TrimPrefix(strings.TrimPrefix(path, "in/"), "pub/")}
			}
			return enrich.Contact{ProfileURL: "https://" + domains().Draw(t, "host") + "/" + path}
		}
		contact := enrich.Contact{FirstName: words().Draw(t, "first name"), LastName: words().Draw(t, "last name")}
		if rapid.Bool().Draw(t, "by domain") {
			contact.CompanyDomain = domains().Draw(t, "domain")
		} else {
			contact.CompanyName = words().Draw(t, "company")
		}
		return contact
	})
}

// anyContacts generates contacts of arbitrary cells.
func anyContacts() *rapid.Generator[enrich.Contact] {
	return rapid.Custom(func(t *rapid.T) enrich.Contact {
		cell := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringN(0, 12, -1), words(), domains(),
			rapid.StringMatching(`(https?://)?(www\.){0,2}[a-zA-Zäß。-]{1,5}\.[a-z]{2,3}\.?(:[0-9]{0,3})?/?[a-z%2f/é]{0,9}(\?q)?`))
		return enrich.Contact{
			ProfileURL:    cell.Draw(t, "profile URL"),
			FirstName:     cell.Draw(t, "first name"),
			LastName:      cell.Draw(t, "last name"),
			CompanyDomain: cell.Draw(t, "company domain"),
			CompanyName:   cell.Draw(t, "company name"),
			Email:         rapid.OneOf(cell, rapid.StringMatching(`<?[A-Za-zß.+]{1,5}@([A-Z。-]{1,4}\.){1,2}[a-zé]{2,3}[>;/.]?`)).Draw(t, "email"),
		}
	})
}

// contactOf returns the values of a person's identity as a contact.
func contactOf(id enrich.Identity) enrich.Contact {
	return enrich.Contact{
		ProfileURL: id.ProfileURL, FirstName: id.FirstName, LastName: id.LastName,
		CompanyDomain: id.CompanyDomain, CompanyName: id.CompanyName, Email: id.Email,
	}
}

// checkIdentify fails unless the identity of a contact is whole and stays the same
// when it is identified again; a contact has either an identity or a reason.
func checkIdentify(t rapid.TB, c enrich.Contact, prefer enrich.Pattern) {
	t.Helper()
	id, reason := c.Identify(prefer)
	if reason != "" {
		if id != (enrich.Identity{}) {
			t.Errorf("%+q: unidentifiable (%s), and yet %+q", c, reason, id)
		}
		return
	}
	whole := id.FirstName != "" && id.LastName != "" && (id.CompanyDomain == "") != (id.CompanyName == "")
	switch id.Pattern() {
	case enrich.ByProfile:
		whole = id == enrich.Identity{ProfileURL: id.ProfileURL}
	case enrich.ByEmail:
		whole = id == enrich.Identity{Email: id.Email}
	}
	if !whole {
		t.Errorf("%+q: the identity %+q is not one pattern", c, id)
	}
	second, reason := contactOf(id).Identify(prefer)
	if second != id || reason != "" {
		t.Errorf("%+q: identified as %+q, again as %+q (%s)", c, id, second, reason)
	}
	if form := id.Canonical(); !utf8.ValidString(form) || form != second.Canonical() {
		t.Errorf("%+q: canonical form %+q, again %+q", c, form, second.Canonical())
	}
}

func TestIdentifyIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefer := patterns.Draw(t, "prefer")
		checkIdentify(t, rapid.OneOf(contacts(), anyContacts()).Draw(t, "contact"), prefer)
	})
}

// noise returns other spellings of a cell that mean the same.
func noise(t *rapid.T, cell string) string {
	if cell == "" {
		return ""
	}
	switch rapid.IntRange(0, 3).Draw(t, "case") {
	case 1:
		cell = strings.ToUpper(cell)
	case 2:
		cell = strings.ToLower(cell)
	}
	space := rapid.SampledFrom([]string{"", " ", "\t", "\u00a0", "\u200b", "\r\n", " \u3000"})
	if rapid.Bool().Draw(t, "spread") {
		cell = strings.ReplaceAll(cell, " ", " "+space.Draw(t, "between"))
	}
	return space.Draw(t, "before") + cell + space.Draw(t, "after")
}

func TestCanonicalIgnoresCaseAndSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someContacts(true).Filter(func(c enrich.Contact) bool {
			_, reason := c.Identify(enrich.ByProfile) // "/in/me" names nobody
			return reason == ""
		}).Draw(t, "contact")
		noisy := enrich.Contact{
			ProfileURL: noise(t, c.ProfileURL), FirstName: noise(t, c.FirstName), LastName: noise(t, c.LastName),
			CompanyDomain: noise(t, c.CompanyDomain), CompanyName: noise(t, c.CompanyName),
		}
		if want, got := canonical(t, c, enrich.ByProfile), canonical(t, noisy, enrich.ByProfile); got != want {
			t.Errorf("%+q: %q, want %q", noisy, got, want)
		}
	})
}

func TestCanonicalIgnoresSchemeWWWAndTrackingOfURLs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := rapid.Bool().Draw(t, "known network")
		address := "linkedin.com/in/" + rapid.StringMatching(`[a-z0-9-]{3,10}`).Draw(t, "path")
		tail := `/{0,2}(\?[a-z:/]{0,9})?(#[a-z:/?]{0,9})?`
		if !known {
			address = domains().Draw(t, "host") + "/in/" + rapid.StringMatching(`[0-9-]{1,10}`).Draw(t, "path")
			tail = `/{0,2}(\?(utm_[a-z]{1,5}=[a-z:/]{0,9}&?){0,2})?(#:~:text=[a-z]{0,3})?`
		}
		dressed := rapid.SampledFrom([]string{"", "//", "http://", "https://", "HTTPS://"}).Draw(t, "scheme") +
			rapid.SampledFrom([]string{"", "www.", "WWW."}).Draw(t, "www") + address +
			rapid.StringMatching(tail).Draw(t, "tail")
		want := canonical(t, enrich.Contact{ProfileURL: address}, enrich.ByProfile)
		if got := canonical(t, enrich.Contact{ProfileURL: dressed}, enrich.ByProfile); got != want {
			t.Errorf("%q: %q, want %q", dressed, got, want)
		}
	})
}

// TestCanonicalIsInjective uses values that no folding changes, and many that
// share parts: two identities with one canonical form are then one identity.
func TestCanonicalIsInjective(t *testing.T) {
	value := rapid.SampledFrom([]string{"a", "b", "a b", "a.b", "b a", "name", "domain", "company", "profile", "a\x1fb", "a.b/a"})
	some := rapid.Custom(func(t *rapid.T) enrich.Contact {
		return enrich.Contact{
			ProfileURL:    rapid.SampledFrom([]string{"", "a.b/a", "a.b/a/b", "a.b/a%2Fb", "a.b/b", "a.b/%61"}).Draw(t, "profile URL"),
			FirstName:     value.Draw(t, "first name"),
			LastName:      value.Draw(t, "last name"),
			CompanyDomain: rapid.SampledFrom([]string{"", "a.b", "b.a"}).Draw(t, "company domain"),
			CompanyName:   value.Draw(t, "company name"),
			Email:         rapid.SampledFrom([]string{"", "a@a.b", "a@b.a", "name@a.b"}).Draw(t, "email"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, _ := some.Draw(t, "a").Identify(patterns.Draw(t, "prefer"))
		b, _ := some.Draw(t, "b").Identify(patterns.Draw(t, "prefer"))
		a.ProfileURL = strings.Replace(a.ProfileURL, "%61", "a", 1)
		b.ProfileURL = strings.Replace(b.ProfileURL, "%61", "a", 1)
		if (a == b) != (a.Canonical() == b.Canonical()) {
			t.Errorf("%+q and %+q: %q and %q", a, b, a.Canonical(), b.Canonical())
		}
	})
}

func FuzzIdentify(f *testing.F) {
	f.Add("https://www.network.example/in/jos%C3%A9/?trk=a", "José", "Doe", "jane@acme.example", "Acme", "", uint8(0))
	f.Add("", "Anna\u00a0Maria", "Groß", "https://www.bücher.example:80/", "", "a@b.example", uint8(1))
	f.Add("%zz", "\xff", "e\u200d\u0301", "a..b。", "\u3164", "Jane <mailto:J.D@Bücher.example>", uint8(2))
	f.Fuzz(func(t *testing.T, profileURL, firstName, lastName, domain, company, email string, byWhat uint8) {
		prefer := []enrich.Pattern{enrich.ByProfile, enrich.ByName, enrich.ByEmail}[byWhat%3]
		checkIdentify(t, enrich.Contact{
			ProfileURL: profileURL, FirstName: firstName, LastName: lastName,
			CompanyDomain: domain, CompanyName: company, Email: email,
		}, prefer)
	})
}
