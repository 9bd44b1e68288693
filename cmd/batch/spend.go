package main

import (
	"maps"
	"slices"
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
)

// spendView explains what a run spent.
type spendView struct {
	ByOperation spendParts `json:"by_operation"`
	ByOutcome   spendParts `json:"by_outcome"`
	ByDay       spendParts `json:"by_day"` // UTC, of the outcome
}

// spendParts are parts of a run's attempts by their names.
type spendParts map[string]*spendPart

// spendPart is a part of a run's attempts.
type spendPart struct {
	Attempts int64            `json:"attempts"`
	Charged  cost.Money       `json:"charged_usd"`
	FreeUsed map[string]int64 `json:"free_used"`
}

// explainSpend adds the attempts of a run up, in three ways. It looks for them in the
// whole journal: where the clock was set back, some lie before the run's first start.
func explainSpend(journal *checkpoint.Journal, run checkpoint.Run) (spendView, error) {
	view := spendView{spendParts{}, spendParts{}, spendParts{}}
	err := journal.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		if e.Run != run.Name {
			return nil
		}
		view.ByOperation.add(e.Operation.String(), e)
		view.ByOutcome.add(outcomeOf(e), e)
		view.ByDay.add(e.Time().UTC().Format(time.DateOnly), e)
		return nil
	})
	return view, err
}

// add adds an attempt to the part of that name.
func (parts spendParts) add(name string, e attempt.Entry) {
	part := parts[name]
	if part == nil {
		part = &spendPart{FreeUsed: byField([enrich.NumFields]int64{})}
		parts[name] = part
	}
	part.Attempts++
	part.Charged += e.Charge.Amount
	for f := range e.Charge.Free.Each() {
		part.FreeUsed[f.String()]++
	}
}

// usedFree reports whether the free allowance paid for something of the part.
func (part *spendPart) usedFree() bool {
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

func (v spendView) print(p *printer) {
	for _, group := range []struct {
		title string
		parts spendParts
	}{{"by operation", v.ByOperation}, {"by outcome", v.ByOutcome}, {"by day (UTC)", v.ByDay}} {
		if len(group.parts) == 0 {
			continue
		}
		p.line("")
		p.line("%s", group.title)
		for _, name := range slices.Sorted(maps.Keys(group.parts)) {
			part := group.parts[name]
			p.entry("  "+name, "$%s, %s", part.Charged, counted(part.Attempts, "attempt"))
			if part.usedFree() {
				p.entry("", "free: %s", listCounts(part.FreeUsed))
			}
		}
	}
}
