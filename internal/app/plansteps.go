package app

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/internal/report"
	"payonce/internal/report/planstep"
	"payonce/internal/report/planview"
)

// paidStep returns the step that is paid for with money: the first whose account takes money, or else the first
// step.
func (j *job) paidStep() *step {
	for _, s := range j.steps {
		if s.account.Consumes(cost.USD) {
			return s
		}
	}
	return j.steps[0]
}

// maximum returns what all lookups cost when every field is returned.
func (j *job) maximum() (sum cost.Money) {
	for _, account := range j.accounts {
		sum = sum.Plus(j.maximumOf(account))
	}
	return sum
}

// maximumOf returns what the lookups of an account cost when every field is returned. The prices are known.
func (j *job) maximumOf(account *accounts.Account) cost.Money {
	var demand cost.Demand
	for _, s := range j.of(account) {
		for f, asked := range s.counts.Asked {
			demand[f] += asked
		}
	}
	maximum, err := demand.Maximum(account.FreeLeft(), account.Prices.Quote.Prices)
	if err != nil {
		return cost.MaxMoney
	}
	return maximum
}

// duration returns the least time that the steps take, one after another.
func (j *job) duration() (sum time.Duration) {
	for _, s := range j.steps {
		sum += s.account.Duration(s.counts.Lookup)
	}
	return sum
}

// read reports whether the status of every account was read.
func (j *job) read() bool {
	for _, account := range j.accounts {
		if !account.Read {
			return false
		}
	}
	return true
}

// countUpTo adds the companies that earlier steps may still find to the counts of steps that ask by the ids in answers.
// Each answer may name another company.
func (j *job) countUpTo() {
	var naming int64
	for _, s := range j.steps {
		if s.named && naming > 0 {
			fields := s.scope.Wanted
			s.upTo = naming
			s.counts.Lookup += naming
			s.counts.Filled = max(s.counts.Filled-naming, 0) // while no answer names its company, a row asks for nothing
			s.counts.Lookups[fields] += naming
			s.counts.Kinds[cost.Kind{Fields: fields, Pattern: enrich.ByID}] += naming
			for f := range fields.Each() {
				s.counts.Asked[f] += naming
			}
		}
		switch {
		case !s.names:
		case s.named: // its lookups are about the companies that were named before, too
			naming = s.counts.Lookup
		default:
			naming += s.counts.Lookup
		}
	}
}

// most returns what the lookups of a step use at most of each meter that is not money.
func (s *step) most() (sum cost.Amounts) {
	rates := s.account.Rates()
	for fields, lookups := range s.counts.Lookups {
		most, _ := rates.Total(fields) // they have prices
		sum = sum.Plus(most.Times(lookups))
	}
	sum[cost.USD] = 0
	return sum
}

// showSteps shows each step, where there are several or where they use units.
func (j *job) showSteps(v *planview.Plan) {
	units := false
	for _, s := range j.steps {
		units = units || s.most() != cost.Amounts{}
	}
	if len(j.steps) == 1 && !units && j.accounts[0].Consumes(cost.USD) {
		return
	}
	for i, s := range j.steps {
		account := s.account
		view := planstep.Step{
			Step: s.name, Interface: account.Catalogue.Interface, Lookups: s.counts.Lookup, Fields: map[string]int64{},
			UpTo: i > 0 && s.counts.Lookup > 0, Prices: map[string]cost.Money{},
			Seconds: int64(account.Duration(s.counts.Lookup) / time.Second), Rate: report.Rate(account.Rate),
		}
		view.Free = planview.FreeOf(account.Catalogue, s.scope.Wanted, s.counts.Asked, account.FreeLeft()).Map()
		for f := range s.scope.Wanted.Each() {
			view.Fields[account.Catalogue.Name(f)] = s.counts.Asked[f]
			if price := account.Prices.Quote.Prices[f]; account.Consumes(cost.USD) {
				view.Prices[account.Catalogue.Name(f)] = price
			}
		}
		view.Maximum, _ = cost.Demand(s.counts.Asked).Maximum(account.FreeLeft(), account.Prices.Quote.Prices) // maximum knew the prices
		view.Units = j.unitsOf(s)
		v.Steps = append(v.Steps, view)
	}
}

// unitsOf shows what a step can use of each meter, and what the account has left of it.
func (j *job) unitsOf(s *step) (units []planstep.Units) {
	most := s.most()
	for m, info := range s.account.Tariff.Meters {
		if m == int(cost.USD) || !s.account.Consumes(cost.Meter(m)) || most[m] == 0 {
			continue
		}
		units = append(units, planstep.Units{Meter: info.Name, Most: most[m], Left: report.Known(s.account.Shown.Left[m])})
	}
	return units
}
