package enrich_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

func TestIdentifyProfile(t *testing.T) {
	const want = "https://network.example/in/jane"
	tests := []struct{ name, url, want string }{
		{"as it is", "https://network.example/in/jane", want},
		{"plain http", "http://network.example/in/jane", want},
		{"no scheme", "network.example/in/jane", want},
		{"scheme left out, slashes not", "//network.example/in/jane", want},
		{"scheme and host in capitals", "HTTPS://Network.EXAMPLE/in/jane", want},
		{"www", "https://www.network.example/in/jane", want},
		{"www twice", "www.www.network.example/in/jane", want},
		{"white space around it", "\t https://network.example/in/jane \r\n", want},
		{"no-break space around it", "\u00a0network.example/in/jane\u00a0", want},
		{"zero-width space and byte order mark", "\ufeffhttps://network.example/in/\u200bjane", want},
		{"trailing slashes", "https://network.example/in/jane//", want},
		{"port", "https://network.example:443/in/jane", want},
		{"trailing dot of the host", "https://network.example./in/jane", want},
		{"ideographic full stops", "https://network。example。/in/jane", want},
		{"full-width host", "https://ｎｅｔｗｏｒｋ.example/in/jane", want},
		{"query that says where a visitor came from", "https://network.example/in/jane?trk=a", want},
		{"query that may name the person", "https://network.example/in/jane?id=5", want + "?id=5"},
		{"a part of a query that may name the person", "https://network.example/in/jane?utm_source=x&id=5&&trk=a", want + "?id=5"},
		{"query is escaped", "https://network.example/in/jane?name=José D&x=%zz", want + "?name=Jos%C3%A9%20D&x=%25zz"},
		{"a path that only a network gives to companies", "network.example/company/jane", "https://network.example/company/jane"},
		{"query holding a URL, no scheme", "network.example/in/jane?from=https://other.example", want + "?from=https://other.example"},
		{"slash and query", "https://network.example/in/jane/?trk=a", want},
		{"fragment that may name the person", "https://network.example/in/jane#about", want + "#about"},
		{"fragment that a browser marks", "https://network.example/in/jane#:~:text=jane", want},
		{"fragment holding a URL, no scheme", "network.example/in/jane#https://other.example", want + "#https://other.example"},
		{"case of the path is kept", "https://network.example/in/Jane", "https://network.example/in/Jane"},
		{"path is escaped", "https://network.example/in/josé", "https://network.example/in/jos%C3%A9"},
		{"escaped path is kept", "https://network.example/in/jos%c3%a9", "https://network.example/in/jos%c3%a9"},
		{"other subdomains are kept", "https://de.network.example/in/jane", "https://de.network.example/in/jane"},
		{"international host", "https://bücher.example/in/jane", "https://xn--bcher-kva.example/in/jane"},
		{"www is the domain itself", "https://www.example/in/jane", "https://www.example/in/jane"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason := enrich.Contact{ProfileURL: tt.url}.Identify(enrich.ByProfile)
			if reason != "" {
				t.Fatalf("unidentifiable: %s", reason)
			}
			if diff := cmp.Diff(enrich.Identity{ProfileURL: tt.want}, got); diff != "" {
				t.Error(diff)
			}
			if got.Pattern() != enrich.ByProfile || got.String() != tt.want {
				t.Errorf("pattern %d, described as %q", got.Pattern(), got)
			}
		})
	}
}

