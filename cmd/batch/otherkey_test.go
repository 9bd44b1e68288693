package main

import (
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
	"payonce/pipeline/workspace"
)

// A key of another workspace shows another account, which proves nothing about
// this journal's doubts: reconcile refuses it as run does.
func TestReconcileRefusesAnotherKey(t *testing.T) {
	t.Parallel()
	service, err := workspace.ServeSandbox(sandbox.DefaultConfig(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	vars := map[string]string{"SERVICE_BASE_URL": service.BaseURL("v1"), "SERVICE_API_KEY": sandbox.DefaultKey, "BATCH_STATE": t.TempDir()}
	env := quietEnvironment(vars)
	leaveDoubt(t, env, "the key of another workspace")
	_, stderr, code := executeIn(t.Context(), env, "reconcile", "--settle-delay", "0s")
	if code != exitUsage || !strings.Contains(stderr, "made with another API key") {
		t.Errorf("exit code %d, want %d\n%s", code, exitUsage, stderr)
	}
	_, stderr, code = executeIn(t.Context(), env, "reconcile", "--settle-delay", "0s", "--same-workspace")
	if code != exitDoubt && code != exitDone {
		t.Errorf("confirmed, exit code %d\n%s", code, stderr)
	}
}

// leaveDoubt leaves an attempt in flight in the journal, as a crash would.
func leaveDoubt(t *testing.T, env environment, key string) {
	t.Helper()
	options := newOptions(env)
	dir, err := options.workspace().Dir()
	if err != nil {
		t.Fatal(err)
	}
	journal, err := workspace.OpenJournal(t.Context(), dir, workspace.Opening{Journal: checkpoint.Options{Catalogue: v1.Catalogue(), Rate: options.workspace().Services[0].Kept, Now: time.Now}})
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.RecordAPIKey(key); err != nil {
		t.Fatal(err)
	}
	decision, err := journal.Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: enrich.Identity{ProfileURL: "https://pro.example/in/ada"}, Fields: enrich.FieldsOf(v1.WorkEmail)},
		Run:    "run", Rates: v1.Tariff().At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decision.(attempt.Granted).Ticket(); err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
}
