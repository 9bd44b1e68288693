package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/pipeline/workspace"
)

// unknownUse begins what is told of an account that lost what the journal does not explain.
const unknownUse = "batch: since the last start the account lost "

// restoredBench is a list and a service, and a copy of the journal that can be put back.
type restoredBench struct{ *workbench }

func newRestoredBench(t *testing.T) restoredBench {
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	return restoredBench{newWorkbench(t, config, world.DefaultList(3, 200))}
}

// run spends so much in all, and returns what it tells.
func (b restoredBench) run(spend string) (stderr string) {
	b.t.Helper()
	_, stderr, code := b.try("run", b.path("list.csv"), "-o", b.path("out.csv"), "--yes", "--rate", "10000/1s", "--settle-delay", "0s", "--max-spend", spend)
	if code != exitCeiling {
		b.t.Fatalf("exit code %d\n%s", code, stderr)
	}
	return stderr
}

func (b restoredBench) copyJournal() {
	b.t.Helper()
	if err := os.CopyFS(b.path("copy"), os.DirFS(b.path("state"))); err != nil {
		b.t.Fatal(err)
	}
}

func (b restoredBench) restoreJournal() {
	b.t.Helper()
	if err := errors.Join(os.RemoveAll(b.path("state")), os.Rename(b.path("copy"), b.path("state"))); err != nil {
		b.t.Fatal(err)
	}
}

// TestAJournalFromAnOlderCopyIsReported: nothing in it says that more was bought since, but the
// account has less than it explains.
func TestAJournalFromAnOlderCopyIsReported(t *testing.T) {
	t.Parallel()
	b := newRestoredBench(t)
	const told = unknownUse + "$1.50 and 0 work_email, 0 business_phone that this journal does not explain"
	b.run("1.50")
	b.copyJournal()
	if stderr := b.run("3.00"); strings.Contains(stderr, unknownUse) {
		t.Errorf("the journal knows everything, and it says\n%s", stderr)
	}
	b.restoreJournal()
	if stderr := b.run("3.00"); !strings.Contains(stderr, told) {
		t.Errorf("it says\n%s\nwant %q", stderr, told)
	}
	if stderr := b.run("4.50"); strings.Contains(stderr, unknownUse) {
		t.Errorf("it was told, and it says again\n%s", stderr)
	}
}

// TestAComparisonTellsOfAnOlderCopy, for after it no run can tell any more.
func TestAComparisonTellsOfAnOlderCopy(t *testing.T) {
	t.Parallel()
	b := newRestoredBench(t)
	b.run("1.50")
	b.copyJournal()
	b.run("3.00")
	b.restoreJournal()
	if _, stderr, _ := b.try("conformance", "--rate", "10000/1s", "--max-spend", "1"); !strings.Contains(stderr, unknownUse+"$1.50 ") {
		t.Errorf("it says\n%s", stderr)
	}
}

// TestAnOlderCopyOfARunUnderWayIsReported: what was in flight explains a part of what is gone,
// and the look at the account that is to settle it begins the next base.
func TestAnOlderCopyOfARunUnderWayIsReported(t *testing.T) {
	t.Parallel()
	b := newRestoredBench(t)
	b.run("1.50")
	b.copyJournal()
	b.beginInCopy()
	b.run("3.00")
	b.restoreJournal()
	if stderr := b.run("3.00"); !strings.Contains(stderr, unknownUse+"$1.35 ") {
		t.Errorf("it says\n%s", stderr)
	}
}

// beginInCopy leaves a lookup in flight in the copy of the journal.
func (b restoredBench) beginInCopy() {
	b.t.Helper()
	copies, err := filepath.Glob(b.path("copy/*/default"))
	if err != nil || len(copies) != 1 {
		b.t.Fatalf("copies %q, error %v", copies, err)
	}
	j, err := workspace.OpenJournal(context.Background(), copies[0], workspace.Opening{Journal: checkpoint.Options{Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1000, Window: time.Second}, Now: time.Now}})
	if err != nil {
		b.t.Fatal(err)
	}
	decision, err := j.Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: enrich.Identity{ProfileURL: "https://pro-network.example/in/nobody-else"}, Fields: enrich.FieldsOf(v1.WorkEmail)},
		Run:    "another", Rates: v1.Tariff().At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
	})
	if err == nil {
		_, err = decision.(attempt.Granted).Ticket()
	}
	if err := errors.Join(err, j.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// TestAnExpiredBalanceIsNotReportedAsUseByOthers alone: at the end of a subscription the account
// loses what nobody has used.
func TestAnExpiredBalanceIsNotReportedAsUseByOthers(t *testing.T) {
	t.Parallel()
	b := newRestoredBench(t)
	b.run("1.50")
	if err := b.service.Workspace().EndSubscription(); err != nil {
		t.Fatal(err)
	}
	if stderr := b.run("3.00"); !strings.Contains(stderr, unknownUse+"$47.50 ") || !strings.Contains(stderr, "an included balance has expired") {
		t.Errorf("it says\n%s", stderr)
	}
}
