package enrich_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// samePages has addresses as they stand in lists. Each line names one person or one company, in several ways; no two
// lines name the same.
var samePages = [][]string{
	{
		"https://www.linkedin.com/in/jane-doe-1a2b3c", "http://linkedin.com/in/jane-doe-1a2b3c/", "LinkedIn.com/in/Jane-Doe-1A2B3C",
		"https://uk.linkedin.com/in/jane-doe-1a2b3c", "https://m.linkedin.com/in/jane-doe-1a2b3c", "de.linkedin.com/in/jane-doe-1a2b3c/de",
		"https://www.linkedin.com/in/jane-doe-1a2b3c/en", "https://www.linkedin.com/in/jane-doe-1a2b3c/en-us/",
		"https://www.linkedin.com/in/jane-doe-1a2b3c/?locale=de_DE", "https://touch.linkedin.com/in/jane-doe-1a2b3c",
		"https://www.linkedin.com/in/jane-doe-1a2b3c/details/experience/", "https://www.linkedin.com/in/jane-doe-1a2b3c/recent-activity/all/",
		"https://www.linkedin.com/in/jane-doe-1a2b3c/overlay/contact-info/", "https://www.linkedin.com/in/jane-doe-1a2b3c#experience",
		"https://www.linkedin.com/in/jane-doe-1a2b3c?originalSubdomain=uk&trk=public_profile", "www.linkedin.com/in/%6Aane-doe-1a2b3c",
		"https://www.linkedin.com/mwlite/in/jane-doe-1a2b3c", "https://www.linkedin.com/comm/in/jane-doe-1a2b3c?midToken=AQ",
		"https://www.linkedin.com/in/jane-doe-1a2b3c?miniProfileUrn=urn%3Ali%3Afs_miniProfile%3AACoAAB1", "https://www.de.linkedin.com/in/jane-doe-1a2b3c",
	},
	{"https://www.linkedin.com/in/jane-doe-1a2b3d"},
	{"https://www.linkedin.com/in/jos%C3%A9-garc%C3%ADa", "linkedin.com/in/josé-garcía", "es.linkedin.com/in/JOS%c3%89-GARC%c3%8DA/es"},
	{"https://www.linkedin.com/in/jose-garcia"},
	{"https://www.linkedin.com/in/ACoAAB1cDeFGhIJkLmNoPqRsTuVwXyZ01234567/", "linkedin.com/in/ACoAAB1cDeFGhIJkLmNoPqRsTuVwXyZ01234567/details/skills/?x=y"},
	{"https://www.linkedin.com/in/ACoAAB1cDeFGhIJkLmNoPqRsTuVwXyZ0123456a/"},
	{"https://www.linkedin.com/in/ACoAAB1cDeFGhIJkLmNoPqRsTuVwXyZ0123456A/"},
	{"https://www.linkedin.com/profile/view?id=101", "http://linkedin.com/profile/view/?authType=NAME_SEARCH&id=101&trk=nav#top", "uk.linkedin.com/profile/view?id=101&goback="},
	{"https://www.linkedin.com/profile/view?id=202&trk=nav"},
	{"https://www.linkedin.com/profile/view?id=AAkAAAB1cD"},
	{"https://www.linkedin.com/profile/view?id=AAkAAAB1cd"},
	{"http://www.linkedin.com/profile?viewProfile=&key=101", "linkedin.com/profile?key=101&authToken=x"},
	{"http://www.linkedin.com/pub/jane-doe/4/567/89a", "uk.linkedin.com/pub/Jane-Doe/4/567/89A/de?trk=x"},
	{"http://www.linkedin.com/pub/jane-doe/4/567/89b"},
	{"https://www.linkedin.com/sales/lead/ACwAAAB1cD,NAME_SEARCH,x1Yz", "https://www.linkedin.com/sales/people/ACwAAAB1cD,name,9876?_ntb=q"},
	{"https://www.linkedin.com/sales/lead/ACwAAAB1cd,NAME_SEARCH,x1Yz"},
	{"https://www.linkedin.com/sales/profile/101,abCd,NAME_SEARCH"},
	{"https://www.linkedin.com/recruiter/profile/101,abCd,CAP"},
	{"https://www.linkedin.com/talent/profile/AEMAAAB1cD?project=7"},
	{"https://lnkd.in/eAbCd"},
	{"https://lnkd.in/eabCd"},
	{
		"https://www.facebook.com/jane.doe.9", "http://facebook.com/JaneDoe9/", "https://m.facebook.com/jane.doe.9?fref=ts", "de-de.facebook.com/jane.doe.9",
		"https://www.facebook.com/jane.doe.9/about", "fb.com/jane.doe.9", "https://www.facebook.com/#!/jane.doe.9", "https://www.facebook.com/jane.doe.9?locale=de_DE&mibextid=x",
	},
	{
		"https://www.facebook.com/profile.php?id=100012345", "m.facebook.com/profile.php?v=info&id=100012345", "https://www.facebook.com/people/Jane-Doe/100012345/",
		"http://www.facebook.com/home.php#!/profile.php?id=100012345", "facebook.com/people/_/100012345?sk=about",
	},
	{"https://www.facebook.com/profile.php?id=100054321"},
	{"https://www.facebook.com/janedoe10"},
	{"https://www.facebook.com/search?q=jane"},
	{"https://www.facebook.com/search?q=joe"},
	{
		"https://twitter.com/jane_doe", "https://x.com/Jane_Doe", "https://mobile.twitter.com/jane_doe?s=20", "http://www.twitter.com/#!/jane_doe",
		"https://twitter.com/jane_doe/with_replies", "x.com/jane_doe/media/?lang=de", "https://twitter.com/jane_doe?ref_src=twsrc%5Etfw",
	},
	{"https://twitter.com/janedoe"},
	{"https://twitter.com/intent/user?user_id=101"},
	{"https://twitter.com/intent/user?user_id=202"},
	{"https://x.com/jane_doe/status/101"},
	{"https://x.com/i/user/101"},
	{"https://github.com/janedoe", "http://www.github.com/JaneDoe/", "https://github.com/janedoe?tab=repositories"},
	{"https://github.com/janedoe/payonce"},
	{"https://gist.github.com/janedoe"},
	{
		"https://www.xing.com/profile/Jane_Doe12", "http://xing.com/profile/jane_doe12/", "https://www.xing.com/profile/Jane_Doe12/cv",
		"m.xing.com/profile/Jane_Doe12?sc_o=x", "https://www.xing.com/profile/Jane_Doe12/portfolio/1",
	},
	{"https://www.xing.com/profile/Jane_Doe13"},
	{"https://www.instagram.com/jane.doe/", "instagram.com/Jane.Doe?igshid=x&hl=de", "https://www.instagram.com/jane.doe/reels/", "https://instagram.com/jane.doe?igsh=MzR"},
	{"https://www.instagram.com/janedoe/"},
	{"https://www.instagram.com/p/AbC/"},
	{"https://www.instagram.com/p/aBC/"},
	{"https://network.example/in/jane", "http://www.network.example/in/jane/?utm_source=a"},
	{"https://uk.network.example/in/jane"},
	{"https://network.example/in/jane/en"},
	{"https://network.example/profile/view?id=101", "network.example/profile/view?utm_medium=x&id=101"},
	{"https://network.example/profile/view?id=202"},
	{"https://network.example/profile.php?id=101"},
	{"https://network.example/profile.php?id=202"},
	{"https://scholar.example/citations?user=AbC&hl=de"},
	{"https://scholar.example/citations?user=abC&hl=de"},
	{"https://network.example/people#!/101"},
	{"https://network.example/people#!/202"},
	{"https://acme.example/team#jane"},
}

