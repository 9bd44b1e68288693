package checkview

import (
	"cmp"
	"strings"

	"payonce/conformance"
	"payonce/cost"
	"payonce/internal/report"
)

// Conformance says which rules of the specification the service keeps.
type Conformance struct {
	Agree     int                `json:"agree"`
	Differ    int                `json:"differ"`
	NotTested int                `json:"not_tested"`
	Spent     cost.Money         `json:"spent_usd"` // by all comparisons of this journal
	Held      cost.Money         `json:"held_usd"`
	Rules     conformance.Report `json:"rules"`
}

// ConformanceOf sums up a comparison, with what all comparisons have cost.
func ConformanceOf(rules conformance.Report, spent cost.Totals) *Conformance {
	return &Conformance{
		Agree: rules.Count(conformance.Agrees), Differ: rules.Count(conformance.Differs), NotTested: rules.Count(conformance.NotTested),
		Spent: spent.Settled.Money(), Held: spent.Held.Money(), Rules: rules,
	}
}

func (v *Conformance) Render(p *report.Page) {
	fromOutside := 0
	for _, f := range v.Rules {
		if !isLive(f) {
			continue
		}
		fromOutside++
		p.Finding(string(f.Result), f.Text, cmp.Or(f.Observed, f.Why))
	}
	p.Gap()
	p.Entryf("rules that agree", "%d", v.Agree)
	p.Entryf("that differ", "%d", v.Differ)
	p.Entryf("not tested", "%d, and %d that only a service can show that is set up for them", v.NotTested-len(v.Rules)+fromOutside, len(v.Rules)-fromOutside)
	p.Entryf("spent", "$%s, and $%s held", v.Spent, v.Held)
}

// isLive reports whether a rule can be tried from outside.
func isLive(f conformance.Finding) bool {
	return strings.HasPrefix(f.Rule, "live/") || strings.HasPrefix(f.Rule, "result/")
}
