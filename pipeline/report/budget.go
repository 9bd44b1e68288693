package report

import (
	"cmp"
	"strings"
	"time"

	"payonce/cost"
)

// BudgetVersion is the version of the object a budget is as JSON.
const BudgetVersion = 1

// Budget shows the ceilings and the account.
type Budget struct {
	Version  int       `json:"version"`
	At       time.Time `json:"at"`
	Ceilings []Used    `json:"ceilings"`
	// Sums are those of each job and month with calls, the latest month first.
	Sums    []BudgetSum `json:"sums"`
	EachRun bool        `json:"-"`       // the ceilings of each run are shown to a person, too
	Account *Account    `json:"account"` // null when it was not read
	Why     string      `json:"account_not_read,omitempty"`
}

// BudgetSum is what a job has come to in a month.
type BudgetSum struct {
	Job     string     `json:"job"`   // "" for the runs without a job, together
	Month   string     `json:"month"` // in which the calls began, UTC
	Settled cost.Money `json:"settled_usd"`
	// SettledLeast is the least that it can be while charges may turn out to have been free.
	SettledLeast *cost.Money      `json:"settled_least_usd,omitempty"`
	Held         cost.Money       `json:"held_usd"`
	Lookups      int64            `json:"lookups"` // sent, with or without an outcome
	Units        map[string]int64 `json:"units,omitempty"`
	HeldUnits    map[string]int64 `json:"held_units,omitempty"`
}

// Used is a ceiling and what its scope has come to.
type Used struct {
	Of      string `json:"of"` // "run NAME", "job NAME" or "workspace"
	Name    string `json:"name"`
	Period  string `json:"period,omitempty"` // by UTC
	Measure string `json:"measure"`          // "usd", "lookups" or the units of a module
	// Limit and Left are in the measure, null when there is no limit.
	Limit   *string    `json:"limit"`
	Settled cost.Money `json:"settled_usd"`
	// SettledLeast is the least that it can be while charges may turn out to have been free.
	SettledLeast *cost.Money `json:"settled_least_usd,omitempty"`
	Held         cost.Money  `json:"held_usd"`
	// SettledUnits and HeldUnits are those of a ceiling on units.
	SettledUnits *int64     `json:"settled_units,omitempty"`
	HeldUnits    *int64     `json:"held_units,omitempty"`
	Lookups      int64      `json:"lookups"` // sent, with or without an outcome
	Left         *string    `json:"left"`
	RenewsAt     *time.Time `json:"renews_at,omitempty"`
	OfRun        bool       `json:"-"` // it is one of a run, or of a run without a job
}

func (v *Budget) Render(p *Page) {
	p.Titlef("Ceilings at %s", Time(v.At))
	of := ""
	for _, c := range v.Ceilings {
		if c.OfRun && !v.EachRun {
			continue
		}
		if c.Of != of {
			of = c.Of
			p.Sectionf("%s", of)
		}
		c.Render(p)
	}
	v.renderSums(p)
	p.Sectionf("account")
	if v.Account == nil {
		p.Prosef("  not asked", "%s", v.Why)
		return
	}
	if v.Account.Readiness != nil { // else the workspace has the second interface alone
		v.Account.renderMonth(p)
	}
	v.Account.unitLines(func(name, text string) { p.Prosef("  "+name, "%s", text) })
}

// renderSums shows what each job has come to in each month.
func (v *Budget) renderSums(p *Page) {
	if len(v.Sums) == 0 {
		return
	}
	p.Sectionf("by job and month")
	header, rows, units := []string{"month (UTC)", "job", "settled", "held", "lookups"}, [][]string{}, false
	for _, sum := range v.Sums {
		units = units || len(sum.Units)+len(sum.HeldUnits) > 0
	}
	for _, sum := range v.Sums {
		row := []string{
			sum.Month, cmp.Or(sum.Job, "runs without a job"), upTo(sum.SettledLeast, sum.Settled), USD(sum.Held), Number(sum.Lookups),
		}
		if units {
			text := []string{}
			if len(sum.Units) > 0 {
				text = append(text, holding(0, sum.Units))
			}
			if len(sum.HeldUnits) > 0 {
				text = append(text, holding(0, sum.HeldUnits)+" held")
			}
			row = append(row, strings.Join(text, ", "))
		}
		rows = append(rows, row)
	}
	if units {
		header = append(header, "units")
	}
	p.Table(header, rows)
	if !v.EachRun {
		p.Linef("The ceilings of each run are not shown%s.", p.Hint("each_run"))
	}
}

// renderMonth shows the balance and the month of the account of the first interface.
func (v *Account) renderMonth(p *Page) {
	p.Prosef("  account balance", "%s left, %s reserved", Dollars(v.Available), Dollars(v.Reserved))
	switch budget := v.Budget; {
	case budget.Capped == nil:
		p.Entryf("  usage budget", "unknown")
	case !*budget.Capped:
		p.Entryf("  usage budget", "no cap")
	default:
		p.Prosef("  usage budget", "%s spent, %s left of %s", Dollars(budget.Spent), Dollars(budget.Remaining), Dollars(budget.Cap))
		if budget.ResetsAt != "" {
			p.Entryf("", "renews on %s", budget.ResetsAt)
		}
	}
}

func (c Used) Render(p *Page) {
	name := "  " + c.Name
	if c.Measure == "lookups" {
		p.Prosef(name, "%s sent, %s left of %s", Lookups(c.Lookups), *c.Left, *c.Limit)
		return
	}
	if c.SettledUnits != nil && c.Limit != nil {
		p.Prosef(name, "%d used, %d held, %s left of %s", *c.SettledUnits, *c.HeldUnits, *c.Left, *c.Limit)
		c.renderPeriod(p)
		return
	}
	text := Textf("%s settled, $%s held, ", upTo(c.SettledLeast, c.Settled), c.Held)
	if c.Limit == nil {
		text += "no limit"
	} else {
		text += Textf("$%s left of $%s", *c.Left, *c.Limit)
	}
	p.Prosef(name, "%s", text)
	c.renderPeriod(p)
}

// renderPeriod says when a limit renews.
func (c Used) renderPeriod(p *Page) {
	if c.RenewsAt != nil && c.Limit != nil {
		p.Prosef("", "of %s, renews on %s", c.Period, Time(*c.RenewsAt))
	}
}
