package scan

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
)

// TestAnEscapedCellNamesTheSameSubject reads rows of people and of companies whose cells are values, and the same
// rows as an earlier output has them. A list that is enriched over its own output asks for nobody a second time.
func TestAnEscapedCellNamesTheSameSubject(t *testing.T) {
	people := wanting(enrich.Persons, columns.Mapping{
		columns.FirstName: {0}, columns.LastName: {1}, columns.CompanyName: {2}, columns.Email: {3, 4},
	})
	companies := wanting(enrich.Companies, columns.Mapping{
		columns.CompanyName: {0}, columns.CompanyCountry: {1}, columns.RegistrationNumber: {2}, columns.CompanyID: {3, 4},
	})
	companies.Patterns = enrich.PatternsOf(enrich.ByRegistration, enrich.ByCompanyName)
	companies.Search = SearchScope{Patterns: companies.Patterns, LeftOut: enrich.PatternsOf(enrich.ByID)}
	readers := []*RowReader{people.Reader(keyOf), companies.Reader(keyOf)}
	named := 0
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.RuneFrom([]rune("'=+-@\t1aB")), 0, 6, -1)
		var own, escaped cells
		for range 5 {
			cell := value.Draw(t, "cell")
			for string(table.UnescapeFormula([]byte(cell))) != cell {
				cell = cell[1:] // it would be a cell of an earlier output
			}
			own, escaped = append(own, cell), append(escaped, table.EscapeFormula(cell))
		}
		for _, reader := range readers {
			form, pattern, reason := at(reader, own).Canonical()
			want, sent := bytes.Clone(form), reader.Identity()
			if reason == "" {
				named++
			}
			form, againPattern, againReason := at(reader, escaped).Canonical()
			if !bytes.Equal(form, want) || pattern != againPattern || reason != againReason || reader.Identity() != sent {
				t.Fatalf("%q is %q, and %q is %q, %q, %q", own, want, escaped, form, reason, againReason)
			}
		}
	})
	if named == 0 {
		t.Error("no row names anybody")
	}
}
