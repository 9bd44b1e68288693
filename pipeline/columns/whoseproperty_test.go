package columns_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// TestAHeaderThatNamesACompanyIsNotReadAsAPersonsColumn makes headers of a word for a company and one for a phone or an
// email, in both orders, with any signs between them and any case.
func TestAHeaderThatNamesACompanyIsNotReadAsAPersonsColumn(t *testing.T) {
	companies := strings.Fields(`company corporate hq headquarters switchboard organization account firma firmen unternehmen zentrale
		entreprise societe siege empresa centralita sede azienda societa centralino bedrijf hoofdkantoor foretag vaxel virksomhed yritys firmy`)
	values := strings.Fields(`phone telephone tel telefon telefono telefoon mobile email mail e-mail courriel correo`)
	rapid.Check(t, func(t *rapid.T) {
		words := []string{rapid.SampledFrom(companies).Draw(t, "company"), rapid.SampledFrom(values).Draw(t, "value")}
		if rapid.Bool().Draw(t, "first") {
			slices.Reverse(words)
		}
		header := words[0] + rapid.SampledFrom([]string{" ", "_", "-", ".", ": ", " / "}).Draw(t, "between") + words[1]
		switch rapid.IntRange(0, 2).Draw(t, "case") {
		case 0:
			header = strings.ToUpper(header)
		case 1:
			header = strings.ToUpper(header[:1]) + header[1:]
		}
		schema := table.Schema{Columns: []string{"First Name", "Last Name", "Company", header}}
		reading, err := columns.Recognise(schema, nil, columns.Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []columns.Role{columns.Email, columns.Phone, columns.HeldEmail, columns.HeldPhone} {
			if slices.Contains(reading.Mapping[role], 3) {
				t.Fatalf("column %q is read as %s", header, role)
			}
		}
	})
}

// TestAColumnOfIDsOfPersonsIsOnlyTheOneOfASearch reads headers that look like it. Lists have ids of their own.
func TestAColumnOfIDsOfPersonsIsOnlyTheOneOfASearch(t *testing.T) {
	for header, want := range map[string]bool{
		"contact_id": true, "Contact ID": false, "contactid": false, "id": false, "person_id": false, "employee_id": false, "Contact Id": false,
	} {
		schema := table.Schema{Columns: []string{header, "full_name", "company_name"}}
		reading, err := columns.Recognise(schema, nil, columns.Options{Catalogue: v2.Catalogue()})
		if err != nil || (reading.Mapping.Column(columns.ContactID) == 0) != want {
			t.Errorf("%q is read as a column of ids: %t, %v", header, !want, err)
		}
	}
	schema := table.Schema{Columns: []string{"contact_id", "first_name", "last_name", "company"}}
	given, err := columns.Recognise(schema, nil, columns.Options{Catalogue: v2.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	recorded := given.Mapping.Overrides(schema)
	old := slices.DeleteFunc(slices.Clone(recorded), func(o string) bool { return strings.HasPrefix(o, "contact_id=") })
	for _, test := range []struct {
		overrides []string
		column    int
	}{{recorded, 0}, {old, columns.None}} { // a run of an earlier version went on without the ids
		reading, err := columns.Recognise(schema, nil, columns.Options{Catalogue: v2.Catalogue(), Overrides: test.overrides})
		if err != nil || reading.Mapping.Column(columns.ContactID) != test.column {
			t.Errorf("%q: the ids are column %d, want %d (%v)", test.overrides, reading.Mapping.Column(columns.ContactID), test.column, err)
		}
	}
}
