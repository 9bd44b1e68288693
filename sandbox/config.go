package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// DefaultKey is the bearer key of DefaultConfig.
const DefaultKey = "sandbox-key"

// Config describes the workspace, the people in it and what goes wrong. The
// zero value is not valid; start from DefaultConfig.
type Config struct {
	// Key is the bearer key that every request needs.
	Key string
	// Seed decides who is known, every value, every latency and every fault that
	// has a probability. The same seed gives the same people.
	Seed uint64

	// UnknownRate is the share of identities of whom nobody knows anything;
	// MatchRates are, by field, the shares of the others for whom a value is known.
	UnknownRate float64
	MatchRates  [enrich.NumFields]float64

	// Latency is how long a lookup takes.
	Latency Latency
	// Window limits the lookups that arrive (specification v1, "Limits").
	Window Window
	// AttemptLimit is the most lookups of a usage period, which is a month in UTC;
	// zero means no limit.
	AttemptLimit int

	// Prices are the rates per returned field. A field without a price is not on
	// the plan: asking for it is refused.
	Prices cost.Prices
	// Free is the free allowance by field, in returned fields.
	Free [enrich.NumFields]int64
	// IncludedCents and PrepaidCents are the paid balance that the account starts
	// with, in USD cents. The included balance is used first and never renewed.
	IncludedCents, PrepaidCents int64
	// BudgetCapCents is the monthly cap on paid usage in USD cents; nil means none.
	BudgetCapCents *int64

	// Now is the service's clock; nil means time.Now.
	Now func() time.Time
	// BooksPath names the file in which the books are kept. Opening it again
	// carries on where it ends. Empty means that they are kept in memory alone.
	BooksPath string
	// Faults say what goes wrong; every rule is looked at for every lookup.
	Faults []Fault
}

// Latency bounds how long a lookup takes; each takes a time of its own between
// the two, drawn from the seed.
type Latency struct{ Min, Max time.Duration }

// Window allows Limit lookups to arrive within any span of Per.
type Window struct {
	Limit int
	Per   time.Duration
}

// DefaultConfig returns the workspace of an account on the Core plan with its
// free allowance, prepaid credit and a monthly cap of 1,000 USD (specification
// v1, "Allowances and rate card" and "Limits").
func DefaultConfig() Config {
	budgetCap := int64(100_000)
	return Config{
		Key:            DefaultKey,
		UnknownRate:    0.08,
		MatchRates:     [enrich.NumFields]float64{enrich.WorkEmail: 0.72, enrich.BusinessPhone: 0.45},
		Window:         Window{Limit: 30, Per: time.Minute},
		Prices:         cost.Prices{enrich.WorkEmail: 15 * cost.Cent, enrich.BusinessPhone: 25 * cost.Cent},
		Free:           [enrich.NumFields]int64{enrich.WorkEmail: 20, enrich.BusinessPhone: 5},
		IncludedCents:  4_900,
		PrepaidCents:   95_100,
		BudgetCapCents: &budgetCap,
	}
}

// prepare returns the configuration checked, complete and independent of what the
// caller may change later.
func (c Config) prepare() (Config, error) {
	err := errors.Join(c.checkKey(), c.checkRates(), c.checkLimits(), c.checkMoney(), c.checkFaults())
	if err != nil {
		return Config{}, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Prices = maps.Clone(c.Prices)
	c.Faults = slices.Clone(c.Faults)
	return c, nil
}

func (c Config) checkKey() error {
	if c.Key == "" || strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key is empty or cannot stand in a header; use visible ASCII characters")
	}
	return nil
}

func (c Config) checkRates() error {
	for _, rate := range append(c.MatchRates[:], c.UnknownRate) {
		if !(rate >= 0 && rate <= 1) { // written so that NaN fails too
			return fmt.Errorf("a rate of %v is not a share; give match and unknown rates from 0 to 1", rate)
		}
	}
	return nil
}

func (c Config) checkLimits() error {
	switch {
	case c.Latency.Min < 0 || c.Latency.Max < c.Latency.Min:
		return fmt.Errorf("latency from %s to %s is no span; give 0 <= minimum <= maximum", c.Latency.Min, c.Latency.Max)
	case c.Window.Limit <= 0 || c.Window.Per <= 0:
		return fmt.Errorf("a window of %d per %s lets nothing pass; give both above zero", c.Window.Limit, c.Window.Per)
	case c.AttemptLimit < 0:
		return fmt.Errorf("an attempt limit of %d is below zero; give 0 for none", c.AttemptLimit)
	}
	return nil
}

// maxCents keeps sums of balances far from overflow.
const maxCents = int64(cost.MaxMoney / cost.Cent)

func (c Config) checkMoney() error {
	if len(c.Prices) == 0 {
		return errors.New("no field has a price, so nothing can be looked up; set Prices")
	}
	for field, price := range c.Prices {
		if field >= enrich.NumFields || price < 0 || price > cost.MaxMoney {
			return fmt.Errorf("%s cannot be the price of %s", price, field)
		}
	}
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

func (c Config) checkFaults() error {
	for i, fault := range c.Faults {
		if err := fault.validate(); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return nil
}
