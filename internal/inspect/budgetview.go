package inspect

import (
	"context"
	"fmt"
	"time"

	"payonce/cost"
	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/internal/workspace"
)

// viewUsed shows what the scope of a ceiling has come to at a time.
func viewUsed(s *workspace.Session, c budgetCeiling, at time.Time) (report.Used, error) {
	totals := s.Journal.Totals(c.At(at).Scope)
	mayBeFree, err := s.Journal.MayBeFree(c.At(at).Scope)
	if err != nil {
		return report.Used{}, err
	}
	view := report.Used{
		Of: c.of(), Name: c.Name, Period: c.Period.Of(at), Measure: "usd",
		Settled: totals.Settled.Money(), SettledLeast: report.Least(totals.Settled.Money(), mayBeFree), Held: totals.Held.Money(), Lookups: totals.Calls(),
	}
	inMeasure := func(n int64) string { return cost.Money(n).String() }
	if c.Meter == cost.Lookups {
		view.Measure = "lookups"
		inMeasure = func(n int64) string { return fmt.Sprint(n) }
	}
	if c.limited {
		limit, left := inMeasure(c.Limit), inMeasure(max(c.Left(totals), 0))
		view.Limit, view.Left = &limit, &left
	}
	if renews := app.Renewal(c.Period, at); !renews.IsZero() {
		view.RenewsAt = &renews
	}
	return view, nil
}

// accountOfBudget reads the account's free status; without it, it says why.
func accountOfBudget(ctx context.Context, w *app.Work, s *workspace.Session, offline string) (*report.Account, string) {
	if offline != "" {
		return nil, offline
	}
	client, err := s.OpenStatus()
	if err == nil {
		err = s.CheckKey()
	}
	if err != nil {
		return nil, w.Explain(err)
	}
	account, err := client.Status(ctx)
	if err != nil {
		return nil, w.Explain(err)
	}
	return report.AccountOf(account), ""
}
