package jobs

import (
	"testing"

	"payonce/cost"
)

// TestCommandsOfAlertsNameJobsAndWorkspaces: an alert is read elsewhere, and a path can hold the name of a person.
func TestCommandsOfAlertsNameJobsAndWorkspaces(t *testing.T) {
	t.Parallel()
	c := commands()
	for got, want := range map[string]string{
		c.Approve("nightly", "2026-11-22T02:30", 60*cost.Cent): "batch jobs run nightly --occurrence 2026-11-22T02:30 --approve 0.60",
		c.Approve("nightly", "2026-11-22T02:30", 0):            "batch jobs run nightly --occurrence 2026-11-22T02:30 --approve USD",
		c.Reconcile("team"): "batch reconcile --workspace team",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
