package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/pipeline/report"
)

// foundCompanies returns lines of a list that name companies by websites, numbers or names, of which the service has the
// records, the figures and the owners.
func foundCompanies(t *testing.T) (lines []string) {
	t.Helper()
	dir := t.TempDir()
	o := runOf(everyWay(t, dir), "company", "financials", "ownership")
	if _, err := bothIn(dir).Run(t.Context(), o, silent{}); err != nil {
		t.Fatal(err)
	}
	for _, row := range cells(t, o.Output.Path) {
		if row["enrich_status"] == "matched" {
			lines = append(lines, fmt.Sprintf("%q,%s,%s,%s\n", row["Company"], row["Website"], row["Country"], row["Registration number"]))
		}
	}
	if len(lines) < 10 {
		t.Fatalf("%d companies have everything", len(lines))
	}
	return lines
}

// TestRowsThatCanBeCompletedComeFirst runs random lists under random limits on units. A run that completes rows first
// ends with as many complete rows as its plan says, and with at least as many as a run in the order of the list, which
// also ends with as many as its plan says. The same command again asks for nothing.
func TestRowsThatCanBeCompletedComeFirst(t *testing.T) {
	t.Parallel()
	companies := foundCompanies(t)
	more := 0
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 12))
		lines := slices.Clone(companies)
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		lines = append(lines, lines[random.IntN(len(lines))]) // a duplicate
		fields := []string{"company", "financials"}
		if random.IntN(2) == 0 {
			fields = append(fields, "ownership")
		}
		units := map[string]int64{
			"companies": 1 + random.Int64N(14), "financials": 1 + random.Int64N(8), "ownership": 1 + random.Int64N(8),
		}
		complete := map[bool]int64{}
		for _, first := range []bool{false, true} {
			dir := t.TempDir()
			list := filepath.Join(dir, "list.csv")
			text := "Company,Website,Country,Registration number\n" + strings.Join(lines, "")
			if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			service := stand(t, func(*sandbox.Config) {})
			o := runOf(list, fields...)
			maps.Copy(o.Budget.Units, units)
			o.List.CompleteFirst = first
			planned, err := service.work(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
			if err != nil {
				t.Fatal(err)
			}
			ended, err := service.work(dir).Run(t.Context(), o, silent{})
			if err != nil {
				t.Fatal(err)
			}
			complete[first] = ended.Summary.Rows["matched"]
			if want := planned.Plan.Complete; want == nil || complete[first] != want.Rows {
				t.Errorf("seed %d, first %t: %d rows are complete, and the plan says %+v", seed, first, complete[first], want)
			}
			again, err := service.work(dir).Run(t.Context(), o, silent{})
			if err != nil || again.Summary.Posts != 0 {
				t.Errorf("seed %d, first %t: a second start sent %d requests: %v", seed, first, again.Summary.Posts, err)
			}
		}
		if complete[true] < complete[false] {
			t.Errorf("seed %d: %d rows are complete, and %d without completing rows first", seed, complete[true], complete[false])
		}
		if complete[true] > complete[false] {
			more++
		}
	}
	if more == 0 {
		t.Error("no list ended with more complete rows")
	}
}

// TestRowsAreOrderedToCompleteTheMostUnderTheCeilings has rows that use amounts of two limits, and of which each kind
// asks for one field. Those that need the least come first, unless the order of the list completes more.
func TestRowsAreOrderedToCompleteTheMostUnderTheCeilings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left  []int64
		uses  [][]int64 // of each kind
		never []bool    // of each kind
		rows  []int     // their kinds
		want  []bool
	}{
		"all fit":           {[]int64{3, 3}, [][]int64{{1, 1}}, []bool{false}, []int{0, 0, 0}, []bool{true, true, true}},
		"the least first":   {[]int64{3, 1}, [][]int64{{2, 1}, {1, 0}}, make([]bool, 2), []int{0, 1, 1, 1, 1}, []bool{false, true, true, true, false}},
		"never complete":    {[]int64{3, 3}, [][]int64{{1, 0}, {2, 0}}, []bool{true, false}, []int{0, 1, 1}, []bool{false, true, false}},
		"what is left over": {[]int64{4, 1}, [][]int64{{1, 1}, {2, 0}}, make([]bool, 2), []int{0, 1, 1, 0}, []bool{true, true, false, false}},
	} {
		c := &completing{
			playing: &playing{states: make([]rowState, 1), numbers: map[rowState]uint32{}, meters: []cost.Meter{1, 2}},
			left:    test.left, free: make([]cost.Allowances, 1),
		}
		step := playedStep{refuses: func(enrich.Fields) bool { return false }}
		step.uses = func(fields enrich.Fields) []int64 {
			for f := range fields.Each() {
				return test.uses[f]
			}
			return nil
		}
		for kind := range test.uses {
			step.values[kind] = 1 << kind
			c.needs = append(c.needs, need{
				asks: []ask{{fields: enrich.FieldsOf(enrich.Field(kind))}}, lacks: 1 << kind, never: test.never[kind],
			})
		}
		c.steps = []playedStep{step}
		for _, kind := range test.rows {
			c.of = append(c.of, c.number(rowState{kind: uint16(kind)}))
		}
		if got := c.completable(nil); !slices.Equal(got, test.want) {
			t.Errorf("%s: the rows %v are completed, not %v", name, got, test.want)
		}
	}
}

