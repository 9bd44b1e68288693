package pipeline

import (
	"cmp"
	"fmt"
	"strings"

	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// PlanDifferences are all that is not as it was planned, as an error that has each with both
// values.
type PlanDifferences struct {
	File  string // of the plan
	found []difference
}

// difference is one thing that is not as it was planned.
type difference struct{ what, planned, now string }

// Add adds something when it is not as it was planned.
func (d *PlanDifferences) Add(what, planned, now string) {
	if planned != now {
		d.found = append(d.found, difference{what, cmp.Or(planned, "none"), cmp.Or(now, "none")})
	}
}

// Err returns the differences, nil when there are none.
func (d *PlanDifferences) Err() error {
	if len(d.found) == 0 {
		return nil
	}
	return problem.AsUsage(d)
}

func (d *PlanDifferences) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "this is not what %s planned; nothing was sent\n", d.File)
	for _, f := range d.found {
		fmt.Fprintf(&text, "  %s: planned %s, now %s\n", f.what, report.Printable(f.planned), report.Printable(f.now))
	}
	text.WriteString("Run it as it was planned, or make a new plan and have that approved.")
	return text.String()
}
