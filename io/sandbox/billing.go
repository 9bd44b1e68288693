package sandbox

import (
	"fmt"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// MinimumDeposit is the least prepaid credit that can be bought (specification v1,
// "Limits").
const MinimumDeposit = 25 * cost.Dollar

// Payment is a checkout. It moves the balance when it is confirmed, not before
// (specification v1, "Allowances and rate card").
type Payment struct {
	ID      string     `json:"id"`
	Amount  cost.Money `json:"usd"`
	Plan    string     `json:"plan,omitempty"` // that it subscribes to; empty for prepaid credit
	Created time.Time  `json:"created_at"`     // UTC, as the others
	// Due is when the payment processor confirms it; zero leaves that to Confirm.
	Due       time.Time `json:"confirms_at,omitzero"`
	Confirmed time.Time `json:"confirmed_at,omitzero"` // zero: pending
}

// Order is what a checkout buys: prepaid credit, or a plan.
type Order struct {
	Deposit      cost.Money
	Plan         string
	ConfirmAfter *time.Duration // nil: when Confirm says so
}

// Checkout begins a payment.
func (l *Ledger) Checkout(o Order) (Payment, error) {
	now := l.lock()
	defer l.mu.Unlock()
	e := LedgerEntry{Kind: checkedOut, At: now, Payment: fmt.Sprintf("pay_%d", len(l.payments)+1), Amount: o.Deposit, Plan: o.Plan}
	if o.Plan != "" {
		option, err := l.account.card.Option(o.Plan)
		switch {
		case err != nil:
			return Payment{}, invalidf("%s", err)
		case option.MonthlyIncluded == 0:
			return Payment{}, invalidf("%s is not a subscription; buy prepaid credit, or end the subscription", o.Plan)
		case o.Deposit != 0:
			return Payment{}, invalidf("a checkout buys a plan or prepaid credit, not both")
		}
		e.Amount = option.MonthlyIncluded
	} else if o.Deposit < MinimumDeposit {
		return Payment{}, invalidf("the minimum prepaid credit purchase is %s, not %s", MinimumDeposit, o.Deposit)
	}
	if l.account.left.total().Plus(l.account.reserved).Plus(l.pending()).Plus(e.Amount) > cost.MaxMoney {
		return Payment{}, invalidf("the balance would exceed %s", cost.MaxMoney)
	}
	if o.ConfirmAfter != nil {
		if *o.ConfirmAfter < 0 {
			return Payment{}, invalidf("a payment is not confirmed %s ago", -*o.ConfirmAfter)
		}
		e.Until = now.Add(*o.ConfirmAfter)
	}
	if err := l.ledger.Record(e); err != nil {
		return Payment{}, err
	}
	l.advance(now) // it may be confirmed at once
	return l.payments[len(l.payments)-1], nil
}

// Cover sees to it that lookups for a number of returned fields can be paid, as the owner of
// a large list would: it deposits what the balance lacks of them, and raises the monthly cap.
func (l *Ledger) Cover(units enrich.ByField[int64]) error {
	_, prices := l.Terms()
	var needed cost.Money
	for f, n := range units {
		needed = needed.Plus(prices[enrich.Field(f)].Times(n))
	}
	available, remaining, capped := l.means()
	if lacking := needed - available; lacking > 0 {
		at := time.Duration(0)
		if _, err := l.Checkout(Order{Deposit: max(lacking, MinimumDeposit), ConfirmAfter: &at}); err != nil {
			return err
		}
	}
	if lacking := needed - remaining; capped != nil && lacking > 0 {
		raised := capped.Plus(lacking)
		return l.SetBudget(&raised)
	}
	return nil
}

// means returns what may still be reserved: of the balance, and of the monthly cap where
// there is one.
func (l *Ledger) means() (available, remaining cost.Money, limit *cost.Money) {
	now := l.lock()
	defer l.mu.Unlock()
	a := &l.account
	if limit = a.budget.limit; limit != nil {
		remaining = a.remaining(now)
	}
	return a.left.total(), remaining, limit
}

// pending returns what is paid and not confirmed.
func (l *Ledger) pending() cost.Money {
	var sum cost.Money
	for _, p := range l.payments {
		if p.Confirmed.IsZero() {
			sum = sum.Plus(p.Amount)
		}
	}
	return sum
}

// Payments returns every checkout, oldest first.
func (l *Ledger) Payments() []Payment {
	l.lock()
	defer l.mu.Unlock()
	return append([]Payment{}, l.payments...)
}

// Confirm confirms a payment, as the payment processor does.
func (l *Ledger) Confirm(id string) (Payment, error) {
	now := l.lock()
	defer l.mu.Unlock()
	p, err := l.payment(id)
	if err != nil {
		return Payment{}, err
	}
	if !p.Confirmed.IsZero() {
		return Payment{}, invalidf("%s is confirmed already", id)
	}
	err = l.ledger.Record(LedgerEntry{Kind: confirmed, At: now, Payment: id})
	return *p, err
}

// EndSubscription ends the plan: its included balance expires, and what prepaid
// credit is left is used at the standard rates.
func (l *Ledger) EndSubscription() error {
	now := l.lock()
	defer l.mu.Unlock()
	if l.account.plan.MonthlyIncluded == 0 {
		return invalidf("there is no subscription; the plan is %s", l.account.plan.Name)
	}
	if _, err := standard(l.account.card); err != nil {
		return invalidf("%s", err)
	}
	return l.ledger.Record(LedgerEntry{Kind: subscriptionEnded, At: now})
}

func (l *Ledger) payment(id string) (*Payment, error) {
	i := slices.IndexFunc(l.payments, func(p Payment) bool { return p.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w payment %q", ErrUnknown, id)
	}
	return &l.payments[i], nil
}

func (l *Ledger) applyBilling(e LedgerEntry) error {
	switch e.Kind {
	case checkedOut:
		l.payments = append(l.payments, Payment{ID: e.Payment, Amount: e.Amount, Plan: e.Plan, Created: e.At, Due: e.Until})
	case confirmed:
		return l.applyConfirmation(e)
	case renewed:
		l.account.expire(e.At, l.reservedIncluded())
		l.account.grant(e.At, e.Amount)
	case subscriptionEnded:
		option, err := standard(l.account.card)
		if err != nil {
			return err
		}
		l.account.expire(e.At, l.reservedIncluded())
		l.account.subscribe(option)
	}
	return nil
}

// applyConfirmation moves the balance by a payment. A plan's included balance comes
// on top of what is left of the present one; both expire with the month.
func (l *Ledger) applyConfirmation(e LedgerEntry) error {
	p, err := l.payment(e.Payment)
	if err != nil {
		return err
	}
	if !p.Confirmed.IsZero() {
		return fmt.Errorf("payment %s is confirmed twice", p.ID)
	}
	p.Confirmed = e.At
	if p.Plan == "" {
		l.account.deposit(e.At, p.Amount)
		return nil
	}
	option, err := l.account.card.Option(p.Plan)
	if err != nil {
		return err
	}
	l.account.subscribe(option)
	l.account.grant(e.At, p.Amount)
	return nil
}

// reservedIncluded returns how much of the included balance is reserved.
func (l *Ledger) reservedIncluded() cost.Money {
	var sum cost.Money
	for _, r := range l.open {
		sum += r.money.included - r.expired(&l.account)
	}
	return sum
}

// advance records what time alone has brought about, in its order. When that cannot
// be recorded it has not happened, and nothing else can be recorded either.
func (l *Ledger) advance(now time.Time) {
	for e, due := l.due(now); due; e, due = l.due(now) {
		if l.ledger.Record(e) != nil {
			return
		}
	}
	if present := monthOf(now); l.period.before(present) {
		l.period = present
	}
}

// due returns the next thing that has to happen, if it is time.
func (l *Ledger) due(now time.Time) (LedgerEntry, bool) {
	next, due := l.renewal(now)
	for _, p := range l.payments {
		if !p.Confirmed.IsZero() || p.Due.IsZero() || p.Due.After(now) {
			continue
		}
		if !due || p.Due.Before(next.At) {
			next, due = LedgerEntry{Kind: confirmed, At: p.Due, Payment: p.ID}, true
		}
	}
	return next, due
}

// renewal returns the renewal of the included balance at the start of the present
// month, when it has not been. In months in which nobody looked nothing could be
// used.
func (l *Ledger) renewal(now time.Time) (LedgerEntry, bool) {
	present, grant := monthOf(now), l.account.plan.MonthlyIncluded
	nothing := grant == 0 && l.account.left.included == 0 && l.reservedIncluded() == 0
	if nothing || !l.period.before(present) {
		return LedgerEntry{}, false
	}
	return LedgerEntry{Kind: renewed, At: present.start(), Amount: grant}, true
}
