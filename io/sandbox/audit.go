package sandbox

import (
	"errors"
	"fmt"

	"payonce/cost"
	"payonce/io/service/v1"
)

// Audit recomputes the sums that the account keeps from the single charges,
// movements and reservations: what came in is what is left, reserved, charged, spent
// elsewhere and expired; nothing is below zero.
func (l *Ledger) Audit() error {
	l.lock()
	defer l.mu.Unlock()
	return errors.Join(l.auditReservations(), l.auditMoney(), l.auditFree())
}

func (l *Ledger) auditReservations() error {
	var reserved cost.Money
	var heldFree FieldUnits
	for number, r := range l.open {
		reserved += r.hold.Money()
		for f := range r.hold.Free.Each() {
			heldFree[f]++
		}
		if r.money.total() != r.hold.Money() {
			return fmt.Errorf("arrival %d holds %s, but took %s out", number, r.hold.Money(), r.money.total())
		}
	}
	if reserved != l.account.reserved || heldFree != l.account.heldFree {
		return fmt.Errorf("the reservations hold %s and %v free fields, the account says %s and %v",
			reserved, heldFree, l.account.reserved, l.account.heldFree)
	}
	return nil
}

func (l *Ledger) auditMoney() error {
	a := &l.account
	var came, went, charged, elsewhere cost.Money
	for _, m := range a.movements {
		switch m.Kind {
		case Granted, Deposited:
			came += m.Amount
		case Expired:
			went += m.Amount
		case UsedElsewhere:
			elsewhere += m.Amount
		}
	}
	total := l.history.total()
	charged = total.charged
	went -= total.expired // expired, and charged all the same
	for _, c := range l.history.charges {
		if !c.Free && c.From.total() != c.Amount {
			return fmt.Errorf("the charge of arrival %d is %s, but %s was paid", c.Arrival, c.Amount, c.From.total())
		}
	}
	here := a.left.total()
	for _, r := range l.open {
		here += r.money.total() - r.expired(a)
	}
	var spent cost.Money
	for _, amount := range a.budget.spent {
		spent += amount
	}
	switch {
	case came != here+charged+elsewhere+went:
		return fmt.Errorf("%s came in, but %s left or reserved, %s charged, %s spent elsewhere and %s expired do not make it",
			came, here, charged, elsewhere, went)
	case a.overdrawn():
		return fmt.Errorf("the account is overdrawn: %s included and %s prepaid are left", a.left.included, a.left.prepaid)
	case spent != charged+elsewhere:
		return fmt.Errorf("the budget counts %s, but %s was charged and %s spent elsewhere", spent, charged, elsewhere)
	}
	return nil
}

func (l *Ledger) auditFree() error {
	a := &l.account
	used := a.startFree
	for _, m := range a.movements {
		for f, units := range m.Free {
			used[f] -= units
		}
	}
	for f, units := range l.history.total().freeUsed {
		used[f] -= units
	}
	for f := range v1.AllFields.Each() {
		if left := a.free[f]; left != used[f] || left < a.heldFree[f] {
			return fmt.Errorf("of %d free units of %s, %d should be left, but %d are, of which %d are reserved",
				a.startFree[f], f, used[f], left, a.heldFree[f])
		}
	}
	return nil
}
