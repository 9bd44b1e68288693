package cost_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// freeOf returns the meter of the free allowance of a field.
func freeOf(f enrich.Field) cost.Meter { return tariff.Rates[f].Allowance }

// call is a lookup in flight: what was held for it and, once the service has seen
// it, what it returned and charged.
type call struct {
	hold     cost.Hold
	served   bool
	returned enrich.Fields
	charge   cost.Charge
}

// world is a client with its allowance, and the service with its own: the service
// sees the calls in flight in any order, and gives its free units to whichever
// field it returns first (specification v1, "Outcome rules").
type world struct {
	allowance cost.Allowance
	truth     cost.Amounts // free units that the service has left
	inFlight  []*call
	lost      []*call // in doubt; the service may still come to see them
	// spare is set once a call fell into doubt without having used its free units:
	// the service may have more units left than the client counts on.
	spare bool
}

func newWorld(t *rapid.T) *world {
	w := &world{}
	for f := range allFields.Each() {
		w.truth[freeOf(f)] = rapid.Int64Range(0, 4).Draw(t, "free units")
	}
	w.allowance.Left = w.truth
	return w
}

// send takes a hold for a lookup and puts it in flight, when the allowance lets it.
func (w *world) send(t *rapid.T) {
	fields := enrich.Fields(rapid.Uint8Range(1, uint8(allFields)).Draw(t, "fields"))
	free, ok := w.allowance.Take(fields, standardRates())
	if !ok {
		if len(w.inFlight) == 0 {
			t.Fatalf("%s is blocked with nothing in flight: %+v", fields, w.allowance)
		}
		return
	}
	for f := range free.Each() {
		w.allowance.Held[freeOf(f)]++
	}
	w.inFlight = append(w.inFlight, &call{hold: cost.Hold{Fields: fields, Free: free, Rates: standardRates()}})
}

// serve lets the service work on one of the calls that it has not seen.
func (w *world) serve(t *rapid.T) {
	waiting := slices.DeleteFunc(slices.Concat(w.inFlight, w.lost), func(c *call) bool { return c.served })
	if len(waiting) == 0 {
		t.Skip("nothing to serve")
	}
	c := rapid.SampledFrom(waiting).Draw(t, "call to serve")
	c.served = true
	c.returned = c.hold.Fields & fieldSets().Draw(t, "returned")
	for f := range c.returned.Each() {
		if w.truth[freeOf(f)] > 0 {
			w.truth[freeOf(f)]--
			c.charge.Free = c.charge.Free.With(f)
			c.charge.Amounts[freeOf(f)]++
			continue
		}
		c.charge.Paid = c.charge.Paid.With(f)
		c.charge.Amounts[cost.USD] += int64(c.hold.Rates[f].Price())
	}
}

// land takes one call out of flight and returns its held units.
func (w *world) land(t *rapid.T) *call {
	i := rapid.IntRange(0, len(w.inFlight)-1).Draw(t, "call to end")
	c := w.inFlight[i]
	w.inFlight = slices.Delete(w.inFlight, i, i+1)
	for f := range c.hold.Free.Each() {
		w.allowance.Held[freeOf(f)]--
	}
	return c
}

// settle ends one call by its answer; one that the service did not see ends
// without a charge.
func (w *world) settle(t *rapid.T) {
	c := w.land(t)
	charge := c.hold.Settle(c.returned)
	for f := range charge.Free.Each() {
		w.allowance.Left[freeOf(f)]--
	}
	switch {
	case !w.spare && charge != c.charge:
		t.Fatalf("settled as %+v, the service charged %+v", charge, c.charge)
	case charge.Money() < c.charge.Money():
		t.Fatalf("settled as %+v, the service charged more: %+v", charge, c.charge)
	}
}

// lose ends one call without an answer: its units stay in doubt.
func (w *world) lose(t *rapid.T) {
	c := w.land(t)
	w.lost = append(w.lost, c)
	for f := range c.hold.Free.Each() {
		w.allowance.Doubted[freeOf(f)]++
	}
	if c.charge.Free != c.hold.Free {
		w.spare = true
	}
}

// check fails when the client counts on a free unit that the service may not have.
func (w *world) check(t *rapid.T) {
	for f := range allFields.Each() {
		if open := w.allowance.Left[freeOf(f)] - w.allowance.Doubted[freeOf(f)]; w.allowance.Held[freeOf(f)] > max(open, 0) {
			t.Fatalf("%s: %d units held of %d", f, w.allowance.Held[freeOf(f)], open)
		}
	}
}

// ifInFlight makes an action skip while nothing is in flight.
func (w *world) ifInFlight(action func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if len(w.inFlight) == 0 {
			t.Skip("nothing in flight")
		}
		action(t)
	}
}

// TestTheChargeDoesNotDependOnTheOrderOfCallsInFlight shows that what a call is charged does not depend on
// the order in which the service sees the calls in flight.
func TestTheChargeDoesNotDependOnTheOrderOfCallsInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(map[string]func(*rapid.T){
			"send":   w.send,
			"serve":  w.serve,
			"settle": w.ifInFlight(w.settle),
			"":       w.check,
		})
		for len(w.inFlight) > 0 {
			w.settle(t)
		}
		if w.allowance.Left != w.truth || w.allowance.Held != (cost.Amounts{}) {
			t.Errorf("the allowance is %+v, the service has %v left", w.allowance, w.truth)
		}
	})
}

// TestSettleAfterLostCalls shows the same with calls in doubt, as long as each of
// them used the free units that it held. With one that did not, no call is charged
// more than what it was settled as.
func TestSettleAfterLostCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(map[string]func(*rapid.T){
			"send":   w.send,
			"serve":  w.serve,
			"settle": w.ifInFlight(w.settle),
			"lose":   w.ifInFlight(w.lose),
			"":       w.check,
		})
	})
}
