// This file adds up paid calls. The report on runs, the spend of one run and the ledger are views of these sums.

package report

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// ReportCall is one paid call.
type ReportCall struct {
	attempt.Entry
	Held     cost.Amounts // of the meters of its account, while its outcome is unknown
	Company  string       // the host of the company; "" when it is not known
	MailHost string       // the host of the email that was found, or Unknown; "" when none was found
}

// isPage reports whether a call asked for a page of the results of a search. Such a page is not a value.
func (c ReportCall) isPage() bool { return c.Pattern == "search" }

// values returns how many values a call found.
func (c ReportCall) values() (n int64) {
	if c.isPage() {
		return 0
	}
	for range c.Returned.Each() {
		n++
	}
	return n
}

// CallSum is what calls come to: all of a view, or those of one of its parts, such as a day, a step or an outcome.
type CallSum struct {
	Calls     int64
	Open      int64 // without an outcome
	Answered  int64
	Matched   int64 // answered, with something found
	Values    int64 // found
	Charged   cost.Money
	MayBeFree cost.Money // of what was charged
	accounts  map[attempt.Account]*meterSum
}

// meterSum is what calls to one account used and hold of each meter.
type meterSum struct {
	used, held cost.Amounts
	spent      cost.ByMeter[cost.Money] // by the first meter beside money of each call
	free       enrich.ByField[int64]    // values that a free allowance paid for
}

// Add adds a call.
func (s *CallSum) Add(c ReportCall) {
	s.count(c)
	if s.accounts == nil {
		s.accounts = map[attempt.Account]*meterSum{}
	}
	sum := entryOf(s.accounts, c.Account)
	sum.used = sum.used.Plus(c.Charge.Amounts)
	sum.held = sum.held.Plus(c.Held)
	for f := range c.Charge.Free.Each() {
		sum.free[f]++
	}
	for m := cost.USD + 1; int(m) < len(c.Charge.Amounts); m++ {
		if c.Charge.Amounts[m] > 0 {
			sum.spent[m] = sum.spent[m].Plus(c.Charge.Money())
			break
		}
	}
}

// count adds a call without the meters of its account.
func (s *CallSum) count(c ReportCall) {
	s.Calls++
	if c.Ended.IsZero() {
		s.Open++
	}
	if c.State == attempt.Settled {
		s.Answered++
		if c.Returned != 0 {
			s.Matched++
		}
	}
	s.Values += c.values()
	s.Charged += c.Charge.Money()
	s.MayBeFree += c.Charge.Money() - c.Charge.Correct(c.MayBeFree, c.Rates).Money()
}

// Terms are what views of sums need to know of the accounts, by their numbers.
type Terms []AccountTerms

// AccountTerms are the fields and the meters of an account.
type AccountTerms struct {
	Catalogue enrich.Catalogue
	Tariff    cost.Tariff // without meters where it is not known
}

// of returns the terms of an account, empty ones where it is not known.
func (t Terms) of(account attempt.Account) AccountTerms {
	if int(account) < len(t) {
		return t[account]
	}
	return AccountTerms{}
}

// units returns the sums of the meters without money and free allowances.
func (t Terms) units(s *CallSum) (all AllUnits) {
	for account, terms := range t {
		sum := s.accounts[attempt.Account(account)]
		if sum == nil {
			continue
		}
		for m, info := range terms.Tariff.Meters {
			isUnits := cost.Meter(m) != cost.USD && !terms.Tariff.IsAllowance(cost.Meter(m))
			if isUnits && sum.used[m]+sum.held[m] > 0 {
				all = append(all, ReportUnits{
					Interface: terms.Catalogue.Interface, Meter: info.Name, Used: sum.used[m], Held: sum.held[m], Spent: sum.spent[m],
				})
			}
		}
	}
	return all
}

// Free returns how many values the free allowances paid for: of each field of the account 0, and of the fields of
// other accounts that have some.
func (t Terms) Free(s *CallSum) Values[int64] {
	counts := ValuesOf(t.of(0).Catalogue, enrich.ByField[int64]{})
	for account, terms := range t {
		sum := s.accounts[attempt.Account(account)]
		if sum == nil {
			continue
		}
		for f := range terms.Catalogue.All().Each() {
			if sum.free[f] > 0 {
				counts = AddCount(counts, terms.Catalogue.Name(f), sum.free[f])
			}
		}
	}
	return counts
}
