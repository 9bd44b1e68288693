package scan

import (
	"testing"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// cells is a row of a list.
type cells []string

func (cells) Number() int64            { return 1 }
func (cells) Line() int64              { return 1 }
func (c cells) Cell(i int) []byte      { return []byte(c[i]) }
func keyOf(form []byte) (k enrich.Key) { copy(k[:], form); return k }

// TestARowNamesACompany reads companies from columns of every role. The first cell of a role that is not blank
// counts.
func TestARowNamesACompany(t *testing.T) {
	roles := columns.Mapping{
		columns.CompanyID: {0}, columns.CompanyCountry: {1}, columns.CompanyState: {2},
		columns.RegistrationNumber: {3}, columns.VATNumber: {4}, columns.CompanyWebsite: {5, 6},
		columns.CompanyProfileURL: {7},
	}
	reader := Scope{Subject: enrich.Companies, Mapping: roles}.Reader(keyOf)
	for _, tt := range []struct {
		row    cells
		want   enrich.Company
		reason enrich.Unidentifiable
	}{
		{cells{"1", "", "", "", "", "", "", ""}, enrich.Company{ID: "1"}, ""},
		{cells{"", "us", "ny", "2", "", "", "", ""}, enrich.Company{Country: "US", State: "NY", RegistrationNumber: "2"}, ""},
		{cells{"", "de", "", "", "3", "", "", ""}, enrich.Company{Country: "DE", VATNumber: "3"}, ""},
		{cells{"", "", "", "", "", " ", "a.example", ""}, enrich.Company{Website: "a.example"}, ""},
		{cells{"", "", "", "", "", "", "", "a.example/b"}, enrich.Company{ProfileURL: "https://a.example/b"}, ""},
		{cells{"", "", "", "", "", "", "", ""}, enrich.Company{}, enrich.NoCompanyIdentifiers},
	} {
		key, pattern, reason := at(reader, tt.row).Key()
		if reason != tt.reason {
			t.Errorf("%q: reason %q, want %q", tt.row, reason, tt.reason)
		}
		if reason != "" {
			continue
		}
		want := enrich.Identity{Company: tt.want}
		if got := reader.Identity(); got != want || pattern != want.Pattern() || key != keyOf([]byte(want.Canonical())) {
			t.Errorf("%q: %+v by %s, want %+v", tt.row, got, pattern, want)
		}
	}
}

// TestACompanyThatIsSearchedForMissesNothingUntilItsIDIsKnown reads rows for a step behind one that searches for
// companies by their names.
func TestACompanyThatIsSearchedForMissesNothingUntilItsIDIsKnown(t *testing.T) {
	roles := columns.Mapping{
		columns.CompanyID: {0}, columns.CompanyName: {1}, columns.CompanyCountry: {2}, columns.CompanyWebsite: {3},
	}
	chosen := enrich.Identity{Company: enrich.Company{Name: "Chosen", Country: "DE"}}
	scope := Scope{
		Catalogue: enrich.Named("company"), Subject: enrich.Companies, Mapping: roles, Wanted: enrich.FieldsOf(0),
		Searched: SearchScope{Patterns: enrich.PatternsOf(enrich.ByCompanyName), LeftOut: enrich.UsualPatterns()},
		Selected: map[string]string{chosen.Canonical(): "7"},
	}
	for _, tt := range []struct {
		row    cells
		misses bool
	}{
		{cells{"", "Acme", "DE", ""}, false},
		{cells{"5", "Acme", "DE", ""}, true},
		{cells{"", "Acme", "DE", "acme.example"}, true},
		{cells{"", "chosen", "Germany", ""}, true},
		{cells{"", "", "", ""}, true}, // nothing names it: the row cannot be looked up
	} {
		if missing := at(scope.Reader(keyOf), tt.row).Missing(); (missing != 0) != tt.misses {
			t.Errorf("%q misses %v", tt.row, missing)
		}
	}
	scope.WithoutID = true
	for _, known := range []cells{{"5", "Acme", "DE", "acme.example"}, {"", "chosen", "Germany", ""}} {
		if missing := at(scope.Reader(keyOf), known).Missing(); missing != 0 {
			t.Errorf("%q misses %v, and its id is known", known, missing)
		}
	}
	scope.Searched = SearchScope{}
	if at(scope.Reader(keyOf), cells{"", "Acme", "DE", ""}).Missing() == 0 {
		t.Error("a row misses nothing, and no step searches for its company")
	}
}

// at returns a reader at a row.
func at(r *RowReader, row table.Row) *RowReader {
	r.At(row)
	return r
}
