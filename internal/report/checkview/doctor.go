// Package checkview shows checks of a workspace and of a service.
package checkview

import (
	"fmt"

	"payonce/internal/report"
)

// The results of a check.
const (
	CheckOK      = "ok"
	CheckWarning = "warning" // a run can start
	CheckProblem = "problem" // a run cannot start, or would be stopped
)

// Finding is what one check found.
type Finding struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do
}

// Diagnosis is what the checks found.
type Diagnosis struct {
	Usable   bool      `json:"usable"`
	Warnings int       `json:"warnings"`
	Problems int       `json:"problems"`
	Checks   []Finding `json:"checks"`
}

// DiagnosisOf sums up findings.
func DiagnosisOf(findings []Finding) *Diagnosis {
	view := &Diagnosis{Checks: findings}
	for _, f := range findings {
		switch f.Result {
		case CheckWarning:
			view.Warnings++
		case CheckProblem:
			view.Problems++
		}
	}
	view.Usable = view.Problems == 0
	return view
}

func (v *Diagnosis) Render(p *report.Page) {
	for _, f := range v.Checks {
		text := f.Found
		if f.Advice != "" {
			text += ". " + f.Advice
		}
		p.Entryf(fmt.Sprintf("%-8s %s", f.Result, f.Check), "%s", text) // one line each, for grep
	}
	p.Gap()
	switch {
	case !v.Usable:
		p.Linef("Not usable: %s, %s.", report.Counted(v.Problems, "problem"), report.Counted(v.Warnings, "warning"))
	case v.Warnings > 0:
		p.Linef("Usable, with %s.", report.Counted(v.Warnings, "warning"))
	default:
		p.Linef("Usable.")
	}
}
