package report

import (
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// UnusedColumn is a column that is not used, because its cells hold something else than its header says.
type UnusedColumn struct {
	Column string `json:"column"`
	Number int    `json:"number"` // from 1
	Field  string `json:"field"`  // that the header says
	Holds  string `json:"holds"`
}

// HeldColumn is a further column with values that count as held and are not bought.
type HeldColumn struct {
	Field     string     `json:"field"`
	Column    string     `json:"column"`
	Number    int        `json:"number"` // from 1
	Rows      int64      `json:"rows"`
	SavesUpTo cost.Money `json:"saves_up_to_usd"`
}

// ColumnNames returns the headers of the columns by what they hold. Further columns with values of fields
// are left out.
func ColumnNames(schema table.Schema, mapping columns.Mapping) map[string]string {
	names := map[string]string{}
	for role, found := range mapping {
		if role == columns.HeldEmail || role == columns.HeldPhone {
			continue
		}
		headers := make([]string, len(found))
		for i, column := range found {
			headers[i] = schema.Columns[column]
		}
		names[string(role)] = strings.Join(headers, ", ")
	}
	return names
}

// HeldColumns says how many rows hold a field in a further column, and what not buying it saves at most. Columns
// that no row uses are left out.
func HeldColumns(
	schema table.Schema, c enrich.Catalogue, fields []scan.FieldColumn, rows map[scan.HeldColumn]int64, prices cost.Prices,
) (found []HeldColumn, err error) {
	for _, f := range fields {
		for _, column := range f.Held {
			n := rows[scan.HeldColumn{Field: f.Field, Column: column}]
			if n == 0 {
				continue
			}
			var demand cost.Demand
			demand[f.Field] = n
			saves, err := demand.Maximum(cost.Allowances{}, prices)
			if err != nil {
				return nil, err
			}
			found = append(found, HeldColumn{c.Name(f.Field), schema.Columns[column], column + 1, n, saves})
		}
	}
	return found, nil
}

// UnusedColumns shows the columns that are not used.
func UnusedColumns(schema table.Schema, unused []columns.Unused) (found []UnusedColumn) {
	for _, u := range unused {
		found = append(found, UnusedColumn{schema.Columns[u.Column], u.Column + 1, string(u.Role), u.Holds})
	}
	return found
}
