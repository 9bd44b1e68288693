package output_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/table"
	"payonce/pipeline/output"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The fields of the invented interface.
const (
	figures enrich.Field = iota
	owners
	plain // without a table
)

// invented is an interface whose answers are lines: the number of a table, and values with their names.
type invented struct{}

func (invented) Tables() []enrich.Table {
	return []enrich.Table{
		{
			Name: "figures", Of: figures, Key: "id", Open: true,
			Columns: []enrich.TableColumn{{Name: "year", Kind: enrich.IntegerCell}, {Name: "Cash", Kind: enrich.NumberCell}},
		},
		{Name: "owners", Of: owners, Key: "id", Columns: []enrich.TableColumn{{Name: "name"}}},
		{Name: "shares", Of: owners, Key: "id", Columns: []enrich.TableColumn{{Name: "kinds", Kind: enrich.TextsCell}}},
	}
}

func (i invented) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return i.Rows(of, answer)
}

func (i invented) Rows(of enrich.Field, answer enrich.Answered) (rows []enrich.TableRow, p enrich.CellProblems, err error) {
	if answer.Data == "damaged" {
		return nil, p, errors.New("it is damaged")
	}
	for line := range strings.Lines(answer.Data) {
		number, values, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(number)
		described := i.Tables()[n]
		if described.Of != of {
			continue // an answer has rows of the tables of its field alone
		}
		row := enrich.TableRow{Table: n}
		for _, column := range described.Columns {
			row.Cells = append(row.Cells, enrich.Cell{Kind: column.Kind})
		}
		for value := range strings.FieldsSeq(values) {
			name, text, _ := strings.Cut(value, "=")
			cell := enrich.Cell{Known: true, Text: text, Kind: enrich.TextCell}
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				cell = enrich.Cell{Known: true, Number: f, Integer: int64(f), Kind: enrich.NumberCell}
			}
			column := -1
			for c := range described.Columns {
				if described.Columns[c].Name == name {
					column = c
				}
			}
			switch {
			case column < 0:
				row.Extra = append(row.Extra, enrich.ExtraValue{Name: name, Cell: cell})
			case described.Columns[column].Kind == enrich.NumberCell && cell.Kind == enrich.TextCell:
				p.Add(name, "a number")
			default:
				cell.Kind, cell.Texts = described.Columns[column].Kind, strings.Split(text, ",")
				if cell.Kind != enrich.TextCell {
					cell.Text = ""
				}
				row.Cells[column] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows, p, nil
}

// journal has the answers of attempts, by their numbers.
type journal map[attempt.ID]attempt.Outcome

func (j journal) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, id := range ids {
			if o, found := j[id]; found {
				known = append(known, o)
			}
		}
		return known, nil
	}
}

func (j journal) answer(id attempt.ID, company, data string) {
	j[id] = attempt.Outcome{
		ID: id, Who: enrich.Identity{Company: enrich.Company{ID: company}},
		Ended: attempt.Resolution{State: attempt.Settled, Status: enrich.Matched, Data: data},
	}
}

// texts are the files of tables as CSV.
type texts map[string]*text

type text struct {
	bytes.Buffer
	writer *csvtable.Writer
	kinds  []enrich.CellKind
}

func (f texts) Create(name string, columns []table.Column) (table.Writer, error) {
	one := &text{}
	f[name] = one
	for _, c := range columns {
		one.kinds = append(one.kinds, c.Kind)
	}
	one.writer = csvtable.NewEncoder(one, csvtable.Dialect{Delimiter: ','}, table.Schema{}, columns)
	return one.writer, nil
}

// shown ends the files and returns them as one text.
func (f texts) shown(t testing.TB, names ...string) string {
	t.Helper()
	var all []string
	for _, name := range names {
		if f[name] == nil {
			t.Fatalf("there is no table %s", name)
		}
		if err := f[name].writer.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, f[name].String())
	}
	if len(f) != len(names) {
		t.Errorf("%d tables, want %d", len(f), len(names))
	}
	return strings.Join(all, "--\n")
}

