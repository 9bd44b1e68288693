package pipeline

import (
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// CheckLimits refuses a run without a limit on something that it can consume. Units with a price need no
// limit of their own: the most that the run may spend limits them, and the run needs that then.
func (r *RunSteps) CheckLimits() error {
	var names []string
	var flags []any
	for _, account := range r.Accounts {
		for m, info := range account.Tariff.Meters {
			switch {
			case !account.Consumes(cost.Meter(m)):
			case m == int(cost.USD) && r.Budget.MaxSpend == nil:
				return maxSpendMissing()
			case m != int(cost.USD) && !r.Budget.HasLimit(info.Name) && account.Connection.UnitPrice(cost.Meter(m)) == 0:
				names, flags = append(names, info.Name), append(flags, info.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return problem.Coded("max_units_missing", "a run needs a limit on all units that it can use, and there is none on %s; nothing was sent",
		strings.Join(names, ", ")).With(flags...)
}

// maxSpendMissing says that a run has no limit on money.
func maxSpendMissing() error {
	return problem.Coded("max_spend_missing", "a run needs the most that it may spend; nothing was sent")
}

// MaxSpend returns the most that the run may spend, nothing where it cannot spend money.
func (r *RunSteps) MaxSpend() cost.Money {
	if r.Budget.MaxSpend == nil {
		return 0
	}
	return *r.Budget.MaxSpend
}

// runCeilings returns the ceilings that the user set, on money and on lookups.
func (r *RunSteps) runCeilings() []cost.Ceiling {
	ceilings := r.Budget.Ceilings(r.Name, r.JobName())
	if r.Approved != nil {
		ceilings = append(ceilings, cost.SpendCeiling(provider.CeilingApproval, checkpoint.RunScope(r.Name), *r.Approved))
	}
	return ceilings
}

// KeepTo makes an approved amount a ceiling of this start. The run may spend that much more than it has spent
// and holds.
func (r *RunSteps) KeepTo(allowed cost.Money) {
	totals := r.Totals(checkpoint.RunScope(r.Name))
	limit := totals.Settled.Plus(totals.Held).Money().Plus(allowed)
	r.Approved = &limit
}

// limit is a ceiling of the run.
type limit struct {
	cost.Ceiling
	account *provider.Account // whose meter it limits; nil for money and lookups of all accounts
	// own says that the account itself sets the ceiling.
	own bool
}

// limits returns every ceiling of the run, those of the accounts too.
func (r *RunSteps) limits() (limits []limit) {
	for _, ceiling := range r.runCeilings() {
		limits = append(limits, limit{Ceiling: ceiling})
	}
	for _, account := range r.Accounts {
		for _, ceiling := range r.Budget.UnitCeilings(r.Name, r.JobName(), account.Tariff) {
			if account.Consumes(ceiling.Meter) {
				limits = append(limits, limit{Ceiling: ceiling, account: account})
			}
		}
		for _, ceiling := range account.Tariff.Ceilings(account.Shown, checkpoint.ScopeAccount) {
			if account.Consumes(ceiling.Meter) {
				limits = append(limits, limit{ceiling, account, true})
			}
		}
	}
	return limits
}

// used returns the sums of the scope of a ceiling at a time, as they will be once each account's snapshot is
// its new base: then only lookups in doubt hold something of what the account itself limits.
func (r *RunSteps) used(l limit, at time.Time) cost.Totals {
	scope := l.At(at).Scope
	switch {
	case l.account == nil:
		return r.Totals(scope)
	case l.account.Journal == nil:
		return cost.Totals{}
	case !l.own:
		return l.account.Journal.Totals(l.account.Journal.Number().Scope(scope))
	}
	return cost.Totals{Held: l.account.InDoubt()}
}

// leftUnder returns what is surely left under a ceiling for lookups, after the pages of a search.
func (r *RunSteps) leftUnder(l limit, at time.Time) int64 {
	left := l.Left(r.used(l, at))
	switch pages := r.Pages; {
	case l.Meter == cost.Lookups:
		left -= pages.Calls
	case l.account == nil || l.account.Catalogue.Interface == pages.Interface:
		left -= pages.Most[l.Meter]
	}
	return max(left, 0)
}

// Totals returns the sums of a scope; zero where there is no journal yet.
func (r *RunSteps) Totals(scope string) cost.Totals {
	if r.journal() == nil {
		return cost.Totals{}
	}
	return r.journal().Totals(scope)
}

// MostRestrictive returns the ceiling on money with the least left, the account's as the journal knows them.
func (r *RunSteps) MostRestrictive() (cost.Ceiling, cost.Money) {
	ceilings, now := r.runCeilings(), r.now()
	for i := range ceilings {
		ceilings[i] = ceilings[i].At(now)
	}
	if r.Steps[0].Account.Journal == r.journal() {
		ceilings = append(ceilings, r.journal().Base().Ceilings(checkpoint.ScopeAccount)...)
	}
	mostRestrictive, left, _ := cost.MostRestrictive(ceilings, r.Totals)
	return mostRestrictive, max(left, 0)
}

// mostForUnits returns the most that the units of an account's lookups can cost. Lookups use no more units than their
// holds, and no more than the ceilings of the run leave. Units of calls in doubt count as left, because the account
// may show that they were not charged. A ceiling of a day or a month does not count, because it may renew before the
// run ends.
func (r *RunSteps) mostForUnits(account *provider.Account) (sum cost.Money) {
	if account.TakesMoney() {
		return cost.MaxMoney
	}
	most := r.mostOf(account)
	for _, ceiling := range r.Budget.UnitCeilings(r.Name, r.JobName(), account.Tariff) {
		if ceiling.Period == cost.Ever {
			used := r.used(limit{Ceiling: ceiling, account: account}, r.now()).Settled
			most[ceiling.Meter] = min(most[ceiling.Meter], max(ceiling.Limit-used[ceiling.Meter], 0))
		}
	}
	for m, units := range most {
		sum = sum.Plus(account.Connection.UnitPrice(cost.Meter(m)).Times(units))
	}
	return sum
}

// Possible returns the most that the run can spend from now on: what the ceilings leave of the maximum.
func (r *RunSteps) Possible(maximum cost.Money) cost.Money {
	possible, now := maximum, r.now()
	for _, account := range r.Accounts {
		own := maximumOf(r.lookupCost(account))
		possible -= own - min(own, r.mostForUnits(account))
	}
	for _, l := range r.limits() {
		left := max(l.Left(r.used(l, now)), 0)
		switch {
		case l.Meter == cost.Lookups:
			possible = min(possible, r.mostExpensive(left))
		case l.Meter == cost.USD && !l.own:
			possible = min(possible, cost.Money(left))
		case l.Meter == cost.USD:
			own := maximumOf(r.lookupCost(l.account))
			possible = min(possible, maximum-own+min(own, cost.Money(left)))
		}
	}
	return possible
}
