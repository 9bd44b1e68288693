package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	ours, peer := walls(1, 3, 2), walls(4, 6, 8)
	ours.name, ours.reach, ours.parse, ours.found = "batch", "peak ≤ 3 MB", countsOf, counts{Rows: 7, Persons: 5}
	peer.name, peer.reach = "DuckDB", "≤ 0.30"
	var table strings.Builder
	if err := printRows(&table, "plan", []result{ours, peer}); err != nil {
		t.Fatal(err)
	}
	want := "| plan | batch | 2.00 s | 4.00 s | 2 MB |  | peak ≤ 3 MB |  |\n" +
		"|  | DuckDB | 6.00 s | 12.00 s | 6 MB | 0.25 (0.25 to 0.50) | ≤ 0.30 | 0.25 (0.25 to 0.50) |\n"
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if columns := strings.Count(heading, "|") / 2; strings.Count(want, "|")/2 != columns {
		t.Errorf("the heading has not the columns of the table")
	}
	var found strings.Builder
	if err := printFound(&found, "plan", []result{ours, peer}); err != nil || found.String() != "- plan, batch: 7 rows, 5 persons\n" {
		t.Errorf("found %q, %v", found.String(), err)
	}
}

func TestMegabytes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 MB", 1 << 20: "1 MB", 3<<20 - 1: "3 MB", 344_120 << 10: "336 MB"} {
		if got := megabytes(bytes); got != want {
			t.Errorf("%d bytes are %s, want %s", bytes, got, want)
		}
	}
}
