package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"payonce/io/sandbox"
)

// TestAnAnswerWithAnotherNameThanItsRowIsAMismatch runs a list on v1, and the service answers a lookup with the data of
// a person with a similar name. Its values are charged, and stay out of the row until they are accepted.
func TestAnAnswerWithAnotherNameThanItsRowIsAMismatch(t *testing.T) {
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.Window.Limit = 100_000
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		service.Handler().ServeHTTP(recorded, r)
		body := strings.ReplaceAll(recorded.Body.String(), `"Christian Weber"`, `"Christina Weber"`)
		for name, values := range recorded.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(recorded.Code)
		_, _ = io.WriteString(w, body) // the test fails when the client gets no answer
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, in("list.csv"), "First name,Last name,Website\nChristian,Weber,acme.example\nAnn,Lee,acme.example\n")
	env := quietEnvironment(map[string]string{"SERVICE_BASE_URL": server.URL + "/api/v1", "SERVICE_API_KEY": sandbox.DefaultKey})
	batch := func(args ...string) {
		t.Helper()
		if stdout, stderr, code := executeIn(t.Context(), env, append(args, "--state", in("state"))...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	batch("run", in("list.csv"), "-o", in("out.csv"), "--name", "names", "--fields", "email", "--max-spend", "5", "--rate", "100000/1s", "--yes")
	batch("write", "names", "-o", in("accepted.csv"), "--accept-mismatch")
	const differs = "name Christian Weber in the list, Christina Weber in the answer"
	for path, want := range map[string][2]string{
		"out.csv":      {"mismatch none  " + differs, "matched medium ann@acme.example "},
		"accepted.csv": {"matched none cweber@acme.example accepted: " + differs, "matched medium ann@acme.example "},
	} {
		for i, row := range csvRows(t, in(path)) {
			got := strings.Join([]string{row["enrich_status"], row["enrich_confidence"], row["work_email"], row["enrich_reason"]}, " ")
			if got != want[i] {
				t.Errorf("%s, row %d: %q, want %q", path, i+1, got, want[i])
			}
		}
	}
}