func wanted(fields ...enrich.Field) enrich.Fields { return enrich.FieldsOf(fields...) }

func write(t testing.TB, d *output.DecidedAnswers) (texts, output.TablesSummary) {
	t.Helper()
	files := texts{}
	summary, err := d.Write(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return files, summary
}

// Example writes the tables of a run after its list: the run adds the attempts that decided each row.
func ExampleDecidedAnswers_Write() {
	j := journal{}
	j.answer(7, "c1", "0 year=2024 Cash=5.5 Zeal=high")
	j.answer(8, "c2", "0 year=2023 Cash=7")
	decided := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures)}})
	for _, id := range []attempt.ID{7, 8, 7} { // in the order of the rows
		decided.Add(0, figures, id)
	}
	files := texts{}
	summary, err := decided.Write(context.Background(), files)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %d rows\n%s", summary.Tables[0].Name, summary.Tables[0].Rows, files["figures"].String())
	// Output:
	// figures: 2 rows
	// id,year,Cash,Zeal
	// c1,2024,5.5,high
	// c2,2023,7,
}

func TestEachSubjectStandsOnceInTheOrderOfTheList(t *testing.T) {
	j := journal{}
	j.answer(900, "b", "0 year=2023 Cash=1\n0 year=2024 Cash=2")
	j.answer(3, "a", "0 year=2022 Cash=3")
	j.answer(70, "b", "1 name=Holder\n2 kinds=x,y\n1 name=Other")
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures, owners, plain)}})
	for range 3 {
		d.Add(0, figures, 900)
		d.Add(0, owners, 70)
		d.Add(0, plain, 5)
		d.Add(0, figures, 3)
	}
	files, summary := write(t, d)
	const want = "id,year,Cash\nb,2023,1\nb,2024,2\na,2022,3\n--\nid,name\nb,Holder\nb,Other\n--\nid,kinds\nb,\"[\"\"x\"\",\"\"y\"\"]\"\n"
	if diff := cmp.Diff(want, files.shown(t, "figures", "owners", "shares")); diff != "" {
		t.Error(diff)
	}
	wrote := []output.WrittenTable{{Name: "figures", Rows: 3}, {Name: "owners", Rows: 2}, {Name: "shares", Rows: 1}}
	if diff := cmp.Diff(wrote, summary.Tables); diff != "" || summary.Count != 0 {
		t.Errorf("%d problems\n%s", summary.Count, diff)
	}
	again, _ := write(t, d)
	if diff := cmp.Diff(files.shown(t, "figures", "owners", "shares"), again.shown(t, "figures", "owners", "shares")); diff != "" {
		t.Errorf("the same tables differ:\n%s", diff)
	}
}

// TestOnlyWantedTablesAreWritten also when nothing was found, or the answers were erased.
func TestOnlyWantedTablesAreWritten(t *testing.T) {
	j := journal{}
	j[1] = attempt.Outcome{ID: 1, Ended: attempt.Resolution{State: attempt.Settled, Status: enrich.Matched, Erased: true}}
	j[2] = attempt.Outcome{ID: 2, Ended: attempt.Resolution{State: attempt.Released}}
	j.answer(3, "c", "")
	steps := output.TableSteps{{Wanted: wanted(figures)}, {Interface: invented{}, Answers: j, Wanted: wanted(owners)}}
	d := output.NewDecidedAnswers(steps)
	for id := range attempt.ID(5) {
		d.Add(0, figures, id)
		d.Add(1, owners, id)
		d.Add(1, figures, id)
	}
	files, summary := write(t, d)
	if got := files.shown(t, "owners", "shares"); got != "id,name\n--\nid,kinds\n" || summary.Count > 0 {
		t.Errorf("%d problems, tables\n%s", summary.Count, got)
	}
	if names := steps.Tables(); len(names) != 2 || len(steps[:1].Tables()) != 0 {
		t.Errorf("the tables are %v", names)
	}
}

