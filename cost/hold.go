package cost

import "payonce/enrich"

// Hold is the most that one lookup can consume, set aside before it is sent.
type Hold struct {
	Fields enrich.Fields // the fields asked for
	Free   enrich.Fields // those of them that hold a unit of their free allowance instead of money
	Rates  Rates         // the rate of every field asked for
}

// of returns what the hold sets aside for a value of one of its fields.
func (h Hold) of(f enrich.Field) Amounts {
	if rate := h.Rates[f]; h.Free.Has(f) {
		return rate.Free()
	}
	return h.Rates[f].Uses
}

// Amounts returns what is held of each meter.
func (h Hold) Amounts() (held Amounts) {
	for f := range h.Fields.Each() {
		held = held.Plus(h.of(f))
	}
	return held.Plus(h.Rates.call(h.Fields))
}

// Money returns the money held: the price of every field without a free unit.
func (h Hold) Money() Money { return h.Amounts().Money() }

// Charge is what a completed lookup consumed.
type Charge struct {
	Amounts Amounts
	Free    enrich.Fields // charged fields that the free allowance paid for
	Paid    enrich.Fields // charged fields that it did not pay for
	// Reported says that the interface reported the amounts. Otherwise they follow from the fields.
	Reported bool
}

// Fields returns the fields that were charged.
func (c Charge) Fields() enrich.Fields { return c.Free | c.Paid }

// Money returns the money that the lookup cost.
func (c Charge) Money() Money { return c.Amounts.Money() }

// Varying returns the part of the charge that is of meters that vary. At the most that the fields consume,
// it is the part that the service may not have charged.
func (c Charge) Varying(rates Rates) (varying Amounts) {
	for f := range c.Paid.Each() {
		varying = varying.Plus(rates[f].Uses.Only(rates[f].Varies))
	}
	return varying
}

// Settle returns what the service charged under the hold when it returned the
// given fields (specification v1, "Outcome rules"): only returned fields that
// were asked for, each by its free unit or at its price.
func (h Hold) Settle(returned enrich.Fields) Charge {
	charged := returned & h.Fields
	charge := Charge{Free: charged & h.Free, Paid: charged.Without(h.Free)}
	for f := range charged.Each() {
		charge.Amounts = charge.Amounts.Plus(h.of(f))
	}
	charge.Amounts = charge.Amounts.Plus(h.Rates.call(charged))
	return charge
}

// Answered returns what an answer was charged under the hold. When the interface reports what the
// call consumed, that counts, also what exceeds the hold: the service took it.
func (h Hold) Answered(answer enrich.Answered) Charge {
	charge := h.Settle(answer.Returned)
	if answer.Consumed != nil {
		var consumed Amounts
		copy(consumed[:], answer.Consumed)
		charge.Amounts, charge.Reported = consumed.Most(Amounts{}), true
	}
	return charge
}

// Limit returns the charge with at most the amounts that are left of the meters that the account shows. A meter that
// it does not show, such as money for units with a price, loses the parts that belong to units of which nothing is
// left.
func (c Charge) Limit(left Amounts, shown Meters, rates Rates) Charge {
	limited := c.Amounts
	for m := range shown.Each() {
		limited[m] = min(limited[m], max(left[m], 0))
	}
	if limited == c.Amounts {
		return c
	}
	parts := []Amounts{rates.call(c.Paid)}
	for f := range c.Paid.Each() {
		parts = append(parts, rates[f].Uses)
	}
	for _, part := range parts {
		shown := part.Meters() & shown
		if shown == 0 || limited.Only(shown) != (Amounts{}) {
			continue
		}
		for m, amount := range part {
			if !shown.Has(Meter(m)) {
				limited[m] = max(limited[m]-amount, 0)
			}
		}
	}
	c.Amounts, c.Reported = limited, true
	return c
}

// Follows reports whether a charge follows from the hold for the given fields. Fields that the
// charge has as free beyond the hold were corrected.
func (h Hold) Follows(charge Charge, charged enrich.Fields) bool {
	want := h.Settle(charged).Correct(charge.Free.Without(h.Free), h.Rates)
	if charge.Reported {
		want.Reported = true
		if (Amounts{}).Within(charge.Amounts) {
			want.Amounts = charge.Amounts
		}
	}
	return charge == want
}

// Allowance is what is left of each free allowance, according to the journal. Calls under
// way hold units; answers use them.
type Allowance struct {
	Left    Amounts // not used; zero too when unknown
	Held    Amounts // held by calls in flight
	Doubted Amounts // held by calls whose outcome is unknown
}

// Take decides which of the fields hold a free unit. Free and paid holds of one field are never
// in flight at the same time. So whether a call uses a free unit never depends on the order in
// which the service sees the calls, and the charge of a call is known without asking. When calls
// in flight hold all units that are left, Take reports false: one of the calls must end first.
// Units held by doubted calls count as used until proved otherwise.
func (a Allowance) Take(fields enrich.Fields, rates Rates) (free enrich.Fields, ok bool) {
	for f := range fields.Each() {
		m := rates[f].Allowance
		switch open := a.Left[m] - a.Doubted[m]; {
		case m == USD || open <= 0:
		case open > a.Held[m]:
			free = free.With(f)
		default:
			return 0, false
		}
	}
	return free, true
}
