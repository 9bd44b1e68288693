package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/scan"
)

// SpentBefore is what the people of a list have cost already: in any run, under any name, for any fields.
// Rows in which nothing wanted is missing do not count.
type SpentBefore struct {
	Lookups int64      `json:"lookups"`
	Charged cost.Money `json:"charged_usd"`
	AtMost  bool       `json:"at_most,omitempty"` // a part of it may turn out to have been free
	// Bought counts the fields that were charged, also those that the free allowance paid for.
	Bought Values[int64]         `json:"bought"`
	Runs   map[string]cost.Money `json:"by_run_usd"`
	Open   int64                 `json:"without_outcome,omitempty"` // lookups that may have been charged
}

// SpentBeforeOf shows what the subjects of a list have cost, with the fields of a catalogue. It returns nil when
// nothing was looked up.
func SpentBeforeOf(c enrich.Catalogue, found scan.ListCost) *SpentBefore {
	if found.Lookups+found.Open == 0 && found.Charged == 0 {
		return nil
	}
	return &SpentBefore{
		Lookups: found.Lookups, Charged: found.Charged, AtMost: found.AtMost, Bought: ValuesOf(c, found.Bought), Runs: found.Runs, Open: found.Open,
	}
}

// shownRuns is how many runs the text names, those that spent most.
const shownRuns = 3

func (v *SpentBefore) Render(p *Page) {
	if v == nil {
		return
	}
	upTo := ""
	if v.AtMost {
		upTo = "up to "
	}
	text := Textf("%s$%s on these people, for %s: %s", upTo, v.Charged, Lookups(v.Lookups), Counts(v.Bought))
	if v.Open > 0 {
		text += Textf("; %s without an outcome", Lookups(v.Open))
	}
	p.Prosef("spent before", "%s", text)
	if len(v.Runs) == 0 {
		return
	}
	runs := slices.SortedFunc(maps.Keys(v.Runs), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.Runs[b], v.Runs[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, run := range runs[:min(len(runs), shownRuns)] {
		parts = append(parts, Textf("%s $%s", run, v.Runs[run]))
	}
	if more := len(runs) - len(parts); more > 0 {
		parts = append(parts, Counted(more, "other run"))
	}
	p.Prosef("  by", "%s", strings.Join(parts, ", "))
}
