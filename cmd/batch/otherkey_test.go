package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	sandboxv2 "payonce/io/sandbox/v2"
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

// A key that the journal does not know is tried first, free of charge. One that the service refuses is mistyped, and
// nobody is asked whether it belongs to the workspace. Neither key and no silence of the service lets a paid call out.
func TestAnUnknownKeyIsTriedBeforeAnythingIsOffered(t *testing.T) {
	t.Parallel()
	const wrong, another = "mistyped-key", "another-valid-key"
	for name, test := range map[string]struct {
		key, address, variable, fields, list, more, limit, invalid string // more is a row that would be paid for
	}{
		"v1": {sandbox.DefaultKey, "/api/v1", "SERVICE", "email", "first_name,last_name,company\nAnn,Lee,Acme\n", "Bob,Ray,Acme\n", "--max-spend=3", "set SERVICE_API_KEY to a valid key"},
		"v2": {sandboxv2.DefaultKey, "/v2", "SERVICE_V2", "company", "company_id\n101\n", "102\n", "--max-units=companies=3", "set SERVICE_V2_API_KEY to a valid key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, err := workspace.ServeSandbox(sandbox.DefaultConfig(), "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer service.Close()
			var down, seen atomic.Bool
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Store(true)
				if down.Load() {
					panic(http.ErrAbortHandler) // the connection ends without a response
				}
				for header, values := range r.Header {
					r.Header.Set(header, strings.ReplaceAll(values[0], another, test.key))
				}
				service.Service.Handler().ServeHTTP(w, r)
			}))
			defer front.Close()
			dir := t.TempDir()
			list := filepath.Join(dir, "list.csv")
			if err := os.WriteFile(list, []byte(test.list), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(key, rows string) (string, int) {
				if err := os.WriteFile(list, []byte(test.list+rows), 0o600); err != nil {
					t.Fatal(err)
				}
				seen.Store(false)
				_, stderr, code := executeIn(t.Context(), quietEnvironment(map[string]string{
					test.variable + "_BASE_URL": front.URL + test.address, test.variable + "_API_KEY": key, "BATCH_STATE": filepath.Join(dir, "state"),
				}), "run", list, "--name", "run", "--yes", test.limit, "--fields="+test.fields)
				return stderr, code
			}
			if stderr, code := run(test.key, ""); code != exitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			stderr, code := run(wrong, test.more)
			if code != exitRefused || !strings.Contains(stderr, test.invalid) || strings.Contains(stderr, "--same-workspace") || !seen.Load() {
				t.Errorf("a mistyped key: exit code %d\n%s", code, stderr)
			}
			stderr, code = run(another, test.more)
			if code != exitUsage || !strings.Contains(stderr, "made with another API key; if the key was rotated, so that both keys are of one account, give --same-workspace once") {
				t.Errorf("another valid key: exit code %d\n%s", code, stderr)
			}
			down.Store(true)
			stderr, code = run(wrong, test.more)
			if code != exitUsage || !strings.Contains(stderr, "could not be checked") || !strings.Contains(stderr, "nothing was sent") || strings.Contains(stderr, "--same-workspace") {
				t.Errorf("a service that does not answer: exit code %d\n%s", code, stderr)
			}
			down.Store(false)
			stdout, _, _ := executeIn(t.Context(), quietEnvironment(map[string]string{
				test.variable + "_BASE_URL": front.URL + test.address, test.variable + "_API_KEY": test.key, "BATCH_STATE": filepath.Join(dir, "state"),
			}), "ledger", "--json")
			if !strings.Contains(stdout, `"attempts": 1,`) {
				t.Errorf("the first run alone sends a paid call:\n%s", stdout)
			}
		})
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
