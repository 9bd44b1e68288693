package sandbox

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/io/service/v1"
)

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no key", func(c *Config) { c.Key = "" }, "key"},
		{"a key with a line break", func(c *Config) { c.Key = "a\nb" }, "key"},
		{"a rate over one", func(c *Config) { c.MatchRates[v1.WorkEmail] = 1.1 }, "from 0 to 1"},
		{"no number as a rate", func(c *Config) { c.UnknownRate = math.NaN() }, "from 0 to 1"},
		{"latency backwards", func(c *Config) { c.Latency.Min = time.Second }, "latency"},
		{"no window", func(c *Config) { c.Window = Window{} }, "window"},
		{"a negative attempt limit", func(c *Config) { c.AttemptLimit = -1 }, "give 0 for none"},
		{"no prices", func(c *Config) { c.Prices = cost.Prices{} }, "set Prices"},
		{"an unknown plan", func(c *Config) { c.Plan = "gold" }, `no option "gold"`},
		{"a plan without prices", func(c *Config) { c.Plan, c.Card.Options[0].Prices = "payg", nil }, "set Prices"},
		{"an option with a negative price", func(c *Config) { c.Card.Options[0].Prices[v1.WorkEmail] = -1 }, "option payg"},
		{"an input condition that is not a schema", func(c *Config) {
			c.InputConditions = map[v1.Operation]json.RawMessage{v1.FindPhone: json.RawMessage(`{"type":"person"}`)}
		}, "input condition of find-phone"},
		{"a negative price", func(c *Config) { c.Prices = cost.Prices{v1.WorkEmail: -1} }, "price of work_email"},
		{"a negative balance", func(c *Config) { c.PrepaidCents = -1 }, "-1 cents"},
		{"a balance beyond counting", func(c *Config) { c.IncludedCents = math.MaxInt64 }, "cents"},
		{"a negative cap", func(c *Config) { *c.BudgetCapCents = -1 }, "-1 cents"},
		{"a negative allowance", func(c *Config) { c.Free[v1.BusinessPhone] = -1 }, "business_phone"},
		{"a bad fault", func(c *Config) { c.Faults = []Fault{{Delay: 1}, {}} }, "fault 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := DefaultConfig()
			test.change(&config)
			if _, err := New(config); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	if _, err := New(DefaultConfig()); err != nil {
		t.Errorf("the default: %v", err)
	}
}
