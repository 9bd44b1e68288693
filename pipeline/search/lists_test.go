package search_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/listfile"
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

// TestAReportSaysWhatIsMissing shows a summary and a plan to a person.
func TestAReportSaysWhatIsMissing(t *testing.T) {
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
