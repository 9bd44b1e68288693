package scan

import (
	"slices"
	"testing"

	"payonce/enrich"
	"payonce/pipeline/columns"
)

// wanting returns a scope in which one field is wanted.
func wanting(subject enrich.Subject, mapping columns.Mapping) Scope {
	return Scope{Catalogue: enrich.Named("thing"), Wanted: 1, Subject: subject, Mapping: mapping}
}

// TestAStepAsksByItsPatterns reads rows of companies in steps that ask in different ways.
func TestAStepAsksByItsPatterns(t *testing.T) {
	roles := columns.Mapping{
		columns.CompanyName: {0}, columns.CompanyCountry: {1}, columns.CompanyDomain: {2}, columns.RegistrationNumber: {3},
		columns.CompanyID: {4},
	}
	named := enrich.Company{Name: "Acme", Country: "DE"}
	selected := map[string]string{enrich.Identity{Company: named}.Canonical(): "7"}
	byName := enrich.PatternsOf(enrich.ByCompanyName)
	search := enrich.PatternsOf(enrich.ByRegistration, enrich.ByCompanyName)
	byID := enrich.PatternsOf(enrich.ByID)
	for _, tt := range []struct {
		name              string
		row               cells
		patterns, leftOut enrich.Patterns
		selected          map[string]string
		want              enrich.Company
		reason            enrich.Unidentifiable
		out               bool // left to other steps
	}{
		{"usual patterns take no name", cells{"Acme", "de", "", "", ""}, 0, 0, nil, enrich.Company{}, enrich.NoCompanyIdentifiers, false},
		{"domain of a contact's company", cells{"Acme", "de", "www.acme.example/x", "", ""}, 0, 0, nil, enrich.Company{Website: "acme.example"}, "", false},
		{"by name", cells{"Acme", "de", "", "", ""}, byName, enrich.UsualPatterns(), nil, named, "", false},
		{"named in another way", cells{"Acme", "de", "acme.example", "", ""}, byName, enrich.UsualPatterns(), nil, named, "", true},
		{"a network is no website", cells{"Acme", "de", "linkedin.com", "", ""}, byName, enrich.UsualPatterns(), nil, named, "", false},
		{"a search by number", cells{"Acme", "de", "acme.example", "1", ""}, search, byID, nil, enrich.Company{Country: "DE", RegistrationNumber: "1"}, "", false},
		{"a search where there is an id", cells{"Acme", "de", "", "1", "7"}, search, byID, nil, enrich.Company{Country: "DE", RegistrationNumber: "1"}, "", true},
		{"somebody chose the company", cells{"ACME", "Germany", "", "", ""}, 0, 0, selected, enrich.Company{ID: "7"}, "", false},
		{"it needs no search then", cells{"ACME", "Germany", "", "", ""}, byName, enrich.UsualPatterns(), selected, enrich.Company{Name: "ACME", Country: "DE"}, "", true},
		{"another country was meant", cells{"ACME", "at", "", "", ""}, 0, 0, selected, enrich.Company{}, enrich.NoCompanyIdentifiers, false},
		{"the row's own website counts", cells{"Acme", "de", "acme.example", "", ""}, 0, 0, selected, enrich.Company{Website: "acme.example"}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scope := wanting(enrich.Companies, roles)
			scope.Patterns, scope.Selected = tt.patterns, tt.selected
			if tt.leftOut != 0 {
				scope.Search = SearchScope{Patterns: tt.patterns, LeftOut: tt.leftOut}
			}
			reader := scope.Reader(keyOf)
			key, pattern, reason := at(reader, tt.row).Key()
			want := enrich.Identity{Company: tt.want}
			if reason != tt.reason || reason == "" && (reader.Identity() != want || pattern != want.Pattern() || key != keyOf([]byte(want.Canonical()))) {
				t.Errorf("%s by %s, %q; want %s, %q", reader.Identity(), pattern, reason, want, tt.reason)
			}
			if missing := at(reader, tt.row).Missing(); (missing == 0) != tt.out {
				t.Errorf("the row misses %b", missing)
			}
		})
	}
}

