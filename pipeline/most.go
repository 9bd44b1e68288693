package pipeline

import (
	"slices"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// Maximum returns what the holds of all lookups come to: what they cost when every field is returned. A price
// that is needed and unknown counts as more than any ceiling.
func (r *RunSteps) Maximum() cost.Money { return maximumOf(r.lookupCosts()...) }

// lookupCosts returns the lookups of the accounts whose lookups can cost money; of all accounts where none can.
func (r *RunSteps) lookupCosts() (all cost.LookupCosts) {
	for _, account := range r.Accounts {
		if account.Consumes(cost.USD) || !r.TakesMoney() {
			all = append(all, r.lookupCost(account))
		}
	}
	return all
}

// lookupCost returns the lookups of an account, at the rates by which they hold money.
func (r *RunSteps) lookupCost(account *provider.Account) cost.LookupCost {
	lookups := cost.Workload{}
	for _, s := range r.Of(account) {
		for fields, n := range s.Counts.Lookups {
			lookups[fields] += n
		}
	}
	return lookupCostOf(account, lookups)
}

func lookupCostOf(account *provider.Account, lookups cost.Workload) cost.LookupCost {
	return cost.LookupCost{Lookups: lookups, Free: account.FreeLeft(), Rates: account.Rates()}
}

func maximumOf(lookupCosts ...cost.LookupCost) cost.Money {
	maximum, err := cost.LookupCosts(lookupCosts).Maximum()
	if err != nil {
		return cost.MaxMoney
	}
	return maximum
}

// PricedUnits reports whether units of a module cost money.
func (r *RunSteps) PricedUnits() bool {
	return slices.ContainsFunc(r.Accounts, func(a *provider.Account) bool {
		return !a.TakesMoney() && a.Consumes(cost.USD)
	})
}

// countUpTo adds the companies that earlier steps may still find to the counts of steps that ask by the ids
// in answers. Each answer may name another company, unless its lookup was by the id: then the list names the
// company, and later steps have counted it.
func (r *RunSteps) countUpTo() {
	var naming int64
	for _, s := range r.Steps {
		own := int64(0)
		if s.GivesIDs {
			own = s.Counts.Lookup - s.byID()
		}
		if s.Scope.Fallback > 0 { // it depends on what the steps before it find
			s.UpTo = s.Counts.Lookup
			naming = min(naming+own, max(naming, s.Counts.Rows)) // a row gives one id
			continue
		}
		if !s.AsksByAnswers || naming == 0 {
			naming += own
			continue
		}
		fields := s.Scope.Wanted
		s.UpTo = naming
		s.Counts.Lookup += naming
		s.Counts.Filled = max(s.Counts.Filled-naming, 0) // while no answer names its company, a row asks for nothing
		s.Counts.Lookups[fields] += naming
		s.Counts.Kinds[cost.Kind{Fields: fields, Pattern: enrich.ByID}] += naming
		for f := range fields.Each() {
			s.Counts.Asked[f] += naming
		}
		naming += own
	}
}

// byID returns how many lookups of a step are about companies that the list names by their ids.
func (s *RunStep) byID() (lookups int64) {
	for kind, n := range s.Counts.Kinds {
		if kind.Pattern == enrich.ByID {
			lookups += n
		}
	}
	return lookups
}

// Units returns what the lookups use at most of each meter that is not money, and what the accounts have left
// of it.
func (r *RunSteps) Units() (units []report.StepUnits) {
	for _, account := range r.Accounts {
		units = append(units, unitsOf(account, r.mostOf(account))...)
	}
	return units
}

// Enough returns limits of the run under which it can send all lookups.
func (r *RunSteps) Enough() report.Enough {
	scope := checkpoint.RunScope(r.Name)
	sums := r.Totals(scope)
	lookups := cost.Ceiling{Scope: scope, Meter: cost.Lookups}.Used(sums)
	return report.Enough{
		MaxSpend: sums.Settled.Plus(sums.Held).Money().Plus(r.Maximum()), MaxLookups: lookups + r.Lookups(), MaxUnits: r.enoughUnits(),
	}
}

// MaxUnits returns limits on units, by the names of their meters, under which a run can send all lookups. None is above
// the limit that the user has set.
func (r *RunSteps) MaxUnits() map[string]int64 {
	limits := r.enoughUnits()
	for meter, enough := range limits {
		if own, given := r.Budget.Units[meter]; given {
			limits[meter] = min(enough, own)
		}
	}
	return limits
}

// enoughUnits returns limits on units, by the names of their meters, under which a run can send all lookups. They
// count what earlier starts of the run have used. Units that no lookup uses have the least limit, because a run needs
// one. A limit of the user on units that are not asked for stays: a limit of 0 may be why.
func (r *RunSteps) enoughUnits() map[string]int64 {
	limits := map[string]int64{}
	for _, account := range r.Accounts {
		most := r.mostOf(account)
		before := r.used(limit{Ceiling: cost.Ceiling{Scope: checkpoint.RunScope(r.Name)}, account: account}, r.now())
		for m, info := range account.Tariff.Meters {
			if m == int(cost.USD) || !account.Consumes(cost.Meter(m)) {
				continue
			}
			limits[info.Name] = max(1, most[m]+before.Settled[m]+before.Held[m])
		}
	}
	for meter, own := range r.Budget.Units {
		if _, asked := limits[meter]; !asked {
			limits[meter] = own
		}
	}
	return limits
}

// mostOf returns what the lookups of an account use at most of each meter that is not money.
func (r *RunSteps) mostOf(account *provider.Account) (sum cost.Amounts) {
	for _, s := range r.Of(account) {
		sum = sum.Plus(s.most())
	}
	return sum
}

// most returns what the lookups of a step use at most of each meter that is not money.
func (s *RunStep) most() (sum cost.Amounts) {
	rates := s.Account.Rates()
	for fields, lookups := range s.Counts.Lookups {
		most, _ := rates.Total(fields) // they have prices
		sum = sum.Plus(most.Times(lookups))
	}
	sum[cost.USD] = 0
	return sum
}

// unitsOf shows what can be used of each meter of an account that is not money, and what the account has left
// of it.
func unitsOf(account *provider.Account, most cost.Amounts) (units []report.StepUnits) {
	for m, info := range account.Tariff.Meters {
		if m == int(cost.USD) || !account.Consumes(cost.Meter(m)) || most[m] == 0 {
			continue
		}
		view := report.StepUnits{Meter: info.Name, Most: most[m], Left: report.Known(account.Shown.Left[m])}
		if price := account.Connection.UnitPrice(cost.Meter(m)); price > 0 {
			view.Price = &price
		}
		units = append(units, view)
	}
	return units
}
