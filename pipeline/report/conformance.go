package report

import (
	"cmp"

	"payonce/cost"
	"payonce/io/conformance"
)

// Conformance says which rules of the specification the service keeps.
type Conformance struct {
	Agree     int                `json:"agree"`
	Differ    int                `json:"differ"`
	NotTested int                `json:"not_tested"`
	Spent     cost.Money         `json:"spent_usd"` // by all comparisons of this journal
	Held      cost.Money         `json:"held_usd"`
	Units     []ConformanceUnits `json:"units,omitempty"` // of v2, by all comparisons of this journal
	Rules     conformance.Report `json:"rules"`
}

// ConformanceUnits are what comparisons have used and hold of a module.
type ConformanceUnits struct {
	Module string `json:"module"`
	Used   int64  `json:"used"`
	Held   int64  `json:"held"`
}

// Add adds what was found of more rules.
func (v *Conformance) Add(found conformance.Report) {
	v.Agree += found.Count(conformance.Agrees)
	v.Differ += found.Count(conformance.Differs)
	v.NotTested += found.Count(conformance.NotTested)
	v.Rules = append(v.Rules, found...)
}

// ConformanceOf sums up a comparison, with what all comparisons have cost.
func ConformanceOf(found conformance.Report, spent cost.Totals) *Conformance {
	return &Conformance{
		Agree: found.Count(conformance.Agrees), Differ: found.Count(conformance.Differs), NotTested: found.Count(conformance.NotTested),
		Spent: spent.Settled.Money(), Held: spent.Held.Money(), Rules: found,
	}
}

func (v *Conformance) Render(p *Page) {
	fromOutside := 0
	for _, f := range v.Rules {
		if !f.FromOutside() {
			continue
		}
		fromOutside++
		p.Result(string(f.Result), f.Text, cmp.Or(f.Observed, f.Why))
	}
	p.Gap()
	p.Entryf("rules that agree", "%d", v.Agree)
	p.Entryf("that differ", "%d", v.Differ)
	p.Entryf("not tested", "%d, and %d that only a service can show that is set up for them", v.NotTested-len(v.Rules)+fromOutside, len(v.Rules)-fromOutside)
	p.Entryf("spent", "$%s, and $%s held", v.Spent, v.Held)
	for _, u := range v.Units {
		p.Entryf("units of "+u.Module, "%d used, and %d held", u.Used, u.Held)
	}
}
