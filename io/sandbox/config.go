package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// DefaultKey is the bearer key of DefaultConfig.
const DefaultKey = "sandbox-key"

// Config describes the workspace, the people in it and what goes wrong. The
// zero value is not valid; start from DefaultConfig.
type Config struct {
	// Config is the workspace.
	LedgerConfig

	// Seed decides who is known, every value, every latency and every fault that
	// has a probability. The same seed gives the same people.
	Seed uint64
	// UnknownRate is the share of identities that belong to nobody known;
	// MatchRates are, by field, the shares of the others that have a value.
	UnknownRate float64
	MatchRates  enrich.ByField[float64]

	// Latency is how long a lookup takes.
	Latency Latency
	// Faults say what goes wrong; every rule is looked at for every lookup.
	Faults []Fault
	// MCP says how the MCP endpoint speaks.
	MCP MCP

	// V2 is the account of the second interface. The world, the faults, the latency, the
	// clock, the file and how many calls are kept follow from the rest of the
	// configuration.
	V2 v2.Config

	// CRM is the account of the CRM. The world, the faults, the latency and the clock follow from the rest of the
	// configuration.
	CRM crm.Config
}

// MCP are the choices that the transport of MCP leaves to a server. The zero value
// answers every message by itself, as JSON.
type MCP struct {
	// Sessions gives every client a session, whose ID each request has to carry.
	Sessions bool
	// EventStream answers with a stream of events instead of JSON.
	EventStream bool
}

// Latency bounds how long a lookup takes; each takes a different time between
// the two, drawn from the seed.
type Latency struct{ Min, Max time.Duration }

// DefaultConfig returns the workspace of an account on the Core plan with its
// free allowance, prepaid credit and a monthly cap of 1,000 USD (specification
// v1, "Allowances and rate card" and "Limits").
func DefaultConfig() Config {
	budgetCap := int64(100_000)
	return Config{
		LedgerConfig: LedgerConfig{
			Key:            DefaultKey,
			Window:         Window{Limit: 30, Per: time.Minute},
			Card:           RateCard(),
			Plan:           "core",
			Free:           enrich.ByField[int64]{v1.WorkEmail: 20, v1.BusinessPhone: 5},
			IncludedCents:  4_900,
			PrepaidCents:   95_100,
			BudgetCapCents: &budgetCap,
		},
		UnknownRate: 0.08,
		MatchRates:  enrich.ByField[float64]{v1.WorkEmail: 0.72, v1.BusinessPhone: 0.45},
		V2:          v2.DefaultConfig(),
		CRM:         crm.DefaultConfig(),
	}
}

// prepare returns the configuration checked, complete and independent of what the
// caller may change later.
func (c Config) prepare() (Config, error) {
	workspace, err := c.LedgerConfig.Prepare()
	if err := errors.Join(err, c.checkPeople(), c.checkLatency(), c.checkConditions(), c.checkFaults()); err != nil {
		return Config{}, err
	}
	c.LedgerConfig = workspace
	c.Faults = slices.Clone(c.Faults)
	return c, nil
}

// people returns the people that both interfaces know.
func (c Config) people() world.People {
	return world.People{Seed: c.Seed, MatchRates: c.MatchRates, UnknownRate: c.UnknownRate}
}

// second returns the configuration of the second interface.
func (c Config) second(faults *kit.FaultRules) v2.Config {
	second := c.V2
	second.Conceal = c.Conceal
	second.World, second.Faults, second.Now, second.KeepRecords = world.World{People: c.people()}, faults, c.Now, c.KeepArrivals
	second.Latency.Min, second.Latency.Max = c.Latency.Min, c.Latency.Max
	if c.LedgerPath != "" {
		second.Path = c.LedgerPath + v2Ending
	}
	return second
}

// crm returns the configuration of the CRM.
func (c Config) crm(faults *kit.FaultRules) crm.Config {
	account := c.CRM
	account.World, account.Faults, account.Now = world.World{People: c.people()}, faults, c.Now
	account.Latency.Min, account.Latency.Max = c.Latency.Min, c.Latency.Max
	return account
}

func (c Config) checkPeople() error {
	for _, rate := range append(c.MatchRates[:], c.UnknownRate) {
		if !(rate >= 0 && rate <= 1) { // written so that NaN fails too
			return fmt.Errorf("a rate of %v is not a share; give match and unknown rates from 0 to 1", rate)
		}
	}
	return nil
}

func (c Config) checkLatency() error {
	if c.Latency.Min < 0 || c.Latency.Max < c.Latency.Min {
		return fmt.Errorf("latency from %s to %s is not a span; give 0 <= minimum <= maximum", c.Latency.Min, c.Latency.Max)
	}
	return nil
}

func (c Config) checkConditions() error {
	for operation, condition := range c.InputConditions {
		if _, err := compileCondition(condition); err != nil {
			return fmt.Errorf("input condition of %s: %w", operation, err)
		}
	}
	return nil
}

func (c Config) checkFaults() error {
	for i, fault := range c.Faults {
		if err := fault.Validate(faultCodes()); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return nil
}
