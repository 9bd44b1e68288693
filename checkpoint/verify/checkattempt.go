package verify

import (
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// checkAttempt checks one attempt with all of its records and enters it into the
// sums and indexes.
func (c *checker) checkAttempt(a *joined) {
	id, in, res, resolved := a.id, &a.intent, &a.ended, a.resolved
	c.checkIntent(id, in)
	doubted, marked := c.doubts[id], c.open[id]
	inFlight := c.flight[id]
	delete(c.flight, id)
	state := attempt.Intended
	switch {
	case resolved && marked:
		c.problemOf(nameOf("open mark", id), "stands although the attempt is resolved")
	case resolved && inFlight:
		c.problem("the ledger state", "has attempt %d in flight, which is resolved", id)
	case (marked || doubted) && inFlight:
		c.problem("the ledger state", "has attempt %d in flight, which is in doubt", id)
	case marked && !doubted:
		c.problemOf(nameOf("doubt", id), "is missing, and its open mark stands")
	case !resolved && !marked && !inFlight:
		c.problemOf(nameOf("resolution", id), "is missing, and the attempt is not open either")
	}
	switch {
	case resolved:
		state = res.State
		c.checkResolution(id, in, res)
	case doubted:
		state = attempt.InDoubt
	}
	if in.Erased && res.Data != "" {
		c.problemOf(nameOf("intent", id), "is erased, and its answer is not")
	}
	c.summary.Attempts[state.String()]++
	if in.Erased || res.Erased {
		c.summary.Erased++
	}
	c.add(id, in, res, resolved)
	c.checkPeriod(id, in, res, resolved)
}

func (c *checker) checkIntent(id attempt.ID, in *record.Intent) {
	name := nameOf("intent", id)
	switch {
	case in.Erased:
		if in.Identity != (enrich.Identity{}) {
			c.problemOf(name, "is erased and still holds the identity")
		}
	case len(c.secret) == record.SecretLength:
		c.checkKey(id, in)
	}
	if _, err := in.Hold.Rates.Total(in.Hold.Fields); err != nil || in.Hold.Fields == 0 || in.Hold.Free.Without(in.Hold.Fields) != 0 {
		c.problemOf(name, "holds money for no field, for one of unknown price, or a free unit for one not asked for")
	}
	if want := in.Identity.Pattern().String(); !in.Erased && in.Pattern != want {
		c.problemOf(name, "counts as a lookup by %s, and its identity is by %s", in.Pattern, want)
	}
}

// checkKey checks that an intent has the key of its identity, or one of an earlier version that a record leads to.
func (c *checker) checkKey(id attempt.ID, in *record.Intent) {
	own := c.hash(in)
	if own == in.Key {
		return
	}
	former := record.KeyIn(in.Account, c.secret, record.KeyOf(c.secret, []byte(in.Identity.Former())))
	if former != in.Key {
		c.problemOf(nameOf("intent", id), "has an identity that does not hash to its key")
		return
	}
	if mark, err := c.store.Get(record.FormerKey(own, former)); err == nil && mark == nil && id < c.forms.Next {
		c.problemOf(nameOf("intent", id), "has a former key of its identity, and there is no record of that key")
	}
}

// hash returns the key that the identity of an intent has in its account.
func (c *checker) hash(in *record.Intent) enrich.Key {
	c.form = in.Identity.AppendCanonical(c.form[:0])
	return record.KeyIn(in.Account, c.secret, record.KeyOf(c.secret, c.form))
}

// checkResolution checks that the outcome follows from the answer and the hold.
func (c *checker) checkResolution(id attempt.ID, in *record.Intent, res *attempt.Resolution) {
	name := nameOf("resolution", id)
	if res.Run != in.Run {
		c.problemOf(name, "belongs to run %q and its intent to run %q", res.Run, in.Run)
	}
	charged := res.Charge.Fields()
	switch res.State {
	case attempt.Settled:
		if !res.Answered() {
			c.problemOf(name, "is settled without an answer")
			break
		}
		if !in.Hold.Follows(res.Charge, res.Returned) {
			c.problemOf(name, "charges $%s for %q, which does not follow from its answer and its hold", res.Charge.Money(), charged)
		}
	case attempt.Forfeited:
		if charged == 0 || !in.Hold.Follows(res.Charge, charged) {
			c.problemOf(name, "charges $%s for %q, which does not follow from its hold", res.Charge.Money(), charged)
		}
	case attempt.Released:
		if res.Charge != (cost.Charge{}) || res.Answered() {
			c.problemOf(name, "is voided and has a charge or an answer")
		}
	default:
		c.problemOf(name, "has the state %q, which is not an outcome", res.State)
	}
	if charged, held := res.Charge.Money(), in.Hold.Money(); charged > held && !res.Charge.Reported {
		c.problemOf(name, "charges $%s, more than the $%s held", charged, held)
	}
}