// TestValuesWithoutAColumnGetOne has values of one name that are numbers, texts and both, and names that differ in
// case alone.
func TestValuesWithoutAColumnGetOne(t *testing.T) {
	j := journal{}
	j.answer(1, "a", "0 year=2024 Mixed=1 Zeal=2 cash=9 other_values=x")
	j.answer(2, "b", "0 year=2024 Mixed=high aura=3 x\x01y=c "+strings.Repeat("n", 201)+"=long")
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures)}})
	d.Add(0, figures, 1)
	d.Add(0, figures, 2)
	files, _ := write(t, d)
	want := "id,year,Cash,Mixed,Zeal,aura,cash_2,other_values,other_values_2\n" +
		"a,2024,,1,2,,9,x,\nb,2024,,high,,3,,,\"{\"\"" + strings.Repeat("n", 201) + "\"\":\"\"long\"\",\"\"x\\u0001y\"\":\"\"c\"\"}\"\n"
	if diff := cmp.Diff(want, files.shown(t, "figures")); diff != "" {
		t.Error(diff)
	}
	kinds := []enrich.CellKind{
		enrich.TextCell, enrich.IntegerCell, enrich.NumberCell, enrich.TextCell, enrich.NumberCell, enrich.NumberCell, enrich.NumberCell, enrich.TextCell, enrich.TextCell,
	}
	if diff := cmp.Diff(kinds, files["figures"].kinds); diff != "" {
		t.Errorf("types of the columns:\n%s", diff)
	}
}

// TestColumnsAreBounded has more names of values than a table gets columns. None of the values is lost.
func TestColumnsAreBounded(t *testing.T) {
	j := journal{}
	for i := range 1200 {
		j.answer(attempt.ID(i+1), fmt.Sprint(i), fmt.Sprintf("0 year=1 x%04d=%d", i, i))
	}
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures)}})
	for i := range 1200 {
		d.Add(0, figures, attempt.ID(i+1))
	}
	files, _ := write(t, d)
	lines := strings.Split(files.shown(t, "figures"), "\n")
	if n := len(files["figures"].kinds); n != 3+1000+1 || !strings.HasSuffix(lines[0], ",x0999,other_values") {
		t.Errorf("%d columns, the last ones are %s", n, lines[0][len(lines[0])-40:])
	}
	if want := ",999,"; !strings.HasSuffix(lines[1000], want) || !strings.HasSuffix(lines[1200], `,"{""x1199"":""1199""}"`) {
		t.Errorf("line 1000 is %s, line 1200 is %s", lines[1000], lines[1200])
	}
}

// TestUnreadableTableCellsAreReportedWithSubjectAndColumn with its subject and column, and does not stop the rest.
func TestUnreadableTableCellsAreReportedWithSubjectAndColumn(t *testing.T) {
	j := journal{}
	j.answer(1, "a", "0 year=2024 Cash=much")
	j.answer(2, "", "0 year=2023 Cash=1")
	for i := range 200 {
		j.answer(attempt.ID(3+i), fmt.Sprint(i), "0 Cash=x\n0 Cash=y")
	}
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures)}})
	for i := range 202 {
		d.Add(0, figures, attempt.ID(1+i))
	}
	files, summary := write(t, d)
	if got := files.shown(t, "figures"); !strings.HasPrefix(got, "id,year,Cash\na,2024,\n,2023,1\n0,,\n") {
		t.Errorf("the table begins\n%s", got[:40])
	}
	if summary.Count != 402 || len(summary.Problems) != 100 {
		t.Errorf("%d problems, %d of them are described", summary.Count, len(summary.Problems))
	}
	want := []output.TableProblem{
		{Subject: "a", CellProblem: enrich.CellProblem{Path: "Cash", Want: "a number"}},
		{Subject: "", CellProblem: enrich.CellProblem{Path: "id", Want: "known"}},
	}
	if diff := cmp.Diff(want, summary.Problems[:2]); diff != "" {
		t.Error(diff)
	}
}