// TestPersonsAreNamedByEmailWhereTheInterfaceTakesIt reads rows with emails and without names.
func TestPersonsAreNamedByEmailWhereTheInterfaceTakesIt(t *testing.T) {
	roles := columns.Mapping{
		columns.Email: {0}, columns.HeldEmail: {1}, columns.FirstName: {2}, columns.LastName: {3}, columns.CompanyName: {4},
	}
	all := enrich.PatternsOf(enrich.ByProfile, enrich.ByName, enrich.ByEmail)
	for _, tt := range []struct {
		row      cells
		patterns enrich.Patterns
		want     enrich.Identity
		reason   enrich.Unidentifiable
	}{
		{cells{"Ann@Acme.example", "", "", "", ""}, all, enrich.Identity{Email: "Ann@acme.example"}, ""},
		{cells{"", "ann@home.example", "", "", ""}, all, enrich.Identity{Email: "ann@home.example"}, ""},
		{cells{"ann@acme.example", "", "Ann", "Lee", "Acme"}, all, enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}, ""},
		{cells{"ann@acme.example", "", "Ann", "Lee", "Acme"}, enrich.PatternsOf(enrich.ByEmail), enrich.Identity{Email: "ann@acme.example"}, ""},
		{cells{"ann@acme.example", "", "", "", ""}, 0, enrich.Identity{}, enrich.NoIdentifiers},
		{cells{"n/a", "", "", "", ""}, all, enrich.Identity{}, enrich.NoIdentifiers}, // a placeholder is no email
		{cells{"n/a", "ann@home.example", "", "", ""}, all, enrich.Identity{Email: "ann@home.example"}, ""},
		{cells{"ask her", "", "", "", ""}, all, enrich.Identity{}, enrich.BadEmail},
	} {
		scope := wanting(enrich.Persons, roles)
		scope.Patterns = tt.patterns
		reader := scope.Reader(keyOf)
		key, _, reason := at(reader, tt.row).Key()
		if reason != tt.reason || reason == "" && (reader.Identity() != tt.want || key != keyOf([]byte(tt.want.Canonical()))) {
			t.Errorf("%q: %+v, %q; want %+v, %q", tt.row, reader.Identity(), reason, tt.want, tt.reason)
		}
		if reads := slices.Contains(scope.Columns(), 0); reads != tt.patterns.Has(enrich.ByEmail) {
			t.Errorf("the column of emails is read: %t", reads)
		}
	}
}

// TestAForgottenPersonIsFoundByEmail gives a row that names the person by a name as well.
func TestAForgottenPersonIsFoundByEmail(t *testing.T) {
	form := enrich.Identity{Email: "ann@acme.example"}.Canonical()
	scope := wanting(enrich.Persons, columns.Mapping{columns.Email: {0}, columns.FullName: {1}, columns.CompanyName: {2}})
	scope.Patterns = enrich.PatternsOf(enrich.ByName, enrich.ByEmail)
	scope.Forgotten = map[enrich.Key]bool{keyOf([]byte(form)): true}
	got, _, reason := at(scope.Reader(keyOf), cells{"ANN@acme.example", "Ann Lee", "Acme"}).Canonical()
	if string(got) != form || reason != "" {
		t.Errorf("the row is about %q, %s", got, reason)
	}
}

// TestColumnsOfTheOtherKindOfSubjectsAreNotRead keeps a list of contacts as fast as without columns of companies.
func TestColumnsOfTheOtherKindOfSubjectsAreNotRead(t *testing.T) {
	mapping := columns.Mapping{
		columns.FirstName: {0}, columns.CompanyDomain: {1}, columns.VATNumber: {2}, columns.CompanyCountry: {3}, columns.Email: {4},
	}
	if got := wanting(enrich.Persons, mapping).Columns(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("columns %d are read for persons", got)
	}
	if got := wanting(enrich.Companies, mapping).Columns(); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("columns %d are read for companies", got)
	}
}

// TestARowThatRepeatsTheHeaderNamesNobody reads a list whose pages begin with the names of the columns.
func TestARowThatRepeatsTheHeaderNamesNobody(t *testing.T) {
	scope := wanting(enrich.Persons, columns.Mapping{columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}})
	scope.Header = []string{"First", "Last", "Company"}
	for _, test := range []struct {
		row  cells
		want enrich.Unidentifiable
	}{
		{cells{"First", "Last", "Company"}, repeatsHeader},
		{cells{"First", "Last", "Acme"}, ""},
		{cells{"Ann", "Last", "Company"}, ""},
	} {
		if _, _, reason := at(scope.Reader(keyOf), test.row).Key(); reason != test.want {
			t.Errorf("%q: %q, want %q", test.row, reason, test.want)
		}
	}
}
