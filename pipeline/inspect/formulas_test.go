package inspect

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/workspace"
)

// TestFormulasInExportsAreText has an answer and request IDs that begin like formulas. It reads the ledger, the file for
// the service and the export of what prune erases, in both forms.
func TestFormulasInExportsAreText(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	check(s.OpenJournal(t.Context(), "test"))
	journal, err := registerSecond(s)
	check(err)
	begin := func(profile string) attempt.ID {
		t.Helper()
		decision, err := journal.Begin(attempt.Request{
			Lookup: enrich.Lookup{Identity: enrich.Identity{ProfileURL: profile}, Fields: enrich.FieldsOf(v2.FieldContact)},
			Run:    "second", Rates: cost.Rates{v2.FieldContact: {}},
		})
		check(err)
		granted, ok := decision.(attempt.Granted)
		if !ok {
			t.Fatalf("%#v", decision)
		}
		ticket, err := granted.Ticket()
		check(err)
		return ticket.ID
	}
	answered, err := v2.ReadAnswer(v2.OpEnrichEmployeeProfile,
		[]byte(`{"id":"7","full_name":"=1+1","email":"zoe@x.example","phone":"+49 171 5550100"}`), time.Now(), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	check(err)
	answered.RequestID = "@request"
	_, err = journal.Settle(begin("https://pro.example/in/zoe"), answered)
	check(err)
	check(journal.MarkInDoubt(begin("https://pro.example/in/abe"), attempt.LostCall{Cause: "=lost"}))
	check(s.Close())

	dir := t.TempDir()
	for _, raw := range []bool{false, true} {
		w.Env.Raw = raw
		var ledger bytes.Buffer
		_, err := Ledger(t.Context(), w, Period{}, &ledger)
		check(err)
		vendor, export := filepath.Join(dir, "vendor.csv"), filepath.Join(dir, "export.csv")
		_, err = w.Reconcile(t.Context(), pipeline.ReconcileOptions{Vendor: vendor})
		check(err)
		_, err = Expiring(t.Context(), w, time.Now().Add(time.Hour), export)
		check(err)
		read := func(path string) string {
			text, err := os.ReadFile(path)
			check(err)
			return string(text)
		}
		for name, file := range map[string]struct {
			text string
			has  []string
		}{
			"the ledger": {ledger.String(), []string{"@request"}},
			"vendor.csv": {read(vendor), []string{"@request"}},
			"export.csv": {read(export), []string{"=1+1", "+49 171 5550100"}},
		} {
			rows, err := csv.NewReader(strings.NewReader(file.text)).ReadAll()
			check(err)
			for _, cell := range file.has {
				if !raw && cell[0] != '+' {
					cell = "'" + cell
				}
				if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Contains(row, cell) }) {
					t.Errorf("raw: %t: no cell of %s is %q:\n%s", raw, name, cell, file.text)
				}
			}
		}
	}
}
