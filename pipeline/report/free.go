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

// AddFree adds values that the free allowance of an account paid for, by field: of all its fields, or of those that have
// some.
func AddFree(counts Values[int64], c enrich.Catalogue, free enrich.ByField[int64], all bool) Values[int64] {
	for f := range c.All().Each() {
		if all || free[f] > 0 {
			counts = AddCount(counts, c.Name(f), free[f])
		}
	}
	return counts
}
