package main

import (
	"cmp"
	"strings"

	"payonce/checkpoint"
	"payonce/conformance"
	"payonce/cost"
)

// conformanceView is the report for machines.
type conformanceView struct {
	Agree     int                `json:"agree"`
	Differ    int                `json:"differ"`
	NotTested int                `json:"not_tested"`
	Spent     cost.Money         `json:"spent_usd"` // by all comparisons of this journal
	Held      cost.Money         `json:"held_usd"`
	Rules     conformance.Report `json:"rules"`
}

func (s *session) printConformance(report conformance.Report) error {
	spent := s.totals(checkpoint.RunScope(conformanceRun))
	view := conformanceView{
		Agree: report.Count(conformance.Agrees), Differ: report.Count(conformance.Differs), NotTested: report.Count(conformance.NotTested),
		Spent: spent.Settled, Held: spent.Held, Rules: report,
	}
	if s.json {
		return printJSON(s.env.stdout, view)
	}
	p := &printer{w: s.env.stdout}
	fromOutside := 0
	for _, f := range report {
		if !isLive(f) {
			continue
		}
		fromOutside++
		p.finding(f)
	}
	p.line("")
	p.entry("rules that agree", "%d", view.Agree)
	p.entry("that differ", "%d", view.Differ)
	p.entry("not tested", "%d, and %d that only a service can show that is set up for them", view.NotTested-len(report)+fromOutside, len(report)-fromOutside)
	p.entry("spent", "$%s, and $%s held", view.Spent, view.Held)
	return p.err
}

// isLive reports whether a rule can be tried from outside.
func isLive(f conformance.Finding) bool {
	return strings.HasPrefix(f.Rule, "live/") || strings.HasPrefix(f.Rule, "result/")
}

// finding prints a rule and below it what was seen, or why nothing was.
func (p *printer) finding(f conformance.Finding) {
	const margin = 12
	for i, text := range wrapped(strings.Fields(f.Text), lineWidth-margin) {
		name := ""
		if i == 0 {
			name = string(f.Result)
		}
		p.line("%-*s%s", margin, name, text)
	}
	for _, text := range wrapped(strings.Fields(cmp.Or(f.Observed, f.Why)), lineWidth-margin-2) {
		p.line("%-*s%s", margin+2, "", text)
	}
}
