// This file adds up paid calls. The report on runs, the spend of one run and the ledger are views of these sums.

package report

import (
	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// ReportCall is one paid call.
type ReportCall struct {
	attempt.Entry
	Held     cost.Amounts // at most, of the meters of its account, while its outcome is unknown
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
	Attempts  int64
	Calls     int64 // attempts that were sent, or may have been, as a ceiling on lookups counts them
	Open      int64 // without an outcome
	Answered  int64
	Matched   int64 // answered, with something found
	Values    int64 // found
	Charged   cost.Money
	MayBeFree cost.Money // of what was charged
	accounts  map[attempt.Account]*meterSum
	open      map[attempt.ID]bool // those without an outcome
}

// meterSum is what calls to one account used of each meter.
type meterSum struct {
	used   cost.Amounts
	spent  cost.ByMeter[cost.Money] // by the first meter beside money of each call
	free   enrich.ByField[int64]    // values that a free allowance paid for
	values int64                    // found
}

// Add adds a call.
func (s *CallSum) Add(c ReportCall) {
	s.count(c)
	if s.accounts == nil {
		s.accounts = map[attempt.Account]*meterSum{}
	}
	sum := entryOf(s.accounts, c.Account)
	sum.used = sum.used.Plus(c.Charge.Amounts)
	sum.values += c.values()
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
	s.Attempts++
	if !c.NotSent {
		s.Calls++
	}
	if c.Ended.IsZero() {
		s.Open++
		if s.open == nil {
			s.open = map[attempt.ID]bool{}
		}
		s.open[c.ID] = true
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

// TakesMoney reports whether the account takes money: by its tariff, or because calls to it cost or hold some.
func (t AccountTerms) TakesMoney(used, held cost.Amounts) bool {
	return used.Money()+held.Money() > 0 || len(t.Tariff.Meters) > 0 && !t.Tariff.Meters[cost.USD].Hidden
}

// held returns what the calls of a sum that have no outcome hold together, by account.
func (s *CallSum) held(open checkpoint.OpenCalls) []cost.Amounts {
	return open.Held(func(call checkpoint.OpenCall) bool { return s.open[call.ID] })
}

// units returns the sums of the meters without money and free allowances.
func (f *ReportFacts) units(s *CallSum) (all AllUnits) {
	var held []cost.Amounts
	if s.Open > 0 {
		held = s.held(f.Open)
	}
	for account, terms := range f.Accounts {
		sum, holds := s.accounts[attempt.Account(account)], cost.Amounts{}
		if sum == nil {
			continue
		}
		if account < len(held) {
			holds = held[account]
		}
		all = append(all, terms.units(sum, holds)...)
	}
	return all
}

// units returns what calls to the account used and hold of its meters without money and free allowances.
func (t AccountTerms) units(sum *meterSum, held cost.Amounts) (all AllUnits) {
	for m, info := range t.Tariff.Meters {
		isUnits := cost.Meter(m) != cost.USD && !t.Tariff.IsAllowance(cost.Meter(m))
		if isUnits && sum.used[m]+held[m] > 0 {
			all = append(all, ReportUnits{
				Interface: t.Catalogue.Interface, Meter: info.Name, Used: sum.used[m], Held: held[m], Spent: sum.spent[m],
			})
		}
	}
	return all
}

// perValue returns what was spent for each value of the accounts that take money, nil where there is none.
func (f *ReportFacts) perValue(s *CallSum) *cost.Money {
	var spent cost.Money
	var values int64
	for account, terms := range f.Accounts {
		if sum := s.accounts[attempt.Account(account)]; sum != nil && terms.TakesMoney(sum.used, cost.Amounts{}) {
			spent += sum.used.Money()
			values += sum.values
		}
	}
	return PerValue(spent, values)
}

// Free returns how many values the free allowances paid for: of each field of the account 0, and of the fields of
// other accounts that have some.
func (t Terms) Free(s *CallSum) (counts Values[int64]) {
	for account, terms := range t {
		var free enrich.ByField[int64]
		if sum := s.accounts[attempt.Account(account)]; sum != nil {
			free = sum.free
		}
		counts = AddFree(counts, terms.Catalogue, free, account == 0)
	}
	return counts
}
