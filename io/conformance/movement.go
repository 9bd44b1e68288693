package conformance

import (
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// movement is what an account lost between two looks at it.
type movement struct {
	free                             enrich.ByField[int64]
	money, included, prepaid, budget cost.Money
}

// moved returns what an account lost. What either look does not show is nothing.
func moved(before, after cost.Account) movement {
	m := movement{
		money:    lost(before.Balance.Available, after.Balance.Available),
		included: lost(before.Balance.Included, after.Balance.Included),
		prepaid:  lost(before.Balance.Prepaid, after.Balance.Prepaid),
		budget:   -lost(before.Budget.Spent, after.Budget.Spent),
	}
	for field := range m.free {
		m.free[field] = lost(before.Free[field], after.Free[field])
	}
	return m
}

func lost[T int64 | cost.Money](before, after cost.Optional[T]) T {
	if !before.Known || !after.Known {
		return 0
	}
	return before.Value - after.Value
}

func (m movement) String() string {
	if m == (movement{}) {
		return "nothing"
	}
	return fmt.Sprintf("%d free emails, %d free phones, $%s (included $%s, prepaid $%s, of the budget $%s)",
		m.free[v1.WorkEmail], m.free[v1.BusinessPhone], m.money, m.included, m.prepaid, m.budget)
}
