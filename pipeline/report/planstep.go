package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// PlanStep is one step of a run, as a plan shows it.
type PlanStep struct {
	Step      string           `json:"step"`
	Interface string           `json:"interface"`
	Lookups   int64            `json:"lookups"`
	UpTo      bool             `json:"up_to,omitempty"` // earlier steps may leave fewer
	Fields    map[string]int64 `json:"fields"`          // how many lookups ask for each
	// Prices are those of a returned field, where the interface takes money. Units may have prices instead.
	Prices map[string]cost.Money `json:"prices_usd,omitempty"`
	// Free are the fields that the free allowance pays for.
	Free    map[string]int64 `json:"free,omitempty"`
	Maximum cost.Money       `json:"maximum_usd"`
	Units   []StepUnits      `json:"units,omitempty"`
	Seconds int64            `json:"seconds"`
	Rate    string           `json:"rate"`
}

// StepUnits says what a step can use of a meter that is not money.
type StepUnits struct {
	Meter string `json:"meter"`
	Most  int64  `json:"most"`
	Left  *int64 `json:"left"` // of the account; null when it does not show that
	// Price is what a unit costs; nil for nothing.
	Price *cost.Money `json:"price_usd,omitempty"`
}

// PlanSteps are the steps of a run.
type PlanSteps []PlanStep

// Lookups returns how many lookups the steps have together.
func (s PlanSteps) Lookups() (lookups int64) {
	for _, step := range s {
		lookups += step.Lookups
	}
	return lookups
}

// Ask reports whether a step asks an interface.
func (s PlanSteps) Ask(name string) bool {
	return slices.ContainsFunc(s, func(step PlanStep) bool { return step.Interface == name })
}

// TakeMoney reports whether a step is paid for with money.
func (s PlanSteps) TakeMoney() bool {
	return slices.ContainsFunc(s, PlanStep.takesMoney)
}

// OfFields returns what the steps cost at most in which returned fields have prices.
func (s PlanSteps) OfFields() (sum cost.Money) {
	for _, step := range s {
		if len(step.Prices) > 0 {
			sum = sum.Plus(step.Maximum)
		}
	}
	return sum
}

// takesMoney reports whether the lookups of the step can cost money, by the prices of fields or of units.
func (s PlanStep) takesMoney() bool {
	return len(s.Prices) > 0 || slices.ContainsFunc(s.Units, func(u StepUnits) bool { return u.Price != nil })
}

// PlanLine is one line of a plan.
type PlanLine struct{ Name, Text string }

// atLeast writes the least time that something takes.
func atLeast(seconds int64) string {
	if seconds == 0 {
		return "less than 1s"
	}
	return "at least " + dispatch.Span(time.Duration(seconds)*time.Second)
}

// useUnits returns how many steps use units.
func (s PlanSteps) useUnits() (steps int) {
	for _, step := range s {
		if len(step.Units) > 0 {
			steps++
		}
	}
	return steps
}

// Lines shows each step: its lookups, what they cost and use at most, and how long they take. What the accounts have left
// of units is shown where one step uses units; of several, the plan shows it with their sums.
func (s PlanSteps) Lines() (lines []PlanLine) {
	add := func(name, format string, args ...any) {
		lines = append(lines, PlanLine{name, Textf(format, args...)})
	}
	for i, step := range s {
		add(fmt.Sprintf("step %d", i+1), "%s", step.Step)
		many := Number(step.Lookups)
		if step.UpTo {
			many = "up to " + many
		}
		add("  lookups", "%s", many)
		for _, name := range slices.Sorted(maps.Keys(step.Fields)) {
			add("  "+name, "%s", step.quantity(name))
		}
		if step.takesMoney() {
			add("  at most", "$%s", step.Maximum)
		}
		if len(step.Units) > 0 {
			add("  units at most", "%s", unitsText(step.Units, s.useUnits() == 1))
		}
		if step.Lookups > 0 {
			add("  time", "%s at %s", atLeast(step.Seconds), step.Rate)
		}
	}
	return lines
}

// quantity writes how many times a field is asked for, and its price.
func (s PlanStep) quantity(field string) string {
	price, known := s.Prices[field]
	if !known {
		return Number(s.Fields[field])
	}
	paid := s.Fields[field] - s.Free[field]
	text := Textf("%d × $%s = $%s", paid, price, price.Times(paid))
	if s.Free[field] > 0 {
		text += Textf(", and %d free", s.Free[field])
	}
	return text
}

// unitsText writes what can be used of each meter, and what the accounts have left of it.
func unitsText(units []StepUnits, left bool) string {
	var parts []string
	for _, u := range units {
		text := Textf("%d of %s", u.Most, u.Meter)
		if left && u.Left != nil {
			text += Textf(" (%d left)", *u.Left)
		}
		if u.Price != nil {
			text += Textf(" at $%s", *u.Price)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
