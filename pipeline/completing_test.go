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

	"payonce/io/sandbox"
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

// TestRowsAreOrderedToCompleteTheMostUnderTheCeilings has rows that need one unit of each of two limits, and rows that
// need one of either. Those that need the least come first, unless the order of the list completes more.
func TestRowsAreOrderedToCompleteTheMostUnderTheCeilings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left  allowed
		kinds []need
		had   []int64 // rows that the order of the list completes
		want  []int64
	}{
		"all fit":                       {allowed{3, 3}, []need{{sum: allowed{1, 1}, rows: 3}}, []int64{3}, []int64{3}},
		"the least first":               {allowed{3, 1}, []need{{sum: allowed{2, 1}, rows: 2}, {sum: allowed{1, 0}, rows: 5}}, []int64{0, 0}, []int64{0, 3}},
		"never complete":                {allowed{3}, []need{{sum: allowed{1}, rows: 2, never: true}, {sum: allowed{2}, rows: 2}}, []int64{0, 0}, []int64{0, 1}},
		"what is left over":             {allowed{4, 1}, []need{{sum: allowed{1, 1}, rows: 3}, {sum: allowed{2, 0}, rows: 3}}, []int64{0, 0}, []int64{1, 1}},
		"more than those that had some": {allowed{2, 2}, []need{{sum: allowed{2, 0}, rows: 1}, {sum: allowed{0, 1}, rows: 2}}, []int64{1, 0}, []int64{1, 2}},
	} {
		c := &completing{kinds: test.kinds, left: test.left}
		if got := c.extended(test.had); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v rows of each kind are completed, not %v", name, got, test.want)
		}
	}
}
