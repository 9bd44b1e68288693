package main

import (
	"fmt"
	"strings"

	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// vendorFile is the name of the file for the service in the commands of hints.
const vendorFile = "in-doubt.csv"

// fewAttempts is how many attempts a command names. One without attempts decides all.
const fewAttempts = 5

// Options returns what can be done about the lookups that are still in doubt; nil for none.
func (h hintFlags) Options(found *report.Reconciliation) []report.DoubtOption {
	if found.InDoubt == 0 {
		return nil
	}
	which := ""
	if open := found.Open(); len(open) <= fewAttempts {
		for _, c := range open {
			which += fmt.Sprintf(" %d", c.Attempt)
		}
	}
	reconcile := "batch reconcile" + string(h)
	return []report.DoubtOption{
		{Name: "wait", Effect: "They keep their hold and are not sent again. If nothing else spends from the account, give --exclusive."},
		{
			Name: "ask", Effect: "The service knows which were charged. The file has their times, request IDs and what the account lost.",
			Commands: []string{reconcile + " --vendor " + vendorFile},
		},
		{
			Name:     "assume",
			Effect:   fmt.Sprintf("Charged: they count as paid, up to %s. Not charged: they may be sent again, and be paid twice.", found.Holding()),
			Commands: []string{reconcile + " --assume charged" + which, reconcile + " --assume not-charged" + which},
		},
	}
}

// awaitsDoubts reports whether rows of a run wait for lookups in doubt: of the run, or of another one.
func awaitsDoubts(view *report.RunSummary) bool {
	return view.InDoubt > 0 || view.Rows[string(scan.StatusInDoubt)] > 0
}

// adviceOnDoubts says what to do about lookups in doubt for which a run waits; "" for none.
func (h hintFlags) adviceOnDoubts(view *report.RunSummary) string {
	if !awaitsDoubts(view) {
		return ""
	}
	what := "The responses to " + report.Lookups(view.InDoubt) + " were lost."
	if view.InDoubt == 0 {
		what = "The responses to lookups of other runs, for " + report.Counted(view.Rows[string(scan.StatusInDoubt)], "row") + " of this one, were lost."
	}
	why := "The account proves no more: others may have spent from it. If nothing else spends from it, give --exclusive next time."
	if view.Exclusive {
		why = "The account cannot tell which of them were charged."
	}
	reconcile := "batch reconcile" + string(h)
	lines := []string{
		what + " They may have been charged, so they are not sent again.",
		why,
		"Wait, ask the service, or decide:",
		"  " + reconcile,
		"  " + reconcile + " --vendor " + vendorFile,
		"  " + reconcile + " --assume charged|not-charged",
	}
	return strings.Join(lines, "\n")
}
