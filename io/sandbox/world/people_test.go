package world

import (
	"fmt"
	"math"
	"net/mail"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/service/v1"
)

func somebody(t interface {
	Helper()
	Fatalf(string, ...any)
}, contact enrich.Contact,
) enrich.Identity {
	t.Helper()
	id, reason := contact.Identify(enrich.ByProfile)
	if reason != "" {
		t.Fatalf("%+v: %s", contact, reason)
	}
	return id
}

var everyoneKnown = People{Seed: 1, MatchRates: enrich.ByField[float64]{1, 1}}

func TestPeopleGetNamesAndAddressesFromTheirIdentity(t *testing.T) {
	tests := []struct {
		contact enrich.Contact
		name    string // empty: made up
		domain  string // empty: any under .example
	}{
		{enrich.Contact{FirstName: "ada", LastName: "LOVELACE", CompanyDomain: "engines.test"}, "Ada Lovelace", "engines.test"},
		{enrich.Contact{FirstName: "Zoë", LastName: "Müller-Strauß", CompanyName: "Bäckerei Köln"}, "Zoë Müller-Strauss", "backereikoln.example"},
		{enrich.Contact{FirstName: "明", LastName: "山田", CompanyName: "株式会社"}, "明 山田", ""},
		{enrich.Contact{ProfileURL: "network.example/in/grace-brewster-hopper-4711"}, "Grace Brewster Hopper", ""},
		{enrich.Contact{ProfileURL: "network.example/in/zo%C3%AB.b%C3%A4r"}, "Zoë Bär", ""},
		{enrich.Contact{ProfileURL: "network.example/in/12345"}, "", ""},
	}
	phone := regexp.MustCompile(`^\+1-555-01\d\d-\d{3}$`)
	for _, test := range tests {
		id := somebody(t, test.contact)
		p, known := everyoneKnown.Find(id)
		if !known || test.name != "" && p.FullName != test.name || strings.TrimSpace(p.FullName) == "" {
			t.Errorf("%s is %q, want %q", id, p.FullName, test.name)
		}
		address, err := mail.ParseAddress(p.Values[v1.WorkEmail])
		if err != nil || !strings.HasSuffix(address.Address, "@"+test.domain) && !strings.HasSuffix(address.Address, ".example") {
			t.Errorf("%s has the email %q: %v", id, p.Values[v1.WorkEmail], err)
		}
		if !phone.MatchString(p.Values[v1.BusinessPhone]) || p.PhoneType == "" {
			t.Errorf("%s has the phone %q of type %q", id, p.Values[v1.BusinessPhone], p.PhoneType)
		}
	}
}

// TestMatchRatesOfAWorldAreMet: a long list meets the rates of the configuration.
func TestMatchRatesOfAWorldAreMet(t *testing.T) {
	p := People{Seed: 3, UnknownRate: 0.08, MatchRates: enrich.ByField[float64]{0.72, 0.45}}
	const asked = 2000
	var known float64
	var found enrich.ByField[float64]
	for i := range asked {
		who, ok := p.Find(somebody(t, enrich.Contact{ProfileURL: fmt.Sprintf("network.example/in/person-%d", i)}))
		if ok {
			known++
		}
		for f := range who.Returned(v1.AllFields).Each() {
			found[f]++
		}
	}
	check := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.04 {
			t.Errorf("%s: %.3f, want about %.3f", what, got, want)
		}
	}
	check("known", known/asked, 1-p.UnknownRate)
	check("emails", found[v1.WorkEmail]/known, p.MatchRates[v1.WorkEmail])
	check("phones", found[v1.BusinessPhone]/known, p.MatchRates[v1.BusinessPhone])
}

// TestSpellingsOfOneIdentityAreOnePerson: identities of one canonical form are one person, in everything.
func TestSpellingsOfOneIdentityAreOnePerson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-zäÖßéŁ']{1,8}( [A-Za-zŠç-]{1,5})?`)
		contact := enrich.Contact{FirstName: text.Draw(t, "first"), LastName: text.Draw(t, "last"), CompanyName: text.Draw(t, "company")}
		if rapid.Bool().Draw(t, "profile") {
			contact = enrich.Contact{ProfileURL: "network.example/in/" + rapid.StringMatching(`[A-Za-z]{1,6}(-[A-Za-z]{1,6})?`).Draw(t, "slug")}
		}
		respelled := enrich.Contact{
			ProfileURL: strings.ToUpper(contact.ProfileURL), FirstName: "  " + strings.ToUpper(contact.FirstName),
			LastName: strings.ToLower(contact.LastName) + " ", CompanyName: strings.ToUpper(contact.CompanyName),
		}
		one, reason := contact.Identify(enrich.ByProfile)
		if reason != "" {
			t.Skip(reason)
		}
		other := somebody(t, respelled)
		if one.Canonical() != other.Canonical() {
			t.Skip("not one person")
		}
		a, _ := everyoneKnown.Find(one)
		b, _ := everyoneKnown.Find(other)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("%s and %s (-one +other):\n%s", one, other, diff)
		}
	})
}

// TestTheSeedAloneDecidesAboutPeople: the seed decides, and nothing else.
func TestTheSeedAloneDecidesAboutPeople(t *testing.T) {
	id := somebody(t, enrich.Contact{ProfileURL: "network.example/in/ada-lovelace"})
	first, _ := everyoneKnown.Find(id)
	again, _ := everyoneKnown.Find(id)
	if first != again {
		t.Errorf("%+v, then %+v", first, again)
	}
	other := everyoneKnown
	other.Seed++
	if changed, _ := other.Find(id); changed == first {
		t.Errorf("another seed knows the same: %+v", first)
	}
}
