package report

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Spend explains what a run spent.
type Spend struct {
	ByOperation SpendParts `json:"by_operation"`
	ByOutcome   SpendParts `json:"by_outcome"`
	ByDay       SpendParts `json:"by_day"` // UTC, of the outcome

	terms []AccountTerms
}

// AccountTerms is what an explanation of spend needs to know of an account: its fields and its meters.
type AccountTerms struct {
	Catalogue enrich.Catalogue
	Tariff    cost.Tariff
}

// free returns the counts of fields that the free allowance of the account paid for.
func (t AccountTerms) free(free enrich.Fields) Values[int64] {
	var counts enrich.ByField[int64]
	for f := range free.Each() {
		counts[f]++
	}
	return ValuesOf(t.Catalogue, counts)
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

// NewSpend returns an explanation without attempts. The terms are those of the accounts by their numbers.
func NewSpend(terms []AccountTerms) *Spend {
	return &Spend{ByOperation: SpendParts{}, ByOutcome: SpendParts{}, ByDay: SpendParts{}, terms: terms}
}

// Add adds an attempt in three ways.
func (v *Spend) Add(e attempt.Entry) {
	terms := v.terms[e.Account]
	v.add(v.ByOperation, terms.Catalogue.Operation(e.Asked), e)
	v.add(v.ByOutcome, outcomeOf(e), e)
	v.add(v.ByDay, e.Time().UTC().Format(time.DateOnly), e)
}

// add adds an attempt to the part of that name. Fields that a free allowance paid for are those of the first
// account.
func (v *Spend) add(parts SpendParts, name string, e attempt.Entry) {
	part := parts[name]
	if part == nil {
		part = &SpendPart{FreeUsed: v.terms[0].free(0)}
		parts[name] = part
	}
	part.Attempts++
	part.Charged += e.Charge.Money()
	terms := v.terms[e.Account]
	for f := range e.Charge.Free.Each() {
		part.FreeUsed = AddCount(part.FreeUsed, terms.Catalogue.Name(f), 1)
	}
	for m, info := range terms.Tariff.Meters {
		used := e.Charge.Amounts[m]
		if used == 0 || m == int(cost.USD) || terms.Tariff.IsAllowance(cost.Meter(m)) {
			continue
		}
		if part.Units == nil {
			part.Units = map[string]int64{}
		}
		part.Units[info.Name] += used
	}
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

func (part *SpendPart) String() string {
	text := Counted(part.Attempts, "attempt")
	if part.Charged > 0 || len(part.Units) == 0 {
		text = fmt.Sprintf("$%s, %s", part.Charged, text)
	}
	for _, meter := range slices.Sorted(maps.Keys(part.Units)) {
		text += fmt.Sprintf(", %s of %s", Counted(part.Units[meter], "unit"), meter)
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
