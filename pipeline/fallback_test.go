package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
)

// TestACompanyThatIsNotFoundIsAskedForByItsOtherIdentities runs a list with unknown numbers and websites. The plan
// counts the further lookups, each is asked for once at most, and what an earlier row was asked for is not bought
// again.
func TestACompanyThatIsNotFoundIsAskedForByItsOtherIdentities(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "Company name,Website,Country,Registration number\n" +
		"Falcon Logistics 1,falcon-logistics-1.example,SE,\n" + // by its website
		"Falcon Logistics 1,falcon-logistics-1.example,SE,99999999\n" + // by an unknown number, then as the row before
		"Summit Logistics 1,summit-logistics-1.example,GB,99999998\n" + // by an unknown number, then by its website
		"Maple Foods,summit-logistics-1.example,GB,99999997\n" + // by an unknown number, then by the website of another one
		"Nobody Ltd,unknown-17.example,GB,99999996\n" // by nothing
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "company")
	run := func() (posts int64, rows map[string]int64, shown []string) {
		t.Helper()
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended.Summary.Posts, ended.Summary.Rows, shownOf(t, o.Output.Path, "company", "company_id")
	}
	// Without fallbacks four numbers find nothing.
	posts, rows, _ := run()
	if diff := cmp.Diff(map[string]int64{"matched": 1, "not_found": 4}, rows); diff != "" || posts != 5 {
		t.Errorf("%d requests, rows (-want +got):\n%s", posts, diff)
	}
	o.List.Fallback = true
	planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]int64{}
	for _, s := range planned.Plan.Steps {
		most[s.Step] = s.Lookups
	}
	// Two websites that are not known yet, and four names.
	want := map[string]int64{"v2_match": 0, "v2_company": 0, "v2_company_fallback_1": 2, "v2_company_fallback_2": 3}
	if diff := cmp.Diff(want, most); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	posts, rows, shown := run()
	if diff := cmp.Diff([]string{
		"matched|high|Falcon Logistics 1|6", "matched|medium|Falcon Logistics 1|6", "matched|medium|Summit Logistics 1|19", // with other numbers
		"mismatch|none||", "not_found|||",
	}, shown); diff != "" {
		t.Errorf("%v, output (-want +got):\n%s", rows, diff)
	}
	if posts != 4 { // two websites, and the two names that found nothing else
		t.Errorf("%d requests", posts)
	}
	if posts, again, _ := run(); posts != 0 || !cmp.Equal(rows, again) {
		t.Errorf("%d requests at the second start; rows %v, then %v", posts, rows, again)
	}
	// Written again from the record of the run, it is the same.
	path := filepath.Join(dir, "again.csv")
	if _, err := bothIn(dir).Write(t.Context(), planned.Plan.Run, List{Memory: 1 << 20}, Output{Path: path}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown, shownOf(t, path, "company", "company_id")); diff != "" {
		t.Errorf("written again (-run +write):\n%s", diff)
	}
}

// TestARunUnderALimitSaysThatFallbacksWereNotSent stops a run with fallbacks at a ceiling on units. What the lookups that
// were not sent do not find is asked for by other identities later, so not everything else was sent.
func TestARunUnderALimitSaysThatFallbacksWereNotSent(t *testing.T) {
	t.Parallel()
	for _, fallback := range []bool{false, true} {
		dir := t.TempDir()
		list := filepath.Join(dir, "list.csv")
		text := "Company name,Website,Country,Registration number\n" +
			"Falcon Logistics 1,falcon-logistics-1.example,SE,\n" +
			"Summit Logistics 1,summit-logistics-1.example,GB,\n" +
			"Nobody Ltd,unknown-17.example,GB,99999996\n"
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := runOf(list, "company")
		o.List.Fallback, o.Pace.Concurrency = fallback, 1
		o.Budget.Units = map[string]int64{"companies": 1}
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		if s := ended.Summary; s.Waiting != fallback || s.Halted || len(s.NotSent) == 0 {
			t.Errorf("with fallbacks %t: others wait %t, halted %t, not sent %+v", fallback, s.Waiting, s.Halted, s.NotSent)
		}
	}
}

// TestAFallbackWaitsForTheStepsOfItsAccount limits an earlier step of the same account, and one of another account.
func TestAFallbackWaitsForTheStepsOfItsAccount(t *testing.T) {
	first, second := &provider.Account{}, &provider.Account{}
	for _, account := range []*provider.Account{first, second} {
		r := RunSteps{Steps: []*RunStep{
			{Account: first, NotSent: []StepNotSent{{}}},
			{Account: account, Scope: scan.Scope{Fallback: 1}, UpTo: 1},
		}}
		if got, want := r.awaitsLimited(), account == first; got != want {
			t.Errorf("of the same account %t: it waits %t", want, got)
		}
	}
}
