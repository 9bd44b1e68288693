package survey

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/pipeline/dedup"
)

func TestMarksHoldAPerson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.Custom(func(t *rapid.T) enrich.Fields { return enrich.Fields(rapid.IntRange(0, 3).Draw(t, "fields")) })
		p := person{
			wants: fields.Draw(t, "wants"), known: fields.Draw(t, "known"), rejected: fields.Draw(t, "rejected"), doubted: fields.Draw(t, "doubted"),
			forfeited: fields.Draw(t, "forfeited"), forgotten: fields.Draw(t, "forgotten"), pattern: enrich.Pattern(rapid.IntRange(0, 1).Draw(t, "pattern")),
		}
		if got := personOf(p.marks()); got != p {
			t.Fatalf("%+v became %+v", p, got)
		}
		e := dedup.NewEntry(enrich.Key{9}, 1<<39, p.marks())
		if e.Row() != 1<<39 || e.Marks() != p.marks() || e.Key() != (enrich.Key{9}) {
			t.Fatalf("entry %+v of row %d", e, e.Row())
		}
	})
}
