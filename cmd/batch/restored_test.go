package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"payonce/internal/lists"
	"payonce/sandbox"
)

// TestAJournalFromAnOlderCopyIsTold: nothing in it says that more was bought since, but the
// account has less than it explains.
func TestAJournalFromAnOlderCopyIsTold(t *testing.T) {
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	b := newWorkbench(t, config, lists.Default(3, 200))
	run := func(spend string) string {
		t.Helper()
		_, stderr, code := b.try("run", b.path("list.csv"), "-o", b.path("out.csv"), "--yes", "--rate", "10000/1s", "--max-spend", spend)
		if code != exitCeiling {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		return stderr
	}
	const told = "batch: since this journal was used last the account lost $1.50 and 0 work_email, 0 business_phone that it knows nothing of"
	run("1.50")
	if err := os.CopyFS(b.path("copy"), os.DirFS(b.path("state"))); err != nil {
		t.Fatal(err)
	}
	if stderr := run("3.00"); strings.Contains(stderr, "knows nothing of") {
		t.Errorf("the journal knows everything, and it says\n%s", stderr)
	}
	if err := os.RemoveAll(b.path("state")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(b.path("copy"), b.path("state")); err != nil {
		t.Fatal(err)
	}
	if stderr := run("3.00"); !strings.Contains(stderr, told) {
		t.Errorf("it says\n%s\nwant %q", stderr, told)
	}
	if stderr := run("4.50"); strings.Contains(stderr, "knows nothing of") {
		t.Errorf("it was told, and it says again\n%s", stderr)
	}
}
