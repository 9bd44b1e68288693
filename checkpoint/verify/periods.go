package verify

import (
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// periods check what the ledger state says of the periods between two bases of each account.
type periods struct {
	closed []closedPeriod
	held   []map[string]cost.Amounts // by calls in doubt of each closed period, by scope
	// listed are the provisional charges of attempts that were not seen yet.
	listed map[attempt.ID]listed
}

// closedPeriod is a closed period of an account.
type closedPeriod struct {
	record.ClosedPeriod
	account attempt.Account
}

// listed are the fields of an attempt whose charge is provisional, and the account whose list says so.
type listed struct {
	fields  enrich.Fields
	account attempt.Account
}

// checkPeriods reads the lists of provisional charges and of closed periods.
func (c *checker) checkPeriods() {
	c.periods = periods{listed: map[attempt.ID]listed{}}
	for n, state := range append([]record.Account{c.state.Account}, c.state.Others...) {
		c.checkPeriodsOf(attempt.Account(n), state)
	}
}

// checkPeriodsOf reads the lists of one account.
func (c *checker) checkPeriodsOf(account attempt.Account, state record.Account) {
	const name = "the ledger state"
	p := &c.periods
	list := func(of record.Provisional, first, next attempt.ID) {
		if of.ID < first || of.ID >= next || of.Fields == 0 || p.listed[of.ID].fields != 0 {
			c.problem(name, "lists a provisional charge of attempt %d twice, for no field or in a period that is not its own", of.ID)
		}
		p.listed[of.ID] = listed{of.Fields, account}
	}
	for _, of := range state.Provisional {
		list(of, state.BaseFirst, c.state.NextID)
	}
	end := attempt.ID(0)
	for _, closed := range state.Closed {
		if closed.First < end || closed.Next <= closed.First || closed.Next > state.BaseFirst {
			c.problem(name, "has a period of attempts %d to %d, which is empty or not in its order", closed.First, closed.Next-1)
		}
		end = closed.Next
		for _, of := range closed.Provisional {
			list(of, closed.First, closed.Next)
		}
		p.closed = append(p.closed, closedPeriod{closed, account})
		p.held = append(p.held, map[string]cost.Amounts{})
	}
}

// checkPeriod checks what the lists say of an attempt, and enters what it holds in doubt.
func (c *checker) checkPeriod(id attempt.ID, in *record.Intent, res *attempt.Resolution, resolved bool) {
	if of := c.listed[id]; of.fields.Without(res.Charge.Paid) != 0 || of.account != in.Account && of.fields != 0 {
		c.problem("the ledger state", "lists a provisional charge of attempt %d for %q, which it did not pay", id, of.fields)
	}
	delete(c.listed, id)
	if resolved {
		return
	}
	for i, period := range c.closed {
		if period.account == in.Account && period.Holds(id) {
			for _, scope := range c.scopesOf(in) {
				if !scope.as.SinceBase {
					c.held[i][scope.as.Name] = c.held[i][scope.as.Name].Plus(scope.as.Of(in.Hold.Amounts()))
				}
			}
		}
	}
}

// endPeriods checks the lists when all attempts were seen. It takes from each scope's sum of
// holds what exceeds the most that the calls in doubt can have been charged together: with all
// calls outside the scope not charged, those inside can have been charged the rest.
func (c *checker) endPeriods() {
	for id := range c.listed {
		c.problem("the ledger state", "lists a provisional charge of attempt %d, which is missing", id)
	}
	for i, period := range c.closed {
		all := c.held[i][period.account.Scope(record.ScopeAll)]
		if !(cost.Amounts{}).Within(period.Excess) || !period.Excess.Within(all) {
			c.problem("the ledger state", "takes $%s from the holds of attempts %d to %d, which hold $%s in doubt",
				period.Excess.Money(), period.First, period.Next-1, all.Money())
		}
		for scope, held := range c.held[i] {
			most, totals := all.Minus(period.Excess), c.totals[scope]
			totals.Held = totals.Held.Minus(held.Minus(most).Most(cost.Amounts{}))
		}
	}
}
