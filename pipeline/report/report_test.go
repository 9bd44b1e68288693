package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"payonce/io/service/v1"
	"payonce/io/service/v2"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Text, Markdown, HTML and JSON come from one value, and each is as its golden file says.
func TestReportsAreRenderedAsTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	hints := func(code string, values ...any) string { return fmt.Sprint("<", code, values, ">") }
	for name, r := range samples() {
		for ending, render := range map[string]func(*bytes.Buffer) error{
			"txt":  func(to *bytes.Buffer) error { return WriteText(to, r, hints) },
			"md":   func(to *bytes.Buffer) error { return WriteMarkdown(to, r, hints) },
			"html": func(to *bytes.Buffer) error { return WriteHTML(to, r, hints) },
			"json": func(to *bytes.Buffer) error { return WriteJSON(to, r) },
		} {
			var got bytes.Buffer
			if err := render(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+"."+ending)
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		}
	}
}

func samples() map[string]Report {
	at := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	stop := "ceiling_reached"
	people := v1.Catalogue()
	free := ValuesOf(people, enrich.ByField[int64]{3})
	paid := func(asked, found enrich.ByField[int64], spent cost.Money) AccountsUsage {
		return AccountsUsage{{Interface: "v1", Found: FieldsFound(people, asked, found), Spent: &spent}}
	}
	spend := &Spend{ByOperation: SpendParts{}, ByDay: SpendParts{}, ByOutcome: SpendParts{"everything found": {Attempts: 2, Charged: 30 * cost.Cent, FreeUsed: free}}}
	account := AccountOf(people, cost.Account{Balance: cost.Balance{Available: cost.Known(9 * cost.Dollar)}})
	drifted := paid(enrich.ByField[int64]{4, 2}, enrich.ByField[int64]{3, 1}, 60*cost.Cent)
	drifted[0].Drift = DriftOf(people, v1.Tariff(), cost.Drift{Lost: cost.OfMoney(cost.Cent)})
	companies := v2.Catalogue()
	used := AccountUsage{
		Number: 1, Interface: "v2", Lookups: 300, Found: FieldsFound(companies, enrich.ByField[int64]{0, 267, 0, 243}, enrich.ByField[int64]{0, 243, 0, 199}),
		Drift: DriftOf(companies, v2.Modules{}.Tariff(), cost.Drift{Lost: cost.Amounts{v2.MeterCompanies: 7}}),
		Units: []UsedUnits{
			{Meter: "companies", Used: 267, Limits: []UnitLimit{{Name: "max-units", Limit: 300, Left: 33}}},
			{Meter: "digital_insights", Used: 199, Held: 1, Limits: []UnitLimit{{Name: "max-units", Limit: 300, Left: 100}, {Name: "daily-units", Limit: 200, Left: 0}}},
		},
	}
	return map[string]Report{
		"summary-units": &RunSummary{
			Run: "firms", Job: "firms", Output: "out.csv", Rows: map[string]int64{"matched": 243, "not_found": 24, "mismatch": 3}, Lookups: 300, Posts: 300,
			Accounts: AccountsUsage{used}, Found: FoundBy(AccountsUsage{used}), Drift: used.Drift,
			Steps:   []StepDone{{Step: "v2_company", AccountUsage: used}},
			NotSent: []NotSent{{Step: "v2_insights", Reason: "ceiling:daily-units digital_insights", Module: "digital_insights", Lookups: 44}},
		},
		"summary-waterfall": &RunSummary{
			Run: "both", Job: "both", Output: "out.csv", Rows: map[string]int64{"matched": 3}, Lookups: 9, Posts: 9, MaxSpend: cost.Dollar, Spent: 60 * cost.Cent,
			Accounts: append(slices.Clone(drifted), used), Found: FoundBy(append(slices.Clone(drifted), used)), MostRestrictive: "max-spend", FreeUsed: free,
		},
		"rerun-units": &RunSummary{
			Run: "firms", Output: "out.csv", Rows: map[string]int64{"matched": 243}, Accounts: AccountsUsage{used}, Found: FoundBy(AccountsUsage{used}),
		},
		"run-units": &Run{
			Run: "firms", List: "list.csv", Output: "out.csv", Fields: "company", Started: at, Waits: []Waited{{For: "rate", Words: "the rate limit", Seconds: 61}}, Lookups: 300,
			NotSent: []NotSent{{Step: "v2_company", Reason: "ceiling:max-units companies", Module: "companies", Lookups: 7}}, Rows: map[string]int64{"matched": 243}, Accounts: AccountsUsage{used},
			Spend: &Spend{ByOperation: SpendParts{"company": {Attempts: 267, Units: map[string]int64{"companies": 267}}}},
		},
		"runs-units": &Runs{Runs: []*Run{{Run: "trial", Started: at, Ended: &at, MaxSpend: cost.Dollar}, {Run: "firms", Started: at, Ended: &at, Accounts: AccountsUsage{used}}}},
		"status-units": &Status{At: at, Active: []*Active{{
			Command: "run firms", Process: 7, Since: at, Run: &ActiveRun{Run: "firms", Accounts: AccountsUsage{used}},
			Progress: &Progress{Run: "firms", Step: RunStep{Number: 2, Of: 3, Fields: "company,financials", Name: "v2_company"}, Done: 3, Total: 9, Found: FoundBy(AccountsUsage{used}), Rate: "60/60s", EndsAt: at},
		}}},
		"plan": &Plan{
			Version: PlanVersion, At: at, Run: "contacts_email", Job: "spring",
			PlanList: PlanList{List: "/lists/contacts.csv", Output: "out/contacts.csv", Columns: map[string]string{"email": "E-mail | work"}},
			PlanLookups: PlanLookups{
				Rows: RowCounts{Total: 9, Lookup: 5, Filled: 2, Unidentifiable: 2}, Unidentifiable: map[string]int64{"company missing": 2},
				Lookups: map[string]int64{"enrich": 3, "find-phone": 2}, Fields: ValuesOf(people, enrich.ByField[int64]{3, 5}),
				Asks: []PlanAsk{{Words: []string{"email", "phone"}, Lookups: 3}, {Words: []string{"phone"}, Lookups: 2}},
			},
			PlanSpend: PlanSpend{
				FreeAllowance: free, Maximum: 2 * cost.Dollar, History: History{Missing: []string{"enrich by name"}},
				Prices: Prices{Source: "the OpenAPI document", USD: Values[cost.Money]{{Name: "work_email", Value: 15 * cost.Cent}}},
				SpentBefore: SpentBeforeOf(people, scan.ListCost{
					Lookups: 5, Charged: 75 * cost.Cent, AtMost: true, Bought: enrich.ByField[int64]{4, 1}, Open: 1,
					Runs: map[string]cost.Money{"a": 5 * cost.Cent, "trial": 40 * cost.Cent, "b": 20 * cost.Cent, "spring": 10 * cost.Cent},
				}),
			},
			PlanCeilings: PlanCeilings{
				Ceilings: []Ceiling{{Name: "max-spend", Limit: new(cost.Dollar), Left: new(cost.Dollar), Covers: 3, Binding: true, RenewsAt: &at}},
				Possible: cost.Dollar, Approval: &PlanApproval{Threshold: cost.Dollar, Needed: true},
			},
			PlanSchedule: PlanSchedule{Rate: "30/60s", EndsAt: at},
			PlanRates: PlanRates{MayPayBy: []string{"payg"}, Options: []PlanOption{
				{Name: "payg", Total: new(2 * cost.Dollar)},
				{Name: "month", Total: new(cost.Dollar), Monthly: cost.Dollar, Cheapest: true},
				{Name: "year", Total: new(9 * cost.Dollar)},
				{Name: "unpriced"},
			}},
			Refused: &RefusedNow{Code: "credits_exhausted", Message: "no credit."},
			Sample:  &Sample{Persons: 2, Lookups: 2, Maximum: 30 * cost.Cent, Words: []string{"batch", "run", "contacts.csv"}},
		},
		"rerun": &RunSummary{
			Run: "trial", Job: "trial", Output: "out.csv", Rows: map[string]int64{"matched": 2}, Spent: 30 * cost.Cent,
			Found: FoundBy(paid(enrich.ByField[int64]{2}, enrich.ByField[int64]{2}, 30*cost.Cent)),
		},
		"summary": &RunSummary{
			Run: "trial", Job: "trial", Output: "out.csv", Rows: map[string]int64{"matched": 2, "in_doubt": 1, "unidentifiable": 4}, Lookups: 3, Posts: 3,
			Spent: 30 * cost.Cent, Held: 15 * cost.Cent, FreeUsed: free, InDoubt: 1, MostRestrictive: "max-spend", Stop: &stop,
			Drift: drifted.Drift(), Accounts: drifted, MaxSpend: cost.Dollar,
			Found:    FoundBy(paid(enrich.ByField[int64]{4, 2}, enrich.ByField[int64]{3, 1}, 60*cost.Cent)),
			FoundNow: FoundBy(paid(enrich.ByField[int64]{3, 0}, enrich.ByField[int64]{2, 0}, 30*cost.Cent)),
			Left:     55 * cost.Cent, Advice: "Run the same command again.",
		},
		"written": &RewrittenOutput{
			Run: "firms", Output: "out.csv", Rows: map[string]int64{"matched": 2, "mismatch": 1},
			Tables: &output.TablesWritten{
				Dir: "tables", Unread: 7,
				Tables: []output.TableWritten{{Name: "financials", File: "tables/financials.parquet", Rows: 1}, {Name: "visits", File: "tables/visits.parquet", Rows: 2000}},
				First:  []output.UnreadCell{{Company: "17", Column: "2024.Turnover", Problem: "is not a number"}, {Company: "18", Column: "last", Problem: "is not a year"}},
			},
		},
		"budget": &Budget{
			Version: BudgetVersion, At: at, Account: account,
			Ceilings: []Used{{Of: "run trial", Name: "max-spend", Measure: "usd", Limit: new("1.00"), Left: new("0.55"), Settled: 45 * cost.Cent, SettledLeast: Least(45*cost.Cent, 15*cost.Cent)}},
		},
		"run": &Run{
			Run: "trial", List: "list.csv", Output: "out.csv", Fields: "email", Started: at, Stop: stop, MaxSpend: cost.Dollar, Forfeited: 1,
			FreeUsed: free, Rows: map[string]int64{"matched": 2}, Spend: spend,
		},
		"runs":    &Runs{Runs: []*Run{{Run: "trial", Started: at, Ended: &at, InDoubt: 1, Accounts: paid(enrich.ByField[int64]{}, enrich.ByField[int64]{}, 0)}}},
		"account": account,
		"reconciliation": &Reconciliation{
			Cases:    []DoubtCase{{Attempt: 2, Run: "trial", Row: 2, Person: "Bob Ray, Beta", Fields: "work_email", Words: "email", Sent: at, Cause: "EOF", Result: "undecided"}},
			Evidence: &DoubtEvidence{Free: ValuesOf(people, enrich.ByField[int64]{}), Money: 15 * cost.Cent}, InDoubt: 1, Held: 15 * cost.Cent,
			Options: doubtOptions,
		},
		"check": JournalCheckOf(people, v1.Tariff(), verify.Summary{
			ID: "0123", Attempts: map[string]int64{"settled": 2, "in doubt": 1}, Identities: 3, Runs: 1, Erased: 1, Problems: 1,
			Totals: cost.Totals{
				Settled: cost.Amounts{int64(30 * cost.Cent), 1}, Held: cost.Amounts{int64(15 * cost.Cent), 0, 2},
				EverHeld: cost.Amounts{int64(45 * cost.Cent), 1, 2}, Charged: enrich.ByField[int64]{2, 1},
				Asked: enrich.ByField[int64]{3, 3}, Returned: enrich.ByField[int64]{2, 2}, Forfeited: 1, Lookups: 2, Whole: 1, Open: 1,
			},
		}, []verify.Problem{{Record: "attempt 7", Text: "is resolved twice"}}),
		"status": &Status{At: at, Active: []*Active{{
			Command: "run a-list-with-a-long-name_email+phone", Process: 22609, Since: at.Add(-26 * time.Hour), Phase: "sending",
			Progress: &Progress{
				Run: "a-list-with-a-long-name_email+phone", Step: RunStep{Number: 1, Of: 1, Fields: "email,phone"}, Done: 4001, Total: 10_000, Rate: "30/60s",
				Found: FoundBy(paid(enrich.ByField[int64]{4000, 2}, enrich.ByField[int64]{3000, 1}, 60*cost.Cent)),
				Wait:  &Waiting{Reason: dispatch.WaitSlowDown, Until: new(at.Add(100 * time.Second)), Times: 85}, EndsAt: at.Add(30 * time.Hour),
			},
			Run: &ActiveRun{
				Run: "a-list-with-a-long-name_email+phone", Spent: 600 * cost.Dollar, Held: 15 * cost.Cent, MaxSpend: 900 * cost.Dollar,
				MostRestrictive: "workspace-monthly", Left: 9 * cost.Dollar,
			},
		}}},
		"status-preparing": &Status{At: at, Active: []*Active{{Command: "reconcile", Process: 7, Since: at}}},
		"status-idle":      &Status{At: at, Active: []*Active{}, Last: &Run{Run: "trial", Started: at, Ended: &at, Stop: stop, MaxSpend: cost.Dollar}},
		"failed":           &Failed{Error: Failure{Code: "journal_held", Message: "the journal is held", Hint: "wait until it ends", Exit: 11}},
		"erasure":          ErasureOf(checkpoint.Erasure{Persons: 1, Attempts: 3, Answers: 2}),
		"unknown":          ErasureOf(checkpoint.Erasure{Persons: 1}),
		"diagnosis":        DiagnosisOf([]CheckResult{{Check: "key", Result: CheckOK, Found: "the service accepts it"}, {Check: "clock", Result: CheckWarning, Found: "1m behind", Advice: "Set it"}}),
	}
}

