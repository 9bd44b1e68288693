package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/cost"
)

// PlanStep is one step of a run, as a plan shows it.
type PlanStep struct {
	Step      string           `json:"step"`
	Interface string           `json:"interface"`
	Lookups   int64            `json:"lookups"`
	UpTo      bool             `json:"up_to,omitempty"` // earlier steps may leave fewer
	Fields    map[string]int64 `json:"fields"`          // how many lookups ask for each
	// Prices are those of a returned field, where the interface takes money.
	Prices  map[string]cost.Money `json:"prices_usd,omitempty"`
	Maximum cost.Money            `json:"maximum_usd"`
	Units   []PlanUnits           `json:"units,omitempty"`
	Seconds int64                 `json:"seconds"`
	Rate    string                `json:"rate"`
}

// PlanUnits says what a step can use of a meter that is not money.
type PlanUnits struct {
	Meter string `json:"meter"`
	Most  int64  `json:"most"`
	Left  *int64 `json:"left"` // of the account; null when it does not show that
}

// lookupsOfSteps returns how many lookups the steps have together.
func (v *Plan) lookupsOfSteps() (lookups int64) {
	if len(v.Steps) == 0 {
		return v.Rows.Lookup
	}
	for _, s := range v.Steps {
		lookups += s.Lookups
	}
	return lookups
}

// printSteps shows each step: its lookups, what they cost and use at most, and how long they take.
func (v *Plan) printSteps(p *page) {
	for i, s := range v.Steps {
		p.entry(fmt.Sprintf("step %d", i+1), "%s", s.Step)
		many := Lookups(s.Lookups)
		if s.UpTo {
			many = "up to " + many
		}
		p.prose("  lookups", "%s", many)
		for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
			text := fmt.Sprint(s.Fields[name])
			if price, known := s.Prices[name]; known {
				text += fmt.Sprintf(" × $%s", price)
			}
			p.prose("  "+name, "%s", text)
		}
		if len(s.Prices) > 0 {
			p.prose("  at most", "$%s", s.Maximum)
		}
		var units []string
		for _, u := range s.Units {
			text := fmt.Sprintf("%d of %s", u.Most, u.Meter)
			if u.Left != nil {
				text += fmt.Sprintf(" (%d left)", *u.Left)
			}
			units = append(units, text)
		}
		if len(units) > 0 {
			p.prose("  units at most", "%s", strings.Join(units, ", "))
		}
		if s.Lookups > 0 {
			p.prose("  time", "at least %s at %s", time.Duration(s.Seconds)*time.Second, s.Rate)
		}
	}
}

// takesMoney reports whether a step is paid for with money.
func (v *Plan) takesMoney() bool {
	return len(v.Steps) == 0 || slices.ContainsFunc(v.Steps, func(s PlanStep) bool { return len(s.Prices) > 0 })
}
