package jobs

import (
	"path/filepath"
	"testing"

	"payonce/cost"
)

// TestTheCommandThatApprovesNamesTheJobsFile: an alert is read elsewhere.
func TestTheCommandThatApprovesNamesTheJobsFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "of the team")
	const command = "batch jobs run nightly --occurrence 2026-11-22T02:30 --approve 0.60"
	for path, want := range map[string]string{
		defaultFile:                     command,
		filepath.Join(dir, "jobs.yaml"): command + " --file '" + filepath.Join(dir, "jobs.yaml") + "'",
	} {
		if got := approvalIn(path)("nightly", "2026-11-22T02:30", 60*cost.Cent); got != want {
			t.Errorf("for %s: %s, want %s", path, got, want)
		}
	}
}
