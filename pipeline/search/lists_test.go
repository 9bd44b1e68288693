package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/search"
)

// readList returns the columns of a list, what they mean, and its rows.
func readList(t *testing.T, path string, asked enrich.Subject) (names []string, reading *columns.Reading, rows [][]string) {
	t.Helper()
	list, err := columns.OpenList(listfile.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	schema, sample, err := list.Look()
	if err != nil {
		t.Fatal(err)
	}
	if reading, err = columns.Recognise(schema, sample, columns.Options{Asked: []enrich.Subject{asked}}); err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(schema.Columns))
	for i := range all {
		all[i] = i
	}
	reader, err := list.Open(all)
	if err != nil {
		t.Fatal(err)
	}
	err = table.Ordered(t.Context(), reader, func(b table.Block) (found [][]string, err error) {
		err = b.Each(func(r table.Row) error {
			var cells []string
			for i := range all {
				cells = append(cells, string(r.Cell(i)))
			}
			found = append(found, cells)
			return nil
		})
		return found, err
	}, func(_ table.Block, found [][]string) error {
		rows = append(rows, found...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	return schema.Columns, reading, rows
}

// TestEveryFormatIsFoundByARun writes lists in each format. A run finds their columns without a flag.
func TestEveryFormatIsFoundByARun(t *testing.T) {
	b := newBench(t, 60)
	for _, name := range []string{"out.csv", "out.tsv", "out.json", "out.jsonl", "out.parquet", "out.xlsx", "out.csv.gz"} {
		o := b.options(order(t, "companies"))
		o.Output.Path = filepath.Join(b.dir, name)
		b.run(t, o)
		names, reading, rows := readList(t, o.Output.Path, enrich.Companies)
		if len(rows) != 60 || !slices.Equal(rows[59], []string{"1059", "Company 1059"}) {
			t.Errorf("%s: %d rows, the last is %q", name, len(rows), rows[len(rows)-1])
		}
		if got := reading.Mapping.Column(columns.CompanyID); got != slices.Index(names, "company_id") || reading.Lists != enrich.Companies {
			t.Errorf("%s: the identifier is in column %d of %q, lists %s", name, got, names, reading.Lists)
		}
	}
	if b.calls != 3 {
		t.Errorf("%d calls for one search in seven formats", b.calls)
	}
}

// TestPeopleAndEmployeesAreFoundByARun lists persons that a run can look up by their names and companies.
func TestPeopleAndEmployeesAreFoundByARun(t *testing.T) {
	b := newBench(t, 0)
	people := b.options(order(t, "people", "domain_list=acme.example"))
	if ended := b.run(t, people); ended.Summary.Results != 60 || b.used["contacts"] != 3 {
		t.Errorf("%+v", ended.Summary)
	}
	names, reading, rows := readList(t, people.Output.Path, enrich.Persons)
	cell := func(role columns.Role) string { return rows[2][reading.Mapping.Column(role)] }
	if cell(columns.FirstName) != "Ada" || cell(columns.LastName) != "Number2" || cell(columns.ProfileURL) != "https://pro.example/in/ada-2" ||
		cell(columns.CompanyName) != "Acme" || cell(columns.CompanyDomain) != "acme.example" || rows[2][slices.Index(names, "company_incorporation_date")] != "1999" {
		t.Errorf("%q\n%q", names, rows[2])
	}

	employees := b.options(order(t, "employees", "seniority=1"))
	employees.Order.Companies, employees.Order.Count, employees.Order.PerOne = slices.Values([]string{"1003", "1020", "1021", "1059"}), 4, 30
	employees.Output.Path = filepath.Join(b.dir, "employees.csv")
	ended := b.run(t, employees)
	// 1003 % 60 = 43, 1020 % 60 = 0, 1021 % 60 = 1, 1059 % 60 = 39
	if ended.Summary.Results != 30+0+1+30 || ended.Summary.Searches != 4 || b.used["contacts"] != 3+2+1+1+2 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
	_, reading, rows = readList(t, employees.Output.Path, enrich.Persons)
	if rows[0][reading.Mapping.Column(columns.FullName)] != "Ada Number0" || rows[0][reading.Mapping.Column(columns.CompanyName)] != "Company 1003" {
		t.Errorf("%q", rows[0])
	}
	again := b.run(t, employees)
	if again.Summary.Calls != 0 || again.Summary.Results != 61 {
		t.Errorf("again: %+v", again.Summary)
	}
}

// TestAListThatWouldLoseValuesIsKept changes a list after it was written, and finds less the next time.
func TestAListThatWouldLoseValuesIsKept(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies"))
	b.run(t, o)
	edited := strings.Join(b.lines(t, o), "\n") + "\n77,mine\n"
	if err := os.WriteFile(o.Output.Path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := b.run(t, o)
	if len(ended.Summary.Kept) != 1 || !strings.Contains(ended.Summary.Kept[0].Reason, "it was changed after it was written") {
		t.Fatalf("kept %+v", ended.Summary.Kept)
	}
	kept, err := os.ReadFile(ended.Summary.Kept[0].As)
	if err != nil || string(kept) != edited {
		t.Errorf("%q, error %v", kept, err)
	}
	o.Order.Most = 10
	if ended = b.run(t, o); len(ended.Summary.Kept) != 1 || !strings.Contains(ended.Summary.Kept[0].Reason, "values that the new one lacks") {
		t.Errorf("kept %+v", ended.Summary.Kept)
	}
}

// TestSearchReportsNameTheMissingResults shows a summary and a plan to a person.
func TestSearchReportsNameTheMissingResults(t *testing.T) {
	one := int64(25)
	for want, gap := range map[string]search.Gap{
		"25 results of page 3 of nace=J62: the response was lost, and it may have been counted":                 {Why: "in_doubt", Part: "nace=J62", Page: 3, Count: &one},
		"results of nace=J62: the service refuses it":                                                           {Why: "rejected", Part: "nace=J62"},
		"25 results of nace=J62: they have no value for company_incorporation, by which the search was split":   {Why: "no_value", Part: "nace=J62", By: "company_incorporation", Count: &one},
		"25 results of nace=J62: there are more than the service shows, and the search cannot be split further": {Why: "too_many", Part: "nace=J62", Count: &one},
		"results of no filter: it was counted, and the response was lost":                                       {Why: "forfeited", Part: "no filter"},
		"25 results of page 2 of no filter: what was answered is erased":                                        {Why: "erased", Part: "no filter", Page: 2, Count: &one},
	} {
		if got := gap.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCompaniesAreFoundByWhatNamesThemOnAllPages searches by a phone number. A run finds the columns without a flag.
func TestCompaniesAreFoundByWhatNamesThemOnAllPages(t *testing.T) {
	b := newBench(t, 13)
	o := b.options(order(t, "overview", "phone_number=+49 30 1"))
	if ended := b.run(t, o); ended.Summary.Results != 13 || ended.Summary.Pages != 3 || b.used["companies"] != 3 || ended.Summary.Units[0].Used != 3 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
	names, reading, rows := readList(t, o.Output.Path, enrich.Companies)
	if len(rows) != 13 || !slices.Equal(rows[12], []string{"1012", "Company 1012", "active", "DE", "HRB 1012"}) {
		t.Errorf("%q: %q", names, rows)
	}
	for role, column := range map[columns.Role]int{
		columns.CompanyID: 0, columns.CompanyName: 1, columns.CompanyCountry: 3, columns.RegistrationNumber: 4,
	} {
		if got := reading.Mapping.Column(role); got != column {
			t.Errorf("%s is column %d of %q", role, got, names)
		}
	}
	b.checkOnce(t)
	if again := b.run(t, o); again.Summary.Calls != 0 || b.calls != 3 {
		t.Errorf("the same search sends %d calls", again.Summary.Calls)
	}
	o.Order.Query = search.NewQuery(v2.OpOverview, 6)
	if _, err := search.Run(t.Context(), b.work(t), o, &person{}); err == nil || !strings.Contains(err.Error(), "a page of this search has at most 5") {
		t.Errorf("six results on a page: %v", err)
	}
}

// TestEmployeesGetTheCellsOfTheirCompany joins each employee with the row of the company that was searched.
func TestEmployeesGetTheCellsOfTheirCompany(t *testing.T) {
	b := newBench(t, 0)
	o := b.options(order(t, "employees", "seniority=1"))
	o.Order.Companies, o.Order.Count, o.Order.PerOne = slices.Values([]string{"1021", "1020", "1022"}), 3, 2
	o.Order.List = search.ListCells{Columns: []string{"Region", "list_company_name"}, Read: func(_ context.Context, ids map[string]bool) (map[string][]string, error) {
		if len(ids) != 2 || ids["1020"] {
			t.Errorf("the cells of %v are read; 1020 has no employees", ids)
		}
		return map[string][]string{"1021": {"North", "A"}, "1022": {"South", "B"}}, nil
	}}
	b.run(t, o)
	want := []string{
		"contact_id,full_name,company_name,company_id,Region,list_company_name", "1021-0,Ada Number0,Company 1021,1021,North,A",
		"1022-0,Ada Number0,Company 1022,1022,South,B", "1022-1,Ada Number1,Company 1022,1022,South,B",
	}
	if got := b.lines(t, o); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestEmployeesAreSearchedWithoutAList searches by filters alone, and refuses what needs a list, or has two.
func TestEmployeesAreSearchedWithoutAList(t *testing.T) {
	b := newBench(t, 0)
	o := b.options(order(t, "employees", "company_id=1003", "seniority=1"))
	if ended := b.run(t, o); ended.Summary.Results != 43 || ended.Summary.Searches != 1 || b.used["contacts"] != 2 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
	o.Order.PerOne = 3
	if _, err := search.Run(t.Context(), b.work(t), o, &person{}); err == nil || !strings.Contains(err.Error(), "needs a list of companies") {
		t.Errorf("results of each company without a list: %v", err)
	}
	o.Order.Companies, o.Order.Count = slices.Values([]string{"1004"}), 1
	if _, err := search.Run(t.Context(), b.work(t), o, &person{}); err == nil || !strings.Contains(err.Error(), "the companies are given twice") {
		t.Errorf("a list and a company: %v", err)
	}
	if b.used["contacts"] != 2 {
		t.Errorf("a search that is refused used %d", b.used["contacts"]-2)
	}
}

// TestRowsAreCompletedEachWithItsOwnRecord completes three rows, two of which are the same company, and one of which is
// not found. The same search buys nothing.
func TestRowsAreCompletedEachWithItsOwnRecord(t *testing.T) {
	b := newBench(t, 0)
	o := b.options(order(t, "autocomplete"))
	rows := []map[string]string{{"name": "Acme", "country_code": "DE"}, {"email": "info@nowhere.example"}, {"name": "ACME Ltd", "pro_network": "https://pro.example/company/acme"}}
	o.Order.Rows, o.Order.Count = func(yield func(string, map[string]string) bool) {
		for i, row := range rows {
			if !yield(fmt.Sprint(i+1), row) {
				return
			}
		}
	}, 3
	o.Order.List = search.ListCells{Columns: []string{"Owner"}, Read: func(_ context.Context, names map[string]bool) (map[string][]string, error) {
		return map[string][]string{"1": {"Ann"}, "3": {"Cid"}}, nil
	}}
	ended := b.run(t, o)
	names, _, found := readList(t, o.Output.Path, enrich.Companies)
	if len(found) != 2 || found[0][0] != "7" || found[1][0] != "7" || found[0][slices.Index(names, "company_founding_date")] != "1999-01-02" {
		t.Errorf("%q\n%q", names, found)
	}
	if owner := slices.Index(names, "Owner"); found[0][owner] != "Ann" || found[1][owner] != "Cid" {
		t.Errorf("the rows of the list are %q", found)
	}
	if ended.Summary.Results != 2 || ended.Summary.Searches != 3 || b.used["companies"] != 2 || b.calls != 3 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
	for body := range b.counted {
		if !strings.HasPrefix(body, `autocomplete {"country_code":"DE","name":"Acme"}`) && body != `autocomplete {"name":"ACME Ltd","pro_network":"https://pro.example/company/acme"}` {
			t.Errorf("it sent %s", body)
		}
	}
	if again := b.run(t, o); again.Summary.Calls != 0 || again.Summary.Results != 2 || b.calls != 3 {
		t.Errorf("again: %+v", again.Summary)
	}
}

// TestFiguresOfChosenYearsAreBoughtOnce asks for two years, then for one of them and another one.
func TestFiguresOfChosenYearsAreBoughtOnce(t *testing.T) {
	b := newBench(t, 0)
	o := b.options(order(t, "figures", "year=2024,2023"))
	o.Order.Companies, o.Order.Count = slices.Values([]string{"11", "404", "12"}), 3
	ended := b.run(t, o)
	want := []string{
		"company_id,year,figure,value", "11,2023,Currency,EUR", "11,2023,Turnover,1.5", "11,2023,Mood,good",
		"11,2024,Currency,EUR", "11,2024,Turnover,1.5", "11,2024,Mood,good", "12,2023,Currency,EUR", "12,2023,Turnover,1.5",
		"12,2023,Mood,good", "12,2024,Currency,EUR", "12,2024,Turnover,1.5", "12,2024,Mood,good",
	}
	if got := b.lines(t, o); !slices.Equal(got, want) || b.used["financials"] != 4 || ended.Summary.Units[0].Used != 4 || b.calls != 6 {
		t.Errorf("%q\n%+v, the service counted %v", got, ended.Summary, b.used)
	}
	other := b.options(order(t, "figures", "company_id=11", "year=2023,2025"))
	other.Output.Path = filepath.Join(b.dir, "other.csv")
	if ended := b.run(t, other); ended.Summary.Calls != 1 || len(b.lines(t, other)) != 4 {
		t.Errorf("%q: %+v", b.lines(t, other), ended.Summary)
	}
	b.checkOnce(t)
	if _, err := search.Run(t.Context(), b.work(t), b.options(order(t, "figures", "company_id=11")), &person{}); err == nil || !strings.Contains(err.Error(), "needs a year") {
		t.Errorf("figures without a year: %v", err)
	}
}