// nobodysPages are addresses in networks that do not say who or which is meant.
var nobodysPages = []string{
	"https://www.linkedin.com/profile/view", "https://www.linkedin.com/profile/view?trk=nav", "linkedin.com/profile/view?id=", "linkedin.com/profile/view?id=1&id=2",
	"https://www.linkedin.com/profile", "https://www.linkedin.com/in/", "https://www.linkedin.com/in/me/", "https://www.linkedin.com/in/unavailable",
	"https://www.linkedin.com/in/acoaab1cdefghijklmnopqrstuvwxyz01234567", "https://www.linkedin.com/pub/dir/Jane/Doe", "https://www.linkedin.com/pub",
	"https://www.facebook.com/profile.php", "https://www.facebook.com/profile.php?id=jane", "https://www.facebook.com/profile.php?sk=about",
	"https://network.example/profile/view", "https://network.example/profile.php?utm_source=a", "https://network.example/users/Show.ASPX", "https://network.example/?",
	"https://network.example/view#:~:text=Jane",
}

// TestAddressesOfOnePageAreOneIdentity compares all addresses with each other.
func TestAddressesOfOnePageAreOneIdentity(t *testing.T) {
	lines := map[string]int{}
	for line, addresses := range samePages {
		for _, address := range addresses {
			form := canonical(t, enrich.Contact{ProfileURL: address}, enrich.ByProfile)
			if other, found := lines[form]; found && other != line {
				t.Errorf("%s and %s have the form %q", address, samePages[other][0], form)
			}
			if first := canonical(t, enrich.Contact{ProfileURL: addresses[0]}, enrich.ByProfile); form != first {
				t.Errorf("%s has the form %q, %s has %q", address, form, addresses[0], first)
			}
			lines[form] = line
		}
	}
}

