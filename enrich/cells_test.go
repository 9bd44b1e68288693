package enrich_test

import (
	"net/url"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

func cellsOf(c enrich.Contact) enrich.Cells {
	return enrich.Cells{
		ProfileURL: []byte(c.ProfileURL), FirstName: []byte(c.FirstName), LastName: []byte(c.LastName),
		CompanyDomain: []byte(c.CompanyDomain), CompanyName: []byte(c.CompanyName),
		Email: []byte(c.Email),
	}
}

// checkCells fails unless the cells of a contact give the canonical form that its
// identity has.
func checkCells(t rapid.TB, c enrich.Contact, prefer enrich.Pattern) {
	t.Helper()
	id, want := c.Identify(prefer)
	cells := cellsOf(c)
	form, pattern, reason := cells.AppendCanonical([]byte("before"), prefer)
	if reason != want {
		t.Fatalf("%+q: the cells are %q, the contact %q", c, reason, want)
	}
	canonical := ""
	if reason == "" {
		canonical = id.Canonical()
	}
	if string(form) != "before"+canonical || reason == "" && pattern != id.Pattern() {
		t.Fatalf("%+q: the cells give %+q by pattern %d, the contact %+q by %d", c, form, pattern, canonical, id.Pattern())
	}
	if got := id.AppendCanonical([]byte("before")); reason == "" && string(got) != "before"+canonical {
		t.Fatalf("%+q: the identity gives %+q, want %+q", c, got, canonical)
	}
}

var patterns = rapid.SampledFrom([]enrich.Pattern{enrich.ByProfile, enrich.ByName, enrich.ByEmail})

func TestCellsAgreeWithContacts(t *testing.T) {
	plain := rapid.SampledFrom([]string{
		"", " ", "Ada", " Ada  Maria ", "O'Neil", "a\tb", "a\x1fb", "José", "\x7f", "acme.example", "WWW.Acme.example", "www.www.acme.example",
		"www.example", "https://www.acme.example/", "HTTP://acme.example/a?b=c#d", "https://acme.example/in/Ada-L/?trk=a", "acme.example/in/a_b~c.d//",
		"acme.example:80", "ada@acme.example", "ada@gmail.com", "1.2.3.4", "a.b.3", "a..b", ".a.b", "a.b.", "a_b.example", "ab--c.example", "xn--a.example",
		"-a.example", "a-.example", "acme.example?x=https://b.example", "ftp://acme.example/a", "//acme.example/a", "acme.example/%41", "acme.example/a b",
		"acme.example/a?b c", "acme.example/a?b#%zz", "a.b/J%C3%BCrgen/%e2%80%8b/", "a.b/%c3%bc%2F%25x?%zz", "a.b/%ff/%41", "a.b/%zz", "a.b/%4", "a.b/%20", "%41.b/c", "https://", "https:///a", "http://https://a.b", "acme.example/?", "acme.example/a+b", "ǅ", "\xff",
		"www.www", "www.www.", "www.a.", "example", "a.b/www.",
		"Ada.L+x@Acme.example", " ada@acme.example ", "Ada <ada@acme.example>", "a@b@c.example", "@a.b", "a@https://b.c", "a@b.c/", "mailto:A@b.c", "a@b.c; d@e.f",
		"ａ＠b.c", "á@bücher.example", "a@b", "a\u00ad@b.c", "\u00ad@b.c", "a@1.2.3.4", "a@b.c:80", "a@b.c.", "a@www.b.c", "a b@c.d", "a:b@c.d",
	})
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Custom(func(t *rapid.T) enrich.Contact {
			return enrich.Contact{
				ProfileURL: plain.Draw(t, "profile URL"), FirstName: plain.Draw(t, "first name"), LastName: plain.Draw(t, "last name"),
				CompanyDomain: plain.Draw(t, "company domain"), CompanyName: plain.Draw(t, "company name"),
				Email: plain.Draw(t, "email"),
			}
		})
		checkCells(t, rapid.OneOf(contacts(), anyContacts(), some).Draw(t, "contact"), patterns.Draw(t, "prefer"))
	})
}

// TestCellsAndContactsFoldEveryLetterEqually tries every character alone, before and behind others,
// in a name and escaped in a profile.
func TestCellsAndContactsFoldEveryLetterEqually(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for r := range rune(0x3000) {
		text := string(r)
		for _, name := range []string{text, "A" + text, text + "\u0301", text + text, "\u1100" + text} {
			checkCells(t, enrich.Contact{FirstName: name, LastName: "x" + name + "y", CompanyName: name + " Ltd"}, enrich.ByName)
			checkCells(t, enrich.Contact{ProfileURL: "network.example/in/" + url.PathEscape(name) + "/x"}, enrich.ByProfile)
		}
	}
}

