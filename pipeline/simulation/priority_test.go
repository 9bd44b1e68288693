package simulation_test

import (
	gocmp "cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"payonce/pipeline/scan"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/output"
)

// byRevenue is a list of people with a cell each in the column of priority.
func byRevenue(cells ...string) csvList {
	var text strings.Builder
	text.WriteString("profile url,revenue\n")
	for i, cell := range cells {
		fmt.Fprintf(&text, "%s%s,\"%s\"\n", profiles, name(i+1), cell)
	}
	return csvList(text.String())
}

func (l csvList) prioritised(t testing.TB, priority scan.Priority) scan.Scope {
	t.Helper()
	scope := l.scope(t, email)
	scope.Priority = &priority
	return scope
}

// order returns the cells in the order in which their rows are looked up.
func order(t testing.TB, priority scan.Priority, cells []string) []string {
	t.Helper()
	list, journal := byRevenue(cells...), blank{}
	priority.Column = 1
	scope := list.prioritised(t, priority)
	var ordered []string
	for _, lookup := range ask(t, scope, list, take(t, scope, list, journal)) {
		who, _, _ := strings.Cut(lookup, ":")
		var n int
		if _, err := fmt.Sscanf(who, "p%d", &n); err != nil {
			t.Fatal(err)
		}
		ordered = append(ordered, cells[n-1])
	}
	return ordered
}

