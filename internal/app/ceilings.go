package app

import (
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/accounts"
	"payonce/internal/budget"
	"payonce/internal/problem"
)

// checkLimits refuses a run without a limit on something that it can consume. Units with a price need no limit of
// their own: the most that the run may spend limits them, and the run needs that then.
func (j *job) checkLimits() error {
	var names []string
	var flags []any
	for _, account := range j.accounts {
		for m, info := range account.Tariff.Meters {
			switch {
			case !account.Consumes(cost.Meter(m)):
			case m == int(cost.USD) && j.budget.MaxSpend == nil:
				return maxSpendMissing()
			case m != int(cost.USD) && !j.budget.HasLimit(info.Name) && !account.Service.Priced(cost.Meter(m)):
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

// maxSpend returns the most that the run may spend, nothing where it cannot spend money.
func (j *job) maxSpend() cost.Money {
	if j.budget.MaxSpend == nil {
		return 0
	}
	return *j.budget.MaxSpend
}

// runCeilings returns the ceilings that the user set, on money and on lookups.
func (j *job) runCeilings() []cost.Ceiling {
	ceilings := j.budget.Ceilings(j.name, j.jobName())
	if j.approved != nil {
		ceilings = append(ceilings, cost.SpendCeiling(budget.CeilingApproval, checkpoint.RunScope(j.name), *j.approved))
	}
	return ceilings
}

// limit is a ceiling of the run.
type limit struct {
	cost.Ceiling
	account *accounts.Account // whose meter it limits; nil for money and lookups of all accounts
	// own says that the account itself sets the ceiling.
	own bool
}

// limits returns every ceiling of the run, those of the accounts too.
func (j *job) limits() (limits []limit) {
	for _, ceiling := range j.runCeilings() {
		limits = append(limits, limit{Ceiling: ceiling})
	}
	for _, account := range j.accounts {
		for _, ceiling := range j.budget.UnitCeilings(j.name, j.jobName(), account.Tariff) {
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

// used returns the sums of the scope of a ceiling at a time, as they will be once each account's snapshot is its
// new base: then only lookups in doubt hold something of what the account itself limits.
func (j *job) used(l limit, at time.Time) cost.Totals {
	scope := l.At(at).Scope
	switch {
	case l.account == nil:
		return j.session.totals(scope)
	case l.account.Journal == nil:
		return cost.Totals{}
	case !l.own:
		return l.account.Journal.Totals(l.account.Journal.Number().Scope(scope))
	}
	return cost.Totals{Held: l.account.InDoubt()}
}

// totals returns the sums of a scope; zero where there is no journal yet.
func (s *session) totals(scope string) cost.Totals {
	if s.journal() == nil {
		return cost.Totals{}
	}
	return s.journal().Totals(scope)
}

// tightest returns the ceiling on money with the least left, the account's as the
// journal knows them.
func (j *job) tightest() (cost.Ceiling, cost.Money) {
	ceilings, now := j.runCeilings(), j.session.now()
	for i := range ceilings {
		ceilings[i] = ceilings[i].At(now)
	}
	if j.steps[0].account.Journal == j.session.journal() {
		ceilings = append(ceilings, j.session.journal().Base().Ceilings(checkpoint.ScopeAccount)...)
	}
	tightest, left, _ := cost.Tightest(ceilings, j.session.totals)
	return tightest, max(left, 0)
}

// possible returns the most that the run can spend from now on: what the ceilings leave of the maximum.
func (j *job) possible(maximum cost.Money) cost.Money {
	possible, now := maximum, j.session.now()
	for _, l := range j.limits() {
		left := max(l.Left(j.used(l, now)), 0)
		switch {
		case l.Meter == cost.Lookups:
			possible = min(possible, j.dearest(left))
		case l.Meter == cost.USD && !l.own:
			possible = min(possible, cost.Money(left))
		case l.Meter == cost.USD:
			own := j.maximumOf(l.account)
			possible = min(possible, maximum-own+min(own, cost.Money(left)))
		}
	}
	return possible
}
