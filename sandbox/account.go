package sandbox

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// funds are what an account can pay with.
type funds struct {
	included, prepaid cost.Money
	free              [enrich.NumFields]int64
}

// account is the workspace's money. Nothing in it locks, reads a clock or does
// input or output; the books do that.
type account struct {
	prices   cost.Prices
	start    funds
	left     funds // not charged yet; what is held is still in it
	held     cost.Money
	heldFree [enrich.NumFields]int64
	budget   budget
}

// budget is the monthly cap on paid usage.
type budget struct {
	capped bool
	limit  cost.Money
	spent  map[month]cost.Money
}

// month is a month in UTC.
type month struct {
	year  int
	month time.Month
}

func monthOf(t time.Time) month {
	t = t.UTC()
	return month{t.Year(), t.Month()}
}

// end returns the first moment after the month.
func (m month) end() time.Time { return time.Date(m.year, m.month+1, 1, 0, 0, 0, 0, time.UTC) }

func newAccount(config Config) account {
	start := funds{cost.Cents(config.IncludedCents), cost.Cents(config.PrepaidCents), config.Free}
	a := account{prices: config.Prices, start: start, left: start}
	a.budget.spent = map[month]cost.Money{}
	if config.BudgetCapCents != nil {
		a.budget.set(cost.Cents(*config.BudgetCapCents))
	}
	return a
}

func (b *budget) set(limit cost.Money) { b.capped, b.limit = true, limit }

// remaining returns what may still be held in the month, never less than zero.
// It has a meaning only where there is a cap.
func (a *account) remaining(at time.Time) cost.Money {
	return max(0, a.budget.limit-a.budget.spent[monthOf(at)]-a.held)
}

// available returns the paid balance net of reservations.
func (a *account) available() cost.Money { return a.left.included + a.left.prepaid - a.held }

// includedAvailable returns the part of the available balance that is included;
// reservations weigh on it first, as charges will.
func (a *account) includedAvailable() cost.Money { return max(0, a.left.included-a.held) }

// quote returns what a lookup of the fields has to hold now, and why that is
// refused; an empty code means that it is not.
func (a *account) quote(fields enrich.Fields, at time.Time) (cost.Hold, ErrorCode) {
	hold := cost.Hold{Fields: fields, Prices: a.prices}
	if _, err := a.prices.Total(fields); err != nil {
		return hold, PricingUnavailable
	}
	for f := range fields.Each() {
		if a.left.free[f] > a.heldFree[f] {
			hold.Free = hold.Free.With(f)
		}
	}
	return hold, a.objection(hold.Amount(), at)
}

// objection returns why an amount cannot be held, "" when it can.
func (a *account) objection(amount cost.Money, at time.Time) ErrorCode {
	switch {
	case amount == 0:
		return ""
	case a.start.included+a.start.prepaid == 0:
		return FreeAllowanceExhausted
	case amount > a.available():
		return CreditsExhausted
	case a.budget.capped && amount > a.remaining(at):
		return UsageBudgetReached
	}
	return ""
}

func (a *account) reserve(hold cost.Hold) {
	a.held += hold.Amount()
	for f := range hold.Free.Each() {
		a.heldFree[f]++
	}
}

func (a *account) release(hold cost.Hold) {
	a.held -= hold.Amount()
	for f := range hold.Free.Each() {
		a.heldFree[f]--
	}
}

func (a *account) useFree(f enrich.Field) { a.left.free[f]-- }

// pay takes an amount from the included balance first, then from the prepaid one
// (specification v1, "Allowances and rate card").
func (a *account) pay(amount cost.Money, at time.Time) {
	fromIncluded := min(amount, a.left.included)
	a.left.included -= fromIncluded
	a.left.prepaid -= amount - fromIncluded
	a.budget.spent[monthOf(at)] += amount
}

// overdrawn reports whether more was charged than there was.
func (a *account) overdrawn() bool {
	negative := a.left.included < 0 || a.left.prepaid < 0
	for _, units := range a.left.free {
		negative = negative || units < 0
	}
	return negative
}
