package world

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/service/v1"
)

func someWorld() World {
	return World{People{Seed: 7, UnknownRate: 0.1, MatchRates: enrich.ByField[float64]{0.7, 0.4}}}
}

// drawCompany draws a listed company or one with a domain of its own.
func drawCompany(t *rapid.T, w World) Company {
	if rapid.Bool().Draw(t, "listed") {
		l := listed{rapid.IntRange(0, listedNames-1).Draw(t, "name"), rapid.IntRange(0, generations-1).Draw(t, "generation")}
		if !w.exists(l) {
			l.generation = 0
		}
		return w.listedCompany(l)
	}
	label := rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?`).Draw(t, "label")
	c, exists := w.ByDomain(label + rapid.SampledFrom([]string{".example", ".com", ".co.uk"}).Draw(t, "top"))
	if !exists {
		t.Skip("unknown")
	}
	return c
}

// TestCompaniesAreFoundByEverythingThatNamesThem looks companies up by each of their identifiers.
func TestCompaniesAreFoundByEverythingThatNamesThem(t *testing.T) {
	w := someWorld()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCompany(t, w)
		check := func(by, value string, found Company, exists bool) {
			if value != "" && (!exists || found != c) {
				t.Errorf("by %s %q: %s %t, want %s %s", by, value, found.ID(), exists, c.ID(), c.Domain())
			}
		}
		country, place := c.Country(), c.Place()
		found, exists := w.ByID(c.ID())
		check("id", c.ID(), found, exists)
		found, exists = w.ByProfile(c.Profile())
		check("profile", c.Profile(), found, exists)
		found, exists = w.ByDomain(c.Domain())
		check("domain", c.Domain(), found, exists)
		found, exists = w.ByRegistration(country.Code, place.RegionCode, c.Registration())
		check("registration", c.Registration(), found, exists)
		if c.VAT() != "" {
			found, exists = w.ByVAT(country.Code, c.VAT())
			check("VAT", c.VAT(), found, exists)
		}
		found, exists = w.ByLEI(c.LEI())
		check("LEI", c.LEI(), found, exists)
		for _, phone := range c.Phones() {
			found, exists = w.ByPhone(phone)
			check("phone", phone, found, exists)
		}
		if other, exists := w.ByRegistration(country.Code, "XX", c.Registration()); exists {
			t.Errorf("the register of the state XX has %s", other.Name())
		}
	})
}

// TestNamesAreAmbiguous: some names belong to several companies of one country.
func TestNamesAreAmbiguous(t *testing.T) {
	w := someWorld()
	same, abroad := 0, 0
	for c := range w.Listed() {
		if c.listed.name > 2000 {
			break
		}
		if c.listed.generation == 0 {
			continue
		}
		candidates := w.ByName(c.Name())
		first := candidates[0]
		if first.plainName() != c.plainName() || first.Domain() == c.Domain() || first.Registration() == c.Registration() {
			t.Errorf("%s and %s", first.Name(), c.Name())
		}
		switch {
		case first.country == c.country && first.Name() == c.Name():
			same++
		case first.country != c.country:
			abroad++
		}
	}
	if same == 0 || abroad == 0 {
		t.Errorf("%d companies share a name in a country, %d in another", same, abroad)
	}
}

// TestEmployeesAreFoundByEverythingThatNamesThem does so for employees and for people of v1.
func TestEmployeesAreFoundByEverythingThatNamesThem(t *testing.T) {
	w := someWorld()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCompany(t, w)
		e, found := w.Employee(c, rapid.IntRange(0, c.Staff()-1).Draw(t, "place"))
		if rapid.Bool().Draw(t, "stranger") {
			e, found = w.ByContact(enrich.Contact{
				FirstName: "Grace", LastName: rapid.StringMatching(`[A-Z][a-z]{1,8}`).Draw(t, "last"), CompanyDomain: c.Domain(),
			})
			if !found {
				t.Skip("unknown")
			}
		}
		same := func(by string, other Employee, found bool) {
			if !found || other.ID != e.ID || other.First != e.First || other.Email() != e.Email() || other.Company == nil {
				t.Errorf("by %s: %+v %t, want %+v", by, other, found, e)
			}
		}
		same("itself", e, found)
		other, found := w.EmployeeByID(e.ID)
		same("id "+e.ID, other, found)
		other, found = w.ByContact(enrich.Contact{FirstName: e.First, LastName: e.Last, CompanyDomain: c.Domain()})
		same("name", other, found)
		if person, known := w.People.Find(e.identity); known && person.Values[v1.WorkEmail] != "" && e.HasEmail() {
			if person.Values[v1.WorkEmail] != e.Email() {
				t.Errorf("v1 knows %s, v2 %s", person.Values[v1.WorkEmail], e.Email())
			}
		}
	})
}

// TestEmployeesAreFoundByEmailAndProfile does so for the staffs of the first companies.
func TestEmployeesAreFoundByEmailAndProfile(t *testing.T) {
	w := someWorld()
	for id := range 50 {
		c, _ := w.ByID(fmt.Sprint(id + 1))
		for place := range c.Staff() {
			e, _ := w.Employee(c, place)
			if other, found := w.ByContact(enrich.Contact{ProfileURL: e.Profile()}); !found || other.ID != e.ID {
				t.Errorf("%s is %+v %t", e.Profile(), other, found)
			}
			email := e.everything().Values[v1.WorkEmail]
			other, found := w.ByEmail(email)
			if !found || other.everything().Values[v1.WorkEmail] != email {
				t.Errorf("%s is %+v %t", email, other, found)
			}
		}
	}
}

// TestTheWorldHasEverything: every figure, status, country and kind of gap occurs among the first companies.
func TestTheWorldHasEverything(t *testing.T) {
	w := someWorld()
	seen := map[string]bool{}
	count := 0
	for c := range w.Listed() {
		if count++; count > 1500 {
			break
		}
		seen["country "+c.Country().Code] = true
		seen["status "+StatusName(c.Status())] = true
		seen[fmt.Sprint("financials ", c.HasFinancials())] = true
		seen[fmt.Sprint("insights ", c.HasInsights())] = true
		seen[fmt.Sprint("ownership ", c.HasOwnership())] = true
		seen[fmt.Sprint("years ", len(c.Years()))] = true
		seen[fmt.Sprint("foreign parent ", w.HasForeignParent(c))] = true
		if years := c.Years(); len(years) > 0 {
			for name, value := range c.Figures(years[0]) {
				seen[name+" "+reflect.TypeOf(value).String()] = true
			}
		}
	}
	var want []string
	for _, name := range FigureNames() {
		want = append(want, name+" float64")
	}
	want = append(want, "Reported-Date string", "Currency string", "Accounting-From-Date int", "Employee-Numbers int",
		"Share-of-Profit-in-Associates-or-Joint-Ventures string", "Company-Accounts-Status string", "Consolidated-Accounts string",
		"status active", "status dissolved", "status in liquidation", "status dormant", "years 0", "years 1", "years 6")
	for _, country := range countries {
		want = append(want, "country "+country.Code)
	}
	for _, kind := range []string{"financials", "insights", "ownership", "foreign parent"} {
		want = append(want, kind+" true", kind+" false")
	}
	for _, name := range want {
		if !seen[name] {
			t.Errorf("no company has %s", name)
		}
	}
	if len(FigureNames()) != 259 {
		t.Errorf("%d figures, the specification lists 259", len(FigureNames()))
	}
}

// TestTheSeedDecides: the same seed gives the same companies, another seed others.
func TestTheSeedDecides(t *testing.T) {
	w, other := someWorld(), someWorld()
	other.People.Seed++
	a, _ := w.ByDomain("acme.example")
	b, _ := other.ByDomain("acme.example")
	again, _ := someWorld().ByDomain("acme.example")
	if cmp.Diff(a.Figures(2024), again.Figures(2024)) != "" || cmp.Diff(a.Insights(), again.Insights()) != "" || cmp.Diff(w.OwnershipOf(a), someWorld().OwnershipOf(again)) != "" {
		t.Error("the same seed gives other figures, insights or owners")
	}
	if cmp.Equal(a.Insights(), b.Insights()) {
		t.Error("another seed gives the same insights")
	}
}

// TestUnknownCompanies lists names that no company has.
func TestUnknownCompanies(t *testing.T) {
	w := someWorld()
	for _, id := range []string{"", "0", "-1", "007", "384001", "999999", "9999999", "10000000", "x", "1e3", strings.Repeat("9", 400)} {
		if c, exists := w.ByID(id); exists {
			t.Errorf("id %q is %s", id, c.Domain())
		}
	}
	for _, domain := range []string{"", "unknown-1.example", "alder-logistics-4001.example", "alder-logistics-1-z.example.", "localhost", "a_b.example"} {
		if c, exists := w.ByDomain(domain); exists {
			t.Errorf("domain %q is %s", domain, c.ID())
		}
	}
	for _, id := range []string{"", "1", "1999", "1012", "999999", strings.Repeat("9", 3000)} {
		if e, exists := w.EmployeeByID(id); exists {
			t.Errorf("employee %q is %s %s", id, e.First, e.Last)
		}
	}
}
