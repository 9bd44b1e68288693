package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/workspace"
)

// listIn writes a list.
func listIn(t *testing.T, dir, text string) string {
	t.Helper()
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// companyOf returns the record of the company with a website.
func companyOf(t *testing.T, website string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	o := runOf(listIn(t, dir, "Website\n"+website+"\n"), "company")
	if _, err := bothIn(dir).Run(t.Context(), o, silent{}); err != nil {
		t.Fatal(err)
	}
	return cells(t, o.Output.Path)[0]
}

// TestACompanyIsBoughtOnceUnderAllItsIdentities runs lists in which one company is named by its website, number, VAT
// number, id and name, in several orders. Each field is asked for once, all rows have the values, and a second start and
// a plan find nothing left.
func TestACompanyIsBoughtOnceUnderAllItsIdentities(t *testing.T) {
	t.Parallel()
	c := companyOf(t, "falcon-logistics-1.example")
	rows := []string{
		fmt.Sprintf(",%s,%s,,falcon-logistics-1.example,", c["company_name"], ""), // by its website
		fmt.Sprintf(",,%s,%s,,", c["company_country_code"], c["company_registration_number"]),
		fmt.Sprintf("%s,,,,,", c["company_id"]),
		fmt.Sprintf(",,%s,,,%s", c["company_country_code"], c["company_vat_number"]),
		fmt.Sprintf(",%s,%s,,,", c["company_name"], c["company_country_code"]), // by its name
	}
	for shift := range rows {
		dir := t.TempDir()
		shifted := append(append([]string{}, rows[shift:]...), rows[:shift]...)
		list := listIn(t, dir, "company_id,Company name,Country,Registration number,Website,VAT number\n"+strings.Join(shifted, "\n")+"\n")
		o := runOf(list, "company", "financials")
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, row := range cells(t, o.Output.Path) {
			shown = append(shown, strings.Join([]string{row["company"], row["company_id_2"], row["same_company_as"]}, "|"))
		}
		of := c["company"] + "|" + c["company_id"] + "|"
		if diff := cmp.Diff([]string{of, of + "1", of + "1", of + "1", of + "1"}, shown); diff != "" {
			t.Errorf("first row %s (-want +got):\n%s", shifted[0], diff)
		}
		if ended.Summary.Posts != 3 { // the search by name, the company, the financials
			t.Errorf("first row %s: %d requests, rows %v", shifted[0], ended.Summary.Posts, ended.Summary.Rows)
		}
		first, err := os.ReadFile(o.Output.Path)
		if err != nil {
			t.Fatal(err)
		}
		again, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
		if err != nil {
			t.Fatal(err)
		}
		left := int64(0)
		for _, s := range planned.Plan.Steps {
			left += s.Lookups
		}
		if again.Summary.Posts+left != 0 {
			t.Errorf("%d requests at the second start, %d planned", again.Summary.Posts, left)
		}
		path := filepath.Join(dir, "again.csv")
		if _, err := bothIn(dir).Write(t.Context(), planned.Plan.Run, List{Memory: 1 << 20}, Output{Path: path}); err != nil {
			t.Fatal(err)
		}
		if second, _ := os.ReadFile(path); string(second) != string(first) {
			t.Errorf("written again it differs:\n%s\n%s", first, second)
		}
	}
}

// TestTheFirstRunOfAWorkspaceBuysACompanyOnce runs a list without names, so that its first step asks for the company, with
// a journal that does not know the account yet.
func TestTheFirstRunOfAWorkspaceBuysACompanyOnce(t *testing.T) {
	t.Parallel()
	c := companyOf(t, "falcon-logistics-1.example")
	rows := []string{fmt.Sprintf("%s,%s,", c["company_country_code"], c["company_vat_number"]), ",,falcon-logistics-1.example"}
	for range 2 {
		slices.Reverse(rows)
		o := runOf(listIn(t, t.TempDir(), "Country,VAT number,Website\n"+strings.Join(rows, "\n")+"\n"), "company")
		ended, err := bothIn(t.TempDir()).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		if ended.Summary.Posts != 1 {
			t.Errorf("rows %q: %d requests, rows %v", rows, ended.Summary.Posts, ended.Summary.Rows)
		}
	}
}

// TestAFallbackUsesWhatAnotherRowHasBought runs a row with an unknown number and a known website. The company was bought
// for the row before, so its answer is not bought again, and its charge stands in one row.
func TestAFallbackUsesWhatAnotherRowHasBought(t *testing.T) {
	t.Parallel()
	c := companyOf(t, "falcon-logistics-1.example")
	dir := t.TempDir()
	list := listIn(t, dir, "Company name,Website,Country,Registration number\n"+
		fmt.Sprintf(",,%s,%s\n", c["company_country_code"], c["company_registration_number"])+
		fmt.Sprintf("%s,falcon-logistics-1.example,%s,99999999\n", c["company_name"], c["company_country_code"]))
	o := runOf(list, "company")
	o.List.Fallback = true
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, row := range cells(t, o.Output.Path) {
		shown = append(shown, strings.Join([]string{
			row["enrich_status"], row["company_id"], row["same_company_as"], row["enrich_units_companies"],
		}, "|"))
	}
	want := []string{"matched|" + c["company_id"] + "||1", "matched|" + c["company_id"] + "|1|0"}
	if diff := cmp.Diff(want, shown); diff != "" || ended.Summary.Posts != 2 {
		t.Errorf("%d requests, the output (-want +got):\n%s", ended.Summary.Posts, diff)
	}
}

// TestRowsOfAGroupGetNoAnswerOfAnotherCompany runs rows that share the website of a known company and name another one, and rows of
// companies that share a name. None gets the answer of the known company.
func TestRowsOfAGroupGetNoAnswerOfAnotherCompany(t *testing.T) {
	t.Parallel()
	c := companyOf(t, "falcon-logistics-1.example")
	dir := t.TempDir()
	list := listIn(t, dir, "Company name,Website,Country,Registration number\n"+
		fmt.Sprintf(",,%s,%s\n", c["company_country_code"], c["company_registration_number"])+
		"Maple Catering Ltd,falcon-logistics-1.example,GB,\n"+
		c["company_name"]+",,GB,\n")
	o := runOf(list, "company")
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, row := range cells(t, o.Output.Path) {
		shown = append(shown, row["company_id"]+"|"+row["same_company_as"])
	}
	if diff := cmp.Diff([]string{c["company_id"] + "|", "|", "|"}, shown); diff != "" {
		t.Errorf("%v, the output (-want +got):\n%s", ended.Summary.Rows, diff)
	}
}

// TestARowWhoseCompanyWasErasedSaysSo buys a company by its number and erases the answer. A row that names it by its id is
// not sent, and its reason says why.
func TestARowWhoseCompanyWasErasedSaysSo(t *testing.T) {
	t.Parallel()
	c := companyOf(t, "falcon-logistics-1.example")
	dir := t.TempDir()
	run := func(text string) (ended *RunEnded, row map[string]string) {
		t.Helper()
		o := runOf(listIn(t, dir, text), "company")
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended, cells(t, o.Output.Path)[0]
	}
	if bought, _ := run(fmt.Sprintf("Country,Registration number\n%s,%s\n", c["company_country_code"], c["company_registration_number"])); bought.Summary.Posts != 1 {
		t.Fatalf("%d requests", bought.Summary.Posts)
	}
	_, err := WithSession(bothIn(dir), func(s *workspace.Session) (struct{}, error) {
		err := s.OpenJournal(t.Context(), "a test")
		if err == nil {
			_, err = s.Journal.Prune(time.Now().Add(time.Hour))
		}
		return struct{}{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	again, row := run("company_id\n" + c["company_id"] + "\n")
	if again.Summary.Posts != 0 || row["enrich_status"] != "not_attempted" || !strings.Contains(row["enrich_reason"], "that answer was erased") {
		t.Errorf("%d requests, the row is %s: %q", again.Summary.Posts, row["enrich_status"], row["enrich_reason"])
	}
}
