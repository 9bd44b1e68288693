package v1

import (
	"payonce/cost"
)

// Tariff returns what v1 charges for (specification v1, "Allowances and rate card"): a returned field
// costs money once its free allowance is used up.
func Tariff() cost.Tariff { return cost.AllowancePerField(Catalogue()) }
