package pipeline

import (
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// countingElsewhere is a service that counts figures on the module of contacts. Its counters are far above zero.
func countingElsewhere(t *testing.T) *standingService {
	t.Helper()
	s := stand(t, func(c *sandbox.Config) {
		c.V2.Totals = maps.Clone(c.V2.Totals)
		for _, m := range kit.Modules() {
			c.V2.Totals[m] = 100_000
		}
		c.V2.Modules = map[string]kit.Module{"GET /financial/{id}": kit.Contacts}
	})
	for _, m := range []kit.Module{kit.Companies, kit.Contacts, kit.Financials} {
		if err := s.Second().Units().UseElsewhere(kit.UnitCharge{Module: m, Units: 50_000}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// noting keeps the notes that it is told.
type noting struct {
	silent
	mu    sync.Mutex
	texts []string
}

func (n *noting) Note(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
}

// TestACallThatAnotherModuleCountedIsNotSentAgain loses the response of one call. The counter of its assumed module
// does not move, and that of another one does.
func TestACallThatAnotherModuleCountedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := countingElsewhere(t)
	s.lost = func(path string, handle func()) bool {
		if path == "financial" {
			handle()
		}
		return path == "financial"
	}
	work := s.work(dir)
	work.Workspace.Services[1].Kept = checkpoint.Rate{}
	list := companyIDs(t, dir, "list.csv", 101, 101)
	for start := range 3 {
		ended, err := work.Run(t.Context(), runOf(list, "financials"), silent{})
		if err != nil || ended.Summary.InDoubt != 1 {
			t.Fatalf("start %d: %+v, %v", start+1, ended, err)
		}
	}
	const why = "no answered call has shown yet which module counts financials"
	reason := cells(t, filepath.Join(dir, "out.csv"))[0]["enrich_reason"]
	if calls := s.calls("financial"); calls != 1 || !strings.Contains(reason, why) {
		t.Errorf("%d requests; the row says %q", calls, reason)
	}
	found, err := work.Reconcile(t.Context(), ReconcileOptions{})
	if err != nil || found.InDoubt != 1 || len(found.Cases) != 1 || !strings.Contains(found.Cases[0].Cause, why) {
		t.Errorf("%+v, %v", found, err)
	}
	counted := int64(0)
	for _, r := range s.Second().Units().Records() {
		if r.Number > 0 {
			counted += r.Units
		}
	}
	if counted != 1 {
		t.Errorf("%d units", counted)
	}
}

// TestUnitsThatAnotherModuleCountedAreShownAsSuch: they are not those of somebody else.
func TestUnitsThatAnotherModuleCountedAreShownAsSuch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := countingElsewhere(t)
	work := s.work(dir)
	ended, err := work.Run(t.Context(), runOf(companyIDs(t, dir, "list.csv", 101, 103), "financials"), silent{})
	if err != nil {
		t.Fatal(err)
	}
	want := []report.Misplaced{{Module: "financials", Units: 3, CountedOn: "contacts"}}
	if ended.Summary.Drift == nil || len(ended.Summary.Drift.Units) > 0 || !cmp.Equal(want, ended.Summary.Drift.Misplaced) {
		t.Fatalf("the summary has the drift %+v", ended.Summary.Drift)
	}
	const text = "units that were booked as 3 of financials were counted on contacts: the service counts these calls on another " +
		"module than is assumed, unless its counters began again and somebody else used it since"
	if got := ended.Summary.Drift.String(); got != text {
		t.Errorf("%q", got)
	}
	place := &workspace.Session{Options: work.Workspace, Env: work.Env}
	if err := place.Read(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	run, found, err := place.Journal.Run(ended.Summary.Run)
	place.Close()
	recorded := []checkpoint.ModuleDrift{{Account: 1, Module: "financials", Units: 3, CountedOn: "contacts"}}
	if diff := cmp.Diff(recorded, run.ModuleDrifts); err != nil || !found || diff != "" {
		t.Errorf("%v, the record of the run has\n%s", err, diff)
	}
	// The next start says it, too.
	notes := &noting{}
	work.Observer = notes
	if _, err := work.Run(t.Context(), runOf(companyIDs(t, dir, "other.csv", 104, 104), "financials"), silent{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(notes.texts, "\n"); !strings.Contains(got, text) || strings.Contains(got, "does not explain") {
		t.Errorf("the next start says %q", got)
	}
}