// TestASubjectOfTwoStepsStandsOnce has two accounts that answer about the same company.
func TestASubjectOfTwoStepsStandsOnce(t *testing.T) {
	first, second := journal{}, journal{}
	first.answer(1, "a", "0 year=2024 Cash=1\n0 year=2023 Cash=2")
	second.answer(2, "a", "0 year=2024 Cash=9")
	second.answer(3, "b", "0 year=2024 Cash=3")
	d := output.NewDecidedAnswers(output.TableSteps{
		{Interface: invented{}, Answers: first, Wanted: wanted(figures)}, {Interface: invented{}, Answers: second, Wanted: wanted(figures)},
	})
	d.Add(0, figures, 1)
	d.Add(1, figures, 2)
	d.Add(1, figures, 3)
	files, _ := write(t, d)
	if diff := cmp.Diff("id,year,Cash\na,2024,1\na,2023,2\nb,2024,3\n", files.shown(t, "figures")); diff != "" {
		t.Error(diff)
	}
}

func TestADamagedAnswerStopsTheTables(t *testing.T) {
	j := journal{}
	j.answer(41, "a", "damaged")
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures)}})
	d.Add(0, figures, 41)
	if _, err := d.Write(t.Context(), texts{}); err == nil || !strings.Contains(err.Error(), "attempt 41") {
		t.Errorf("error %v", err)
	}
}

// TestTablesDoNotDependOnWhichAnswersAreReadFirst writes random answers on one core and on several.
func TestTablesDoNotDependOnWhichAnswersAreReadFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		j := journal{}
		d := output.NewDecidedAnswers(output.TableSteps{{Interface: invented{}, Answers: j, Wanted: wanted(figures, owners)}})
		lines := rapid.SampledFrom([]string{"0 year=1", "0 Cash=2 New=3", "0 New=x Cash=no", "1 name=n", "2 kinds=a", "0 y" + strings.Repeat("=", 3)})
		for range rapid.IntRange(0, 60).Draw(rt, "answers") {
			id := attempt.ID(rapid.IntRange(1, 100).Draw(rt, "attempt"))
			if _, known := j[id]; !known {
				j.answer(id, fmt.Sprint(id%7), strings.Join(rapid.SliceOfN(lines, 0, 4).Draw(rt, "lines"), "\n"))
			}
			d.Add(0, rapid.SampledFrom([]enrich.Field{figures, owners}).Draw(rt, "field"), id)
		}
		files, summary := write(t, d)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		alone, same := write(t, d)
		const figures, owners, shares = "figures", "owners", "shares"
		if diff := cmp.Diff(files.shown(t, figures, owners, shares), alone.shown(t, figures, owners, shares)); diff != "" {
			rt.Error(diff)
		}
		if diff := cmp.Diff(summary, same); diff != "" {
			rt.Error(diff)
		}
	})
}

// named is the invented interface, whose answers begin with the key of their subject.
type named struct{ invented }

func (n named) Rows(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	key, data, _ := strings.Cut(answer.Data, "\n")
	answer.Data = data
	rows, p, err := n.invented.Rows(of, answer)
	for i := range rows {
		rows[i].Subject = key
	}
	return rows, p, err
}

func (n named) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return n.Rows(of, answer)
}

// TestAnAnswerThatNamesItsSubjectHasItsRowsOnce has two calls by other identities whose answers name one company.
func TestAnAnswerThatNamesItsSubjectHasItsRowsOnce(t *testing.T) {
	j := journal{}
	j.answer(1, "", "c7\n1 name=Ada\n1 name=Bo")
	j.answer(2, "", "c7\n1 name=Ada\n1 name=Bo")
	j.answer(3, "", "c8\n1 name=Cy")
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: named{}, Answers: j, Wanted: wanted(owners)}})
	for _, id := range []attempt.ID{1, 2, 3} {
		d.Add(0, owners, id)
	}
	files, summary := write(t, d)
	if diff := cmp.Diff("id,name\nc7,Ada\nc7,Bo\nc8,Cy\n--\nid,kinds\n", files.shown(t, "owners", "shares")); diff != "" || summary.Count != 0 {
		t.Errorf("%d problems\n%s", summary.Count, diff)
	}
}
