package pipeline

import (
	"time"

	"payonce/cost"
	"payonce/pipeline/report"
)

// Show adds to a plan what the steps come to: how long they take, the likely cost, the ceilings, and each step.
func (r *RunSteps) Show(v *report.Plan) {
	paid := r.Paid()
	r.schedule(v)
	forecast := paid.Forecast()
	r.addForecast(v, paid, forecast)
	r.addCeilings(v, forecast)
	r.showSteps(v)
}

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

// schedule says how long the lookups take and when the last of them can be sent.
func (r *RunSteps) schedule(v *report.Plan) {
	duration, paid := r.duration(), r.Paid()
	v.Seconds = int64(duration / time.Second)
	v.EndsAt = v.At.Add(duration)
	budget := paid.Account.Shown.Budget
	reset := budget.ResetsAt.UTC()
	if budget.Capped && reset.After(v.At) && v.EndsAt.After(reset) {
		rate := paid.Account.Rate
		windows := int64(reset.Sub(v.At)/rate.Window) + 1
		v.BudgetReset = &report.BudgetReset{At: reset, LookupsBefore: min(windows*int64(rate.Slots), paid.Counts.Lookup)}
	}
}

// showSteps shows each step, where there are several or where they use units.
func (r *RunSteps) showSteps(v *report.Plan) {
	units := false
	for _, s := range r.Steps {
		units = units || s.most() != cost.Amounts{}
	}
	if len(r.Steps) == 1 && !units && r.Accounts[0].TakesMoney() {
		return
	}
	for i, s := range r.Steps {
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
		view.Maximum = maximumOf(purchaseOf(account, s.Counts.Lookups))
		view.Units = unitsOf(account, s.most())
		v.Steps = append(v.Steps, view)
	}
}
