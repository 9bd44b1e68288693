package report

import (
	"time"

	"payonce/cost"
)

// Ledger holds the sums of a ledger.
type Ledger struct {
	From     *time.Time `json:"from"` // null for the journal's beginning
	To       *time.Time `json:"to"`   // exclusive; null for now
	Attempts int64      `json:"attempts"`
	Charged  cost.Money `json:"charged_usd"`
	// ChargedLeast is the least that it can be while charges may turn out to have been free.
	ChargedLeast *cost.Money   `json:"charged_least_usd,omitempty"`
	FreeUsed     Values[int64] `json:"free_used"`
	Open         int64         `json:"without_outcome"`
	Output       string        `json:"-"` // the file that it was written to
}

func (v *Ledger) Render(p *Page) {
	p.Entryf("attempts", "%d", v.Attempts)
	p.Entryf("charged", "%s", upTo(v.ChargedLeast, v.Charged))
	p.Entryf("free allowance used", "%s", Counts(v.FreeUsed))
	if v.Open > 0 {
		p.Entryf("without an outcome", "%d", v.Open)
	}
	p.Entryf("output", "%s", v.Output)
}