// An error of the place that a report is written to ends the report.
func TestRenderingReturnsTheErrorOfItsWriter(t *testing.T) {
	t.Parallel()
	full := errors.New("no room")
	for _, r := range samples() {
		if err := WriteText(failing{full}, r, nil); !errors.Is(err, full) {
			t.Errorf("text of %T: %v", r, err)
		}
		if err := WriteMarkdown(failing{full}, r, nil); !errors.Is(err, full) {
			t.Errorf("Markdown of %T: %v", r, err)
		}
		if err := WriteHTML(failing{full}, r, nil); !errors.Is(err, full) {
			t.Errorf("HTML of %T: %v", r, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A terminal of 80 columns shows every line of the status whole.
func TestTheStatusFitsATerminal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"status", "status-preparing", "status-idle"} {
		var text strings.Builder
		if err := WriteText(&text, samples()[name], nil); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > LineWidth {
				t.Errorf("%s: %d columns: %s", name, width, line)
			}
		}
	}
}

// doubtOptions are what can be done about lookups in doubt.
var doubtOptions = []DoubtOption{
	{Name: "wait", Effect: "They keep their hold and are not sent again. If nobody else spends from the account, say so."},
	{Name: "ask", Effect: "The service knows which were charged. The file has their times and what the account lost.", Commands: []string{"ask --file in-doubt.csv"}},
	{Name: "assume", Effect: "Charged: they count as paid. Not charged: they may be sent again, and be paid twice.", Commands: []string{"assume charged 2", "assume not-charged 2"}},
}

// Calls in doubt and what can be done about them fit a screen, however many there are.
func TestCallsInDoubtFitAScreen(t *testing.T) {
	t.Parallel()
	view := &Reconciliation{
		Evidence: &DoubtEvidence{Free: ValuesOf(v1.Catalogue(), enrich.ByField[int64]{3, 4}), Money: 3 * cost.Dollar}, Options: doubtOptions, InDoubt: 41, Held: 3 * cost.Dollar,
		Why: "others may have spent from the account, or the service has taken money for something else in this time",
	}
	for n := range 41 {
		view.Cases = append(view.Cases, DoubtCase{
			Attempt: attempt.ID(1000 + n), Run: "contacts-email-phone-1a2b3c", Row: int64(900 + n), Person: "Bob Ray, Beta", Fields: "work_email,business_phone", Words: "email,phone",
			Sent: time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC), Cause: "read tcp 10.0.0.1:443: connection reset by peer", Held: 75 * cost.Cent,
		})
	}
	var out strings.Builder
	if err := WriteText(&out, view, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if len(lines) > 23 || !strings.Contains(out.String(), "and 37 more") { // one line is for the prompt
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}