// TestAddressesOfOneCompanyAreOneIdentity is the same for pages of companies.
func TestAddressesOfOneCompanyAreOneIdentity(t *testing.T) {
	lines := map[string]int{}
	for line, addresses := range [][]string{
		{
			"https://www.linkedin.com/company/acme-inc", "http://linkedin.com/company/Acme-Inc/", "https://de.linkedin.com/company/acme-inc?trk=x", "linkedin.com/company/acme-inc/about/",
			"https://www.linkedin.com/company/acme-inc/people/?facetGeoRegion=de", "https://www.linkedin.com/company/acme-inc/mycompany/verification/", "m.linkedin.com/company/acme-inc#x",
		},
		{"https://www.linkedin.com/company/acme"},
		{"https://www.linkedin.com/company/12345", "https://www.linkedin.com/company/12345/admin/"},
		{"https://www.linkedin.com/school/acme-inc"},
		{"https://www.linkedin.com/showcase/acme-inc"},
		{"https://www.linkedin.com/sales/company/12345", "linkedin.com/sales/company/12345/people?x=y"},
		{"https://www.xing.com/companies/acme", "xing.com/companies/ACME/about", "https://m.xing.com/companies/acme?x=y"},
		{"https://network.example/company/view?id=101"},
		{"https://network.example/company/view?id=202"},
		{"https://network.example/acme"},
		{"https://network.example/Acme"},
	} {
		for _, address := range addresses {
			id, reason := enrich.Company{ProfileURL: address}.Identify(enrich.ByCompanyProfile)
			first, _ := enrich.Company{ProfileURL: addresses[0]}.Identify(enrich.ByCompanyProfile)
			if reason != "" || id.Canonical() != first.Canonical() {
				t.Errorf("%s has the form %q (%s), %s has %q", address, id.Canonical(), reason, addresses[0], first.Canonical())
			}
			if other, found := lines[id.Canonical()]; found && other != line {
				t.Errorf("%s has the form of another company", address)
			}
			lines[id.Canonical()] = line
			if _, reason := (enrich.Contact{ProfileURL: address}).Identify(enrich.ByProfile); line < 7 && reason != enrich.BadProfileURL {
				t.Errorf("%s is taken for a person's page", address)
			}
		}
	}
	for _, address := range []string{"https://www.linkedin.com/company/", "https://network.example/profile/view", "linkedin.com/in/jane"} {
		if id, reason := (enrich.Company{ProfileURL: address}).Identify(enrich.ByCompanyProfile); reason != enrich.BadCompanyProfile {
			t.Errorf("%s is the company %s (%s)", address, id, reason)
		}
	}
}

