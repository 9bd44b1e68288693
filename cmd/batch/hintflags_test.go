package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"payonce/cost"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// parsed returns the place of a command line.
func parsed(t *testing.T, args ...string) hintFlags {
	t.Helper()
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.Bool("sandbox", false, "")
	for _, name := range []string{"config", "base-url", "base-url-v2", "state", "workspace", "max-spend"} {
		flags.String(name, "", "")
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return hintFlagsOf(flags)
}

// A command of a hint is about the workspace of the command that failed.
func TestCommandsOfHintsNameTheWorkspace(t *testing.T) {
	t.Parallel()
	hints := parsed(t, "--sandbox", "--state", "a b", "--workspace=eu", "--max-spend", "3", "--base-url", "https://u:secret@a.example")
	if want := hintFlags(" --sandbox --state 'a b' --workspace eu"); hints != want {
		t.Errorf("%q, not %q", hints, want)
	}
	hints = parsed(t, "--base-url", "https://a.example/api/v1", "--base-url-v2", "https://b.example/v2")
	if want := hintFlags(" --base-url https://a.example/api/v1 --base-url-v2 https://b.example/v2"); hints != want {
		t.Errorf("%q, not %q", hints, want)
	}
	hints = parsed(t, "--workspace", "eu", "--config", "our lists.yaml")
	if want := hintFlags(" --config 'our lists.yaml' --workspace eu"); hints != want {
		t.Errorf("%q, not %q", hints, want)
	}
	if got, want := hints.For("no_such_run"), `; "batch runs --config 'our lists.yaml' --workspace eu" lists them`; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	hints = parsed(t, "--sandbox")
	for hint, want := range map[string]string{
		hints.For("no_such_run"):         `; "batch runs --sandbox" lists them`,
		hints.For("plan_file"):           `; make a new one with "batch plan --sandbox LIST --out FILE"`,
		hints.For("chmod", "batch runs"): `It holds people's data: chmod 700 'batch runs'`,
		hints.For("journal_damaged"):     hintOf("journal_damaged"),
		parsed(t).For("no_such_run"):     `; "batch runs" lists them`,
		hints.After(problem.Coded("not_in_doubt", "attempt 7 is not in doubt")): `; "batch reconcile --sandbox" shows those that are`,
	} {
		if hint != want {
			t.Errorf("%q, not %q", hint, want)
		}
	}
	advice := hints.Advice(&report.RunSummary{InDoubt: 1}, nil, time.Time{})
	if !strings.Contains(advice, "\n  batch reconcile --sandbox --vendor in-doubt.csv\n") {
		t.Error(advice)
	}
}

func TestOptionsForLookupsInDoubtAreCompleteCommands(t *testing.T) {
	t.Parallel()
	found := &report.Reconciliation{InDoubt: 2, Held: 15 * cost.Cent, Cases: []report.DoubtCase{{Attempt: 2}, {Attempt: 3, Decided: true}, {Attempt: 4}}}
	var commands []string
	for _, option := range parsed(t, "--sandbox").Options(found) {
		commands = append(commands, option.Name)
		commands = append(commands, option.Commands...)
	}
	want := []string{
		"wait", "ask", "batch reconcile --sandbox --vendor in-doubt.csv",
		"assume", "batch reconcile --sandbox --assume charged 2 4", "batch reconcile --sandbox --assume not-charged 2 4",
	}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Error(diff)
	}
	for range fewAttempts { // a command without attempts decides all
		found.Cases = append(found.Cases, report.DoubtCase{Attempt: 9})
	}
	if options := hintFlags("").Options(found); options[2].Commands[0] != "batch reconcile --assume charged" {
		t.Errorf("%+v", options)
	}
	if options := hintFlags("").Options(&report.Reconciliation{}); options != nil {
		t.Errorf("%+v", options)
	}
}
