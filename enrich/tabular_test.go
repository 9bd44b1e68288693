package enrich_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

// TestCellsSurviveConversionToTextAndBack draws cells of all kinds that answers have.
func TestCellsSurviveConversionToTextAndBack(t *testing.T) {
	at := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds"), 0).UTC()
	})
	rapid.Check(t, func(t *rapid.T) {
		c := enrich.Cell{Known: true}
		c.Kind = rapid.SampledFrom([]enrich.CellKind{
			enrich.TextCell, enrich.IntegerCell, enrich.NumberCell, enrich.FlagCell, enrich.DateCell, enrich.DateTimeCell,
			enrich.TimestampCell, enrich.TextsCell,
		}).Draw(t, "kind")
		switch c.Kind {
		case enrich.TextCell:
			c.Text = rapid.StringMatching(`.+`).Draw(t, "text")
		case enrich.IntegerCell:
			c.Integer = rapid.Int64().Draw(t, "integer")
		case enrich.NumberCell:
			c.Number = rapid.Float64().Draw(t, "number") + 0
		case enrich.FlagCell:
			c.Flag = rapid.Bool().Draw(t, "flag")
		case enrich.DateCell:
			c.Time = at.Draw(t, "date").Truncate(24 * time.Hour)
		case enrich.DateTimeCell, enrich.TimestampCell:
			c.Time = at.Draw(t, "time")
		case enrich.TextsCell:
			c.Texts = rapid.SliceOf(rapid.String()).Draw(t, "texts")
		}
		text := c.String()
		if c.Kind == enrich.TextsCell {
			text = c.ListJSON()
		}
		got := enrich.CellFrom(c.Kind, text)
		if got.String() != c.String() {
			t.Fatalf("the text is %q, want %q", got.String(), c.String())
		}
		got.Text, c.Text = "", ""
		if diff := cmp.Diff(c, got); diff != "" {
			t.Fatalf("from %q (-want +got):\n%s", text, diff)
		}
	})
}

func TestATextThatDoesNotFitItsCellKindIsUnknown(t *testing.T) {
	for kind, text := range map[enrich.CellKind]string{
		enrich.IntegerCell: "1.5", enrich.NumberCell: "many", enrich.FlagCell: "maybe", enrich.DateCell: "2026-02-30",
		enrich.DateTimeCell: "2026-02-03T04:05:06Z", enrich.TimestampCell: "2026-02-03T04:05:06", enrich.TextsCell: "a", enrich.MoneyCell: "1.00",
	} {
		if got := enrich.CellFrom(kind, text); got.Known || got.Kind != kind {
			t.Errorf("%q as %s: %+v", text, kind, got)
		}
	}
}

// TestAListCellOfOneTextIsWrittenAsThatText shows lists as cells of text, of which none stands for two lists.
func TestAListCellOfOneTextIsWrittenAsThatText(t *testing.T) {
	for text, list := range map[string][]string{
		"+44 20 7946 0000": {"+44 20 7946 0000"}, `["a","b"]`: {"a", "b"}, `[]`: {}, `[""]`: {""}, `["[]"]`: {"[]"}, `["[1"]`: {"[1"},
	} {
		if got := (enrich.Cell{Kind: enrich.TextsCell, Known: true, Texts: list}).String(); got != text {
			t.Errorf("%q is %s, want %s", list, got, text)
		}
	}
}
