package inspect

import (
	"context"
	"fmt"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// viewUsed shows what the scope of a ceiling has come to at a time.
func viewUsed(s *workspace.Session, c budgetCeiling, at time.Time) (report.Used, error) {
	scope := checkpoint.CeilingScope(c.Ceiling, c.account, at)
	totals := s.Journal.Totals(scope)
	mayBeFree, err := s.Journal.MayBeFree(scope)
	if err != nil {
		return report.Used{}, err
	}
	view := report.Used{
		Of: c.of(), Name: c.Name, Period: c.Period.Of(at), Measure: "usd",
		Settled: totals.Settled.Money(), SettledLeast: report.Least(totals.Settled.Money(), mayBeFree), Held: totals.Held.Money(), Lookups: totals.Calls(),
	}
	inMeasure := func(n int64) string { return cost.Money(n).String() }
	switch c.Meter {
	case cost.USD:
	case cost.Lookups:
		view.Measure = "lookups"
		inMeasure = func(n int64) string { return fmt.Sprint(n) }
	default:
		_, view.Measure, _ = strings.Cut(c.Name, " ")
		settled, held := totals.Settled[c.Meter], totals.Held[c.Meter]
		view.SettledUnits, view.HeldUnits = &settled, &held
		inMeasure = func(n int64) string { return fmt.Sprint(n) }
	}
	if c.limited {
		limit, left := inMeasure(c.Limit), inMeasure(max(c.Left(totals), 0))
		view.Limit, view.Left = &limit, &left
	}
	if renews := provider.Renewal(c.Period, at); !renews.IsZero() {
		view.RenewsAt = &renews
	}
	return view, nil
}

// unitAccount is an account whose units ceilings can limit.
type unitAccount struct {
	number attempt.Account
	tariff cost.Tariff
}

// unitAccounts returns the accounts whose units ceilings limit, one for each interface that takes no money: the last
// one where the command does not know its address. It is an account without calls when there is none.
func unitAccounts(s *workspace.Session) (accounts []unitAccount) {
	for _, of := range s.Options.Services {
		about, all := of.Interface(), s.Journal.Catalogues()
		if !about.Tariff.Meters[cost.USD].Hidden {
			continue
		}
		last := attempt.Account(len(all))
		for number := len(all) - 1; number > 0 && last == attempt.Account(len(all)); number-- {
			if all[number].Interface == of.Name() {
				last = attempt.Account(number)
			}
		}
		if journal, err := s.AccountOf(of); err == nil && journal != nil {
			last = journal.Number()
		}
		accounts = append(accounts, unitAccount{last, about.Tariff})
	}
	return accounts
}

// accountOfBudget reads the account's free status; without it, it says why.
func accountOfBudget(ctx context.Context, w *pipeline.Work, s *workspace.Session, offline string) (*report.Account, string) {
	if offline != "" {
		return nil, offline
	}
	if first := s.Options.Services[0]; s.Options.IsConfigured(first) {
		account := s.Account(first, nil, nil)
		defer account.Close()
		err := account.Open(ctx, provider.UseReading)
		if err == nil {
			err = account.CheckKey(ctx)
		}
		if err != nil {
			return nil, w.Explain(err)
		}
	}
	account, err := accountOf(ctx, s, report.TimeSpan{})
	if err != nil {
		return nil, w.Explain(err)
	}
	return account, ""
}
