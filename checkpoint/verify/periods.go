package verify

import (
	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// periods check what the ledger state says of the periods between two bases of the account.
type periods struct {
	closed []record.ClosedPeriod
	held   []map[string]cost.Amounts // by calls in doubt of each closed period, by scope
	// listed are the provisional charges of attempts that were not seen yet.
	listed map[attempt.ID]enrich.Fields
}

// checkPeriods reads the lists of provisional charges and of closed periods.
func (c *checker) checkPeriods() {
	const name = "the ledger state"
	p := periods{closed: c.state.Closed, listed: map[attempt.ID]enrich.Fields{}}
	list := func(of record.Provisional, first, next attempt.ID) {
		if of.ID < first || of.ID >= next || of.Fields == 0 || p.listed[of.ID] != 0 {
			c.problem(name, "lists a provisional charge of attempt %d twice, for no field or in a period that is not its own", of.ID)
		}
		p.listed[of.ID] = of.Fields
	}
	for _, of := range c.state.Provisional {
		list(of, c.state.BaseFirst, c.state.NextID)
	}
	end := attempt.ID(0)
	for _, closed := range p.closed {
		if closed.First < end || closed.Next <= closed.First || closed.Next > c.state.BaseFirst {
			c.problem(name, "has a period of attempts %d to %d, which is empty or not in its order", closed.First, closed.Next-1)
		}
		end = closed.Next
		for _, of := range closed.Provisional {
			list(of, closed.First, closed.Next)
		}
		p.held = append(p.held, map[string]cost.Amounts{})
	}
	c.periods = p
}

// checkPeriod checks what the lists say of an attempt, and enters what it holds in doubt.
func (c *checker) checkPeriod(id attempt.ID, in *record.Intent, res *attempt.Resolution, resolved bool) {
	if fields := c.listed[id]; fields.Without(res.Charge.Paid) != 0 {
		c.problem("the ledger state", "lists a provisional charge of attempt %d for %q, which it did not pay", id, fields)
	}
	delete(c.listed, id)
	if resolved {
		return
	}
	for i, period := range c.closed {
		if period.Holds(id) {
			for _, scope := range in.Scopes(c.catalogue) {
				c.held[i][scope] = c.held[i][scope].Plus(in.Hold.Amounts())
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
		all := c.held[i][record.ScopeAll]
		if !(cost.Amounts{}).Within(period.Excess) || !period.Excess.Within(all) {
			c.problem("the ledger state", "takes $%s from the holds of attempts %d to %d, which hold $%s in doubt",
				period.Excess.Money(), period.First, period.Next-1, all.Money())
		}
		for scope, held := range c.held[i] {
			if most := all.Minus(period.Excess); scope != record.ScopeAccount {
				totals := c.totals[scope]
				totals.Held = totals.Held.Minus(held.Minus(most).Most(cost.Amounts{}))
			}
		}
	}
}
