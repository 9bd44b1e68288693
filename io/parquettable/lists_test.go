package parquettable

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

// TestDateTimeColumnsHaveNoTimeZone reads a column of dates and times without a zone with two libraries.
func TestDateTimeColumnsHaveNoTimeZone(t *testing.T) {
	c := &Cells{Kind: enrich.DateTimeCell}
	for _, text := range []string{"2026-02-03T04:05:06.25", "", "1850-05-01T00:00:00"} {
		cell := enrich.CellFrom(enrich.DateTimeCell, text)
		c.Add(&cell)
	}
	path := encodeBatches(t, newTestEncoder(t, enrich.DateTimeCell, Encoding{Codec: compress.Codecs.Zstd}), [][][]*Cells{{{c}}})
	_, types := records(t, path)
	if got := types.Field(0).Type.String(); got != "timestamp[us]" {
		t.Errorf("the type is %s, want one without a zone", got)
	}
	got, err := cellsOf(path, []int{0})
	if diff := cmp.Diff([][]string{{"2026-02-03T04:05:06.25"}, {"∅"}, {"1850-05-01T00:00:00"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestListsOfTextsAreReadAsTheirText encodes lists, short and long, and reads the column as text.
func TestListsOfTextsAreReadAsTheirText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		element := rapid.SampledFrom([]string{"", "a", "Zoë", `"x", y`, "[1]", "always the same", strings.Repeat("long", 20_000)})
		var groups [][][]*Cells
		var want [][]string
		for range rapid.IntRange(1, 3).Draw(rt, "row groups") {
			c := &Cells{Kind: enrich.TextsCell}
			most := rapid.SampledFrom([]int{2, 5, 3000}).Draw(rt, "most elements")
			for range rapid.IntRange(0, 40).Draw(rt, "rows") {
				cell := enrich.Cell{Kind: enrich.TextsCell, Known: rapid.IntRange(0, 4).Draw(rt, "known") > 0}
				if cell.Known {
					one, length := element.Draw(rt, "element"), rapid.IntRange(0, most).Draw(rt, "elements")
					if len(one) > 100 {
						length = min(length, 3)
					}
					cell.Texts = slices.Repeat([]string{one}, length)
				}
				c.Add(&cell)
				shown := cell.String()
				if !cell.Known {
					shown = "∅"
				}
				want = append(want, []string{shown})
			}
			groups = append(groups, [][]*Cells{{c}})
		}
		e := newTestEncoder(t, enrich.TextsCell, Encoding{Codec: compress.Codecs.Zstd, Dictionary: rapid.Bool().Draw(rt, "dictionary")})
		got, err := cellsOf(encodeBatches(t, e, groups), []int{0})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatal(diff, err)
		}
	})
}
