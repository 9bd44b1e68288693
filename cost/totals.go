package cost

import (
	"encoding/json"

	"payonce/enrich"
)

// Totals are the sums of one scope of the journal: a run, the account since its
// last snapshot, the journal as a whole.
type Totals struct {
	Settled  Amounts `json:"-"` // charged by answers
	Held     Amounts `json:"-"` // set aside for calls without an outcome
	EverHeld Amounts `json:"-"` // settled, held, and held once but returned
	// Exceeded is the part of Settled that services charged beyond the holds of the calls.
	Exceeded Amounts `json:"exceeded,omitzero"`
	// Charged counts fields charged, by the allowance or otherwise.
	Charged  enrich.ByField[int64] `json:"charged"`
	Asked    enrich.ByField[int64] `json:"asked"`    // fields asked for by answered calls
	Returned enrich.ByField[int64] `json:"returned"` // those of them that came back
	// Forfeited counts calls that were charged and whose answers are lost.
	Forfeited int64 `json:"forfeited"`
	// Uncharged counts calls that reached the service, or may have, and were proved not
	// charged: rejected, refused, or lost before they were taken.
	Uncharged int64 `json:"uncharged,omitempty"`
	Lookups   int64 `json:"lookups"` // answered calls
	Whole     int64 `json:"whole"`   // those of them that returned every field asked for
	Open      int64 `json:"open"`    // calls without an outcome
}

// Calls returns how many calls were sent or may have been sent, with any outcome.
func (t Totals) Calls() int64 { return t.Lookups + t.Forfeited + t.Uncharged + t.Open }

// Plus returns the sums of both.
func (t Totals) Plus(other Totals) Totals {
	t.Settled, t.Held = t.Settled.Plus(other.Settled), t.Held.Plus(other.Held)
	t.EverHeld, t.Exceeded = t.EverHeld.Plus(other.EverHeld), t.Exceeded.Plus(other.Exceeded)
	for f := range t.Asked {
		t.Charged[f] += other.Charged[f]
		t.Asked[f] += other.Asked[f]
		t.Returned[f] += other.Returned[f]
	}
	t.Forfeited, t.Uncharged = t.Forfeited+other.Forfeited, t.Uncharged+other.Uncharged
	t.Lookups, t.Whole, t.Open = t.Lookups+other.Lookups, t.Whole+other.Whole, t.Open+other.Open
	return t
}

// MinusShared takes out the money and the calls of another account, which count in the sums of all accounts.
func (t Totals) MinusShared(other Totals) Totals {
	for _, amounts := range []struct{ all, of *Amounts }{
		{&t.Settled, &other.Settled}, {&t.Held, &other.Held}, {&t.EverHeld, &other.EverHeld}, {&t.Exceeded, &other.Exceeded},
	} {
		amounts.all[USD] -= amounts.of[USD]
	}
	t.Forfeited, t.Uncharged = t.Forfeited-other.Forfeited, t.Uncharged-other.Uncharged
	t.Lookups, t.Whole, t.Open = t.Lookups-other.Lookups, t.Whole-other.Whole, t.Open-other.Open
	return t
}

// Hold adds a hold to the sums.
func (t *Totals) Hold(held Amounts) {
	t.Open++
	t.Held = t.Held.Plus(held)
	t.EverHeld = t.EverHeld.Plus(held)
}

// Release removes a hold from the sums and adds what was charged.
func (t *Totals) Release(held Amounts, charge Charge) {
	t.Open--
	t.Held = t.Held.Minus(held)
	t.Settled = t.Settled.Plus(charge.Amounts)
	t.Exceeded = t.Exceeded.Plus(charge.Amounts.Minus(held).Most(Amounts{}))
	for f := range charge.Fields().Each() {
		t.Charged[f]++
	}
}

// Count adds an answered call to the match rates.
func (t *Totals) Count(asked, returned enrich.Fields) {
	t.Lookups++
	if asked.Without(returned) == 0 {
		t.Whole++
	}
	for f := range asked.Each() {
		t.Asked[f]++
		if returned.Has(f) {
			t.Returned[f]++
		}
	}
}

// MarshalJSON writes the amounts of money, and those of the other meters as units.
func (t Totals) MarshalJSON() ([]byte, error) {
	type totals Totals
	return json.Marshal(struct {
		Settled      Money   `json:"settled"`
		Held         Money   `json:"held"`
		EverHeld     Money   `json:"ever_held"`
		FreeUsed     []int64 `json:"free_used"`
		FreeHeld     []int64 `json:"free_held"`
		FreeEverHeld []int64 `json:"free_ever_held"`
		totals
	}{
		t.Settled.Money(), t.Held.Money(), t.EverHeld.Money(),
		t.Settled.units(leastUnits), t.Held.units(leastUnits), t.EverHeld.units(leastUnits), totals(t),
	})
}

// leastUnits is how many meters beside money are written to JSON at least: those of v1.
const leastUnits = 2

// Units returns the amounts of the meters besides money, up to the last one that is not zero.
func (a Amounts) Units() []int64 { return a.units(0) }

// units is Units with the amounts of a number of meters at least.
func (a Amounts) units(least int) []int64 {
	units := a[1:]
	for len(units) > least && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	return units
}
