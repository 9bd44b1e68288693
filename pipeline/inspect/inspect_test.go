package inspect

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// silent watches nothing and agrees to everything.
type silent struct{}

func (silent) Note(string)            {}
func (silent) Scanning() func()       { return func() {} }
func (silent) Copying(_, _ int64)     {}
func (silent) ReadingJournal() func() { return func() {} }
func (silent) Writing() func()        { return func() {} }
func (silent) Sending(pipeline.Sending) (func(pipeline.SentSoFar), func()) {
	return func(pipeline.SentSoFar) {}, func() {}
}
func (silent) Show(*report.Plan) error                         { return nil }
func (silent) CanAsk() bool                                    { return false }
func (silent) Confirm(context.Context, pipeline.Question) bool { return false }

// workspaceWithRun returns a workspace in which a run named "trial" has looked three people up.
func workspaceWithRun(t *testing.T) *pipeline.Work {
	t.Helper()
	dir, rate := t.TempDir(), checkpoint.Rate{Slots: 1000, Window: time.Second}
	w := &pipeline.Work{
		Env: workspace.Environment{Now: time.Now, Program: "test", Version: "0"},
		Workspace: workspace.Options{
			Journal: workspace.Journal{State: dir, Name: "default", NewKey: workspace.Key{From: "NEW_KEY"}}, Sandbox: true,
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, Timeout: time.Minute, Connections: 4, Rate: rate, Kept: rate}, {Provider: providerv2.Provider{}},
			},
		},
		Observer: silent{}, Explain: error.Error,
	}
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Acme\nCy,Doe,Gamma\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, err := w.Run(t.Context(), pipeline.RunOptions{
		List:   pipeline.List{Names: []string{list}, Run: "trial", Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
		Budget: pipeline.Budget{MaxSpend: new(3 * cost.Dollar)}, Pace: pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: filepath.Join(dir, "out.csv")}, Yes: true,
	}, silent{})
	if err != nil || ended.Stop != nil || ended.Summary.Posts != 3 {
		t.Fatalf("%+v, %v", ended, err)
	}
	return w
}

// What a run shows, the ledger and the sums of the journal are one amount.
func TestRunLedgerBudgetAndCheckAgreeOnTheSpend(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	run, err := Show(t.Context(), w, "trial")
	if err != nil {
		t.Fatal(err)
	}
	var rows bytes.Buffer
	ledger, err := Ledger(t.Context(), w, Period{}, &rows)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&rows).ReadAll()
	if err != nil || len(lines) != 4 || strings.Join(lines[0], ",") != "attempt,begun,ended,run,job,operation,identified_by,state,asked,returned,free_fields,"+
		"work_email_usd,business_phone_usd,charge_usd,request_id,reason" {
		t.Errorf("%d lines of the ledger, %v", len(lines), err)
	}
	check, err := Check(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := Budget(t.Context(), w, BudgetOptions{Offline: "not asked"})
	if err != nil {
		t.Fatal(err)
	}
	if run.Spent == 0 && run.FreeUsed.Get("work_email") == 0 {
		t.Error("the run took nothing")
	}
	if ledger.Charged != run.Spent || check.Totals.Settled != run.Spent || shown.Ceilings[0].Settled != run.Spent || ledger.Attempts != 3 || run.Lookups != 3 {
		t.Errorf("the run spent $%s in %d lookups, by the ledger $%s in %d, the check $%s, the budget $%s",
			run.Spent, run.Lookups, ledger.Charged, ledger.Attempts, check.Totals.Settled, shown.Ceilings[0].Settled)
	}
	if err := Damage(check); err != nil {
		t.Error(err)
	}
	if shown.Account != nil || shown.Why != "not asked" {
		t.Errorf("the account was read: %+v, %s", shown.Account, shown.Why)
	}
}

