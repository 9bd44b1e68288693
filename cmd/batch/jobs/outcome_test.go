package jobs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
	reports "payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

// TestAlertsTellOfUnitsThatOthersUsed of modules.
func TestAlertsTellOfUnitsThatOthersUsed(t *testing.T) {
	var summary report.RunSummary
	if err := json.Unmarshal([]byte(`{"drift": {"units": {"companies": 5, "contacts": 2}}}`), &summary); err != nil {
		t.Fatal(err)
	}
	if facts := factsOf(&summary); facts.LostUnits != 7 {
		t.Errorf("%d units are lost", facts.LostUnits)
	}
}

// TestHistoryCountsWhatAKilledStartSpent: the process of a start was killed after its calls, so nothing recorded how the
// start ended. The next start finds everything known, and the history has the numbers of the run.
func TestHistoryCountsWhatAKilledStartSpent(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	path := filepath.Join(n.dir, "list.csv")
	list := "first_name,last_name,company_domain,email\nZoltan,Quimby,firm1.example,\nJane,Quimby,firm1.example,\nJo,Quimby,firm1.example,\n"
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	var ended *pipeline.RunEnded
	for range 2 {
		var err error
		ended, err = n.Run(t.Context(), pipeline.RunOptions{
			List:   pipeline.List{Names: []string{path}, Run: "night-1", Prefer: enrich.ByProfile, Memory: 1 << 20, Fields: []string{"email"}},
			Budget: pipeline.Budget{Job: "night", MaxSpend: new(20 * cost.Dollar), Strict: true},
			Pace:   pipeline.Pace{Concurrency: 1}, Output: pipeline.Output{Path: filepath.Join(n.dir, "out.csv")}, Yes: true,
		}, silent{})
		if err != nil || ended.Stop != nil {
			t.Fatalf("%+v, %v", ended, err)
		}
	}
	show, err := reports.Show(t.Context(), n.Work, "night-1")
	if err != nil {
		t.Fatal(err)
	}
	one, _ := conclude(SchedulePlan{}, record.Occurrence{}, LocalTime{}, Outcome(RunOutcome{}, ended, n.now, 4), n.now)
	if one.Spent != show.Spent || one.Lookups != show.Lookups || one.Found != show.Accounts.Found()[0].Value.Found || one.Lookups != 3 {
		t.Errorf("the history has %d values in %d calls for $%s, show has %+v", one.Found, one.Lookups, one.Spent, show)
	}
}
