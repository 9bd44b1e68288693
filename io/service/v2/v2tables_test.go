package v2

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// answered returns the body of a response as the journal keeps it.
func answered(t testing.TB, o Operation, body string) enrich.Answered {
	t.Helper()
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	a, err := ReadAnswer(o, []byte(body), at, RevealEverything(), Modules{}, enrich.Company{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tablesShown writes the rows of an answer, each with the name of its table and the cells that are known.
func tablesShown(t testing.TB, of enrich.Field, a enrich.Answered) (text, problems string) {
	t.Helper()
	rows, found, err := Tables{}.Rows(of, a)
	if err != nil {
		t.Fatal(err)
	}
	tables := Tables{}.Tables()
	var lines []string
	for _, row := range rows {
		table := tables[row.Table]
		if table.Of != of || len(row.Cells) != len(table.Columns) {
			t.Errorf("a row of %s has %d cells, and %d columns", table.Name, len(row.Cells), len(table.Columns))
		}
		line := table.Name + ":"
		if row.Subject != "" {
			line = table.Name + " of " + row.Subject + ":"
		}
		for i, cell := range row.Cells {
			if cell.Kind != table.Columns[i].Kind {
				t.Errorf("%s.%s is %s", table.Name, table.Columns[i].Name, cell.Kind)
			}
			if cell.Known {
				line += " " + table.Columns[i].Name + "=" + cell.String()
			}
		}
		for _, extra := range row.Extra {
			line += " +" + extra.Name + "=" + extra.Cell.String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), found.Text()
}

func TestAnswersBecomeRows(t *testing.T) {
	for _, test := range []struct {
		of             enrich.Field
		operation      Operation
		body           string
		rows, problems string
	}{
		{
			FieldFinancials, OpGetFinancials,
			`{"2024": {"Turnover": 2.5, "Currency": "GBP", "Mood": "good"}, "2023": {"Turnover": "n/a", "Employee-Numbers": "7"}, "last": {}}`,
			"financials: year=2023 Employee-Numbers=7\nfinancials: year=2024 Currency=GBP Turnover=2.5 +Mood=good",
			"2023.Turnover is not a number; last is not a year",
		},
		{
			FieldInsights, OpGetInsights,
			`{"id": 5, "domain": "acme.example", "visits": [{"date_value": "2026-10-01", "value": 500}, null], "technologies": [{"id": 1, "list": [{"name": "nginx"}, {"name": 7}]}],
			  "top_country_shares": [{"name": "GB"}], "graph": {"visits": {"data": [["2026", 1]]}}}`,
			"insights: id=5 domain=acme.example top_country_shares=[{\"name\":\"GB\"}] graph={\"visits\":{\"data\":[[\"2026\",1]]}}\n" +
				"technologies: name=nginx group_id=1\ntechnologies: name=7 group_id=1\nvisits: date_value=2026-10-01 value=500\n" +
				"traffic_shares: name=GB\ntraffic_graph: series=visits date=2026 value=1",
			"",
		},
		{
			FieldInsights, OpGetInsights,
			`{"id": 5, "top_country_shares": [{"id": 1, "traffic_country_id": 2, "share_percent": 51.5, "share_change": null, "name": "GB", "traffic_data_id": 3}, {"name": "DE", "share_percent": "x"}],
			  "graph": {"visits": {"categories": ["a"], "data": [["2026-10-01", 500]]}, "sources": {"organic": [["2026-10-01", 0.5], ["2026-11-01", null]], "direct": [[1759276800000, 1]], "referral": []}}}`,
			"insights: id=5 top_country_shares=" +
				`[{"id":1,"traffic_country_id":2,"share_percent":51.5,"share_change":null,"name":"GB","traffic_data_id":3},{"name":"DE","share_percent":"x"}]` +
				` graph={"visits":{"categories":["a"],"data":[["2026-10-01",500]]},"sources":{"organic":[["2026-10-01",0.5],["2026-11-01",null]],"direct":[[1759276800000,1]],"referral":[]}}` +
				"\ntraffic_shares: id=1 traffic_country_id=2 name=GB share_percent=51.5 traffic_data_id=3\ntraffic_shares: name=DE" +
				"\ntraffic_graph: series=visits date=2026-10-01 value=500\ntraffic_graph: series=organic date=2026-10-01 value=0.5" +
				"\ntraffic_graph: series=organic date=2026-11-01\ntraffic_graph: series=direct date=1759276800000 value=1",
			"top_country_shares[1].share_percent is not a number",
		},
		{
			FieldCompany, OpEnrichURL,
			`{"id": "17", "name": "Acme", "founding_date": "soon", "industry": [{"id": 3, "type": "industry_focus", "value": "Dairy"}, {"id": {}}], "sic": [{"id": "9", "type": "sic_code_gb", "value": "1051 Dairy"}]}`,
			"classifications of 17: list=industry id=3 type=industry_focus value=Dairy\nclassifications of 17: list=industry\n" +
				"classifications of 17: list=sic id=9 type=sic_code_gb value=1051 Dairy",
			"industry[1].id is not text",
		},
		{
			FieldOwnership, OpGetOwnership,
			`{"shareholders": [{"id": "9", "quantity": "many"}, {"id": 10, "quantity": 3}], "group_structure": [{"id": 4, "level": 1}], "data": ["x", {"a": 1}]}`,
			"shareholders: id=9\nshareholders: id=10 quantity=3\ngroup_structure: id=4 entry={\"id\":4,\"level\":1}\n" +
				"ownership_data: entry=x\nownership_data: entry={\"a\":1}",
			"shareholders[0].quantity is not an integer",
		},
		{FieldOwnership, OpGetOwnership, `{"shareholders": null, "group_structure": null}`, "", ""},
		{FieldFinancials, OpGetFinancials, `{}`, "", ""},
		{FieldCompany, OpGetCompany, `{"id": 1}`, "", ""},
	} {
		rows, problems := tablesShown(t, test.of, answered(t, test.operation, test.body))
		if diff := cmp.Diff(test.rows, rows); diff != "" || problems != test.problems {
			t.Errorf("%s: problems %q, rows (-want +got):\n%s", test.operation, problems, diff)
		}
	}
}

// TestAnswersWithoutABodyHaveNoTableRows reads answers without a body: nothing was found, or it was erased.
func TestAnswersWithoutABodyHaveNoTableRows(t *testing.T) {
	for _, a := range []enrich.Answered{
		NothingFound(OpGetInsights, time.Now()), {Status: enrich.Matched},
	} {
		for f := range AllFields.Each() {
			if rows, _ := tablesShown(t, f, a); rows != "" {
				t.Errorf("rows of field %d: %s", f, rows)
			}
		}
	}
	if _, _, err := (Tables{}).Rows(FieldInsights, enrich.Answered{Data: "garbage"}); err == nil {
		t.Error("garbage has rows")
	}
}

// TestNamesOfTablesAndColumnsDifferInMoreThanCase: some readers take names that differ in case alone for one.
func TestNamesOfTablesAndColumnsDifferInMoreThanCase(t *testing.T) {
	seen := map[string]bool{}
	unique := func(name string) {
		if seen[strings.ToLower(name)] {
			t.Errorf("%s is there twice", name)
		}
		seen[strings.ToLower(name)] = true
	}
	for _, table := range (Tables{}).Tables() {
		unique(table.Name)
		unique(table.Name + "." + table.Key)
		for _, column := range table.Columns {
			unique(table.Name + "." + column.Name)
		}
	}
	if len(Tables{}.Tables()[financials].Columns) != 267 {
		t.Errorf("financials has %d columns besides its key", len(Tables{}.Tables()[financials].Columns))
	}
}

// TestAnAnswerOf1MBBecomesTableRows reads a record with as many rows as fit into 1 MB.
func TestAnAnswerOf1MBBecomesTableRows(t *testing.T) {
	var b strings.Builder
	count := 0
	for b.WriteString(`{"shareholders":[`); b.Len() < 1<<20; count++ {
		fmt.Fprintf(&b, `%s{"id":%d,"name":"Holder %d of a company with a long list","quantity":%d}`, strings.Repeat(",", min(count, 1)), count, count%7, count)
	}
	b.WriteString("]}")
	rows, problems, err := Tables{}.Rows(FieldOwnership, answered(t, OpGetOwnership, b.String()))
	if err != nil || len(rows) != count || problems.Count > 0 {
		t.Errorf("%d of %d rows, problems %q, error %v", len(rows), count, problems.Text(), err)
	}
}

// isWritable reports whether a format of files has a form for a value.
func isWritable(cell enrich.Cell) bool {
	var err error
	switch cell.Kind {
	case enrich.NumberCell:
		return !math.IsNaN(cell.Number) && !math.IsInf(cell.Number, 0)
	case enrich.DateCell:
		_, err = time.Parse(time.DateOnly, cell.String())
	case enrich.TimestampCell:
		_, err = time.Parse(time.RFC3339, cell.String())
	case enrich.TextsCell:
		return utf8.ValidString(strings.Join(cell.Texts, ""))
	case enrich.MoneyCell:
		return false // no answer has one
	}
	return err == nil
}

// FuzzRows reads hostile answers. Each row has a cell for each column, of its kind, and only values that can be
// written as Parquet.
func FuzzRows(f *testing.F) {
	for i, body := range []string{
		`{"2024":{"Turnover":"x","New":[1],"new":1e999,"Turnover":2},"2024":{},"y":{},"2023":null}`,
		`{"id":"7","technologies":[{"list":[null,{"id":{}}]},7],"visits":null,"graph":[1,"\ud800"],"top_country_shares":"\u0000"}`,
		`{"shareholders":[{"quantity":1e30,"id":1},{"id":"1","created_at":"x"}],"group_structure":[{"id":{"a":1}}],"data":[null,1,{}]}`,
	} {
		f.Add(uint8(i), []byte(body))
	}
	f.Fuzz(func(t *testing.T, number uint8, body []byte) {
		o := []Operation{OpGetFinancials, OpGetInsights, OpGetOwnership}[number%3]
		a, err := ReadAnswer(o, body, time.Unix(0, 0), RevealEverything(), Modules{}, enrich.Company{})
		if err != nil {
			return
		}
		of, _ := o.Field()
		text, problems := tablesShown(t, of, a)
		if !utf8.ValidString(text) || !utf8.ValidString(problems) {
			t.Errorf("%q", text)
		}
		rows, _, _ := Tables{}.Rows(of, a)
		for _, row := range rows {
			cells := row.Cells
			for _, extra := range row.Extra {
				cells = append(cells, extra.Cell)
			}
			for _, cell := range cells {
				value := cell.String()
				if !cell.Known && value != "" {
					t.Errorf("%v", cell)
				}
				if value != "" && !isWritable(cell) {
					t.Errorf("%v cannot be written", cell)
				}
			}
		}
	})
}