// foundPeople returns the first cells of rows that name people whose email and phone both interfaces have, and their
// emails.
func foundPeople(t *testing.T) (emails map[string]string) {
	t.Helper()
	dir := t.TempDir()
	list := contacts(t, dir, 110, 10)
	found, emails := map[string]int{}, map[string]string{}
	for _, from := range []string{"v1", "v2"} {
		o := runOf(list, "email", "phone")
		o.List.From, o.Budget.MaxSpend, o.List.Run = []string{from}, new(500*cost.Dollar), from
		if _, err := bothIn(dir).Run(t.Context(), o, silent{}); err != nil {
			t.Fatal(err)
		}
		for _, row := range cells(t, o.Output.Path) {
			name := row["First Name"] + "," + row["Last Name"] + "," + row["Company"]
			if row["enrich_status"] == "matched" {
				found[name]++
				emails[name] = row["email"]
			}
		}
	}
	maps.DeleteFunc(emails, func(name, _ string) bool { return found[name] < 2 })
	if len(emails) < 12 {
		t.Fatalf("%d people have everything", len(emails))
	}
	return emails
}

// TestRowsCompleteCountTheNextInterface runs random lists of people from v2 and then v1 under random limits on units
// and money, with fallbacks. What v2 may not give any more goes to v1, and as many rows are complete as the plan says.
func TestRowsCompleteCountTheNextInterface(t *testing.T) {
	t.Parallel()
	emails := foundPeople(t)
	through := 0
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 41))
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(emails)) {
			lines = append(lines, []string{ // by an email alone v1 finds nobody
				name + ",,\n", name + ",,+1 555 0100\n", name + ",x@list.example,\n", ",,," + emails[name] + ",\n",
			}[random.IntN(4)])
		}
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		text := "First Name,Last Name,Company,Email,Phone\n" + strings.Join(lines, "")
		units := map[string]int64{
			"contacts": 4 + random.Int64N(20), "email_count": 1 + random.Int64N(12), "phone_count": 1 + random.Int64N(12),
		}
		spend := cost.Money(random.Int64N(8)) * cost.Dollar
		for _, first := range []bool{false, true} {
			dir := t.TempDir()
			list := filepath.Join(dir, "list.csv")
			if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			service := stand(t, func(*sandbox.Config) {})
			o := runOf(list, "email", "phone")
			o.List.From, o.List.Fallback, o.List.CompleteFirst, o.Pace.Concurrency = []string{"v2", "v1"}, true, first, 1
			o.Budget.MaxSpend, o.Budget.Strict = &spend, random.IntN(2) == 0
			maps.Copy(o.Budget.Units, units)
			planned, err := service.work(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
			if err != nil {
				t.Fatal(err)
			}
			ended, err := service.work(dir).Run(t.Context(), o, silent{})
			if err != nil {
				t.Fatal(err)
			}
			want := &report.PlanComplete{Rows: int64(len(lines))} // the ceilings cover everything
			if planned.Plan.Complete != nil {
				want = planned.Plan.Complete
			}
			if complete := ended.Summary.Rows["matched"]; complete != want.Rows {
				t.Errorf("seed %d, first %t: %d rows are complete, and the plan says %+v; $%s and %v", seed, first, complete, want, spend, units)
			}
			for _, row := range cells(t, o.Output.Path) {
				if row["enrich_status"] == "matched" && row["enrich_charge_usd_v1"] != "" {
					through++
				}
			}
			again, err := service.work(dir).Run(t.Context(), o, silent{})
			if err != nil || again.Summary.Posts != 0 {
				t.Errorf("seed %d, first %t: a second start sent %d requests: %v", seed, first, again.Summary.Posts, err)
			}
		}
	}
	if through == 0 {
		t.Error("no row was completed by v1")
	}
}

