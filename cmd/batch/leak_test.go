package main

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

const (
	leakKey        = "sk-live-7c1f0e-must-not-leak"
	leakJournalKey = "5ec2e700000000000000000000000000000000000000000000000000000000aa"
)

// leakRig runs commands against their own service and keeps all that they say.
type leakRig struct {
	t        *testing.T
	dir, url string
	key      string
	said     bytes.Buffer
}

func newLeakRig(t *testing.T, faults ...string) *leakRig {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.Key = leakKey
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	for _, text := range faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	t.Cleanup(func() {
		server.Close()
		service.Close()
	})
	r := &leakRig{t: t, dir: t.TempDir(), url: server.URL + "/api/v1", key: leakKey}
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, world.DefaultList(5, 60)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.path("list.csv"), list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *leakRig) path(name string) string { return filepath.Join(r.dir, name) }

// run runs one command line, whatever its exit code.
func (r *leakRig) run(args ...string) int {
	stdout, stderr, code := executeIn(r.t.Context(), quietEnvironment(map[string]string{
		"SERVICE_BASE_URL": r.url, "SERVICE_API_KEY": r.key, "BATCH_STATE": r.path("state"),
		journalKeyVariable: leakJournalKey, newJournalKeyVariable: leakJournalKey,
	}), args...)
	for _, said := range []string{stdout, stderr} {
		r.said.WriteString("$ batch " + args[0] + "\n" + said)
	}
	return code
}

// values returns the emails and phones that the list did not have and the output has.
func (r *leakRig) values(outputs ...string) map[string]bool {
	given, err := os.ReadFile(r.path("list.csv"))
	if err != nil {
		r.t.Fatal(err)
	}
	values := map[string]bool{}
	for _, output := range outputs {
		file, err := os.Open(r.path(output))
		if err != nil {
			r.t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			r.t.Fatal(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if (strings.Contains(cell, "@") || strings.HasPrefix(cell, "+")) && !bytes.Contains(given, []byte(cell)) {
					values[cell] = true
				}
			}
		}
	}
	return values
}

func TestNoMessageContainsAKeyOrAResult(t *testing.T) {
	r := newLeakRig(t, "lost-after:at=3", "truncated:at=7", "garbage:at=9", "proxy-page:at=11,happened=true", "no-body:at=13,happened=true")
	list := r.path("list.csv")
	run := []string{"run", list, "--name", "leak", "--fields", "email,phone", "--yes", "--rate", "10000/1s", "--settle-delay", "0s", "--concurrency", "1"}
	r.run("account")
	r.run("doctor")
	r.run("doctor", "--transport", "mcp", "--json")
	r.run("conformance", "--max-spend", "1", "--profile-url", "https://pro-network.example/in/ada-lovelace", "--fields", "email,phone", "--json")
	r.run("plan", list, "--fields", "email,phone")
	r.run(append(run, "--max-spend", "3", "-o", r.path("first.csv"))...)
	r.run(append(run, "--max-spend", "40", "-o", r.path("out.csv"), "--json", "--rejects", r.path("rejects.csv"))...)
	r.run("runs")
	r.run("show", "leak")
	r.run("show", "leak", "--json")
	r.run("write", "leak", "-o", r.path("again.csv"))
	r.run("reconcile", "--settle-delay", "0s")
	r.run("journal", "check")
	r.run("journal", "check", "--json")
	r.run("journal", "dump")
	values := r.values("first.csv", "out.csv", "again.csv")
	if len(values) < 20 {
		t.Fatalf("only %d results: the test shows nothing", len(values))
	}
	r.run("journal", "rekey")
	r.run("journal", "prune", "--keep-answers", "1d")
	r.key = leakKey + "-other" // a key that the service does not know
	r.run("doctor")
	r.run("doctor", "--transport", "mcp")
	r.run("conformance")
	r.run(append(run, "--max-spend", "40")...)
	r.run(append(run, "--max-spend", "40", "--same-workspace", "--reask-missing", "0s")...)
	r.run(append(run, "--max-spend", "40", "--same-workspace", "--reask-missing", "0s", "--transport", "mcp")...)
	r.run("account")
	r.run("account", "--transport", "mcp")
	r.damage()
	r.run(append(run, "--max-spend", "40")...)
	r.run("journal", "check")

	said := r.said.String()
	for _, secret := range []string{leakKey, leakJournalKey} {
		if strings.Contains(said, secret) {
			t.Errorf("the secret %s is said", secret)
		}
	}
	for value := range values {
		if strings.Contains(said, value) {
			t.Errorf("the result %s is said", value)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
	r.mustNotBeStored(leakKey, leakJournalKey)
}

// damage flips a byte of the journal.
func (r *leakRig) damage() {
	tables, err := filepath.Glob(r.path("state/*/default/store/*.sst"))
	if err != nil || len(tables) == 0 {
		r.t.Fatalf("no tables: %v", err)
	}
	data, err := os.ReadFile(tables[0])
	if err != nil {
		r.t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(tables[0], data, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// mustNotBeStored looks for secrets in every file that the commands wrote.
func (r *leakRig) mustNotBeStored(secrets ...string) {
	r.t.Helper()
	err := filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				r.t.Errorf("%s holds the secret %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}
