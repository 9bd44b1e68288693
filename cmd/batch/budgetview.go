package main

import (
	"context"
	"fmt"
	"time"

	"payonce/cost"
)

// viewUsed shows what the scope of a ceiling has come to at a time.
func (s *session) viewUsed(c budgetCeiling, at time.Time) (usedView, error) {
	totals := s.journal.Totals(c.At(at).Scope)
	mayBeFree, err := s.journal.MayBeFree(c.At(at).Scope)
	if err != nil {
		return usedView{}, err
	}
	view := usedView{
		Of: c.of(), Name: c.Name, Period: c.Period.Of(at), Measure: "usd",
		Settled: totals.Settled, SettledLeast: totals.Settled - mayBeFree, Held: totals.Held, Lookups: cost.Ceiling{Measure: cost.Lookups}.Used(totals),
	}
	inMeasure := func(n int64) string { return cost.Money(n).String() }
	if c.Measure == cost.Lookups {
		view.Measure = "lookups"
		inMeasure = func(n int64) string { return fmt.Sprint(n) }
	}
	if c.limited {
		limit, left := inMeasure(c.Limit), inMeasure(max(c.Left(totals), 0))
		view.Limit, view.Left = &limit, &left
	}
	if renews := renewal(c.Period, at); !renews.IsZero() {
		view.RenewsAt = &renews
	}
	return view, nil
}

// accountOfBudget reads the account's free status; without it, it says why.
func (s *session) accountOfBudget(ctx context.Context) (*accountView, string) {
	if s.offline {
		return nil, "--offline"
	}
	client, err := s.openStatus()
	if err == nil {
		err = s.journal.CheckAPIKey(s.apiKey, s.sameWorkspace)
	}
	if err != nil {
		return nil, err.Error()
	}
	account, err := client.Status(ctx)
	if err != nil {
		return nil, err.Error()
	}
	view := viewAccount(account)
	return &view, ""
}

func (v ceilingsView) print(p *printer) error {
	p.line("Ceilings at %s", showTime(v.At))
	of := ""
	for _, c := range v.Ceilings {
		if c.Of != of {
			of = c.Of
			p.line("")
			p.line("%s", of)
		}
		c.print(p)
	}
	p.line("")
	p.line("account")
	if v.Account == nil {
		p.prose("  not asked", "%s", v.Why)
		return p.err
	}
	p.prose("  account balance", "%s left, %s reserved", dollars(v.Account.Available), dollars(v.Account.Reserved))
	switch budget := v.Account.Budget; {
	case budget.Capped == nil:
		p.entry("  usage budget", "unknown")
	case !*budget.Capped:
		p.entry("  usage budget", "no cap")
	default:
		p.prose("  usage budget", "%s spent, %s left of %s", dollars(budget.Spent), dollars(budget.Remaining), dollars(budget.Cap))
		if budget.ResetsAt != "" {
			p.entry("", "begins anew on %s", budget.ResetsAt)
		}
	}
	return p.err
}

func (c usedView) print(p *printer) {
	name := "  " + c.Name
	if c.Measure == "lookups" {
		p.prose(name, "%s sent, %s left of %s", lookupCount(c.Lookups), *c.Left, *c.Limit)
		return
	}
	text := fmt.Sprintf("%s settled, $%s held, ", upTo(c.SettledLeast, c.Settled), c.Held)
	if c.Limit == nil {
		text += "no limit"
	} else {
		text += fmt.Sprintf("$%s left of $%s", *c.Left, *c.Limit)
	}
	p.prose(name, "%s", text)
	if c.RenewsAt != nil && c.Limit != nil {
		p.prose("", "of %s, begins anew on %s", c.Period, showTime(*c.RenewsAt))
	}
}
