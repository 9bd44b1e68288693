package columns

import (
	"slices"
	"strings"

	"payonce/io/table"
)

// Results returns the columns that an output appends, behind those of fields without a column of their own.
func Results() []table.Column {
	return []table.Column{
		{Name: "full_name"},
		{Name: "phone_type"},
		{Name: "enrich_status"},
		{Name: "enrich_reason"},
		{Name: "enrich_charge_usd", Kind: table.Money},
		{Name: "enrich_request_id"},
		{Name: "enrich_retrieved_at", Kind: table.Time},
		{Name: "enrich_provenance"},
	}
}

// Profile is the name of the column that an output appends for profiles.
const Profile = "profile"

// isAppendedProfile reports whether an earlier output of this program appended a column
// with JSON of profiles, as the columns before it tell. A profile URL often stands under
// the same name in people's own lists, so the name alone says nothing.
func isAppendedProfile(schema table.Schema, column int) bool {
	return schema.Columns[column] == Profile && isAfterResults(schema, column)
}

// isAppendedName reports whether an earlier output of this program appended a column with full names.
func isAppendedName(schema table.Schema, column int) bool {
	return schema.Columns[column] == "full_name" && column+1 < len(schema.Columns) && schema.Columns[column+1] == "phone_type"
}

// isAfterResults reports whether a column stands behind the columns that an earlier output appended.
func isAfterResults(schema table.Schema, column int) bool {
	return slices.ContainsFunc(schema.Columns[:column], func(header string) bool {
		return strings.HasPrefix(header, "enrich_") &&
			slices.ContainsFunc(Results(), func(c table.Column) bool { return c.Name == header })
	})
}
