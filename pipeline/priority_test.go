package pipeline_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/table"
	"payonce/pipeline"
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

func (l csvList) prioritised(t testing.TB, priority pipeline.Priority) pipeline.Scope {
	t.Helper()
	scope := l.scope(t, email)
	scope.Priority = &priority
	return scope
}

// order returns the cells in the order in which their rows are looked up.
func order(t testing.TB, priority pipeline.Priority, cells []string) []string {
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
			if diff := cmp.Diff(test.cells, order(t, pipeline.Priority{Ascending: true, AtOnce: 2}, reversed)); diff != "" {
				t.Errorf("ascending (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("descending, blanks last all the same", func(t *testing.T) {
		got := order(t, pipeline.Priority{}, []string{"", "a", "1", "b", "20", " "})
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
	if diff := cmp.Diff(want, order(t, pipeline.Priority{Ascending: true}, cells)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestThePassesOfAPriorityYieldEveryLookupOnce compares the passes, however little
// is kept at once, with sorting all rows.
func TestThePassesOfAPriorityYieldEveryLookupOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "01", "1.0", "2", "x", "X", "y", " "}), 0, 25).Draw(rt, "cells")
		priority := pipeline.Priority{AtOnce: rapid.IntRange(1, 30).Draw(rt, "at once"), Ascending: rapid.Bool().Draw(rt, "ascending")}
		all := priority
		all.AtOnce = 1000
		want := order(t, all, cells)
		if len(want) != len(cells) {
			rt.Fatalf("%d lookups for %d people", len(want), len(cells))
		}
		if diff := cmp.Diff(want, order(t, priority, cells)); diff != "" {
			rt.Fatalf("%d at once (-want +got):\n%s", priority.AtOnce, diff)
		}
	})
}

func TestEqualCellsGoInTheListsOrder(t *testing.T) {
	list, journal := byRevenue("5", "7", "5.0", "5", "7"), blank{}
	for atOnce := range 7 {
		scope := list.prioritised(t, pipeline.Priority{Column: 1, AtOnce: atOnce})
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
			scope := list.prioritised(t, pipeline.Priority{Column: 1, AtOnce: atOnce})
			scope.Limit = 3
			journal := blank{}
			survey := take(t, scope, list, journal)
			if diff := cmp.Diff([]string{"p2: work_email", "p5: work_email", "p4: work_email"}, ask(t, scope, list, survey)); diff != "" {
				t.Errorf("%d at once (-want +got):\n%s", atOnce, diff)
			}
			if got := survey.Count(); got.Skipped != 3 || got.Lookup != 3 {
				t.Errorf("counts %+v, want 3 lookups and 3 skipped", got)
			}
		}
		r.run(people(2, email)) // p2 counts for the limit though it is answered
		scope := list.prioritised(t, pipeline.Priority{Column: 1, AtOnce: 2})
		scope.Limit = 3
		if diff := cmp.Diff([]string{"p5: work_email", "p4: work_email"}, ask(t, scope, list, take(t, scope, list, r.journal))); diff != "" {
			t.Errorf("when it resumes (-want +got):\n%s", diff)
		}
	})
}

// TestTheLeadingRowsCellCounts has a duplicate whose cell would go first.
func TestTheLeadingRowsCellCounts(t *testing.T) {
	list := csvList("profile url,revenue\n" + profiles + "p1,1\n" + profiles + "p2,5\n" + profiles + "p1,9\n")
	journal := blank{}
	scope := list.prioritised(t, pipeline.Priority{Column: 1})
	if diff := cmp.Diff([]string{"p2: work_email", "p1: work_email"}, ask(t, scope, list, take(t, scope, list, journal))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheOutputIsInTheListsOrderWhateverThePriority(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		list := byRevenue("1", "9", "5")
		scope := list.prioritised(t, pipeline.Priority{Column: 1})
		r.maxSpend(15 * 2 * 10_000)
		next, done := scope.Lookups(t.Context(), list, take(t, scope, list, r.journal))
		defer done()
		if _, stop, err := r.lookups().Run(t.Context(), next); err != nil || stop == nil {
			t.Fatalf("stop %v, error %v; want a ceiling", stop, err)
		}
		w := r.writeAs(list, pipeline.Output{Scope: scope, Run: "run"}, r.journal)
		w.want(t, "revenue", "1", "9", "5")
		w.want(t, "enrich_status", "not_attempted", "matched", "matched")
	})
}

func TestAListThatChangesBetweenPassesIsNoticed(t *testing.T) {
	list, journal := byRevenue("1", "9", "5"), blank{}
	scope := list.prioritised(t, pipeline.Priority{Column: 1, AtOnce: 1})
	survey := take(t, scope, list, journal)
	next, done := scope.Lookups(t.Context(), byRevenue("1", "9", "5", "7"), survey)
	defer done()
	if _, err := next(); !errors.Is(err, pipeline.ErrListChanged) {
		t.Errorf("error %v, want %v", err, pipeline.ErrListChanged)
	}
	if _, err := next(); !errors.Is(err, io.EOF) {
		t.Errorf("after it %v, want %v", err, io.EOF)
	}
}

func TestParsePriority(t *testing.T) {
	schema := table.Schema{Columns: []string{"Email", "Annual revenue", "score:asc", "Stage", "Stage"}}
	tests := map[string]struct {
		text string
		want pipeline.Priority
		err  []string
	}{
		"a name":                  {text: "annual_revenue", want: pipeline.Priority{Column: 1}},
		"a number":                {text: "#5", want: pipeline.Priority{Column: 4}},
		"ascending":               {text: "Annual revenue:asc", want: pipeline.Priority{Column: 1, Ascending: true}},
		"descending":              {text: "#4:desc", want: pipeline.Priority{Column: 3}},
		"a name that ends so":     {text: "score:asc", want: pipeline.Priority{Column: 2}},
		"both":                    {text: "score:asc:asc", want: pipeline.Priority{Column: 2, Ascending: true}},
		"no such column":          {text: "size", err: []string{"--priority size", `no column "size"`, "Annual revenue"}},
		"no such column to order": {text: "size:asc", err: []string{"--priority size:asc", "no column"}},
		"two columns":             {text: "Stage", err: []string{"--priority Stage", "#4, #5"}},
		"no direction":            {text: "Email:up", err: []string{"--priority Email:up", "no column"}},
		"nothing":                 {text: "", err: []string{"--priority", "COLUMN:asc"}},
		"a direction alone":       {text: ":asc", err: []string{"--priority :asc", "no column"}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got, err := pipeline.ParsePriority(schema, test.text)
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
		if _, err := list(cells).scope(t, email).Take(t.Context(), list(cells), blank{}); err != nil {
			t.Skip() // no cells of a list
		}
		rotated := []string{b, c, a}
		first := order(t, pipeline.Priority{Ascending: true, AtOnce: 1}, cells)
		second := order(t, pipeline.Priority{Ascending: true, AtOnce: 3}, rotated)
		for i := range first {
			if first[i] != second[i] && !equalPriority(t, first[i], second[i]) {
				t.Fatalf("%q in place %d, and %q when the list is rotated", first[i], i, second[i])
			}
		}
	})
}

// equalPriority reports whether two cells go in the list's order.
func equalPriority(t testing.TB, a, b string) bool {
	ascending := pipeline.Priority{Ascending: true}
	return order(t, ascending, []string{a, b})[0] == a && order(t, ascending, []string{b, a})[0] == b
}
