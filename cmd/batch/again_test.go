package main

import (
	"testing"

	"payonce/checkpoint"
	"payonce/pipeline/report"
)

// The command that goes on with a run works in any directory. A command of which a part is not recorded is not given.
func TestTheResumeCommandWorksInAnyDirectory(t *testing.T) {
	t.Parallel()
	run := report.ReportedRun{Run: "trial", List: "/data/lists/a list.csv", Output: "/data/out/list.csv"}
	const sandbox = hintFlags(" --sandbox --workspace 'my own'")
	for _, test := range []struct{ started, want string }{
		{
			"batch run 'a list.csv' --max-spend=3.00 --output=../out/list.csv --sandbox=true",
			"cd /data/lists && batch run 'a list.csv' --max-spend=3.00 --output=../out/list.csv --sandbox=true --workspace 'my own'",
		},
		{
			"batch run '/data/lists/a list.csv' --max-spend=3.00 --output=list.csv",
			"cd /data/out && batch run '/data/lists/a list.csv' --max-spend=3.00 --output=list.csv --sandbox --workspace 'my own'",
		},
		{
			"batch run --plan=plan.json --output=./out/list.csv --workspace=other",
			"cd /data && batch run --plan=plan.json --output=./out/list.csv --workspace=other --sandbox",
		},
		{"batch run list.csv --max-spend=3.00 '[not recorded]'", ""},
		{"batch run demo.csv --job=nightly --name=nightly-2026-11-27 --wait=24h0m0s", ""}, // of a jobs file
	} {
		if got := sandbox.OfReport("again_command", run, &checkpoint.Start{Command: test.started}); got != test.want {
			t.Errorf("%s\ngoes on with %s\nwant          %s", test.started, got, test.want)
		}
	}
	if got := sandbox.OfReport("again_command", run, (*checkpoint.Start)(nil)); got != "" {
		t.Errorf("a run without a recorded start goes on with %s", got)
	}
	if got := sandbox.OfReport("reconcile_command"); got != "batch reconcile --sandbox --workspace 'my own'" {
		t.Error(got)
	}
}