// TestCellsAndContactsFoldIdeographsEqually tries the ideographs in names.
func TestCellsAndContactsFoldIdeographsEqually(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for r := rune(0x3000); r < 0xa100; r++ {
		checkCells(t, enrich.Contact{FirstName: string(r), LastName: "A" + string(r) + "\u3099", CompanyName: string(r) + string(r) + " Ltd"}, enrich.ByName)
	}
}

func FuzzCells(f *testing.F) {
	f.Add("https://www.network.example/in/jane-doe/?trk=a", "Jane", "Doe", "https://www.acme.example/x", "Acme", "", uint8(0))
	f.Add("", "Anna  Maria", "Groß", "acme.example", "", "Anna <a@b.example>", uint8(1))
	f.Add("network.example/in/a%2Fb", "a\x7f", "e\u0301", "a..b", "\u3164", "A.B@c.example", uint8(2))
	f.Add("www.www.a/b?c#d", "", "", "xn--a.b--c.d", " ", "á@Bücher.example", uint8(0))
	f.Fuzz(func(t *testing.T, profileURL, firstName, lastName, domain, company, email string, prefer uint8) {
		checkCells(t, enrich.Contact{
			ProfileURL: profileURL, FirstName: firstName, LastName: lastName, CompanyDomain: domain, CompanyName: company,
			Email: email,
		}, []enrich.Pattern{enrich.ByProfile, enrich.ByName, enrich.ByEmail}[prefer%3])
	})
}

// The contacts of a list as a sales team has it.
var benchmarked = map[string]enrich.Contact{
	"profile":            {ProfileURL: "https://www.network.example/in/jane-doe-1k2x9", FirstName: "Jane", LastName: "Doe"},
	"usual profile":      {ProfileURL: "https://www.linkedin.com/in/jane-doe-1k2x9/", FirstName: "Jane", LastName: "Doe"},
	"profile of Germany": {ProfileURL: "https://de.linkedin.com/in/jane-doe-1k2x9/de?trk=list&originalSubdomain=de"},
	"profile with query": {ProfileURL: "https://www.network.example/in/jane-doe-1k2x9/?trk=list"},
	"email":              {Email: "Jane.Doe@acme-trading.example"},
	"name and domain":    {FirstName: "Jane", LastName: "Doe", CompanyDomain: "https://www.acme-trading.example"},
	"name and company":   {FirstName: "Jane", LastName: "Doe", CompanyName: "Acme Trading Ltd"},
	"letters of Europe":  {FirstName: "Jürgen", LastName: "Müller-Žák", CompanyName: "Acme Trading Ltd"},
	"letters of Asia":    {FirstName: "花子", LastName: "山田", CompanyName: "Acme Trading Ltd"},
	"escaped profile":    {ProfileURL: "https://www.network.example/in/j%C3%BCrgen-1k2x9"},
	"unidentifiable":     {FirstName: "Jane", CompanyName: "Acme Trading Ltd"},
}

func BenchmarkAppendCanonical(b *testing.B) {
	for title, contact := range benchmarked {
		b.Run(title, func(b *testing.B) {
			cells, form := cellsOf(contact), make([]byte, 0, 256)
			b.ReportAllocs()
			for b.Loop() {
				form, _, _ = cells.AppendCanonical(form[:0], enrich.ByProfile)
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for title, contact := range benchmarked {
		b.Run(title, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if id, reason := contact.Identify(enrich.ByProfile); reason == "" {
					_ = id.Canonical()
				}
			}
		})
	}
}

// TestIdentifyingCommonCellsAllocatesNothing holds for most rows of most lists.
func TestIdentifyingCommonCellsAllocatesNothing(t *testing.T) {
	for _, title := range []string{"profile", "usual profile", "profile of Germany", "profile with query", "email", "name and domain", "name and company", "letters of Europe", "letters of Asia"} {
		cells, form := cellsOf(benchmarked[title]), make([]byte, 0, 256)
		if allocated := testing.AllocsPerRun(100, func() { form, _, _ = cells.AppendCanonical(form[:0], enrich.ByProfile) }); allocated > 0 {
			t.Errorf("%s: %v allocations", title, allocated)
		}
	}
}
