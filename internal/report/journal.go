package report

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/checkpoint/verify"
)

// JournalCheck says what a check of the whole journal found.
type JournalCheck struct {
	verify.Summary
	List []verify.Problem `json:"list"`
}

func (v *JournalCheck) render(p *page) {
	if len(v.List) == 0 {
		p.line("The journal is sound.")
		p.gap()
	}
	p.entry("journal", "%s", v.ID)
	for state := attempt.Intended; state <= attempt.Forfeited; state++ {
		if n := v.Attempts[state.String()]; n > 0 {
			p.entry("attempts "+state.String(), "%d", n)
		}
	}
	p.entry("identities", "%d", v.Identities)
	p.entry("runs", "%d", v.Runs)
	p.entry("settled", "$%s", v.Totals.Settled)
	p.entry("held", "$%s", v.Totals.Held)
	p.entry("free allowance used", "%s", Counts(ByField(v.Totals.FreeUsed)))
	p.entry("fields charged", "%s", Counts(ByField(v.Totals.Charged)))
	if v.Erased > 0 {
		p.entry("erased", "%s", Counted(v.Erased, "attempt"))
	}
	for _, problem := range v.List {
		p.line("PROBLEM  %s: %s", problem.Record, problem.Text)
	}
}

// Rekeyed says that the journal is encrypted with its new key.
type Rekeyed struct {
	Encrypted bool `json:"encrypted"`
}

func (v *Rekeyed) render(p *page) {
	p.line("The journal is encrypted with the new key. %s", p.hint("rekeyed"))
}

// Unpaused says until when the service had asked to wait; zero when it had not.
type Unpaused struct {
	Until time.Time `json:"paused_until"`
}

func (v *Unpaused) render(p *page) {
	if v.Until.IsZero() {
		p.line("The service has not asked to wait. Nothing has changed.")
		return
	}
	p.line("The wait until %s is over; lookups may be sent again.", Time(v.Until))
}

// Erasure says what was erased from the journal.
type Erasure struct{ checkpoint.Erasure }

func (v *Erasure) render(p *page) {
	p.entry("persons forgotten", "%d", v.Persons)
	p.entry("answers erased", "%d", v.Answers)
}
