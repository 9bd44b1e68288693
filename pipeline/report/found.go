package report

import (
	"payonce/cost"
)

// ValuesFound says how many values came back of those that were asked for.
type ValuesFound struct {
	Fields Values[FieldFound] `json:"fields"` // that were asked for
	// PerValue is what was spent for each value; null when none was found, or where no money was taken.
	PerValue *cost.Money `json:"per_value_usd"`
}

// FoundBy shows what accounts found, and what a value cost.
func FoundBy(accounts AccountsUsage) ValuesFound {
	return ValuesFound{Fields: accounts.Found(), PerValue: accounts.PerValue()}
}

// fields writes the counts by field.
func (v ValuesFound) fields() string { return foundText(v.Fields) }

func (v ValuesFound) String() string {
	text := v.fields()
	if v.PerValue == nil {
		return text
	}
	return text + "; " + RoundedUSD(*v.PerValue) + " per value"
}