func TestAddressesOfNoPersonAreRefused(t *testing.T) {
	for _, address := range nobodysPages {
		contact := enrich.Contact{ProfileURL: address}
		if id, reason := contact.Identify(enrich.ByProfile); reason != enrich.BadProfileURL {
			t.Errorf("%s is %s (%s)", address, id, reason)
		}
		checkCells(t, contact, enrich.ByProfile)
	}
}

// TestTheAddressThatIsSentIdentifiesThePerson shows the addresses that a service gets.
func TestTheAddressThatIsSentIdentifiesThePerson(t *testing.T) {
	for address, want := range map[string]string{
		"http://www.linkedin.com/profile/view?authType=x&id=101&trk=nav#top": "https://linkedin.com/profile/view?id=101",
		"de.linkedin.com/in/Jane-Doe/de?trk=x":                               "https://de.linkedin.com/in/Jane-Doe/de",
		"www.facebook.com/profile.php?v=info&id=100012345":                   "https://facebook.com/profile.php?id=100012345",
		"https://twitter.com/#!/jane":                                        "https://twitter.com/jane",
		"https://network.example/people#!/101":                               "https://network.example/people#!/101",
		"https://scholar.example/citations?hl=de&user=AbC&utm_source=x":      "https://scholar.example/citations?hl=de&user=AbC",
	} {
		if id, reason := (enrich.Contact{ProfileURL: address}).Identify(enrich.ByProfile); reason != "" || id.ProfileURL != want {
			t.Errorf("%s is sent as %q (%s), want %q", address, id.ProfileURL, reason, want)
		}
	}
}

// pages generates addresses that are like those in lists, put together of their parts.
func pages() *rapid.Generator[string] {
	hosts := []string{
		"linkedin.com", "www.linkedin.com", "de.linkedin.com", "m.linkedin.com", "business.linkedin.com", "facebook.com", "m.facebook.com", "de-de.facebook.com", "fb.com",
		"twitter.com", "x.com", "mobile.twitter.com", "github.com", "gist.github.com", "xing.com", "m.xing.com", "instagram.com", "lnkd.in", "network.example", "linkedin.com.example",
	}
	segments := []string{
		"in", "IN", "%69n", "pub", "profile", "view", "profile.php", "people", "company", "companies", "school", "sales", "lead", "recruiter", "mwlite", "comm", "dir", "me", "search", "status",
		"jane", "Jane", "jane.doe", "jane_doe", "%6Aane", "jos%C3%A9", "josé", "ACoAAB1cDeFGhIJkLmNoPqRsTuVwXyZ01234567", "acoaab1cdefghijklmnopqrstuvwxyz01234567", "acw%41AB1cDeFGhIJkLmNoPqRsTuVwXyZ01234567",
		"4", "567", "89a", "100012345", "ACwAAB,x,y", "de", "about", "media", "", ".", "..", "a%2Fb", "%E2%80%8B", "%ff", "jane.php",
	}
	params := []string{"id=1", "id=2", "ID=1", "id=", "key=1", "utm_source=a", "trk=a", "trk", "fref=x", "sk=about", "s=20", "tab=x", "hl=de", "x", "=", "", "a=%zz", "q=josé", "q=jos%C3%A9", "%69d=1"}
	return rapid.Custom(func(t *rapid.T) string {
		address := rapid.SampledFrom([]string{"", "https://", "http://", "HTTPS://"}).Draw(t, "scheme") + rapid.SampledFrom(hosts).Draw(t, "host") + "/" +
			strings.Join(rapid.SliceOfN(rapid.SampledFrom(segments), 0, 5).Draw(t, "segments"), "/")
		if rapid.IntRange(0, 2).Draw(t, "query") == 0 {
			address += "?" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(params), 0, 3).Draw(t, "params"), "&")
		}
		if rapid.IntRange(0, 4).Draw(t, "fragment") == 0 {
			address += "#" + rapid.SampledFrom([]string{"", "about", "!/jane", "!/profile.php?id=1", ":~:text=a", "a b", "%zz", "!/a%ff/[x]"}).Draw(t, "fragment")
		}
		return address
	})
}

