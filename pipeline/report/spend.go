package report

import (
	"maps"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// Spend explains what a run spent.
type Spend struct {
	ByOperation SpendParts `json:"by_operation"`
	ByOutcome   SpendParts `json:"by_outcome"`
	ByDay       SpendParts `json:"by_day"` // UTC, on which they began
}

// SpendParts are parts of a run's attempts by their names.
type SpendParts map[string]*SpendPart

// SpendPart is a part of a run's attempts.
type SpendPart struct {
	Attempts int64         `json:"attempts"`
	Charged  cost.Money    `json:"charged_usd"`
	FreeUsed Values[int64] `json:"free_used"`
	// Units are those that were used of each meter of modules.
	Units map[string]int64 `json:"units,omitempty"`
}

// Pages returns the answered pages of searches among the calls that were added.
func (b *ReportBuilder) Pages() PagesFound { return b.pages }

// Spend returns the calls that were added, in three ways.
func (b *ReportBuilder) Spend() *Spend {
	return &Spend{ByOperation: b.spendParts(b.operations), ByOutcome: b.spendParts(b.outcomes), ByDay: b.spendParts(b.days)}
}

func (b *ReportBuilder) spendParts(sums map[string]*CallSum) SpendParts {
	parts := SpendParts{}
	for name, sum := range sums {
		part := &SpendPart{Attempts: sum.Attempts, Charged: sum.Charged, FreeUsed: b.facts.Accounts.Free(sum)}
		for _, units := range b.facts.units(sum) {
			if part.Units == nil {
				part.Units = map[string]int64{}
			}
			part.Units[units.Meter] += units.Used
		}
		parts[name] = part
	}
	return parts
}

// usedFree reports whether the free allowance paid for something of the part.
func (part *SpendPart) usedFree() bool {
	for _, one := range part.FreeUsed {
		if one.Value > 0 {
			return true
		}
	}
	return false
}

// outcomeOf names how an attempt ended, for a person who asks where the money went.
func outcomeOf(e ReportCall) string {
	switch {
	case e.State != attempt.Settled:
		return e.State.String()
	case e.isPage() && e.Returned != 0:
		return "page with results"
	case e.isPage():
		return "page without results"
	case e.Returned == e.Asked:
		return "everything found"
	case e.Returned != 0:
		return "partly found"
	}
	return "nothing found"
}

func (part *SpendPart) String() string {
	text := Counted(part.Attempts, "attempt")
	if part.Charged > 0 || len(part.Units) == 0 {
		text = Textf("$%s, %s", part.Charged, text)
	}
	for _, meter := range slices.Sorted(maps.Keys(part.Units)) {
		text += Textf(", %s of %s", Counted(part.Units[meter], "unit"), meter)
	}
	return text
}

func (v *Spend) Render(p *Page) {
	for _, group := range []struct {
		title string
		parts SpendParts
	}{{"by operation", v.ByOperation}, {"by outcome", v.ByOutcome}, {"by day (UTC)", v.ByDay}} {
		if len(group.parts) == 0 {
			continue
		}
		p.Sectionf("%s", group.title)
		for _, name := range slices.Sorted(maps.Keys(group.parts)) {
			part := group.parts[name]
			p.Prosef("  "+name, "%s", part)
			if part.usedFree() {
				p.Entryf("", "free: %s", Counts(part.FreeUsed))
			}
		}
	}
}
