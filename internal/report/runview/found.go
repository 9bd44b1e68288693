package runview

import (
	"fmt"

	"payonce/cost"
	"payonce/internal/report/named"
	"payonce/internal/report/usageview"
)

// Found says how many values came back of those that were asked for.
type Found struct {
	Fields named.Values[usageview.Found] `json:"fields"` // that were asked for
	// PerValue is what was spent for each value; null when none was found, or where no money was taken.
	PerValue *cost.Money `json:"per_value_usd"`
}

// FoundBy shows what accounts found, and what a value cost.
func FoundBy(accounts usageview.Accounts) Found {
	return Found{Fields: accounts.Found(), PerValue: accounts.PerValue()}
}

// fields writes the counts by field.
func (v Found) fields() string { return usageview.FoundText(v.Fields) }

func (v Found) String() string {
	text := v.fields()
	if v.PerValue == nil {
		return text
	}
	const cent = cost.Money(cost.Cent)
	return fmt.Sprintf("%s; $%s per value", text, (*v.PerValue+cent/2)/cent*cent)
}
