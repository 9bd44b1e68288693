package report

import (
	"fmt"
	"time"

	"payonce/attempt"
	"payonce/cost"
)

// Case is one lost lookup as it is shown.
type Case struct {
	Attempt attempt.ID `json:"attempt"`
	Run     string     `json:"run"`
	Row     int64      `json:"row,omitempty"` // of the run's list; 0 when it is not there any more
	Person  string     `json:"person"`
	Fields  string     `json:"fields"`
	Sent    time.Time  `json:"sent"`
	Cause   string     `json:"cause"`
	Held    cost.Money `json:"held_usd"`
	Finding string     `json:"finding"`
}

// Reconciliation says what became of the lookups in doubt.
type Reconciliation struct {
	Evidence *Evidence  `json:"evidence"` // null when the account was not looked at
	Why      string     `json:"why,omitempty"`
	Cases    []Case     `json:"cases"`
	InDoubt  int        `json:"in_doubt"` // afterwards
	Held     cost.Money `json:"held_usd"`
	Vendor   string     `json:"vendor_file,omitempty"` // that was written for the service
}

// Evidence is what the account lost that the journal has not booked.
type Evidence struct {
	Free  map[string]int64 `json:"unexplained_free"`
	Money cost.Money       `json:"unexplained_usd"`
}

func (v *Reconciliation) render(p *page) {
	if len(v.Cases) == 0 {
		p.line("nothing is in doubt")
		v.renderVendor(p)
		return
	}
	for _, c := range v.Cases {
		place := ""
		if c.Row > 0 {
			place = fmt.Sprintf(", row %d", c.Row)
		}
		p.line("attempt %d: %s", c.Attempt, c.Person)
		p.item("  run %s%s, %s, sent %s", c.Run, place, c.Fields, c.Sent.Format(time.RFC3339))
		p.item("  lost: %s", c.Cause)
		p.item("  holds $%s; %s", c.Held, c.Finding)
	}
	p.gap()
	if v.Evidence != nil {
		p.entry("unexplained", "$%s, %s", v.Evidence.Money, Counts(v.Evidence.Free))
	}
	if v.Why != "" {
		p.entry("why no more is known", "%s", v.Why)
	}
	p.entry("still in doubt", "%d, holding $%s", v.InDoubt, v.Held)
	v.renderVendor(p)
	if v.InDoubt > 0 {
		p.gap()
		p.line("What you can do:")
		p.item("  wait       they stay in doubt and are not sent again; nothing else changes")
		p.item("  ask        the service knows which were charged; give it this file: %s", p.hint("vendor"))
		p.item("  exclusive  if nobody else spends from this account, declare it for later calls: %s", p.hint("exclusive"))
		p.item("  assume     if you know what became of them: %s", p.hint("assume"))
	}
}

func (v *Reconciliation) renderVendor(p *page) {
	if v.Vendor != "" {
		p.entry("file for the service", "%s", v.Vendor)
	}
}
