package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// LedgerConfig describes the workspace when its ledger begins.
type LedgerConfig struct {
	// Key is the value of the workspace key that there is from the beginning.
	Key string
	// Window limits the lookups that arrive (specification v1, "Limits").
	Window kit.Window
	// AttemptLimit is the most lookups of a usage period, which is a month in UTC;
	// zero means no limit.
	AttemptLimit int

	// Card is the service's rate card; without options it is that of the
	// specification. Plan names the option that the workspace begins with.
	Card cost.RateCard
	Plan string
	// Prices, when set, are the rates in force until the plan changes, in place of the
	// plan's. A field without a price is not on the plan: asking for it is refused.
	Prices cost.Prices
	// Free is the free allowance by field, in returned fields.
	Free enrich.ByField[int64]
	// IncludedCents and PrepaidCents are the paid balance that the account starts
	// with, in USD cents. The included balance is used first. It expires with the
	// month, and the plan's takes its place.
	IncludedCents, PrepaidCents int64
	// BudgetCapCents is the monthly cap on paid usage in USD cents; nil means none.
	BudgetCapCents *int64
	// ReservationConflicts refuses a lookup that would fit, did others not hold
	// reservations, with ReservationConflict. Without it such a lookup is refused for
	// what it lacks.
	ReservationConflicts bool
	// InputConditions are JSON Schemas that the requests of an operation have to
	// fulfil; the ledger only keeps them.
	InputConditions map[v1.Operation]json.RawMessage

	// KeepArrivals is how many of the newest arrivals are kept with their charges; of older
	// ones the ledger keeps sums. Zero keeps all. It has to be more than the lookups that
	// arrive at one moment.
	KeepArrivals int

	// Now is the service's clock; nil means time.Now.
	Now func() time.Time
	// LedgerPath names the file in which the ledger is kept. Opening it again carries
	// on where it ends. Empty means that it is kept in memory alone.
	LedgerPath string
	// Conceal returns what the ledger keeps instead of an identity. Nil keeps the identity.
	Conceal func(identity string) string
}

// Prepare returns the configuration checked, complete and independent of what the
// caller may change later.
func (c LedgerConfig) Prepare() (LedgerConfig, error) {
	if len(c.Card.Options) == 0 {
		c.Card = RateCard()
	}
	if err := errors.Join(c.checkKey(), c.checkLimits(), c.checkCard(), c.checkMoney()); err != nil {
		return LedgerConfig{}, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Conceal == nil {
		c.Conceal = func(identity string) string { return identity }
	}
	c.Prices = maps.Clone(c.Prices)
	c.InputConditions = maps.Clone(c.InputConditions)
	return c, nil
}

func (c LedgerConfig) checkKey() error {
	if c.Key == "" || strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key is empty or cannot stand in a header; use visible ASCII characters")
	}
	return nil
}

func (c LedgerConfig) checkLimits() error {
	switch {
	case c.Window.Limit <= 0 || c.Window.Per <= 0:
		return fmt.Errorf("a window of %d per %s lets nothing pass; give both above zero", c.Window.Limit, c.Window.Per)
	case c.AttemptLimit < 0:
		return fmt.Errorf("an attempt limit of %d is below zero; give 0 for none", c.AttemptLimit)
	case c.KeepArrivals < 0:
		return fmt.Errorf("%d arrivals to keep is below zero; give 0 for all", c.KeepArrivals)
	}
	return nil
}

func (c LedgerConfig) checkCard() error {
	plan, err := c.Card.Option(c.Plan)
	if err != nil {
		return fmt.Errorf("the plan: %w", err)
	}
	for _, option := range c.Card.Options {
		if err := checkPrices(option.Prices); err != nil {
			return fmt.Errorf("option %s: %w", option.Name, err)
		}
	}
	inForce := c.Prices
	if inForce == nil {
		inForce = plan.Prices
	}
	if len(inForce) == 0 {
		return errors.New("no field has a price, so nothing can be looked up; set Prices")
	}
	return checkPrices(inForce)
}

func checkPrices(prices cost.Prices) error {
	for field, price := range prices {
		if !v1.AllFields.Has(field) || price < 0 || price > cost.MaxMoney {
			return fmt.Errorf("%s cannot be the price of %s", price, field)
		}
	}
	return nil
}

// maxCents keeps sums of balances far from overflow.
const maxCents = int64(cost.MaxMoney / cost.Cent)

func (c LedgerConfig) checkMoney() error {
	amounts := []int64{c.IncludedCents, c.PrepaidCents}
	if c.BudgetCapCents != nil {
		amounts = append(amounts, *c.BudgetCapCents)
	}
	for _, cents := range amounts {
		if cents < 0 || cents > maxCents {
			return fmt.Errorf("a balance or budget of %d cents; give 0 to %d", cents, maxCents)
		}
	}
	for field, units := range c.Free {
		if units < 0 {
			return fmt.Errorf("a free allowance of %d for %s is below zero", units, enrich.Field(field))
		}
	}
	return nil
}
