package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/service/v1"
)

// leadFacts are those of a run of a long list by two users, which reached the ceiling of its job.
func leadFacts() ReportFacts {
	facts := trialFacts()
	facts.Scope = ReportScope{Run: "night-1"}
	run := facts.Runs[1]
	run.List, run.Output, run.Fields, run.Users = "/lists/customers.csv", "/lists/customers.enriched.csv", "email,phone", []string{"ann", "ben"}
	run.Stop, run.MaxSpend = "ceiling:daily", 1500*cost.Dollar
	run.Rows = map[string]int64{"matched": 1402, "not_found": 98, "not_attempted": 11_000}
	run.Ceilings[0].Limit = int64(1400 * cost.Dollar)
	facts.Runs = []checkpoint.Run{run}
	return facts
}

// leadCalls are 1,500 calls. Most of them found an email, whose price has six decimals.
func leadCalls() (calls []ReportCall) {
	for i := range 1500 {
		returned := email
		if i%15 == 14 {
			returned = 0
		}
		c := answer(i+1, day(17), both, returned, 0)
		c.Rates = cost.Rates{v1.WorkEmail: {Uses: cost.OfMoney(987_654)}}
		c.Charge = cost.Charge{}
		if returned != 0 {
			c.Charge = cost.Charge{Amounts: cost.OfMoney(987_654), Paid: returned}
		}
		calls = append(calls, c)
	}
	return calls
}

// leadHints word the next steps.
func leadHints(code string, values ...any) string {
	switch code {
	case "again_command":
		return "cd /lists && batch run customers.csv --max-spend=1500.00 --name='night 1'"
	case "reconcile_command":
		return "batch reconcile"
	}
	return ""
}

// A report begins with one paragraph and five numbers that say who asked for what of which list, what came of it, and
// what to do next.
func TestAReportBeginsWithOneParagraphAndFiveNumbers(t *testing.T) {
	t.Parallel()
	month := trialFacts()
	month.Scope = ReportScope{Month: "2026-11"}
	month.Runs = append(month.Runs, leadFacts().Runs[0])
	month.Runs[2].Name = "customers"
	ours := leadCalls()
	for i := range ours {
		ours[i].Run, ours[i].Job = "customers", "night"
	}
	for name, view := range map[string]*RunReport{
		"report-run": reportOn(leadFacts(), leadCalls()), "report-month": reportOn(month, append(trialCalls(), ours...)),
	} {
		for ending, render := range map[string]func(*bytes.Buffer) error{
			"txt":  func(to *bytes.Buffer) error { return WriteText(to, view, leadHints) },
			"md":   func(to *bytes.Buffer) error { return WriteMarkdown(to, view, leadHints) },
			"html": func(to *bytes.Buffer) error { return WriteHTML(to, view, leadHints) },
			"json": func(to *bytes.Buffer) error { return WriteJSON(to, view) },
		} {
			var got bytes.Buffer
			if err := render(&got); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+"."+ending)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		if n := len(view.figures()); n != 5 {
			t.Errorf("%s has %d numbers", name, n)
		}
	}
}

