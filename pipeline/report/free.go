package report

import (
	"payonce/cost"
	"payonce/enrich"
)

// FreeUnits returns the units of the free allowances in amounts, under the names of the fields that they pay for.
func FreeUnits(c enrich.Catalogue, tariff cost.Tariff, amounts cost.Amounts) Values[int64] {
	units, of := Values[int64]{}, tariff.AllowanceUnits(amounts)
	for f := range c.All().Each() {
		if tariff.Rates[f].Allowance != cost.USD {
			units = append(units, Value[int64]{c.Name(f), of[f]})
		}
	}
	return units
}