func TestPriorityOrdersCells(t *testing.T) {
	tests := map[string]struct {
		cells []string // as they are ordered, ascending; the list has them reversed
	}{
		"numbers by their value":      {[]string{"-1e3", "-5", "0", "0.5", " 7 ", "10", "1,234.5", "2000", "1,234,567", "1e9", "1e999"}},
		"numbers, texts, blanks":      {[]string{"1", "20", "3 million", "a", "B", "z", "é", ""}},
		"what only looks like one":    {[]string{"5", "$6", "--1", "0x10", "1,23", "1.2.3", "1.5,000", "1_000", "e5", "inf", "nan"}},
		"text without regard to case": {[]string{"Alpha", "beta", "GAMMA"}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			reversed := slices.Clone(test.cells)
			slices.Reverse(reversed)
			if diff := cmp.Diff(test.cells, order(t, scan.Priority{Ascending: true, AtOnce: 2}, reversed)); diff != "" {
				t.Errorf("ascending (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("descending, blanks last all the same", func(t *testing.T) {
		got := order(t, scan.Priority{}, []string{"", "a", "1", "b", "20", " "})
		if diff := cmp.Diff([]string{"20", "1", "b", "a", "", " "}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestLongCellsAreComparedByTheirBeginning(t *testing.T) {
	long := strings.Repeat("ab", 40)
	digits := strings.Repeat("9", 300)
	cells := []string{long + "y", "b", long + "x", "1", digits, strings.Repeat("é", 200)}
	want := []string{"1", digits, long + "y", long + "x", "b", strings.Repeat("é", 200)}
	if diff := cmp.Diff(want, order(t, scan.Priority{Ascending: true}, cells)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPriorityOrdersLikeSorting compares the words and the passes, however little is
// gathered at once, with sorting all cells.
func TestPriorityOrdersLikeSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(rt *rapid.T) string {
			alike := strings.Repeat("x", rapid.IntRange(0, 70).Draw(rt, "alike"))
			return alike + rapid.SampledFrom([]string{"", "a", "B", "é", "aé", "abcdefgh", "abcdefgi", "\x7f"}).Draw(rt, "end")
		})
		number := rapid.SampledFrom([]string{"0", "-0", "1", "01", "1.0", "-1", "1e999", "-1e999", "1e-300", "1,000", "999"})
		cells := rapid.SliceOfN(rapid.OneOf(text, number, rapid.SampledFrom([]string{"", " "})), 0, 25).Draw(rt, "cells")
		priority := scan.Priority{AtOnce: rapid.IntRange(1, 30).Draw(rt, "at once"), Ascending: rapid.Bool().Draw(rt, "ascending")}
		want := slices.Clone(cells)
		slices.SortStableFunc(want, func(a, b string) int { return compareCells(a, b, priority.Ascending) })
		if diff := cmp.Diff(want, order(t, priority, cells), cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("%+v (-want +got):\n%s", priority, diff)
		}
	})
}

// compareCells is the order of two cells in plain words.
func compareCells(a, b string, ascending bool) int {
	number := func(cell string) (float64, bool) {
		value, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
		return value, err == nil || errors.Is(err, strconv.ErrRange)
	}
	kind := func(cell string) int {
		_, isNumber := number(cell)
		switch {
		case strings.TrimSpace(cell) == "":
			return 3
		case isNumber:
			return 1
		}
		return 2
	}
	text := func(cell string) string {
		cell = strings.ToLower(cell)
		for len(cell) > 64 {
			runes := []rune(cell)
			cell = string(runes[:len(runes)-1])
		}
		return cell
	}
	if kind(a) != kind(b) {
		return kind(a) - kind(b)
	}
	result := strings.Compare(text(a), text(b))
	switch kind(a) {
	case 1:
		first, _ := number(a)
		second, _ := number(b)
		result = gocmp.Compare(first, second)
	case 3:
		result = 0
	}
	if !ascending {
		return -result
	}
	return result
}

// counted is a list that counts its passes.
type counted struct {
	csvList
	passes *int
}

func (l counted) Open(columns []int) (table.Reader, error) {
	*l.passes++
	return l.csvList.Open(columns)
}

// TestAPriorityReadsTheListInFewPasses counts how often a list is read: once to order it, and
// for ever larger parts of it.
func TestAPriorityReadsTheListInFewPasses(t *testing.T) {
	cells := make([]string, 1000)
	for i := range cells {
		cells[i] = strconv.Itoa(i * 7919 % 1000)
	}
	passes := 0
	list := counted{byRevenue(cells...), &passes}
	tests := map[string]struct {
		limit, memory int64
		taking        int // the taken, and the order of its limit
		asking        int // the order, and the parts
	}{
		"all":                 {taking: 1, asking: 1 + 7}, // 10, 20, 40 … 640
		"a limit":             {limit: 630, taking: 2, asking: 1 + 6},
		"memory for 40":       {memory: 40 * 512, taking: 1, asking: 1 + 2 + 25},
		"memory for very few": {limit: 100, memory: 1, taking: 2, asking: 1 + 10},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			passes = 0
			scope := list.prioritised(t, scan.Priority{Column: 1, AtOnce: 10})
			scope.Limit, scope.Memory, scope.TempDir = test.limit, test.memory, t.TempDir()
			passes = 0
			taken := take(t, scope, list, blank{})
			if passes != test.taking {
				t.Errorf("the scan read the list %d times, want %d", passes, test.taking)
			}
			passes = 0
			asked := len(ask(t, scope, list, taken))
			if want := int(gocmp.Or(test.limit, 1000)); asked != want || passes != test.asking {
				t.Errorf("%d lookups in %d passes, want %d in %d", asked, passes, want, test.asking)
			}
		})
	}
}

func TestEqualPriorityKeepsTheListsOrder(t *testing.T) {
	list, journal := byRevenue("5", "7", "5.0", "5", "7"), blank{}
	for atOnce := range 7 {
		scope := list.prioritised(t, scan.Priority{Column: 1, AtOnce: atOnce})
		got := ask(t, scope, list, take(t, scope, list, journal))
		want := []string{"p2: work_email", "p5: work_email", "p1: work_email", "p3: work_email", "p4: work_email"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d at once (-want +got):\n%s", atOnce, diff)
		}
	}
}

func TestALimitKeepsTheFirstByPriority(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		list := byRevenue("1", "9", "", "8", "9", "5")
		for _, atOnce := range []int{1, 2, 0} {
			scope := list.prioritised(t, scan.Priority{Column: 1, AtOnce: atOnce})
			scope.Limit = 3
			journal := blank{}
			taken := take(t, scope, list, journal)
			if diff := cmp.Diff([]string{"p2: work_email", "p5: work_email", "p4: work_email"}, ask(t, scope, list, taken)); diff != "" {
				t.Errorf("%d at once (-want +got):\n%s", atOnce, diff)
			}
			if got := taken.Count(); got.Skipped != 3 || got.Lookup != 3 {
				t.Errorf("counts %+v, want 3 lookups and 3 skipped", got)
			}
		}
		r.run(people(2, email)) // p2 counts for the limit though it is answered
		scope := list.prioritised(t, scan.Priority{Column: 1, AtOnce: 2})
		scope.Limit = 3
		if diff := cmp.Diff([]string{"p5: work_email", "p4: work_email"}, ask(t, scope, list, take(t, scope, list, r.journal))); diff != "" {
			t.Errorf("when it resumes (-want +got):\n%s", diff)
		}
	})
}

