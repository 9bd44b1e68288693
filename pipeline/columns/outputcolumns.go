package columns

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
)

// Outcomes returns the columns with what became of a row.
func Outcomes() []table.Column {
	return []table.Column{
		{Name: "enrich_status"},
		{Name: "enrich_reason"},
		{Name: "enrich_charge_usd", Kind: enrich.MoneyCell},
		{Name: "enrich_request_id"},
		{Name: "enrich_retrieved_at", Kind: enrich.TimestampCell},
		{Name: "enrich_provenance"},
		{Name: "enrich_confidence"},
	}
}

// details returns the columns of the details that stand before those of Outcomes, and of the optional ones,
// which stand behind.
func details(catalogue enrich.Catalogue) (always, optional []table.Column) {
	for _, d := range catalogue.Details {
		if d.Optional {
			optional = append(optional, table.Column{Name: d.Name})
		} else {
			always = append(always, table.Column{Name: d.Name})
		}
	}
	return always, optional
}

// isAppended reports whether an earlier output of this program appended a column, as the columns beside it
// tell. People's own lists may have a column of the same name: a profile URL often stands under "profile".
func (r *recognition) isAppended(column int) bool {
	return slices.ContainsFunc(r.catalogues, func(c enrich.Catalogue) bool { return r.isAppendedBy(c, column) })
}

// isAppendedBy is isAppended for an output of one interface.
func (r *recognition) isAppendedBy(catalogue enrich.Catalogue, column int) bool {
	always, optional := details(catalogue)
	for i, next := range append(always, Outcomes()[:1]...) {
		if i > 0 && r.schema.Columns[column] == always[i-1].Name && r.isAt(column+1, next.Name) {
			return true
		}
	}
	return slices.ContainsFunc(optional, func(c table.Column) bool { return c.Name == r.schema.Columns[column] }) &&
		isAfterOutcomes(r.schema, column)
}

// isAt reports whether a column has a name.
func (r *recognition) isAt(column int, name string) bool {
	return column < len(r.schema.Columns) && r.schema.Columns[column] == name
}

// isAfterOutcomes reports whether a column stands behind the columns that an earlier output appended.
func isAfterOutcomes(schema table.Schema, column int) bool {
	return slices.ContainsFunc(schema.Columns[:column], func(header string) bool {
		return strings.HasPrefix(header, "enrich_") &&
			slices.ContainsFunc(Outcomes(), func(c table.Column) bool { return c.Name == header })
	})
}
