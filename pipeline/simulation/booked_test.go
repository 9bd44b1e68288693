package simulation

import (
	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/sandbox"
)

// provisional returns what of the booked charges may turn out to have been free, by the
// disk.
func (c *checker) provisional() (amount cost.Money) {
	state, err := read[record.State](c.world.disk, string(record.StateKey))
	if err != nil {
		return 0
	}
	charges := state.Provisional
	for _, period := range state.Closed {
		charges = append(charges, period.Provisional...)
	}
	for _, charge := range charges {
		for f := range charge.Fields.Each() {
			amount += c.world.prices()[f]
		}
	}
	return amount
}

// booked checks that the journal's charges equal what the service charged for its
// answers, and that they are bounds of it while a call is in doubt. Where somebody else
// takes free units, or a failover has lost calls, nobody can tell whose they were, and a strict run books the full
// price.
func (c *checker) booked(ledger sandbox.Snapshot) {
	if c.world.Strict || c.world.takers() || len(c.world.database.lostCalls(false)) > 0 {
		return
	}
	answered := map[string]bool{}
	var booked cost.Money
	open, forfeited := 0, 0
	for _, in := range c.intents(false) {
		switch res, resolved := c.resolution(in.ID); {
		case !resolved:
			open++
		case res.State == attempt.Settled:
			answered[res.RequestID] = true
			booked += res.Charge.Money()
		case res.State == attempt.Forfeited:
			forfeited++
		}
	}
	var charged cost.Money
	for _, charge := range ledger.Charges {
		if answered[charge.RequestID] {
			charged += charge.Amount
		}
	}
	if least := booked - c.provisional(); forfeited == 0 && (charged < least || charged > booked) {
		c.broken("P2: the answers were charged $%s, the journal says $%s to $%s", charged, least, booked)
	}
	if settled := c.totals(checkpoint.ScopeAll).Settled.Money(); open == 0 && settled != ledger.Charged {
		c.broken("P2: nothing is in doubt, the service charged $%s, and the journal has booked $%s", ledger.Charged, settled)
	}
}