// The paragraph says how a run stands and what to do next, in each state of a run.
func TestTheParagraphSaysHowARunStands(t *testing.T) {
	t.Parallel()
	lead := func(change func(*ReportFacts), calls []ReportCall) string {
		facts := leadFacts()
		change(&facts)
		var text strings.Builder
		if err := WriteText(&text, reportOn(facts, calls), leadHints); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(text.String(), "\n\n")
		paragraph, _, _ := strings.Cut(rest, "\n\n")
		return strings.Join(strings.Fields(paragraph), " ")
	}
	doubtful := answer(1, day(17), email, 0, 0)
	doubtful.State = attempt.InDoubt
	const (
		answered = "ann and ben looked up emails and phones for the list customers.csv on 2026-11-17, for the job night. "
		began    = "ann and ben looked up email and phone for the list customers.csv on 2026-11-17, for the job night. "
	)
	for want, got := range map[string]string{
		answered + "1 email was found, for $0.15. It came to its end. Nothing is left to do: the enriched list is customers.enriched.csv.": lead(func(f *ReportFacts) {
			f.Runs[0].Stop, f.Runs[0].Rows = "", map[string]int64{"matched": 1}
		}, []ReportCall{answer(1, day(17), both, email, 0)}),
		began + "Nothing was found, for $0.00. It runs now. Nothing has to be done meanwhile.": lead(func(f *ReportFacts) { f.Running = []string{"night-1"} }, nil),
		began + "Nothing was found, for $0.00. It has not come to its end: it was killed, or it still runs. Next: run the same command again; the command is below.": lead(func(f *ReportFacts) {
			f.Runs[0].Ended = time.Time{}
		}, nil),
		"This run looked up email and phone for the list customers.csv on 2026-11-17. Nothing was found, for $0.00. It stopped early, because it was interrupted, and 11,000 rows are still open. " +
			"Next: run the same command again; the command is below.": lead(func(f *ReportFacts) {
			f.Runs[0].Users, f.Runs[0].Job, f.Runs[0].Stop = nil, "", "interrupted"
		}, nil),
		began + "Nothing was found, for $0.00. It stopped early, because the ceiling max-spend of $1,500.00 was reached, and 11,000 rows are still open. " +
			"Next: raise this ceiling, then run the same command again; the command is below.": lead(func(f *ReportFacts) {
			f.Runs[0].Stop, f.Runs[0].Ceilings[2].Limit = "ceiling:max-spend", int64(1500*cost.Dollar)
		}, nil),
		began + "Nothing was found, for $0.00. It stopped early, because the service refused (credits_exhausted), and 1 row is still open. " +
			"Next: find out what it means, then run the same command again; the command is below.": lead(func(f *ReportFacts) {
			f.Runs[0].Stop, f.Runs[0].Rows = "service:credits_exhausted", map[string]int64{"not_attempted": 1}
		}, nil),
		began + "Nothing was found, for $0.00. It came to its end, and 1 row is still open. 1 call may have been charged without an answer. " +
			"Next: decide what became of the calls in doubt; the command is below.": lead(func(f *ReportFacts) {
			f.Runs[0].Stop, f.Runs[0].Rows = "", map[string]int64{"in_doubt": 1}
		}, []ReportCall{doubtful}),
	} {
		if got != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
		}
	}
}

// The sentence on a run that stopped early names every limit that it reached.
func TestTheParagraphNamesAllLimitsThatWereReached(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	run := ReportedRun{
		Ended: &ended, Stop: "ceiling:max-units companies", Rows: map[string]int64{"not_attempted": 2},
		ceilings: []cost.Ceiling{
			{Name: "max-units companies", Meter: 1, Limit: 10}, {Name: "max-units financials", Meter: 3, Limit: 5},
		},
	}
	for _, test := range []struct {
		notSent []NotSent
		want    string
	}{
		{nil, "It stopped early, because the ceiling max-units companies of 10 was reached, and 2 rows are still open."},
		{
			[]NotSent{{Reason: "ceiling:max-units companies", Module: "companies"}, {Reason: "ceiling:max-units financials", Module: "financials"}},
			"It stopped early, because the ceiling max-units companies of 10 was reached, and so was the ceiling " +
				"max-units financials of 5, and 2 rows are still open.",
		},
		{
			[]NotSent{{Reason: "ceiling:max-units financials"}, {Reason: "service:limit", Module: "contacts"}},
			"It stopped early, because the ceiling max-units companies of 10 was reached, and so were the ceiling " +
				"max-units financials of 5 and the account's limit of contacts, and 2 rows are still open.",
		},
	} {
		run.NotSent = test.notSent
		if got := run.ending(); got != test.want {
			t.Errorf("%s\nnot\n%s", got, test.want)
		}
	}
}
