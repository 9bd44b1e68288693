package cost

import "payonce/enrich"

// Totals are the sums of one scope of the journal: a run, the account since its
// last snapshot, the journal as a whole.
type Totals struct {
	Settled  Money                 `json:"settled"`   // charged by answers
	Held     Money                 `json:"held"`      // set aside for calls without an outcome
	EverHeld Money                 `json:"ever_held"` // settled, held, and held once but returned
	FreeUsed enrich.ByField[int64] `json:"free_used"` // units of the free allowance used by answers
	FreeHeld enrich.ByField[int64] `json:"free_held"` // units held for calls without an outcome
	// FreeEverHeld counts units used, held, and held once but returned.
	FreeEverHeld enrich.ByField[int64] `json:"free_ever_held"`
	// Charged counts fields charged, by the allowance or with money.
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

// Hold adds a hold to the sums.
func (t *Totals) Hold(h Hold) {
	t.Open++
	t.Held += h.Amount()
	t.EverHeld += h.Amount()
	for f := range h.Free.Each() {
		t.FreeHeld[f]++
		t.FreeEverHeld[f]++
	}
}

// Release removes a hold from the sums and adds the part of it that was charged.
func (t *Totals) Release(h Hold, charge Charge) {
	t.Open--
	t.Held -= h.Amount()
	t.Settled += charge.Amount
	for f := range h.Free.Each() {
		t.FreeHeld[f]--
	}
	for f := range charge.Free.Each() {
		t.FreeUsed[f]++
	}
	for f := range (charge.Free | charge.Paid).Each() {
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
