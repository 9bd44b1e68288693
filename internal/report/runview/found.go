package runview

import (
	"fmt"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/report"
)

// Found says how many values came back of those that were asked for.
type Found struct {
	Fields map[string]FoundField `json:"fields"` // that were asked for
	// PerValue is what was spent for each value; null when none was found.
	PerValue *cost.Money `json:"per_value_usd"`
}

// FoundField counts the values of one field.
type FoundField struct {
	Asked int64 `json:"asked"`
	Found int64 `json:"found"`
}

// FoundOf shows what answers had of the fields that were asked for, and what a value cost.
func FoundOf(asked, found enrich.ByField[int64], spent cost.Money) Found {
	view := Found{Fields: map[string]FoundField{}}
	var values int64
	for f, n := range asked {
		if n > 0 {
			view.Fields[report.Catalogue().Name(enrich.Field(f))] = FoundField{Asked: n, Found: found[f]}
			values += found[f]
		}
	}
	if values > 0 {
		perValue := (spent + cost.Money(values)/2) / cost.Money(values)
		view.PerValue = &perValue
	}
	return view
}

// fields writes the counts by field, in the order of the fields.
func (v Found) fields() string {
	var parts []string
	for f := range report.Catalogue().All().Each() {
		if n, asked := v.Fields[report.Catalogue().Name(f)]; asked {
			parts = append(parts, fmt.Sprintf("%ss %d of %d", report.FieldNames(enrich.FieldsOf(f)), n.Found, n.Asked))
		}
	}
	return strings.Join(parts, ", ")
}

func (v Found) String() string {
	text := v.fields()
	if v.PerValue == nil {
		return text
	}
	const cent = cost.Money(cost.Cent)
	return fmt.Sprintf("%s; $%s per value", text, (*v.PerValue+cent/2)/cent*cent)
}
