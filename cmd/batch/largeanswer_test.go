package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/pipeline/report"
)

// enlarged is a service whose names and emails are absurdly long.
func enlarged(t *testing.T, service http.Handler) http.Handler {
	long := strings.Repeat("<long>", 40_000)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/contacts/") {
			service.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		result := decode[map[string]any](t, recorder.Body.String())
		if data, ok := result["data"].(map[string]any); ok {
			for _, name := range []string{"full_name", "work_email"} {
				if value, ok := data[name].(string); ok {
					data[name] = value + long
				}
			}
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(text)
	})
}

// TestLargeAnswersAreDurable has many answers at a time that no commit of the journal
// would take as they are: all are kept and paid for once.
func TestLargeAnswersAreDurable(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.UnknownRate, config.MatchRates = 0, enrich.ByField[float64]{1, 1}
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	b := newWorkbench(t, config, world.DefaultList(3, 40))
	server := httptest.NewServer(enlarged(t, b.service.Handler()))
	defer server.Close()
	b.url = server.URL + "/api/v1"
	flags := []string{"--max-spend", "100", "--rate", "10000/1s", "--concurrency", "64", "--json", "--yes", "-o", b.path("out.csv")}
	run := decode[report.RunSummary](t, b.batch("run", flags...))
	if run.Spent != b.service.Ledger().Charged || run.Lookups == 0 {
		t.Errorf("%d lookups for $%s, and the service charged $%s", run.Lookups, run.Spent, b.service.Ledger().Charged)
	}
	if again := decode[report.RunSummary](t, b.batch("run", flags...)); again.Posts != 0 {
		t.Errorf("running it again sent %d lookups", again.Posts)
	}
	output, err := os.ReadFile(b.path("out.csv"))
	if err != nil || strings.Count(string(output), "<long>…") == 0 || len(output) > 100_000 {
		t.Errorf("an output of %d bytes, error %v; want values that are cut", len(output), err)
	}
	if stdout, stderr, code := b.try("journal", "check"); code != exitDone {
		t.Errorf("journal check: exit code %d\n%s%s", code, stdout, stderr)
	}
}
