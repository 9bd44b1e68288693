package runview

import (
	"maps"
	"slices"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/report"
	"payonce/service/v1/v1fields"
)

// Spend explains what a run spent.
type Spend struct {
	ByOperation SpendParts `json:"by_operation"`
	ByOutcome   SpendParts `json:"by_outcome"`
	ByDay       SpendParts `json:"by_day"` // UTC, of the outcome
}

// SpendParts are parts of a run's attempts by their names.
type SpendParts map[string]*SpendPart

// SpendPart is a part of a run's attempts.
type SpendPart struct {
	Attempts int64            `json:"attempts"`
	Charged  cost.Money       `json:"charged_usd"`
	FreeUsed map[string]int64 `json:"free_used"`
}

// NewSpend returns an explanation without attempts.
func NewSpend() *Spend { return &Spend{SpendParts{}, SpendParts{}, SpendParts{}} }

// Add adds an attempt in three ways.
func (v *Spend) Add(e attempt.Entry) {
	v.ByOperation.add(v1fields.Catalogue().Operation(e.Asked), e)
	v.ByOutcome.add(outcomeOf(e), e)
	v.ByDay.add(e.Time().UTC().Format(time.DateOnly), e)
}

// add adds an attempt to the part of that name.
func (parts SpendParts) add(name string, e attempt.Entry) {
	part := parts[name]
	if part == nil {
		part = &SpendPart{FreeUsed: report.ByField(enrich.ByField[int64]{})}
		parts[name] = part
	}
	part.Attempts++
	part.Charged += e.Charge.Money()
	for f := range e.Charge.Free.Each() {
		part.FreeUsed[report.Catalogue().Name(f)]++
	}
}

// usedFree reports whether the free allowance paid for something of the part.
func (part *SpendPart) usedFree() bool {
	for _, n := range part.FreeUsed {
		if n > 0 {
			return true
		}
	}
	return false
}

// outcomeOf names how an attempt ended, for a person who asks where the money went.
func outcomeOf(e attempt.Entry) string {
	switch {
	case e.State != attempt.Settled:
		return e.State.String()
	case e.Returned == e.Asked:
		return "everything found"
	case e.Returned != 0:
		return "partly found"
	}
	return "nothing found"
}

func (v *Spend) Render(p *report.Page) {
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
			p.Entryf("  "+name, "$%s, %s", part.Charged, report.Counted(part.Attempts, "attempt"))
			if part.usedFree() {
				p.Entryf("", "free: %s", report.Counts(part.FreeUsed))
			}
		}
	}
}