// TestThePriorityOfADuplicateIsThatOfItsFirstRow has a duplicate whose cell would go first.
func TestThePriorityOfADuplicateIsThatOfItsFirstRow(t *testing.T) {
	list := csvList("profile url,revenue\n" + profiles + "p1,1\n" + profiles + "p2,5\n" + profiles + "p1,9\n")
	journal := blank{}
	scope := list.prioritised(t, scan.Priority{Column: 1})
	if diff := cmp.Diff([]string{"p2: work_email", "p1: work_email"}, ask(t, scope, list, take(t, scope, list, journal))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheOutputIsInTheListsOrderWhateverThePriority(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		list := byRevenue("1", "9", "5")
		scope := list.prioritised(t, scan.Priority{Column: 1})
		r.maxSpend(15 * 2 * 10_000)
		next, done := take(t, scope, list, r.journal).Lookups(t.Context(), list)
		defer done()
		if _, stop, err := r.lookups().Run(t.Context(), next); err != nil || stop == nil {
			t.Fatalf("stop %v, error %v; want a ceiling", stop, err)
		}
		w := r.writeAs(list, output.Output{Decoder: new(v1.AnswerDecoder), Scope: scope, Run: "run"}, r.journal)
		w.want(t, "revenue", "1", "9", "5")
		w.want(t, "enrich_status", "not_attempted", "matched", "matched")
	})
}

func TestAListThatChangesBetweenPassesIsNoticed(t *testing.T) {
	list, journal := byRevenue("1", "9", "5"), blank{}
	scope := list.prioritised(t, scan.Priority{Column: 1, AtOnce: 1})
	taken := take(t, scope, list, journal)
	next, done := taken.Lookups(t.Context(), byRevenue("1", "9", "5", "7"))
	defer done()
	if _, err := next(); !errors.Is(err, scan.ErrListChanged) {
		t.Errorf("error %v, want %v", err, scan.ErrListChanged)
	}
	if _, err := next(); !errors.Is(err, io.EOF) {
		t.Errorf("after it %v, want %v", err, io.EOF)
	}
}

func TestParsePriority(t *testing.T) {
	schema := table.Schema{Columns: []string{"Email", "Annual revenue", "score:asc", "Stage", "Stage"}}
	tests := map[string]struct {
		text string
		want scan.Priority
		err  []string
	}{
		"a name":                  {text: "annual_revenue", want: scan.Priority{Column: 1}},
		"a number":                {text: "#5", want: scan.Priority{Column: 4}},
		"ascending":               {text: "Annual revenue:asc", want: scan.Priority{Column: 1, Ascending: true}},
		"descending":              {text: "#4:desc", want: scan.Priority{Column: 3}},
		"a name that ends so":     {text: "score:asc", want: scan.Priority{Column: 2}},
		"both":                    {text: "score:asc:asc", want: scan.Priority{Column: 2, Ascending: true}},
		"no such column":          {text: "size", err: []string{`no column "size"`, "Annual revenue"}},
		"no such column to order": {text: "size:asc", err: []string{"no column"}},
		"two columns":             {text: "Stage", err: []string{"#4, #5"}},
		"no direction":            {text: "Email:up", err: []string{"no column"}},
		"nothing":                 {text: "", err: []string{"COLUMN:asc"}},
		"a direction alone":       {text: ":asc", err: []string{"no column"}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got, err := scan.ParsePriority(schema, test.text)
			if test.err != nil {
				wantError(t, err, test.err...)
				return
			}
			if err != nil || *got != test.want {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

// FuzzPriority orders any three cells the same way round, however they stand.
func FuzzPriority(f *testing.F) {
	f.Add("1", "2,000", "x")
	f.Add("1e999", "-1e999", "\xff\xfe")
	f.Add("", " ", "\u00a0")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		cells := []string{a, b, c}
		for _, cell := range cells {
			if strings.ContainsAny(cell, "\"\x00") {
				t.Skip()
			}
		}
		list := func(cells []string) csvList { return byRevenue(cells...) }
		if _, err := scan.New(t.Context(), list(cells).scope(t, email), list(cells), blank{}); err != nil {
			t.Skip() // no cells of a list
		}
		rotated := []string{b, c, a}
		first := order(t, scan.Priority{Ascending: true, AtOnce: 1}, cells)
		second := order(t, scan.Priority{Ascending: true, AtOnce: 3}, rotated)
		for i := range first {
			if first[i] != second[i] && !equalPriority(t, first[i], second[i]) {
				t.Fatalf("%q in place %d, and %q when the list is rotated", first[i], i, second[i])
			}
		}
	})
}

// equalPriority reports whether two cells go in the list's order.
func equalPriority(t testing.TB, a, b string) bool {
	ascending := scan.Priority{Ascending: true}
	return order(t, ascending, []string{a, b})[0] == a && order(t, ascending, []string{b, a})[0] == b
}
