package jobs

import (
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"payonce/checkpoint/record"
	"payonce/cost"
)

// TestSuggestedCommandsCanBePasted: a person pastes them. They name the jobs file unless a command finds it by itself.
func TestSuggestedCommandsCanBePasted(t *testing.T) {
	t.Parallel()
	absolute, err := filepath.Abs("night jobs/it's.yaml")
	if err != nil {
		t.Fatal(err)
	}
	other := Commands{File: fileOf("night jobs/it's.yaml"), Workspace: []string{"--workspace", "team", "--state", "/var/lib/my batch"}}
	own := Commands{File: fileOf("./jobs.yaml"), Workspace: []string{"--workspace", "team"}}
	const at = "2026-11-22T02:30"
	for got, want := range map[string]string{
		own.Approve("nightly", at, 60*cost.Cent):                       "batch jobs run nightly --occurrence 2026-11-22T02:30 --approve 0.60",
		own.Approve("nightly", at, 0):                                  "batch jobs run nightly --occurrence 2026-11-22T02:30 --approve USD",
		own.Resume("nightly"):                                          "batch jobs resume nightly",
		other.Resume("nightly"):                                        "batch jobs resume nightly --file '" + absolute[:len(absolute)-len("it's.yaml")] + `it'\''s.yaml'`,
		own.About(record.Occurrence{Job: "nightly", At: at}).Reconcile: "batch reconcile --workspace team",
		other.About(record.Occurrence{Job: "nightly", At: at}).Account: "batch account --workspace team --state '/var/lib/my batch'",
		Commands{File: "/j.yaml"}.Run("nightly", at):                   "batch jobs run nightly --occurrence 2026-11-22T02:30 --file /j.yaml",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestCommandsNameTheWorkspaceAndNoSecret: a command without the directory of the journals would be about others.
func TestCommandsNameTheWorkspaceAndNoSecret(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for name, value := range map[string]string{
		"workspace": "team", "state": "/srv/what?/#1", "base-url": "https://a.example/v1#key", "base-url-v2": "https://b.example/v2",
	} {
		flags.String(name, "", "")
		if err := flags.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	got := (&Job{Name: "nightly", Run: RunLine{Flags: flags}}).Commands().About(record.Occurrence{Job: "nightly"}).Account
	if want := "batch account --workspace team --state '/srv/what?/#1' --base-url-v2 https://b.example/v2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
