package sandbox

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// account is the workspace's money. Nothing in it locks, reads a clock or does
// input or output; the ledger does that.
type account struct {
	card   cost.RateCard
	plan   cost.Option
	prices cost.Prices // in force

	left      balance // neither charged nor reserved
	reserved  cost.Money
	startFree FieldUnits
	free      FieldUnits // not used; what is reserved is still in it
	heldFree  FieldUnits
	budget    budget

	// epoch counts how often the included balance expired.
	epoch     int
	funded    bool // money ever came in
	movements []Movement
	// conflicts says that what only the reservations of others stand in the way of is
	// a conflict, not a lack of credit.
	conflicts bool
}

// budget is the monthly cap on paid usage.
type budget struct {
	limit *cost.Money // nil: no cap
	spent map[month]cost.Money
}

func newAccount(config LedgerConfig) (account, error) {
	plan, err := config.Card.Option(config.Plan)
	if err != nil {
		return account{}, err
	}
	a := account{
		card: config.Card, plan: plan, prices: plan.Prices,
		startFree: FieldUnits(config.Free), free: FieldUnits(FieldUnits(config.Free)),
		budget:    budget{spent: map[month]cost.Money{}},
		conflicts: config.ReservationConflicts,
	}
	if config.Prices != nil {
		a.prices = config.Prices
	}
	a.grant(time.Time{}, cost.Cents(config.IncludedCents))
	a.deposit(time.Time{}, cost.Cents(config.PrepaidCents))
	if config.BudgetCapCents != nil {
		limit := cost.Cents(*config.BudgetCapCents)
		a.budget.limit = &limit
	}
	return a, nil
}

func (a *account) move(m Movement) {
	if m.Amount != 0 || m.Free != (FieldUnits{}) {
		a.movements = append(a.movements, m)
	}
}

// grant adds an included balance.
func (a *account) grant(at time.Time, amount cost.Money) {
	a.left.included += amount
	a.funded = a.funded || amount > 0
	a.move(Movement{At: at, Kind: Granted, Amount: amount})
}

// deposit adds prepaid credit.
func (a *account) deposit(at time.Time, amount cost.Money) {
	a.left.prepaid += amount
	a.funded = a.funded || amount > 0
	a.move(Movement{At: at, Kind: Deposited, Amount: amount})
}

// expire ends the included balance, of which an amount is reserved.
func (a *account) expire(at time.Time, reserved cost.Money) {
	a.move(Movement{At: at, Kind: Expired, Amount: a.left.included + reserved})
	a.left.included = 0
	a.epoch++
}

// subscribe puts a plan's rates in force.
func (a *account) subscribe(plan cost.Option) { a.plan, a.prices = plan, plan.Prices }

// remaining returns what may still be held in the month, never less than zero. It
// has a meaning only where there is a cap.
func (a *account) remaining(at time.Time) cost.Money {
	return max(0, *a.budget.limit-a.budget.spent[monthOf(at)]-a.reserved)
}

// quote returns what a lookup of the fields has to hold now, and why that is
// refused; an empty code means that it is not.
func (a *account) quote(fields enrich.Fields, at time.Time) (cost.Hold, ErrorCode) {
	hold := cost.Hold{Fields: fields, Rates: cost.AllowancePerField(v1.Catalogue()).At(a.prices)}
	if _, err := a.prices.Total(fields); err != nil {
		return hold, PricingUnavailable
	}
	alone := hold // as if nobody else reserved anything
	for f := range fields.Each() {
		if a.free[f] > a.heldFree[f] {
			hold.Free = hold.Free.With(f)
		}
		if a.free[f] > 0 {
			alone.Free = alone.Free.With(f)
		}
	}
	code := a.objection(hold.Money(), at)
	if code != "" && a.conflicts && a.objectionWithout(alone.Money(), at) == "" {
		return hold, ReservationConflict
	}
	return hold, code
}

// objection returns why an amount cannot be held, "" when it can.
func (a *account) objection(amount cost.Money, at time.Time) ErrorCode {
	switch {
	case amount == 0:
		return ""
	case !a.funded:
		return FreeAllowanceExhausted
	case amount > a.left.total():
		return CreditsExhausted
	case a.budget.limit != nil && amount > a.remaining(at):
		return UsageBudgetReached
	}
	return ""
}

// objectionWithout is objection, had nobody reserved anything.
func (a *account) objectionWithout(amount cost.Money, at time.Time) ErrorCode {
	idle := *a
	idle.left.prepaid += a.reserved
	idle.reserved = 0
	return idle.objection(amount, at)
}

// reservation is what a lookup under way holds.
type reservation struct {
	hold  cost.Hold
	money balance // taken out of what is left
	epoch int     // of the account when it was made
}

// expired returns the part of a reservation that is not the account's any more.
func (r reservation) expired(a *account) cost.Money {
	if r.epoch == a.epoch {
		return 0
	}
	return r.money.included
}

func (a *account) reserve(hold cost.Hold) reservation {
	from := a.left.draw(hold.Money())
	a.reserved += hold.Money()
	for f := range hold.Free.Each() {
		a.heldFree[f]++
	}
	return reservation{hold: hold, money: balance{from.Included, from.Prepaid}, epoch: a.epoch}
}

// release ends a reservation. What it returns can be charged to it and nothing
// else: the part that expired meanwhile.
func (a *account) release(r reservation) (expired cost.Money) {
	a.reserved -= r.hold.Money()
	for f := range r.hold.Free.Each() {
		a.heldFree[f]--
	}
	expired = r.expired(a)
	a.left.prepaid += r.money.prepaid
	a.left.included += r.money.included - expired
	return expired
}

// pay charges an amount to the balances that the source names.
func (a *account) pay(from Source, at time.Time) {
	a.left.take(from)
	a.budget.spent[monthOf(at)] += from.total()
}

// overdrawn reports whether more was charged than there was.
func (a *account) overdrawn() bool {
	negative := a.left.included < 0 || a.left.prepaid < 0
	for _, units := range a.free {
		negative = negative || units < 0
	}
	return negative
}
