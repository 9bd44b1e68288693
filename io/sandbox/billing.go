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
func (b *Ledger) Checkout(o Order) (Payment, error) {
	now := b.lock()
	defer b.mu.Unlock()
	e := LedgerEntry{Kind: checkedOut, At: now, Payment: fmt.Sprintf("pay_%d", len(b.payments)+1), Amount: o.Deposit, Plan: o.Plan}
	if o.Plan != "" {
		option, err := b.account.card.Option(o.Plan)
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
	if b.account.left.total().Plus(b.account.reserved).Plus(b.pending()).Plus(e.Amount) > cost.MaxMoney {
		return Payment{}, invalidf("the balance would exceed %s", cost.MaxMoney)
	}
	if o.ConfirmAfter != nil {
		if *o.ConfirmAfter < 0 {
			return Payment{}, invalidf("a payment is not confirmed %s ago", -*o.ConfirmAfter)
		}
		e.Until = now.Add(*o.ConfirmAfter)
	}
	if err := b.ledger.Record(e); err != nil {
		return Payment{}, err
	}
	b.advance(now) // it may be confirmed at once
	return b.payments[len(b.payments)-1], nil
}

// Cover sees to it that lookups for a number of returned fields can be paid, as the owner of
// a large list would: it deposits what the balance lacks of them, and raises the monthly cap.
func (b *Ledger) Cover(units enrich.ByField[int64]) error {
	_, prices := b.Terms()
	var needed cost.Money
	for f, n := range units {
		needed = needed.Plus(prices[enrich.Field(f)].Times(n))
	}
	available, remaining, capped := b.means()
	if lacking := needed - available; lacking > 0 {
		at := time.Duration(0)
		if _, err := b.Checkout(Order{Deposit: max(lacking, MinimumDeposit), ConfirmAfter: &at}); err != nil {
			return err
		}
	}
	if lacking := needed - remaining; capped != nil && lacking > 0 {
		raised := capped.Plus(lacking)
		return b.SetBudget(&raised)
	}
	return nil
}

// means returns what may still be reserved: of the balance, and of the monthly cap where
// there is one.
func (b *Ledger) means() (available, remaining cost.Money, limit *cost.Money) {
	now := b.lock()
	defer b.mu.Unlock()
	a := &b.account
	if limit = a.budget.limit; limit != nil {
		remaining = a.remaining(now)
	}
	return a.left.total(), remaining, limit
}

// pending returns what is paid and not confirmed.
func (b *Ledger) pending() cost.Money {
	var sum cost.Money
	for _, p := range b.payments {
		if p.Confirmed.IsZero() {
			sum = sum.Plus(p.Amount)
		}
	}
	return sum
}

// Payments returns every checkout, oldest first.
func (b *Ledger) Payments() []Payment {
	b.lock()
	defer b.mu.Unlock()
	return append([]Payment{}, b.payments...)
}

// Confirm confirms a payment, as the payment processor does.
func (b *Ledger) Confirm(id string) (Payment, error) {
	now := b.lock()
	defer b.mu.Unlock()
	p, err := b.payment(id)
	if err != nil {
		return Payment{}, err
	}
	if !p.Confirmed.IsZero() {
		return Payment{}, invalidf("%s is confirmed already", id)
	}
	err = b.ledger.Record(LedgerEntry{Kind: confirmed, At: now, Payment: id})
	return *p, err
}

// EndSubscription ends the plan: its included balance expires, and what prepaid
// credit is left is used at the standard rates.
func (b *Ledger) EndSubscription() error {
	now := b.lock()
	defer b.mu.Unlock()
	if b.account.plan.MonthlyIncluded == 0 {
		return invalidf("there is no subscription; the plan is %s", b.account.plan.Name)
	}
	if _, err := standard(b.account.card); err != nil {
		return invalidf("%s", err)
	}
	return b.ledger.Record(LedgerEntry{Kind: subscriptionEnded, At: now})
}

func (b *Ledger) payment(id string) (*Payment, error) {
	i := slices.IndexFunc(b.payments, func(p Payment) bool { return p.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w payment %q", ErrUnknown, id)
	}
	return &b.payments[i], nil
}

func (b *Ledger) applyBilling(e LedgerEntry) error {
	switch e.Kind {
	case checkedOut:
		b.payments = append(b.payments, Payment{ID: e.Payment, Amount: e.Amount, Plan: e.Plan, Created: e.At, Due: e.Until})
	case confirmed:
		return b.applyConfirmation(e)
	case renewed:
		b.account.expire(e.At, b.reservedIncluded())
		b.account.grant(e.At, e.Amount)
	case subscriptionEnded:
		option, err := standard(b.account.card)
		if err != nil {
			return err
		}
		b.account.expire(e.At, b.reservedIncluded())
		b.account.subscribe(option)
	}
	return nil
}

// applyConfirmation moves the balance by a payment. A plan's included balance comes
// on top of what is left of the present one; both expire with the month.
func (b *Ledger) applyConfirmation(e LedgerEntry) error {
	p, err := b.payment(e.Payment)
	if err != nil {
		return err
	}
	if !p.Confirmed.IsZero() {
		return fmt.Errorf("payment %s is confirmed twice", p.ID)
	}
	p.Confirmed = e.At
	if p.Plan == "" {
		b.account.deposit(e.At, p.Amount)
		return nil
	}
	option, err := b.account.card.Option(p.Plan)
	if err != nil {
		return err
	}
	b.account.subscribe(option)
	b.account.grant(e.At, p.Amount)
	return nil
}

// reservedIncluded returns how much of the included balance is reserved.
func (b *Ledger) reservedIncluded() cost.Money {
	var sum cost.Money
	for _, r := range b.open {
		sum += r.money.included - r.expired(&b.account)
	}
	return sum
}

// advance records what time alone has brought about, in its order. When that cannot
// be recorded it has not happened, and nothing else can be recorded either.
func (b *Ledger) advance(now time.Time) {
	for e, due := b.due(now); due; e, due = b.due(now) {
		if b.ledger.Record(e) != nil {
			return
		}
	}
	if present := monthOf(now); b.period.before(present) {
		b.period = present
	}
}

// due returns the next thing that has to happen, if it is time.
func (b *Ledger) due(now time.Time) (LedgerEntry, bool) {
	next, due := b.renewal(now)
	for _, p := range b.payments {
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
func (b *Ledger) renewal(now time.Time) (LedgerEntry, bool) {
	present, grant := monthOf(now), b.account.plan.MonthlyIncluded
	nothing := grant == 0 && b.account.left.included == 0 && b.reservedIncluded() == 0
	if nothing || !b.period.before(present) {
		return LedgerEntry{}, false
	}
	return LedgerEntry{Kind: renewed, At: present.start(), Amount: grant}, true
}
