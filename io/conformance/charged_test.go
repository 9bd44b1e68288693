package conformance

import (
	"errors"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
)

// Charged is what a lookup costs; the zero value is nothing.
type Charged struct {
	Free enrich.Fields // paid by the free allowance
	Paid cost.Prices   // paid with money
	// Prepaid is the part of the money that prepaid credit pays; the included balance
	// pays the rest.
	Prepaid cost.Money
}

func (c Charged) amount() cost.Money {
	var sum cost.Money
	for _, price := range c.Paid {
		sum += price
	}
	return sum
}

// check compares the charge with the ledger, and with what the account shows.
func (c Charged) check(f found) error {
	return errors.Join(c.checkLedger(f), c.checkAccount(f))
}

func (c Charged) checkLedger(f found) error {
	want := map[enrich.Field]string{}
	for field := range c.Free.Each() {
		want[field] = "free"
	}
	for field, price := range c.Paid {
		want[field] = price.String()
	}
	got := map[enrich.Field]string{}
	var prepaid cost.Money
	for _, charge := range f.after.ledger.Charges[len(f.before.ledger.Charges):] {
		if got[charge.Field] = charge.Amount.String(); charge.Free {
			got[charge.Field] = "free"
		}
		prepaid += charge.From.Prepaid
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		return fmt.Errorf("the ledger charges %v, want %v", got, want)
	}
	if taken := f.before.ledger.Available - f.after.ledger.Available; taken != c.amount() {
		return fmt.Errorf("the ledger lost $%s, want $%s", taken, c.amount())
	}
	if prepaid != c.Prepaid {
		return fmt.Errorf("$%s of the prepaid credit was used, want $%s", prepaid, c.Prepaid)
	}
	return nil
}

// checkAccount checks that the account lost the charge and nothing else. Where the
// service does not show it, there is nothing to check.
func (c Charged) checkAccount(f found) error {
	if !f.Read {
		return nil
	}
	want := movement{money: c.amount(), included: c.amount() - c.Prepaid, prepaid: c.Prepaid, budget: c.amount()}
	for field := range c.Free.Each() {
		want.free[field] = 1
	}
	if f.Before.Budget.Known && !f.Before.Budget.Capped {
		want.budget = 0 // nothing is shown to count towards
	}
	if got := moved(f.Before, f.After); got != want {
		return fmt.Errorf("the account lost %s, want %s", got, want)
	}
	return nil
}
