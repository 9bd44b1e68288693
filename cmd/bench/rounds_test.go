package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   int64
	}{
		{nil, 0},
		{[]int64{7}, 7},
		{[]int64{9, 1}, 5},
		{[]int64{9, 1, 4}, 4},
		{[]int64{9, 1, 4, 6}, 5},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %d is %d, want %d", c.values, got, c.want)
		}
	}
	if values := []float64{3, 1, 2}; median(values) != 2 || values[0] != 3 {
		t.Errorf("the median changed the values to %v", values)
	}
}

// walls returns a result whose rounds took the given seconds.
func walls(seconds ...float64) result {
	var r result
	for _, s := range seconds {
		wall := time.Duration(s * float64(time.Second))
		r.rounds = append(r.rounds, usage{wall: wall, cpu: 2 * wall, peak: int64(s) << 20})
	}
	return r
}

// TestRatiosCompareEachRoundWithItself shows that each round is compared with itself: a machine that
// is slow in one of them slows both.
func TestRatiosCompareEachRoundWithItself(t *testing.T) {
	ours, peer := walls(1, 10, 2), walls(2, 40, 4)
	for _, part := range []func(usage) time.Duration{wallOf, cpuOf} {
		if got := ratiosOf(ours, peer, part).String(); got != "0.50 (0.25 to 0.50)" {
			t.Errorf("ratios %s", got)
		}
	}
	if got := ratiosOf(walls(3), walls(2), wallOf).String(); got != "1.50" {
		t.Errorf("the ratio of one round is %s", got)
	}
	wall, cpu, peak := medianOf(ours.rounds, wallOf), medianOf(ours.rounds, cpuOf), medianOf(ours.rounds, peakOf)
	if wall != 2*time.Second || cpu != 4*time.Second || peak != 2<<20 {
		t.Errorf("medians %s, %s, %d", wall, cpu, peak)
	}
}

// TestTheFirstContestantChangesEachRound lets three processes compete.
func TestTheFirstContestantChangesEachRound(t *testing.T) {
	list := makeList(t)
	out := filepath.Join(t.TempDir(), "out.csv")
	counting := contestant{name: "ours", command: command{self(t), "csv-count", list}, parse: countsOf, exact: true}
	second, third := counting, contestant{name: "third", command: command{self(t), "csv-copy", list, out}, output: out}
	second.name = "second"
	w := work{name: "work", ours: counting, peers: []contestant{second, third}}
	var log strings.Builder
	results, err := w.measure(t.Context(), 3, 1, &log)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for line := range strings.Lines(log.String()) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "work, round "), ":")
		order = append(order, name)
	}
	want := []string{"1, ours", "1, second", "1, third", "2, second", "2, third", "2, ours", "3, third", "3, ours", "3, second"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for _, r := range results {
		if len(r.rounds) != 3 || r.parse != nil && r.found.Rows != int64(testList().Rows) {
			t.Errorf("%s: %d rounds, found %v", r.name, len(r.rounds), r.found)
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("the output was left over: %v", err)
	}
}

// TestAPeerWithDifferentCountsIsAnError has a peer count another list.
func TestAPeerWithDifferentCountsIsAnError(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte("id,first_name,last_name,linkedin_url,company,website,email,phone,notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ours := contestant{name: "ours", command: command{self(t), "csv-count", makeList(t)}, parse: countsOf}
	peer := contestant{name: "peer", command: command{self(t), "csv-count", other}, parse: countsOf, exact: true}
	_, err := work{name: "work", ours: ours, peers: []contestant{peer}}.measure(t.Context(), 1, 1, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "work: ours found 2000 rows, ") {
		t.Errorf("error %v", err)
	}
}
