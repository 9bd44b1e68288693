package report

import (
	"fmt"
)

// The results of a check.
const (
	CheckOK      = "ok"
	CheckWarning = "warning" // a run can start
	CheckProblem = "problem" // a run cannot start, or would be stopped
)

// CheckResult is what one check found.
type CheckResult struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do
}

// Diagnosis is what the checks found.
type Diagnosis struct {
	Usable   bool          `json:"usable"`
	Warnings int           `json:"warnings"`
	Problems int           `json:"problems"`
	Checks   []CheckResult `json:"checks"`
}

// DiagnosisOf sums up the results of checks.
func DiagnosisOf(results []CheckResult) *Diagnosis {
	view := &Diagnosis{Checks: results}
	for _, f := range results {
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

func (v *Diagnosis) Render(p *Page) {
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
		p.Linef("Not usable: %s, %s.", Counted(v.Problems, "problem"), Counted(v.Warnings, "warning"))
	case v.Warnings > 0:
		p.Linef("Usable, with %s.", Counted(v.Warnings, "warning"))
	default:
		p.Linef("Usable.")
	}
}
