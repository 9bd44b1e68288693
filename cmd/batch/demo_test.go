package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox/world"
)

// demoSpec describes the list that ships with the program: every kind of row, and
// a spend below the 40 USD that the demonstration allows.
func demoSpec() world.ListSpec {
	return world.ListSpec{
		Seed: 20, Rows: 300,
		DuplicateShare: 0.08,
		ProfileShare:   0.5, WebsiteShare: 0.25, UnidentifiableShare: 0.04,
		FilledEmailShare: 0.35, FilledPhoneShare: 0.3,
		UnicodeShare: 0.15, QuotedNewlineShare: 0.05,
	}
}

// demoDir is where the list and its golden files are.
func demoDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDemoListIsReproducible(t *testing.T) {
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, demoSpec()); err != nil {
		t.Fatal(err)
	}
	golden(t, "demo.csv", list.Bytes())
}

func TestDemoGoldenFiles(t *testing.T) {
	dir, work := demoDir(t), t.TempDir()
	list, out := filepath.Join(dir, "demo.csv"), filepath.Join(work, "out.csv")
	// One lookup at a time: which of them the free allowance pays is then certain.
	flags := []string{
		list, "--name", "demo", "--fields", "email,phone", "--max-spend", "40.00", "--sandbox",
		"--rate", "1000/1s", "--concurrency", "1", "--state", filepath.Join(work, "state"),
	}
	mask := masker(dir, work)
	for _, step := range []struct {
		name string
		args []string
	}{
		{"demo.plan.txt", []string{"plan"}},
		{"demo.plan.json", []string{"plan", "--json"}},
		{"demo.summary.json", []string{"run", "--yes", "--json", "-o", out}},
		{"demo.again.txt", []string{"run", "--yes", "-o", out}},
	} {
		stdout, stderr, code := runHere(t, append(step.args, flags...)...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", step.args, code, stderr)
		}
		golden(t, step.name, mask([]byte(stdout)))
	}
	enriched, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "demo.enriched.csv", mask(enriched))
}

// masker replaces what differs from run to run: places, request IDs and times.
func masker(dir, work string) func([]byte) []byte {
	requestID := regexp.MustCompile(`req_lookup_\d+_[0-9a-f]+`)
	until := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC`)
	retrieved := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	places := strings.NewReplacer(dir, "testdata", work, "dist")
	return func(text []byte) []byte {
		text = requestID.ReplaceAll(text, []byte("REQUEST-ID"))
		text = retrieved.ReplaceAll(text, []byte("RETRIEVED-AT"))
		text = until.ReplaceAll(text, []byte("TIME"))
		return []byte(places.Replace(string(text)))
	}
}

// golden compares with a file of the shipped test data, and rewrites it on -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(demoDir(t), name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", name, diff)
	}
}

// runHere runs a command line in this process, where nobody can be asked.
func runHere(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return executeIn(t.Context(), quietEnvironment(nil), args...)
}
