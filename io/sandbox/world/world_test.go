package world

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
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

// drawCompany draws a company.
func drawCompany(t *rapid.T, w World) Company {
	l := listed{rapid.IntRange(0, listedNames-1).Draw(t, "name"), rapid.IntRange(0, generations-1).Draw(t, "generation")}
	if !w.exists(l) {
		l.generation = 0
	}
	return w.listedCompany(l)
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

// TestSomeCompaniesOfACountryShareAName: some names belong to several companies of one country.
func TestSomeCompaniesOfACountryShareAName(t *testing.T) {
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

// TestEveryIdentityOfAPersonFindsThatPerson: the id, the profile, the email and the name of a person find one person
// with one company, in v2 and in v1.
func TestEveryIdentityOfAPersonFindsThatPerson(t *testing.T) {
	w := someWorld()
	namesakes, ofLists := 0, 0
	check := func(t interface{ Errorf(string, ...any) }, e Employee, isNamesake bool) {
		same := func(by string, other Employee, found bool) {
			if !found || other != e || other.Email() != e.Email() || other.Phone() != e.Phone() {
				t.Errorf("by %s: %+v %t, want %+v", by, other, found, e)
			}
		}
		other, found := w.EmployeeByID(e.ID)
		same("id "+e.ID, other, found)
		other, found = w.ByContact(enrich.Contact{ProfileURL: e.Profile()})
		same("profile "+e.Profile(), other, found)
		other, found = w.ByEmail(e.email())
		same("email "+e.email(), other, found)
		identities := []enrich.Contact{{ProfileURL: e.Profile()}}
		if !isNamesake {
			named := enrich.Contact{FirstName: e.First, LastName: e.Last, CompanyDomain: e.Company.Domain()}
			identities = append(identities, named)
			other, found = w.ByContact(named)
			same("name", other, found)
		} else {
			namesakes++
		}
		for _, contact := range identities {
			identity, _ := contact.Identify(enrich.ByProfile)
			person, known := w.People.Find(identity)
			if email := person.Values[v1.WorkEmail]; known && (email != "" && email != e.email() || person.FullName != e.First+" "+e.Last) {
				t.Errorf("v1 knows %+v by %s, v2 %+v with %s", person, identity, e, e.email())
			}
		}
	}
	checkPeople := func(t interface{ Errorf(string, ...any) }, c Company) {
		for place := range c.Staff() {
			e, _ := w.Employee(c, place)
			check(t, e, c.isNamesake(place)) // a name asks for the first of those who have it
		}
		for i, p := range c.listPeople() {
			if e := w.listEmployee(c, firstListPlace+i, p); !e.isUnknown() {
				ofLists++
				check(t, e, false)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { checkPeople(t, drawCompany(t, w)) })
	for name := range 100 { // some of them have namesakes, whatever was drawn
		checkPeople(t, w.listedCompany(listed{name, 0}))
	}
	if namesakes == 0 || ofLists == 0 {
		t.Errorf("%d namesakes in one company, %d people of lists", namesakes, ofLists)
	}
}

// TestPeopleOfListsAreKnown makes a list and asks v2 for its rows: by profile and by name and company they are one
// person at the company of the row, and the share that is known is that of the configuration.
func TestPeopleOfListsAreKnown(t *testing.T) {
	w := someWorld()
	for _, rows := range []int{300, 3000} {
		var list bytes.Buffer
		if err := WriteListCSV(&list, DefaultList(9, rows)); err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(&list).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		asked, found := 0, 0
		for _, row := range table[1:] {
			byName := enrich.Contact{FirstName: row[1], LastName: row[2], CompanyName: row[4]}
			if _, reason := byName.Identify(enrich.ByName); reason != "" {
				continue
			}
			asked++
			e, known := w.ByContact(byName)
			if known {
				found++
			}
			others := []enrich.Contact{{ProfileURL: row[3]}, {FirstName: row[1], LastName: row[2], CompanyDomain: row[5]}}
			for i, other := range others {
				if row[3+2*i] == "" {
					continue
				}
				if again, knownToo := w.ByContact(other); knownToo != known || again != e {
					t.Errorf("row %v is %+v %t by its name, and %+v %t", row, e, known, again, knownToo)
				}
			}
			if known && row[6] != "" && row[6] != e.email() {
				t.Errorf("row %v has the email %s", row, e.email())
			}
			misspelt := byName
			misspelt.LastName += "k"
			if e, known := w.ByContact(misspelt); known {
				t.Errorf("%+v is %+v", misspelt, e)
			}
		}
		if share := float64(found) / float64(asked); math.Abs(share-0.9) > 0.05 {
			t.Errorf("%d of %d people of a list are known, want about 90%%", found, asked)
		}
	}
}

// TestTheWorldHasEveryKindOfCompanyAndGap: every figure, status, country and kind of gap occurs among the first
// companies.
func TestTheWorldHasEveryKindOfCompanyAndGap(t *testing.T) {
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

// TestTheSeedDecidesAboutCompanies: the same seed gives the same companies, another seed others.
func TestTheSeedDecidesAboutCompanies(t *testing.T) {
	w, other := someWorld(), someWorld()
	other.People.Seed++
	a, _ := w.ByDomain("alder-logistics-1.example")
	b, _ := other.ByDomain("alder-logistics-1.example")
	again, _ := someWorld().ByDomain("alder-logistics-1.example")
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
	for _, domain := range []string{
		"", "unknown-1.example", "alder-logistics-4001.example", "alder-logistics-1-z.example.", "localhost", "a_b.example",
		"acme.example", "alderlogistics1.example", "alder-logistics-1.com", "alder-logistic-1.example",
	} {
		if c, exists := w.ByDomain(domain); exists {
			t.Errorf("domain %q is %s", domain, c.ID())
		}
	}
	for _, name := range []string{"Acme", "Aldr Logistics 1", "Alder Logistics 01", "Alder Logistic 1", "Alder Logistics 4001", "1", ""} {
		if found := w.ByName(name); len(found) > 0 {
			t.Errorf("the name %q is that of %s", name, found[0].Domain())
		}
	}
	for _, page := range []string{
		"https://pro-network.example/company/acme", "https://other.example/company/alder-logistics-1",
		"https://pro-network.example/in/alder-logistics-1", "https://pro-network.example/company/alder-logistics-1/jobs/7",
	} {
		if c, exists := w.ByProfile(page); exists {
			t.Errorf("the page %q is that of %s", page, c.Domain())
		}
	}
	for c := range w.Listed() {
		if c.listed.name > 200 {
			break
		}
		e, _ := w.Employee(c, 0)
		wrong := func(by string, found bool) {
			if found {
				t.Errorf("a wrong %s finds %s", by, c.Domain())
			}
		}
		number := c.Registration()
		other := number[:len(number)-1] + string('0'+(number[len(number)-1]-'0'+1)%10)
		_, found := w.ByRegistration(c.Country().Code, "", other)
		wrong("number", found)
		vat := c.Country().Code + "999999999"
		_, found = w.ByVAT(c.Country().Code, vat)
		wrong("VAT number", found)
		_, found = w.ByContact(enrich.Contact{FirstName: e.First + "a", LastName: e.Last, CompanyDomain: c.Domain()})
		wrong("name", found)
		_, found = w.ByContact(enrich.Contact{FirstName: e.First, LastName: e.Last, CompanyDomain: "x-" + c.Domain()})
		wrong("company", found)
		_, found = w.ByContact(enrich.Contact{ProfileURL: strings.TrimSuffix(e.Profile(), "000") + "099"})
		wrong("profile", found)
		_, found = w.ByContact(enrich.Contact{ProfileURL: "https://www.linkedin.example/in/ada-abbott"})
		wrong("profile without a code", found)
		_, found = w.ByEmail("x" + e.email())
		wrong("email", found)
	}
	for _, id := range []string{"", "1", "1999", "1012", "1099", "999999", "-1000", "1 00", "1+01", strings.Repeat("9", 3000)} {
		if e, exists := w.EmployeeByID(id); exists {
			t.Errorf("employee %q is %s %s", id, e.First, e.Last)
		}
	}
}
