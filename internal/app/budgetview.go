package app

import (
	"context"
	"fmt"
	"time"

	"payonce/cost"
	"payonce/internal/report"
)

// viewUsed shows what the scope of a ceiling has come to at a time.
func (s *session) viewUsed(c budgetCeiling, at time.Time) (report.Used, error) {
	totals := s.journal().Totals(c.At(at).Scope)
	mayBeFree, err := s.journal().MayBeFree(c.At(at).Scope)
	if err != nil {
		return report.Used{}, err
	}
	view := report.Used{
		Of: c.of(), Name: c.Name, Period: c.Period.Of(at), Measure: "usd",
		Settled: totals.Settled, SettledLeast: report.Least(totals.Settled, mayBeFree), Held: totals.Held, Lookups: cost.Ceiling{Measure: cost.Lookups}.Used(totals),
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
	if renews := Renewal(c.Period, at); !renews.IsZero() {
		view.RenewsAt = &renews
	}
	return view, nil
}

// accountOfBudget reads the account's free status; without it, it says why.
func (s *session) accountOfBudget(ctx context.Context, offline string) (*report.Account, string) {
	if offline != "" {
		return nil, offline
	}
	client, err := s.place.OpenStatus()
	if err == nil {
		err = s.place.CheckKey()
	}
	if err != nil {
		return nil, s.work.Explain(err)
	}
	account, err := client.Status(ctx)
	if err != nil {
		return nil, s.work.Explain(err)
	}
	return report.AccountOf(account), ""
}