// formerAddress returns an address as earlier versions sent and recorded it: without query and fragment.
func formerAddress(id enrich.Identity) string {
	address, _, _ := strings.Cut(id.ProfileURL, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// TestTheSentAddressHasTheSameIdentity: what is sent for an address is the same identity, by contacts and by cells.
func TestTheSentAddressHasTheSameIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contact := enrich.Contact{ProfileURL: pages().Draw(t, "address")}
		checkIdentify(t, contact, enrich.ByProfile)
		checkCells(t, contact, enrich.ByProfile)
		checkCompany(t, enrich.Company{ProfileURL: contact.ProfileURL}, enrich.ByCompanyProfile)
	})
}

// TestNoFormIsAFormerFormOfAnotherIdentity: a journal of an earlier version has attempts under former forms. The form
// of an identity must never find those of another.
func TestNoFormIsAFormerFormOfAnotherIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked, reason := enrich.Contact{ProfileURL: pages().Draw(t, "asked")}.Identify(enrich.ByProfile)
		was, wasReason := enrich.Contact{ProfileURL: pages().Draw(t, "recorded")}.Identify(enrich.ByProfile)
		if reason != "" || wasReason != "" {
			return
		}
		recorded := enrich.Identity{ProfileURL: formerAddress(was)}
		former := recorded.Former()
		if former == "" {
			former = recorded.Canonical()
		}
		if former == asked.Canonical() && recorded.Canonical() != asked.Canonical() {
			t.Errorf("%s has the form %q, which was that of %s", asked.ProfileURL, former, recorded.ProfileURL)
		}
	})
}

func TestFormerFormsAreThoseOfEarlierVersions(t *testing.T) {
	for address, want := range map[string]string{
		"https://de.linkedin.com/in/Jane/de":      "profile\x1fde.linkedin.com/in/jane/de",
		"https://twitter.com/Jane":                "profile\x1ftwitter.com/jane",
		"https://network.example/in/Jos%c3%a9":    "profile\x1fnetwork.example/in/jos%C3%A9",
		"https://linkedin.com/profile/view":       "profile\x1flinkedin.com/profile/view",
		"https://linkedin.com/profile/view?id=1":  "", // it lost its query
		"https://linkedin.com/in/jane":            "", // it is the same
		"https://network.example/people#!/101":    "",
		"https://facebook.com/people/Jane-Doe/12": "profile\x1ffacebook.com/people/jane-doe/12",
	} {
		if got := (enrich.Identity{ProfileURL: address}).Former(); got != want {
			t.Errorf("%s had the form %q, want %q", address, got, want)
		}
	}
	company := enrich.Identity{Company: enrich.Company{ProfileURL: "https://de.linkedin.com/company/Acme/about"}}
	if got := company.Former(); got != "company\x1fprofile\x1fde.linkedin.com/company/acme/about" {
		t.Errorf("the company had the form %q", got)
	}
	for _, id := range []enrich.Identity{{Email: "a@b.example"}, {FirstName: "A", LastName: "B", CompanyName: "C"}, {Company: enrich.Company{Website: "a.example"}}} {
		if former := id.Former(); former != "" {
			t.Errorf("%s had the form %q", id, former)
		}
	}
}

func FuzzPages(f *testing.F) {
	for _, addresses := range samePages {
		for _, address := range addresses {
			f.Add(address)
		}
	}
	for _, address := range nobodysPages {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		contact := enrich.Contact{ProfileURL: address}
		checkIdentify(t, contact, enrich.ByProfile)
		checkCells(t, contact, enrich.ByProfile)
		checkCompany(t, enrich.Company{ProfileURL: address}, enrich.ByCompanyProfile)
	})
}