func TestBudgetOfOneJobShowsNoOther(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	if _, err := Budget(t.Context(), w, BudgetOptions{Budget: pipeline.Budget{Job: "other"}}); !isCoded(err, "no_such_job") {
		t.Errorf("%v", err)
	}
	shown, err := Budget(t.Context(), w, BudgetOptions{Budget: pipeline.Budget{Job: "trial", Daily: new(cost.Dollar)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range shown.Ceilings {
		if used.Name == provider.CeilingDaily && (used.Of != "job trial" || used.Limit == nil || *used.Limit != "1.00") {
			t.Errorf("%+v", used)
		}
	}
	if shown.Account == nil {
		t.Errorf("the account was not read: %s", shown.Why)
	}
}

func isCoded(err error, code string) bool {
	found, ok := errors.AsType[*problem.Error](err)
	return ok && found.Code == code
}

func TestAnUnknownRunIsAUsageError(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	if _, err := Show(t.Context(), w, "trail"); !problem.IsUsage(err) {
		t.Errorf("%v", err)
	}
	runs, err := Runs(t.Context(), w, RunsOptions{})
	if err != nil || len(runs.Runs) != 1 || runs.Runs[0].Run != "trial" || runs.Runs[0].Ended == nil {
		t.Errorf("%+v, %v", runs, err)
	}
}

// Whoever is forgotten is in no file of the journal any more, and the money stays on record.
func TestForgetErasesThePersonAndKeepsTheMoney(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	before, err := Check(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := w.Workspace.Dir()
	var dump bytes.Buffer
	if err := Dump(t.Context(), w, &dump, true); err != nil || !strings.Contains(dump.String(), "Lee") {
		t.Fatalf("Ann Lee is not in the dump; %v", err)
	}
	ann, _ := enrich.Contact{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}.Identify(enrich.ByName)
	erased, err := Forget(t.Context(), w, checkpoint.Person{Identity: ann}, confirming(func(found *report.Erasure) error {
		if held := found.Lookups; len(held) != 1 || held[0].Identity != "Ann Lee, Acme" {
			t.Errorf("asked about %+v", held)
		}
		return nil
	}))
	if err != nil || erased.Persons != 1 {
		t.Errorf("%+v, %v", erased, err)
	}
	dump.Reset()
	if err := Dump(t.Context(), w, &dump, true); err != nil || strings.Contains(dump.String(), "Lee") {
		t.Errorf("Ann Lee is still in %s; %v", dir, err)
	}
	after, err := Check(t.Context(), w)
	if err != nil || after.Totals.Settled != before.Totals.Settled || after.Erased == 0 || Damage(after) != nil {
		t.Errorf("%+v, %v", after, err)
	}
}

func TestRekeyNeedsANewKey(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	if _, err := Rekey(t.Context(), w); !problem.IsUsage(err) || !strings.Contains(err.Error(), "NEW_KEY") {
		t.Errorf("%v", err)
	}
	w.Workspace.Journal.NewKey.Text = strings.Repeat("0a", 32)
	if done, err := Rekey(t.Context(), w); err != nil || !done.Encrypted {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := Runs(t.Context(), w, RunsOptions{}); !isCoded(err, "encryption_key") {
		t.Errorf("without the key: %v", err)
	}
	w.Workspace.Journal.Key = w.Workspace.Journal.NewKey
	if _, err := Runs(t.Context(), w, RunsOptions{}); err != nil {
		t.Error(err)
	}
}

// A ledger never takes the place of a list or an output.
func TestLedgerRefusesFilesOfRuns(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	for _, name := range []string{"list.csv", "out.csv"} {
		path := filepath.Join(w.Workspace.Journal.State, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = LedgerFile(t.Context(), w, Period{}, path, nil)
		if after, _ := os.ReadFile(path); !problem.IsUsage(err) || !bytes.Equal(before, after) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// confirming is an Erasing that chooses nobody.
type confirming func(found *report.Erasure) error

func (confirming) Choose(*report.Erasure) ([]string, error) { return nil, nil }

func (c confirming) Confirm(found *report.Erasure) error { return c(found) }
