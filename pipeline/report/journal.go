// This file shows what was checked, erased and exported of a journal.

package report

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
)

// JournalCheck says what a check of the whole journal found.
type JournalCheck struct {
	Journal    string           `json:"journal"`
	Attempts   map[string]int64 `json:"attempts"` // by state
	Identities int64            `json:"identities"`
	Runs       int64            `json:"runs"`
	Erased     int64            `json:"erased"` // attempts without their identity or values
	Totals     JournalTotals    `json:"totals"`
	Problems   int64            `json:"problems"`
	List       []verify.Problem `json:"list"`

	fields enrich.Catalogue // of the first account
	free   Values[int64]
}

// JournalTotals are the sums of a whole journal. Those by field are in the order of the fields.
type JournalTotals struct {
	Settled      cost.Money            `json:"settled"`
	Held         cost.Money            `json:"held"`
	EverHeld     cost.Money            `json:"ever_held"`
	FreeUsed     enrich.ByField[int64] `json:"free_used"`
	FreeHeld     enrich.ByField[int64] `json:"free_held"`
	FreeEverHeld enrich.ByField[int64] `json:"free_ever_held"`
	Charged      enrich.ByField[int64] `json:"charged"`
	Asked        enrich.ByField[int64] `json:"asked"`
	Returned     enrich.ByField[int64] `json:"returned"`
	Forfeited    int64                 `json:"forfeited"`
	Uncharged    int64                 `json:"uncharged,omitempty"`
	Lookups      int64                 `json:"lookups"`
	Whole        int64                 `json:"whole"` // lookups that returned every field
	Open         int64                 `json:"open"`  // lookups without an outcome
}

// JournalCheckOf shows what a check found. The sums by field are those of the first account, whose catalogue and
// tariff are given.
func JournalCheckOf(c enrich.Catalogue, tariff cost.Tariff, found verify.Summary, problems []verify.Problem) *JournalCheck {
	return &JournalCheck{
		Journal: found.ID, Attempts: found.Attempts, Identities: found.Identities, Runs: found.Runs, Erased: found.Erased,
		Totals: journalTotalsOf(tariff, found.Totals), Problems: found.Problems, List: append([]verify.Problem{}, problems...),
		fields: c, free: FreeUnits(c, tariff, found.Totals.Settled),
	}
}

func journalTotalsOf(tariff cost.Tariff, t cost.Totals) JournalTotals {
	return JournalTotals{
		Settled: t.Settled.Money(), Held: t.Held.Money(), EverHeld: t.EverHeld.Money(),
		FreeUsed: tariff.AllowanceUnits(t.Settled), FreeHeld: tariff.AllowanceUnits(t.Held), FreeEverHeld: tariff.AllowanceUnits(t.EverHeld),
		Charged: t.Charged, Asked: t.Asked, Returned: t.Returned,
		Forfeited: t.Forfeited, Uncharged: t.Uncharged, Lookups: t.Lookups, Whole: t.Whole, Open: t.Open,
	}
}

func (v *JournalCheck) Render(p *Page) {
	if len(v.List) == 0 {
		p.Linef("The journal is sound.")
		p.Gap()
	}
	p.Entryf("journal", "%s", v.Journal)
	for state := attempt.Intended; state <= attempt.Forfeited; state++ {
		if n := v.Attempts[state.String()]; n > 0 {
			p.Entryf("attempts "+state.String(), "%d", n)
		}
	}
	p.Entryf("identities", "%d", v.Identities)
	p.Entryf("runs", "%d", v.Runs)
	p.Entryf("settled", "$%s", v.Totals.Settled)
	p.Entryf("held", "$%s", v.Totals.Held)
	p.Entryf("free allowance used", "%s", Counts(v.free))
	p.Entryf("fields charged", "%s", Counts(ValuesOf(v.fields, v.Totals.Charged)))
	if v.Erased > 0 {
		p.Entryf("erased", "%s", Counted(v.Erased, "attempt"))
	}
	for _, problem := range v.List {
		p.Linef("PROBLEM  %s: %s", problem.Record, problem.Text)
	}
}

// JournalCopy says which journal was copied from a directory to a database.
type JournalCopy struct {
	Journal   string `json:"journal"`
	Directory string `json:"directory"`
	Database  string `json:"database"`
	Encrypted bool   `json:"encrypted"`
	NewKey    bool   `json:"-"`       // whether it is encrypted with another key than the directory
	Records   int64  `json:"records"` // that were copied and compared; 0 when an earlier copy had ended well
	Undone    bool   `json:"undone,omitempty"`
}

func (v *JournalCopy) Render(p *Page) {
	if v.Undone {
		p.Linef("The copy is removed. Lookups are paid from the directory again.")
	} else {
		p.Linef("The journal is in the database. Nothing is paid from the directory any more.")
	}
	if v.NewKey {
		p.Linef("It is encrypted with the new key. %s", p.Hint("rekeyed"))
	}
	p.Gap()
	p.Entryf("journal", "%s", v.Journal)
	p.Entryf("directory", "%s", v.Directory)
	p.Entryf("database", "%s", v.Database)
	if v.Records > 0 {
		p.Entryf("copied", "%s, each compared with the directory", Counted(v.Records, "record"))
	}
}

// Migration says which version the tables of a shared journal had, 0 for none, and have.
type Migration struct {
	Before int `json:"version_before"`
	After  int `json:"version"`
}

func (v *Migration) Render(p *Page) {
	switch v.Before {
	case v.After:
		p.Linef("The tables have version %d already.", v.After)
	case 0:
		p.Linef("The tables are created. They have version %d.", v.After)
	default:
		p.Linef("The tables had version %d and have version %d.", v.Before, v.After)
	}
}

// Rekeyed says that the journal is encrypted with its new key.
type Rekeyed struct {
	Encrypted bool `json:"encrypted"`
}

func (v *Rekeyed) Render(p *Page) {
	p.Linef("The journal is encrypted with the new key. %s", p.Hint("rekeyed"))
}

// Unpaused says until when the service had asked to wait, zero when it had not, and which limits it had said
// are reached.
type Unpaused struct {
	Until  time.Time `json:"paused_until"`
	Limits []string  `json:"limits,omitempty"` // the modules
}

func (v *Unpaused) Render(p *Page) {
	if v.Until.IsZero() && len(v.Limits) == 0 {
		p.Linef("The service has not asked to wait. Nothing has changed.")
		return
	}
	if !v.Until.IsZero() {
		p.Linef("The wait until %s is over; lookups may be sent again.", Time(v.Until))
	}
	for _, module := range v.Limits {
		p.Linef("The limit of %s has ended; calls that need it may be sent again.", module)
	}
}
