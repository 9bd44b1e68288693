// This file reads from a journal what each of its accounts found, cost and used.

package pipeline

import (
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// UsageReader reads what the accounts of a journal found, cost and used.
type UsageReader struct {
	Journal *checkpoint.Journal
	// Interfaces are those that accounts can have.
	Interfaces []provider.Interface
}

// Interface returns the interface of an account. An interface that is not known has the names of its fields alone.
func (r UsageReader) Interface(number attempt.Account) provider.Interface {
	catalogue := r.Journal.Catalogues()[number]
	for _, known := range r.Interfaces {
		if known.Catalogue.Interface == catalogue.Interface {
			return known
		}
	}
	return provider.Interface{Catalogue: catalogue}
}

// AccountTerms returns the terms of the accounts as views of calls show them. The fields have the names that the journal
// has recorded, and the words of their interface.
func (r UsageReader) AccountTerms() (terms report.Terms) {
	for number, catalogue := range r.Journal.Catalogues() {
		of := r.Interface(attempt.Account(number))
		terms = append(terms, report.AccountTerms{Catalogue: catalogue.WithWords(of.Catalogue), Tariff: of.Tariff})
	}
	return terms
}

// FreeUsed returns the free units of all accounts that a scope used: of each field of the account 0, and of the fields
// of other accounts that have some.
func (r UsageReader) FreeUsed(scope string) (used report.Values[int64]) {
	for number, totals := range r.Journal.AccountTotals(scope) {
		of := r.Interface(attempt.Account(number))
		used = report.AddFree(used, of.Catalogue, of.Tariff.AllowanceUnits(totals.Settled), number == 0)
	}
	return used
}

// Run returns what each account that a run asked found, cost and used.
func (r UsageReader) Run(run checkpoint.Run, at time.Time) report.AccountsUsage {
	all := report.AccountsUsage{}
	totals := r.Journal.AccountTotals(checkpoint.RunScope(run.Name))
	for i, sums := range totals {
		number := attempt.Account(i)
		if asked, isAsked := askedOf(run, number); isAsked || sums.Calls() > 0 {
			all = append(all, r.account(sums, asked, run, at))
		}
	}
	if len(run.Accounts) == 0 && len(all) == 0 {
		all = append(all, r.account(totals[0], checkpoint.AskedAccount{}, run, at))
	}
	return all
}

// askedOf returns what a run recorded of an account, and false when it did not ask it.
func askedOf(run checkpoint.Run, number attempt.Account) (checkpoint.AskedAccount, bool) {
	for _, asked := range run.Accounts {
		if asked.Account == number {
			return asked, true
		}
	}
	return checkpoint.AskedAccount{Account: number}, false
}

// account shows the sums of an account that a run asked.
func (r UsageReader) account(totals cost.Totals, asked checkpoint.AskedAccount, run checkpoint.Run, at time.Time) report.AccountUsage {
	of := r.Interface(asked.Account)
	terms := report.AccountTerms{Catalogue: of.Catalogue, Tariff: of.Tariff}
	view := report.AccountUsage{
		Number: int(asked.Account), Interface: of.Catalogue.Interface, Lookups: totals.Lookups,
		Found: report.FieldsFound(of.Catalogue, totals.Asked, totals.Returned),
		Drift: report.DriftIn(run, asked.Account, terms),
	}
	if terms.TakesMoney(totals.Settled, totals.Held) {
		view.Spent, view.Held = new(totals.Settled.Money()), new(totals.Held.Money())
	}
	for m, info := range of.Tariff.Meters {
		meter := cost.Meter(m)
		if meter == cost.USD || of.Tariff.IsAllowance(meter) {
			continue
		}
		units := report.UsedUnits{Meter: info.Name, Used: totals.Settled[m], Held: totals.Held[m]}
		for _, ceiling := range asked.Ceilings {
			if ceiling.Meter == meter {
				units.Limits = append(units.Limits, r.limit(asked.Account, ceiling, at))
			}
		}
		if units.Used+units.Held > 0 || len(units.Limits) > 0 {
			view.Units = append(view.Units, units)
		}
	}
	return view
}

// limit shows a ceiling on a meter of an account.
func (r UsageReader) limit(number attempt.Account, c cost.Ceiling, at time.Time) report.UnitLimit {
	left := c.Left(r.Journal.Totals(checkpoint.CeilingScope(c, number, at)))
	name, _, _ := strings.Cut(c.Name, " ") // the meter follows
	return report.UnitLimit{Name: name, Limit: c.Limit, Left: max(left, 0)}
}

// Months returns the beginnings of the months (UTC) from one time to another.
func Months(first, last time.Time) (months []time.Time) {
	first = first.UTC()
	for at := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC); !at.After(last); at = at.AddDate(0, 1, 0) {
		months = append(months, at)
	}
	return months
}