// TestRowsCompleteFollowThePriorityAndTheLimit runs random lists of people and of companies whose rows lack different
// values, in the order of a column and with a limit on rows, under random limits on units and money. The plan says how
// many rows are complete. In the order of the list another number of rows would be complete.
func TestRowsCompleteFollowThePriorityAndTheLimit(t *testing.T) {
	t.Parallel()
	companies, people, differ := foundCompanies(t), slices.Sorted(maps.Keys(foundPeople(t))), 0
	for seed := range uint64(16) {
		random := rand.New(rand.NewPCG(seed, 43))
		header, lines, o := "First Name,Last Name,Company,Email,Phone,Score\n", []string(nil), runOf("", "email", "phone")
		if ofCompanies := seed%2 == 0; ofCompanies {
			header = "Company,Website,Country,Registration number,Score\n"
			o = runOf("", "company", "financials", "ownership")
			for _, company := range companies {
				lines = append(lines, fmt.Sprintf("%s,%d\n", strings.TrimSuffix(company, "\n"), random.IntN(5)))
			}
			maps.Copy(o.Budget.Units, map[string]int64{
				"companies": 1 + random.Int64N(14), "financials": 1 + random.Int64N(8), "ownership": 1 + random.Int64N(8),
			})
		} else {
			o.List.From, o.Pace.Concurrency = []string{"v2", "v1"}, 1
			o.Budget.MaxSpend, o.Budget.Strict = new(cost.Money(random.Int64N(40))*cost.Dollar/10), true
			for _, name := range people {
				held := []string{",", ",+1 555 0100", "x@list.example,"}[random.IntN(3)]
				lines = append(lines, fmt.Sprintf("%s,%s,%d\n", name, held, random.IntN(5)))
			}
			maps.Copy(o.Budget.Units, map[string]int64{
				"contacts": 1 + random.Int64N(8), "email_count": 1 + random.Int64N(4), "phone_count": 1 + random.Int64N(4),
			})
		}
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		lines = append(lines, lines[random.IntN(len(lines))]) // a duplicate
		if o.List.Priority = "Score"; random.IntN(2) == 0 {
			o.List.Priority = "Score:asc"
		}
		if o.List.Limit = 0; random.IntN(2) == 0 {
			o.List.Limit = 3 + random.Int64N(12)
		}
		dir := t.TempDir()
		list := filepath.Join(dir, "list.csv")
		if err := os.WriteFile(list, []byte(header+strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		o.List.Names, o.Output.Path = []string{list}, filepath.Join(dir, "out.csv")
		service := stand(t, func(*sandbox.Config) {})
		inOrder := o.List
		inOrder.Priority = ""
		plain, err := service.work(dir).Plan(t.Context(), PlanOptions{List: inOrder, Budget: o.Budget})
		if err != nil {
			t.Fatal(err)
		}
		planned, err := service.work(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
		if err != nil {
			t.Fatal(err)
		}
		ended, err := service.work(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		complete, want := ended.Summary.Rows["matched"], planned.Plan.Complete
		if want == nil {
			want = &report.PlanComplete{Rows: planned.Plan.Rows.Lookup} // the ceilings cover everything
		}
		if complete != want.Rows {
			t.Errorf("seed %d, %s, limit %d: %d rows are complete, and the plan says %+v; %v", seed, o.List.Priority, o.List.Limit, complete, want, o.Budget.Units)
		}
		if planned.Plan.Complete != nil && (plain.Plan.Complete == nil || plain.Plan.Complete.Rows != want.Rows) {
			differ++
		}
	}
	if t.Logf("the order makes a difference in %d lists", differ); differ == 0 {
		t.Error("the order made no difference in any list")
	}
}
