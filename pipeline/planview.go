package pipeline

import (
	"time"

	"payonce/cost"
	"payonce/pipeline/report"
)

// Prices shows what fields cost, and units of modules that have a price.
func (r *RunSteps) Prices() report.Prices {
	account := r.Paid().Account
	view := report.PricesOf(account.Catalogue, account.Prices.Quote)
	if !r.PricedUnits() {
		return view
	}
	if !account.TakesMoney() {
		view = report.NoPrices()
	}
	for _, account := range r.Accounts {
		for m, info := range account.Tariff.Meters {
			if price := account.Connection.UnitPrice(cost.Meter(m)); price > 0 && account.Consumes(cost.Meter(m)) {
				view.AddUnit(info.Name, price)
			}
		}
	}
	return view
}

// planSteps shows each step, where there are several or where they use units.
func (r *RunSteps) planSteps() (steps report.PlanSteps) {
	units := false
	for _, s := range r.Steps {
		units = units || s.most() != cost.Amounts{}
	}
	if len(r.Steps) == 1 && !units && r.Accounts[0].TakesMoney() {
		return nil
	}
	for i, s := range r.Steps {
		if s.Scope.Fallback > 0 && s.Counts.Lookup == 0 {
			continue
		}
		account := s.Account
		view := report.PlanStep{
			Step: s.Name, Interface: account.Catalogue.Interface, Lookups: s.Counts.Lookup, Fields: map[string]int64{},
			UpTo: i > 0 && s.Counts.Lookup > 0, Prices: map[string]cost.Money{},
			Seconds: int64(account.Duration(s.Counts.Lookup) / time.Second), Rate: report.RateText(account.Rate),
		}
		view.Free = report.FreeOf(account.Catalogue, s.Scope.Wanted, s.Counts.Asked, account.FreeLeft()).Map()
		for f := range s.Scope.Wanted.Each() {
			view.Fields[account.Catalogue.Name(f)] = s.Counts.Asked[f]
			if account.TakesMoney() {
				view.Prices[account.Catalogue.Name(f)] = account.Prices.Quote.Prices[f]
			}
		}
		view.Maximum = maximumOf(lookupCostOf(account, s.Counts.Lookups))
		view.Units = unitsOf(account, s.most())
		steps = append(steps, view)
	}
	return steps
}
