package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/io/service/v1"
	"payonce/pipeline/workspace"
)

// TestTheOutputOfARunWithASheetOfATextIsWrittenAgain: earlier versions took --sheet also for a list that has no sheets,
// and recorded it. Nobody can take it out of the record.
func TestTheOutputOfARunWithASheetOfATextIsWrittenAgain(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("list.csv"), []byte("first_name,last_name,company_domain\nAda,Lovelace,acme.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := quietEnvironment(map[string]string{"BATCH_STATE": in("state")})
	run := func(args ...string) {
		t.Helper()
		if _, stderr, code := executeIn(t.Context(), env, append(args, "--sandbox")...); code != exitDone {
			t.Fatalf("%q ends with %d:\n%s", args, code, stderr)
		}
	}
	run("run", in("list.csv"), "--name", "spring", "-o", in("out.csv"), "--yes", "--max-spend", "3", "--rate", "1000/1s")

	options := newOptions(env)
	options.service.Sandbox = true
	state, err := options.workspace().Dir()
	if err != nil {
		t.Fatal(err)
	}
	journal, err := workspace.OpenJournal(t.Context(), state, workspace.Opening{Journal: checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1000, Window: time.Second}, Now: time.Now, Service: "sandbox/api/v1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	earlier, found, err := journal.Run("spring")
	if err != nil || !found {
		t.Fatalf("the record of the run: %t, %v", found, err)
	}
	earlier.Sheet = "People"
	if err := journal.SaveRun(earlier); err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}

	run("write", "spring", "-o", in("again.csv"))
	first, err := os.ReadFile(in("out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(in("again.csv")); err != nil || string(again) != string(first) {
		t.Errorf("the output is %q, want %q, error %v", again, first, err)
	}
	if _, stderr, code := executeIn(t.Context(), env, "write", "spring", "-o", in("third.csv"), "--sheet", "People", "--sandbox"); code != exitUsage {
		t.Errorf("a sheet that is given now ends with %d:\n%s", code, stderr)
	}
}