func TestIdentifyBadProfile(t *testing.T) {
	tests := []struct {
		name, url string
		want      enrich.Unidentifiable
	}{
		{"empty", "", enrich.NoIdentifiers},
		{"blank", " \t\u00a0", enrich.NoIdentifiers},
		{"invisible", "\u200b\ufeff", enrich.NoIdentifiers},
		{"a host alone", "https://network.example", enrich.BadProfileURL},
		{"a page that a query has to name", "https://network.example/profile/view", enrich.BadProfileURL},
		{"a page that a query has to name, with another query", "https://network.example/users/profile.php?utm_source=a", enrich.BadProfileURL},
		{"a path of what cannot be seen", "https://network.example/%E2%80%8B/", enrich.BadProfileURL},
		{"the page of a company", "https://www.linkedin.com/company/acme", enrich.BadProfileURL},
		{"the page of a company, escaped", "https://de.linkedin.com/Company/acm%C3%A9/", enrich.BadProfileURL},
		{"a company in a tool for sales", "linkedin.com/sales/company/123", enrich.BadProfileURL},
		{"a host and a slash", "https://network.example/", enrich.BadProfileURL},
		{"a path alone", "/in/jane", enrich.BadProfileURL},
		{"a name", "Jane Doe", enrich.BadProfileURL},
		{"an email address", "jane@acme.example", enrich.BadProfileURL},
		{"user and password", "https://jane:secret@network.example/in/jane", enrich.BadProfileURL},
		{"one label", "https://localhost/in/jane", enrich.BadProfileURL},
		{"an empty label", "https://network..example/in/jane", enrich.BadProfileURL},
		{"IPv4", "https://192.0.2.1/in/jane", enrich.BadProfileURL},
		{"IPv6", "https://[2001:db8::1]/in/jane", enrich.BadProfileURL},
		{"another scheme", "ftp://network.example/in/jane", enrich.BadProfileURL},
		{"a file", "file:///in/jane", enrich.BadProfileURL},
		{"bad escape", "https://network.example/in/%zz", enrich.BadProfileURL},
		{"bytes that are no text", "https://network.example/in/jan\xe9", enrich.BadProfileURL},
		{"bad port", "https://network.example:http/in/jane", enrich.BadProfileURL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason := enrich.Contact{ProfileURL: tt.url}.Identify(enrich.ByProfile)
			if reason != tt.want {
				t.Errorf("reason %q, want %q", reason, tt.want)
			}
			if diff := cmp.Diff(enrich.Identity{}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIdentifyDomain(t *testing.T) {
	tests := []struct{ name, cell, want string }{
		{"domain", "acme.example", "acme.example"},
		{"capitals", "ACME.Example", "acme.example"},
		{"URL", "https://www.acme.example:8080/about?x=1#team", "acme.example"},
		{"no scheme", "www.acme.example/about", "acme.example"},
		{"trailing dot", "acme.example.", "acme.example"},
		{"ideographic full stop at the end", "acme.example。", "acme.example"},
		{"email", "Jane.Doe@Acme.example", "acme.example"},
		{"mailto", "mailto:jane@acme.example", "acme.example"},
		{"subdomain is kept", "mail.acme.co.uk", "mail.acme.co.uk"},
		{"www twice", "www.www.acme.example", "acme.example"},
		{"www is the name", "www.example", "www.example"},
		{"IDNA", "Bücher.example", "xn--bcher-kva.example"},
		{"IDNA already", "XN--BCHER-KVA.example", "xn--bcher-kva.example"},
		{"decomposed", "Bu\u0308cher.example", "xn--bcher-kva.example"},
		{"sharp s is a separate letter", "straße.example", "xn--strae-oqa.example"},
		{"full-width", "ａｃｍｅ．ｅｘａｍｐｌｅ", "acme.example"},
		{"zero-width space", "ac\u200bme.example", "acme.example"},
		{"soft hyphen", "ac\u00adme.example", "acme.example"},
		{"no-break space around it", "\u00a0acme.example\u00a0", "acme.example"},
		{"a site below a builder of sites", "acme.wixsite.com", "acme.wixsite.com"},
		{"a name that ends like a network's", "notlinkedin.com", "notlinkedin.com"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			contact := enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: tt.cell, CompanyName: "Acme"}
			got, reason := contact.Identify(enrich.ByProfile)
			if reason != "" {
				t.Fatalf("unidentifiable: %s", reason)
			}
			want := enrich.Identity{FirstName: "Jane", LastName: "Doe", CompanyDomain: tt.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIdentifyBadDomain(t *testing.T) {
	tests := []struct {
		name, cell string
		want       enrich.Unidentifiable
	}{
		{"empty", "", enrich.NoCompany},
		{"invisible", " \u200b ", enrich.NoCompany},
		{"one label", "acme", enrich.BadDomain},
		{"www alone", "www.", enrich.BadDomain},
		{"a company's name", "Acme, Inc.", enrich.BadDomain},
		{"empty label", "acme..example", enrich.BadDomain},
		{"leading dot", ".acme.example", enrich.BadDomain},
		{"escaped bytes that are no text", "acme.exam%a2ple", enrich.BadDomain},
		{"underscore", "ac_me.example", enrich.BadDomain},
		{"label of 64", "a234567890123456789012345678901234567890123456789012345678901234.example", enrich.BadDomain},
		{"IPv4", "192.0.2.1", enrich.BadDomain},
		{"a number", "12.50", enrich.BadDomain},
		{"email without a domain", "jane@", enrich.BadDomain},
		{"email at a mail provider", "jane.doe@GMail.com", enrich.FreeMailDomain},
		{"email at a mail provider's www", "jane.doe@www.gmail.com", enrich.FreeMailDomain},
		{"a mail provider", "gmail.com", enrich.MailProviderDomain},
		{"a company's page in a network", "https://www.linkedin.com/company/acme/", enrich.NetworkDomain},
		{"a network's host for a country", "http://DE.LinkedIn.com", enrich.NetworkDomain},
		{"a directory", "crunchbase.com/organization/acme", enrich.DirectoryDomain},
		{"a link page", "https://linktr.ee/acme", enrich.PageDomain},
		{"a seller of domains", "sedoparking.com", enrich.ParkedDomain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			contact := enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: tt.cell}
			if got, reason := contact.Identify(enrich.ByProfile); reason != tt.want || got != (enrich.Identity{}) {
				t.Errorf("%+v, reason %q, want %q", got, reason, tt.want)
			}
			contact.CompanyName = "Acme"
			want := enrich.Identity{FirstName: "Jane", LastName: "Doe", CompanyName: "Acme"}
			if got, reason := contact.Identify(enrich.ByProfile); reason != "" || got != want {
				t.Errorf("with a company name: %+v, reason %q", got, reason)
			}
		})
	}
}

func TestIdentifyPatterns(t *testing.T) {
	profile := enrich.Identity{ProfileURL: "https://network.example/in/jane"}
	named := enrich.Identity{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example"}
	both := enrich.Contact{
		ProfileURL: "network.example/in/jane", FirstName: "Jane", LastName: "Doe",
		CompanyDomain: "acme.example", CompanyName: "Acme",
	}
	emailed := enrich.Identity{Email: "jane@acme.example"}
	all := both
	all.Email = "jane@acme.example"
	tests := []struct {
		name    string
		contact enrich.Contact
		prefer  enrich.Pattern
		want    enrich.Identity
		reason  enrich.Unidentifiable
	}{
		{"both, the profile preferred", both, enrich.ByProfile, profile, ""},
		{"both, the name preferred", both, enrich.ByName, named, ""},
		{"profile only", enrich.Contact{ProfileURL: both.ProfileURL}, enrich.ByName, profile, ""},
		{"profile and half a name", enrich.Contact{ProfileURL: both.ProfileURL, FirstName: "Jane"}, enrich.ByName, profile, ""},
		{
			"bad profile, whole name",
			enrich.Contact{ProfileURL: "?", FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example"},
			enrich.ByProfile, named, "",
		},
		{"nothing", enrich.Contact{}, enrich.ByProfile, enrich.Identity{}, enrich.NoIdentifiers},
		{"company only", enrich.Contact{CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.NoIdentifiers},
		{"bad profile only", enrich.Contact{ProfileURL: "?"}, enrich.ByName, enrich.Identity{}, enrich.BadProfileURL},
		{"bad profile and half a name", enrich.Contact{ProfileURL: "?", LastName: "Doe"}, enrich.ByProfile, enrich.Identity{}, enrich.NoFirstName},
		{"no first name", enrich.Contact{LastName: "Doe", CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.NoFirstName},
		{"no last name", enrich.Contact{FirstName: "Jane", CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.NoLastName},
		{"invisible last name", enrich.Contact{FirstName: "Jane", LastName: "\u200d\u3164", CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.NoLastName},
		{"mangled first name", enrich.Contact{FirstName: "Ren\xe9", LastName: "Doe", CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.MangledText},
		{"mangled earlier", enrich.Contact{FirstName: "Jane", LastName: "D\ufffd", CompanyName: "Acme"}, enrich.ByName, enrich.Identity{}, enrich.MangledText},
		{"mangled company", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyName: "Caf\xe9"}, enrich.ByName, enrich.Identity{}, enrich.MangledText},
		{"mangled company that is not needed", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example", CompanyName: "Caf\xe9"}, enrich.ByName, named, ""},
		{"mangled domain", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "caf\xe9.example"}, enrich.ByName, enrich.Identity{}, enrich.BadDomain},
		{"no company", enrich.Contact{FirstName: "Jane", LastName: "Doe"}, enrich.ByName, enrich.Identity{}, enrich.NoCompany},
		{"all three, the profile preferred", all, enrich.ByProfile, profile, ""},
		{"all three, the name preferred", all, enrich.ByName, named, ""},
		{"all three, the email preferred", all, enrich.ByEmail, emailed, ""},
		{"name and email", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example", Email: "jane@acme.example"}, enrich.ByProfile, named, ""},
		{"email alone", enrich.Contact{Email: "Jane <jane@ACME.example>; other@acme.example"}, enrich.ByProfile, emailed, ""},
		{"email and half a name", enrich.Contact{Email: "jane@acme.example", LastName: "Doe"}, enrich.ByName, emailed, ""},
		{"bad email, whole name", enrich.Contact{FirstName: "Jane", LastName: "Doe", CompanyDomain: "acme.example", Email: "n/a"}, enrich.ByEmail, named, ""},
		{"bad email only", enrich.Contact{Email: "jane at acme"}, enrich.ByProfile, enrich.Identity{}, enrich.BadEmail},
		{"bad email and half a name", enrich.Contact{Email: "jane@acme", LastName: "Doe"}, enrich.ByProfile, enrich.Identity{}, enrich.NoFirstName},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason := tt.contact.Identify(tt.prefer)
			if reason != tt.reason {
				t.Errorf("reason %q, want %q", reason, tt.reason)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIdentifyCleansNames(t *testing.T) {
	tests := []struct{ name, cell, want string }{
		{"spaces", "  Anna \t Maria\n", "Anna Maria"},
		{"no-break and ideographic spaces", "\u00a0Anna\u00a0\u3000Maria\u2009", "Anna Maria"},
		{"composed", "Jose\u0301", "José"},
		{"composed across a zero-width joiner", "Jose\u200d\u0301", "José"},
		{"zero-width, direction and byte order marks", "\ufeffA\u200bn\u200cn\u200ea", "Anna"},
		{"variation selector", "Anna\ufe0f", "Anna"},
		{"control characters", "An\x00n\x1fa", "Anna"},
		{"width is kept", "Ａｎｎａ", "Ａｎｎａ"},
		{"ligature is kept", "Hoﬀ", "Hoﬀ"},
		{"sharp s is kept", "Groß", "Groß"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason := enrich.Contact{FirstName: tt.cell, LastName: tt.cell, CompanyName: tt.cell}.Identify(enrich.ByName)
			want := enrich.Identity{FirstName: tt.want, LastName: tt.want, CompanyName: tt.want}
			if reason != "" || got != want {
				t.Errorf("%+q, reason %q, want %+q", got, reason, want)
			}
		})
	}
}
