package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/report"
)

// shownOf returns what an output shows of how answers fit its rows.
func shownOf(t *testing.T, path string, columns ...string) (shown []string) {
	t.Helper()
	for _, row := range cells(t, path) {
		var values []string
		for _, column := range append([]string{"enrich_status", "enrich_confidence"}, columns...) {
			values = append(values, row[column])
		}
		shown = append(shown, strings.Join(values, "|"))
	}
	return shown
}

// TestAContradictingAnswerIsNotWrittenToItsRow runs a list with a website of another company, accepts that answer with
// write and with run, and asks for nothing that follows from an answer that is not accepted.
func TestAContradictingAnswerIsNotWrittenToItsRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "Company name,Website,Country\n" +
		"Harbor Logistics 3 PLC,https://www.falcon-logistics-1.example,GB\n" +
		"FALCON LOGISTICS 1,falcon-logistics-1.example,Sweden\n" +
		"Falcon Logistics Ltd,https://www.summit-logistics-1.example,GB\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "company", "ownership")
	o.Output.Tables = filepath.Join(dir, "tables")
	o.Output.TablesFormat = "csv"
	run := func() *report.RunSummary {
		t.Helper()
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended.Summary
	}
	summary := run()
	if diff := cmp.Diff(map[string]int64{"matched": 1, "mismatch": 2}, summary.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if summary.Posts != 3 { // two companies, and the owners of one of them
		t.Errorf("%d requests", summary.Posts)
	}
	const first = "mismatch|none||||v2_company: country GB in the list, SE in the answer; name Harbor Logistics 3 PLC in the list, Falcon Logistics 1 in the answer"
	want := []string{
		first,
		"matched|high|Falcon Logistics 1|6|SE|",
		"mismatch|none||||v2_company: name Falcon Logistics Ltd in the list, Summit Logistics 1 in the answer",
	}
	columns := []string{"company", "company_id", "company_country_code", "enrich_reason"}
	if diff := cmp.Diff(want, shownOf(t, o.Output.Path, columns...)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	owners, err := os.ReadFile(filepath.Join(o.Output.Tables, "shareholders.csv"))
	if err != nil || !strings.Contains(string(owners), "\n6,") {
		t.Errorf("%q, %v", owners, err)
	}
	// Written again it is the same. Accepted, the values are in the rows, and the reason names the difference still.
	again := filepath.Join(dir, "again.csv")
	for _, accept := range []bool{false, true} {
		reading := List{Memory: 1 << 20, AcceptMismatch: accept}
		if _, err := bothIn(dir).Write(t.Context(), summary.Run, reading, Output{Path: again}); err != nil {
			t.Fatal(err)
		}
		shown := shownOf(t, again, columns...)
		switch {
		case !accept && !cmp.Equal(want, shown):
			t.Errorf("written again (-want +got):\n%s", cmp.Diff(want, shown))
		case accept && (!strings.HasPrefix(shown[0], "matched|none|Falcon Logistics 1|6|SE|v2_company: accepted: country GB in the list, SE in the answer") ||
			shown[1] != "duplicate|high|Falcon Logistics 1|6|SE|v2_company, v2_ownership: same company as row 1"):
			t.Errorf("accepted: %q", shown)
		}
	}
	// A run that accepts asks for what follows, and buys no company again. It is recorded.
	o.List.AcceptMismatch = true
	summary = run()
	if diff := cmp.Diff(map[string]int64{"matched": 1, "partial": 1, "duplicate": 1}, summary.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if summary.Posts != 1 { // the owners of the other company
		t.Errorf("%d requests after it was accepted", summary.Posts)
	}
	accepted := shownOf(t, o.Output.Path, columns...)
	if _, err := bothIn(dir).Write(t.Context(), summary.Run, List{Memory: 1 << 20}, Output{Path: again}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(accepted, shownOf(t, again, columns...)); diff != "" {
		t.Errorf("the run accepted, and it is written again without saying so (-run +write):\n%s", diff)
	}
}

// TestADuplicateNamesWhatDiffersInItsOwnRow runs a list in which two rows have one website, and only the second one
// differs from the answer.
func TestADuplicateNamesWhatDiffersInItsOwnRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "Company name,Website,Country\n" +
		"Falcon Logistics 1,https://www.falcon-logistics-1.example,SE\n" +
		"Falcon Logistics 1 Retail,falcon-logistics-1.example,SE\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "company")
	if _, err := bothIn(dir).Run(t.Context(), o, silent{}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"matched|high|6|",
		"duplicate|medium|6|v2_company: same company as row 1; name Falcon Logistics 1 Retail in the list, Falcon Logistics 1 in the answer",
	}
	if diff := cmp.Diff(want, shownOf(t, o.Output.Path, "company_id", "enrich_reason")); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// TestTheFiguresAreThoseOfTheCompanyThatFits runs a list with wrong company ids. Later steps ask by the id of the company
// that fits the row, and never by one whose company contradicts it, unless that is accepted.
func TestTheFiguresAreThoseOfTheCompanyThatFits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "Company name,Website,Country,company_id\n" +
		"Falcon Logistics 1,https://www.falcon-logistics-1.example,SE,13\n" + // the id is that of another company
		"Falcon Logistics 1,https://www.falcon-logistics-1.example,SE,900000001\n" + // no company has it
		"Falcon Logistics 1,https://www.falcon-logistics-1.example,SE,6\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "company", "ownership")
	o.Output.Tables, o.Output.TablesFormat = filepath.Join(dir, "tables"), "csv"
	run := func(fallback, accept bool) *report.RunSummary {
		t.Helper()
		o.List.Fallback, o.List.AcceptMismatch = fallback, accept
		o.Output.Path = filepath.Join(dir, fmt.Sprintf("out-%t-%t.csv", fallback, accept))
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended.Summary
	}
	owners := func() (companies []string) {
		t.Helper()
		for _, row := range cells(t, filepath.Join(o.Output.Tables, "shareholders.csv")) {
			companies = append(companies, row["company_id"])
		}
		return slices.Compact(companies)
	}
	columns := []string{"company_id_2"}
	run(false, false)
	if diff := cmp.Diff([]string{"mismatch|none|", "not_found||", "matched|high|6"}, shownOf(t, o.Output.Path, columns...)); diff != "" {
		t.Errorf("without fallbacks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"6"}, owners()); diff != "" {
		t.Errorf("owners without fallbacks (-want +got):\n%s", diff)
	}
	dir = t.TempDir()
	run(true, false)
	if diff := cmp.Diff([]string{"matched|medium|6", "matched|medium|6", "matched|high|6"}, shownOf(t, o.Output.Path, columns...)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	for i, want := range []string{"company_id 13 in the list, 6 in the answer", "company_id 900000001 in the list, 6 in the answer"} {
		if reason := cells(t, o.Output.Path)[i]["enrich_reason"]; !strings.Contains(reason, want) {
			t.Errorf("row %d: %q does not name %q", i+1, reason, want)
		}
	}
	if diff := cmp.Diff([]string{"6"}, owners()); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	if summary := run(true, false); summary.Posts != 0 {
		t.Errorf("%d requests at the second start", summary.Posts)
	}
	dir = t.TempDir()
	run(false, true)
	if diff := cmp.Diff([]string{"13", "6"}, owners()); diff != "" {
		t.Errorf("owners of accepted companies (-want +got):\n%s", diff)
	}
}

// TestAcceptedAnswersThatContradictFillOnlyWhatNoStepFound runs a list in which a fallback finds the company that a
// first answer contradicts, and one in which all answers contradict. Whether they are accepted does not change which
// companies are asked for, and the columns of units add up to what was used. Of answers that contradict, the least
// contradictory one is accepted.
func TestAcceptedAnswersThatContradictFillOnlyWhatNoStepFound(t *testing.T) {
	t.Parallel()
	const text = "Company name,Website,Country,Registration number\n" +
		"Summit Logistics 1,summit-logistics-1.example,GB,00002004\n" + // the number is of another one, the website fits
		"Harbor Logistics 3,falcon-logistics-1.example,GB,\n" // the website is of another one, and the name finds one with another website
	const differs = "v2_company: website summit-logistics-1.example in the list, https://www.harbor-logistics-3.example in the answer; " +
		"name Summit Logistics 1 in the list, Harbor Logistics 3 PLC in the answer; " +
		"v2_company_fallback_1: registration number 00002004 in the list, 00000199 in the answer; v2_financials: financials not found; v2_ownership: ownership not found"
	columns := []string{"company", "company_id", "enrich_units_companies"}
	fits := "partial|medium|Summit Logistics 1|19|2"
	start := func() (dir string, o RunOptions) {
		dir = t.TempDir()
		list := filepath.Join(dir, "list.csv")
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o = runOf(list, "company", "financials", "ownership")
		o.List.Fallback = true
		return dir, o
	}
	run := func(dir string, o RunOptions) *report.RunSummary {
		t.Helper()
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended.Summary
	}
	dir, o := start()
	summary := run(dir, o)
	if diff := cmp.Diff([]string{fits, "mismatch|none|||2"}, shownOf(t, o.Output.Path, columns...)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"partial": 1, "mismatch": 1}, summary.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if posts := summary.Posts; posts != 6 { // two companies of each row, and the figures and owners of one
		t.Errorf("%d requests", posts)
	}
	accepted := []string{fits, "partial|none|Harbor Logistics 3 PLC|200|2"}
	again := filepath.Join(dir, "again.csv")
	reading := List{Memory: 1 << 20, AcceptMismatch: true}
	if _, err := bothIn(dir).Write(t.Context(), summary.Run, reading, Output{Path: again}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(accepted, shownOf(t, again, columns...)); diff != "" {
		t.Errorf("accepted by write (-want +got):\n%s", diff)
	}
	for _, path := range []string{o.Output.Path, again} {
		if reason := cells(t, path)[0]["enrich_reason"]; reason != differs {
			t.Errorf("%s: %q, want %q", path, reason, differs)
		}
	}
	// A run that accepts asks for the figures and owners of the accepted company, and for no company again.
	o.List.AcceptMismatch = true
	if summary = run(dir, o); summary.Posts != 2 {
		t.Errorf("%d requests after the answers were accepted", summary.Posts)
	}
	// From the start it asks for the same. A company that fits is still looked for.
	dir, o = start()
	o.List.AcceptMismatch = true
	if summary = run(dir, o); summary.Posts != 8 {
		t.Errorf("%d requests by a run that accepts from its start", summary.Posts)
	}
	if diff := cmp.Diff(accepted, shownOf(t, o.Output.Path, columns...)); diff != "" {
		t.Errorf("accepted from the start (-want +got):\n%s", diff)
	}
	if summary = run(dir, o); summary.Posts != 0 {
		t.Errorf("%d requests at the second start", summary.Posts)
	}
	before := cells(t, o.Output.Path)
	again = filepath.Join(dir, "again.csv")
	if _, err := bothIn(dir).Write(t.Context(), summary.Run, List{Memory: 1 << 20}, Output{Path: again}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, cells(t, again)); diff != "" {
		t.Errorf("written again (-run +write):\n%s", diff)
	}
}
