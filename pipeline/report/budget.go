package report

import (
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
	Account  *Account  `json:"account"` // null when it was not read
	Why      string    `json:"account_not_read,omitempty"`
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
}

func (v *Budget) Render(p *Page) {
	p.Titlef("Ceilings at %s", Time(v.At))
	of := ""
	for _, c := range v.Ceilings {
		if c.Of != of {
			of = c.Of
			p.Sectionf("%s", of)
		}
		c.Render(p)
	}
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
