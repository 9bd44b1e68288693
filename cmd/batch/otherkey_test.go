package main

import (
	"strings"
	"testing"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cmd/batch/exit"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/workspace"
	"payonce/sandbox"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// A key of another workspace shows another account, which proves nothing about
// this journal's doubts: reconcile refuses it as run does.
func TestReconcileRefusesAnotherKey(t *testing.T) {
	t.Parallel()
	service, err := workspace.Serve(sandbox.DefaultConfig(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	vars := map[string]string{"SERVICE_BASE_URL": service.BaseURL, "SERVICE_API_KEY": sandbox.DefaultKey, "BATCH_STATE": t.TempDir()}
	env := quietEnvironment(vars)
	leaveDoubt(t, env, "the key of another workspace")
	_, stderr, code := executeIn(t.Context(), env, "reconcile", "--settle-delay", "0s")
	if code != exit.Usage || !strings.Contains(stderr, "made with another API key") {
		t.Errorf("exit code %d, want %d\n%s", code, exit.Usage, stderr)
	}
	_, stderr, code = executeIn(t.Context(), env, "reconcile", "--settle-delay", "0s", "--same-workspace")
	if code != exit.Doubt && code != exit.Done {
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
	journal, err := workspace.OpenJournal(t.Context(), dir, workspace.Opening{Journal: checkpoint.Options{Catalogue: v1fields.Catalogue(), Rate: options.service.Kept(), Now: time.Now}})
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.RememberAPIKey(key); err != nil {
		t.Fatal(err)
	}
	decision, err := journal.Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: enrich.Identity{ProfileURL: "https://pro.example/in/ada"}, Fields: enrich.FieldsOf(v1fields.WorkEmail)},
		Run:    "run", Rates: v1.Tariff().At(cost.Prices{v1fields.WorkEmail: 15 * cost.Cent}),
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
