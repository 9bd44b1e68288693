package columns

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
)

// Outcomes returns the columns about the outcome of a row.
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
			optional = append(optional, table.Column{Name: d.Name, Kind: d.Kind})
		} else {
			always = append(always, table.Column{Name: d.Name, Kind: d.Kind})
		}
	}
	return always, optional
}

// isAppended reports whether an earlier output of this program appended a column, as the columns beside it
// tell. People's own lists may have a column of the same name: a profile URL is often under "profile".
func (r *recognition) isAppended(column int) bool {
	return slices.ContainsFunc(r.catalogues, func(c enrich.Catalogue) bool { return r.isAppendedBy(c, column) })
}

// isAppendedBy is isAppended for an output of one interface. In JSON a list of texts has a column for each of its
// places, and none where all rows have an empty list.
func (r *recognition) isAppendedBy(catalogue enrich.Catalogue, column int) bool {
	always, optional := details(catalogue)
	all := append(always, Outcomes()[0])
	for i, detail := range always {
		if !r.isOf(column, detail) {
			continue
		}
		next := column + 1
		for detail.Kind == enrich.TextsCell && r.isOf(next, detail) {
			next++
		}
		for _, after := range all[i+1:] {
			if r.isOf(next, after) {
				return true
			}
			if after.Kind != enrich.TextsCell {
				break
			}
		}
	}
	return slices.ContainsFunc(optional, func(c table.Column) bool { return r.isOf(column, c) }) &&
		isAfterOutcomes(r.schema, column)
}

// isOf reports whether a column has the name of a detail, or is a place of its list of texts.
func (r *recognition) isOf(column int, detail table.Column) bool {
	if column >= len(r.schema.Columns) {
		return false
	}
	place, has := strings.CutPrefix(r.schema.Columns[column], detail.Name)
	return has && (place == "" || detail.Kind == enrich.TextsCell && place[0] == '[')
}

// isAfterOutcomes reports whether a column follows the columns that an earlier output appended.
func isAfterOutcomes(schema table.Schema, column int) bool {
	return slices.ContainsFunc(schema.Columns[:column], func(header string) bool {
		return strings.HasPrefix(header, "enrich_") &&
			slices.ContainsFunc(Outcomes(), func(c table.Column) bool { return c.Name == header })
	})
}
