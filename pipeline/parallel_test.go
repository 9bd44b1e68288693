package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
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
func (silent) Sending(Sending) (func(SentSoFar), func()) {
	return func(SentSoFar) {}, func() {}
}
func (silent) Show(*report.Plan) error                { return nil }
func (silent) CanAsk() bool                           { return false }
func (silent) Confirm(context.Context, Question) bool { return false }

// workIn returns work with its own sandbox and journal in a directory.
func workIn(dir string) *Work {
	rate := checkpoint.Rate{Slots: 1000, Window: time.Second}
	return &Work{
		Env: workspace.Environment{Now: time.Now, Program: "test", Version: "0"},
		Workspace: workspace.Options{
			Journal: workspace.Journal{State: dir, Name: "default"}, Sandbox: true,
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, Timeout: time.Minute, Connections: 4, Rate: rate, Kept: rate}, {Provider: providerv2.Provider{}},
			},
		},
		Observer: silent{}, Explain: error.Error,
	}
}

// Two use cases on two journals run in one process at the same time: neither sees the other's
// options, answers or money.
func TestTwoRunsOnTwoJournalsAtTheSameTime(t *testing.T) {
	t.Parallel()
	lists := []string{
		"first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Acme\nCy,Doe,Gamma\n",
		"first_name;last_name;company\nDan;Fox;Delta\n",
	}
	var running sync.WaitGroup
	for i, text := range lists {
		dir := t.TempDir()
		list, out := filepath.Join(dir, "list.csv"), filepath.Join(dir, "out.csv")
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			budget := Budget{MaxSpend: new(3 * cost.Dollar)}
			ended, err := workIn(dir).Run(t.Context(), RunOptions{
				List:   List{Names: []string{list}, Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
				Budget: budget, Pace: Pace{Concurrency: 4}, Output: Output{Path: out}, Yes: true,
			}, silent{})
			if err != nil {
				t.Error(err)
				return
			}
			if want := []int64{3, 1}[i]; ended.Stop != nil || ended.Summary.Posts != want {
				t.Errorf("run %d: %d posts, not %d; stopped by %v", i, ended.Summary.Posts, want, ended.Stop)
			}
			if _, err := os.Stat(out); err != nil {
				t.Error(err)
			}
			again, err := workIn(dir).Plan(t.Context(), PlanOptions{
				List: List{Names: []string{list}, Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
			})
			if err != nil {
				t.Error(err)
			} else if again.Plan.Rows.Lookup != 0 {
				t.Errorf("run %d: %d rows are looked up again", i, again.Plan.Rows.Lookup)
			}
		})
	}
	running.Wait()
}
