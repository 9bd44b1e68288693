package verify

import (
	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// checkAttempt checks one attempt with all of its records and enters it into the
// sums and indexes.
func (c *checker) checkAttempt(id attempt.ID, key, value []byte) error {
	var in record.Intent
	if !read(c, nameOf("intent", id), key, value, &in) {
		return nil
	}
	c.checkIntent(id, in)
	res, resolved, err := lookUp[attempt.Resolution](c, nameOf("resolution", id), record.IDKey(record.ResolutionPrefix, id))
	if err != nil {
		return err
	}
	doubted, marked := c.doubts[id], c.open[id]
	inFlight := c.flight[id]
	delete(c.flight, id)
	state := attempt.Intended
	switch {
	case resolved && marked:
		c.problem(nameOf("open mark", id), "stands although the attempt is resolved")
	case resolved && inFlight:
		c.problem("the ledger state", "has attempt %d in flight, which is resolved", id)
	case (marked || doubted) && inFlight:
		c.problem("the ledger state", "has attempt %d in flight, which is in doubt", id)
	case marked && !doubted:
		c.problem(nameOf("doubt", id), "is missing, and its open mark stands")
	case !resolved && !marked && !inFlight:
		c.problem(nameOf("resolution", id), "is missing, and the attempt is not open either")
	}
	switch {
	case resolved:
		state = res.State
		c.checkResolution(id, in, res)
	case doubted:
		state = attempt.InDoubt
	}
	if in.Erased && res.Data != "" {
		c.problem(nameOf("intent", id), "is erased, and its answer is not")
	}
	c.summary.Attempts[state.String()]++
	if in.Erased || res.Erased {
		c.summary.Erased++
	}
	c.add(id, in, res, resolved)
	c.checkPeriod(id, in, res, resolved)
	return nil
}

func (c *checker) checkIntent(id attempt.ID, in record.Intent) {
	name := nameOf("intent", id)
	c.keys[in.Key] = true
	switch {
	case in.Erased:
		c.erased[in.Key] = true
		if in.Identity != (enrich.Identity{}) {
			c.problem(name, "is erased and still holds the identity")
		}
	case len(c.secret) == record.SecretLength && record.HashKey(c.secret, in.Identity) != in.Key:
		c.problem(name, "has an identity that does not hash to its key")
	}
	if _, err := in.Hold.Rates.Total(in.Hold.Fields); err != nil || in.Hold.Fields == 0 || in.Hold.Free.Without(in.Hold.Fields) != 0 {
		c.problem(name, "holds money for no field, for one of unknown price, or a free unit for one not asked for")
	}
	if want := in.Identity.Pattern().String(); !in.Erased && in.Pattern != want {
		c.problem(name, "counts as a lookup by %s, and its identity is by %s", in.Pattern, want)
	}
}

// checkResolution checks that the outcome follows from the answer and the hold,
// and enters what it says of the fields.
func (c *checker) checkResolution(id attempt.ID, in record.Intent, res attempt.Resolution) {
	name := nameOf("resolution", id)
	if res.Run != in.Run {
		c.problem(name, "belongs to run %q and its intent to run %q", res.Run, in.Run)
	}
	charged := res.Charge.Fields()
	switch res.State {
	case attempt.Settled:
		if !res.Answered() {
			c.problem(name, "is settled without an answer")
			break
		}
		if !in.Hold.Follows(res.Charge, res.Returned) {
			c.problem(name, "charges $%s for %q, which does not follow from its answer and its hold", res.Charge.Money(), charged)
		}
	case attempt.Forfeited:
		if charged == 0 || !in.Hold.Follows(res.Charge, charged) {
			c.problem(name, "charges $%s for %q, which does not follow from its hold", res.Charge.Money(), charged)
		}
	case attempt.Voided:
		if res.Charge != (cost.Charge{}) || res.Answered() {
			c.problem(name, "is voided and has a charge or an answer")
		}
	default:
		c.problem(name, "has the state %q, which is not an outcome", res.State)
	}
	if charged, held := res.Charge.Money(), in.Hold.Money(); charged > held {
		c.problem(name, "charges $%s, more than the $%s held", charged, held)
	}
	c.checkPaidOnce(id, in.Key, charged, res.State)
	c.expectFields(id, in, res, charged)
}

// checkPaidOnce finds fields that were charged before. Only what was forfeited may
// be bought again.
func (c *checker) checkPaidOnce(id attempt.ID, key enrich.Key, charged enrich.Fields, state attempt.State) {
	for f := range charged.Each() {
		field := record.KeyedField{Key: key, Field: f}
		if earlier, paid := c.paid[field]; paid && !earlier.forfeited {
			c.problem(nameOf("resolution", id), "pays for %s a second time: attempt %d paid for it before", f, earlier.id)
		}
		c.paid[field] = payment{id: id, forfeited: state == attempt.Forfeited}
	}
}

// expectFields notes what the index of fields has to say after a resolution.
func (c *checker) expectFields(id attempt.ID, in record.Intent, res attempt.Resolution, charged enrich.Fields) {
	expect := func(f enrich.Field, state attempt.FieldState) {
		c.fields[record.KeyedField{Key: in.Key, Field: f}] = record.FieldEntry{State: state, Attempt: id, At: res.At, Earlier: in.Earlier[f]}
	}
	for f := range in.Hold.Fields.Each() {
		switch {
		case res.State == attempt.Settled && res.Returned.Has(f):
			expect(f, attempt.Found)
		case res.State == attempt.Settled:
			expect(f, attempt.Missing)
		case res.State == attempt.Forfeited && charged.Has(f):
			expect(f, attempt.PaidAndGone)
		case res.State == attempt.Voided && res.Rejected:
			expect(f, attempt.Rejected)
		}
	}
}

// checkFields compares the index with the attempts.
func (c *checker) checkFields() error {
	err := c.store.Scan([]byte{record.FieldPrefix}, nil, func(key, value []byte) (bool, error) {
		field, ok := record.FieldOf(key)
		if !ok {
			c.problem("a field record", "has a key that names no field")
			return true, nil
		}
		name := field.String()
		var entry record.FieldEntry
		if !read(c, name, key, value, &entry) {
			delete(c.fields, field)
			return true, nil
		}
		want, expected := c.fields[field]
		delete(c.fields, field)
		switch {
		case entry.State == attempt.Forgotten:
			if expected && !c.erased[field.Key] {
				c.problem(name, "is forgotten, and attempt %d still holds the identity", want.Attempt)
			}
			if !c.forgotten[field.Key] {
				c.problem(name, "is forgotten, and nothing marks the identity")
			}
		case c.forgotten[field.Key]:
			c.problem(name, "is not forgotten, and the identity is marked")
		case !expected:
			c.problem(name, "points to attempt %d, which decided nothing about it", entry.Attempt)
		case entry.State != want.State || entry.Attempt != want.Attempt || !entry.At.Equal(want.At):
			c.problem(name, "says state %d by attempt %d, and attempt %d made it state %d", entry.State, entry.Attempt, want.Attempt, want.State)
		}
		return true, nil
	})
	for field, want := range c.fields {
		c.problem(field.String(), "is missing: attempt %d decided it", want.Attempt)
	}
	return err
}
