package scan

import (
	"testing"

	"payonce/enrich"
	"payonce/pipeline/columns"
)

// companyRoles are columns of a list of companies.
func companyRoles() columns.Mapping {
	return columns.Mapping{
		columns.CompanyID: {0}, columns.CompanyCountry: {1}, columns.RegistrationNumber: {2}, columns.VATNumber: {3},
		columns.CompanyWebsite: {4}, columns.CompanyProfileURL: {5}, columns.CompanyName: {6},
	}
}

// TestCompaniesWithPlaceholdersAreNeverOne reads rows that have a placeholder in every cell but one. They are identified
// by that cell, or by nothing.
func TestCompaniesWithPlaceholdersAreNeverOne(t *testing.T) {
	website := enrich.Identity{Company: enrich.Company{Website: "acme.example"}}
	vat := enrich.Identity{Company: enrich.Company{Country: "DE", VATNumber: "DE123456789"}}
	for _, p := range []string{"n/a", "-", "unknown", "0", "TBC", "#N/A", "none", "null", "k.A.", "sin datos", "inconnu", "onbekend", "não disponível", "000000"} {
		for _, test := range []struct {
			row  cells
			want enrich.Identity
		}{
			{cells{p, p, p, p, p, p, p}, enrich.Identity{}},
			{cells{p, "DE", p, p, p, p, p}, enrich.Identity{}},
			{cells{p, "DE", p, p, "acme.example", p, p}, website},
			{cells{p, p, p, p, "acme.example", p, "Acme"}, website},
			{cells{p, p, p, "DE 123456789", p, p, p}, enrich.Identity{Company: enrich.Company{Country: "DE", VATNumber: "DE 123456789"}}},
			{cells{p, "DE", p, "DE123456789", p, p, p}, vat},
			{cells{"7", p, p, p, p, p, p}, enrich.Identity{Company: enrich.Company{ID: "7"}}},
		} {
			reader := wanting(enrich.Companies, companyRoles()).Reader(keyOf)
			_, _, reason := at(reader, test.row).Key()
			if (reason == "") != (test.want != enrich.Identity{}) || reason == "" && reader.Identity() != test.want {
				t.Errorf("%q names %s (%s), want %s", test.row, reader.Identity(), reason, test.want)
			}
		}
	}
}

// TestPersonsWithPlaceholdersAreNamedByTheirOtherCells reads rows of persons.
func TestPersonsWithPlaceholdersAreNamedByTheirOtherCells(t *testing.T) {
	roles := columns.Mapping{
		columns.ProfileURL: {0}, columns.FirstName: {1}, columns.LastName: {2}, columns.CompanyDomain: {3, 4}, columns.CompanyName: {5},
	}
	ann := enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyDomain: "acme.example"}
	for _, test := range []struct {
		row    cells
		want   enrich.Identity
		reason enrich.Unidentifiable
	}{
		{cells{"n/a", "Ann", "Lee", "-", "acme.example", "unknown"}, ann, ""},
		{cells{"0", "Ann", "Lee", "TBC", "#N/A", "Acme"}, enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}, ""},
		{cells{"n/a", "Ann", "Lee", "n/a", "none", "unknown"}, enrich.Identity{}, enrich.NoCompany},
		{cells{"n/a", "Ann", "null", "acme.example", "", ""}, enrich.Identity{}, enrich.NoLastName},
		{cells{"n/a", "unbekannt", "unbekannt", "acme.example", "", ""}, enrich.Identity{}, enrich.NoIdentifiers},
		{cells{"", "Chris", "Null", "acme.example", "", ""}, enrich.Identity{FirstName: "Chris", LastName: "Null", CompanyDomain: "acme.example"}, ""},
		{cells{"", "N.A.", "Sharma", "acme.example", "", ""}, enrich.Identity{FirstName: "N.A.", LastName: "Sharma", CompanyDomain: "acme.example"}, ""},
	} {
		reader := wanting(enrich.Persons, roles).Reader(keyOf)
		_, _, reason := at(reader, test.row).Key()
		if reason != test.reason || reason == "" && reader.Identity() != test.want {
			t.Errorf("%q names %s (%q), want %s (%q)", test.row, reader.Identity(), reason, test.want, test.reason)
		}
	}
	full := wanting(enrich.Persons, columns.Mapping{columns.FullName: {0}, columns.CompanyName: {1}})
	for _, name := range []string{"Sin datos", "not available", "keine Angabe", "n/a", "Unknown Unknown", "Ann n/a"} {
		if _, _, reason := at(full.Reader(keyOf), cells{name, "Acme"}).Key(); reason == "" {
			t.Errorf("the full name %q names somebody", name)
		}
	}
}
