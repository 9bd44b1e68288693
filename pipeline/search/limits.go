package search

import (
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/provider/providerv2"
)

// rates returns what a page of a search uses up.
func rates(o v2.Operation, service providerv2.Provider) cost.Rates {
	field, _ := o.ListedField() // a Kind has one
	return service.Prices.Rates(cost.Rates{field: cost.Rate{Uses: service.Modules.Hold(o, v2.Reveal{})}})
}

// page returns the hold of the call for one page.
func (s *session) page() cost.Amounts {
	field, _ := s.Order.Kind.Operation.ListedField() // a Kind has one
	return rates(s.Order.Kind.Operation, s.Provider)[field].Uses
}

// ceilings returns the limits that the user set.
func (s *session) ceilings() []cost.Ceiling {
	return s.Budget.All(s.name, s.Provider.Modules.Tariff())
}

// covered returns how many more calls the ceilings and the account cover; false when nothing limits them.
func (s *session) covered() (calls int64, limited bool) {
	page, now := s.page(), s.Work.Env.Now()
	cover := func(left, need int64) {
		if covers := max(left, 0) / need; !limited || covers < calls {
			calls, limited = covers, true
		}
	}
	for _, ceiling := range s.ceilings() {
		if need := ceiling.Need(page); need > 0 {
			cover(ceiling.Left(s.totals(ceiling.At(now))), need)
		}
	}
	for _, meter := range s.MetersOf(s.Order.Kind.Operation) {
		if left := s.Account.Left[meter]; left.Known {
			cover(left.Value, page[meter])
		}
	}
	return calls, limited
}

// totals returns the sums of the scope of a ceiling; zero where there is no journal yet. Money counts in the scopes
// of all accounts.
func (s *session) totals(c cost.Ceiling) cost.Totals {
	switch {
	case s.Journal == nil && s.Place.Journal == nil:
		return cost.Totals{}
	case c.Meter == cost.USD || c.Meter == cost.Lookups:
		return s.Place.Journal.Totals(c.Scope)
	case s.Journal == nil:
		return cost.Totals{}
	}
	return s.Journal.Totals(s.Journal.Number().Scope(c.Scope))
}

// maximum returns what a number of calls cost at most; nil when units have no price.
func (s *session) maximum(calls int64) *cost.Money {
	if each := s.page().Money(); each > 0 {
		return new(each * cost.Money(calls))
	}
	return nil
}

// spent returns what the search has spent, over all its starts; nil when units have no price.
func (s *session) spent() *cost.Money {
	if s.page().Money() == 0 {
		return nil
	}
	return new(s.totals(cost.Ceiling{Scope: checkpoint.RunScope(s.name)}).Settled.Money())
}
