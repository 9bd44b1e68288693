package cost

import "payonce/enrich"

// Hold is the most that one lookup can cost, set aside before it is sent.
type Hold struct {
	Fields enrich.Fields // the fields asked for
	Free   enrich.Fields // those of them that hold a unit of the free allowance
	Prices Prices        // the price of every field asked for
}

// Amount returns the money held: the price of every field without a free unit.
func (h Hold) Amount() Money {
	var amount Money
	for f := range h.Fields.Without(h.Free).Each() {
		amount += h.Prices[f]
	}
	return amount
}

// Charge is what a completed lookup cost.
type Charge struct {
	Amount Money         `json:"amount"`
	Free   enrich.Fields `json:"free,omitempty"` // returned fields paid by the free allowance
	Paid   enrich.Fields `json:"paid,omitempty"` // returned fields paid with money
}

// Settle returns what the service charged under the hold when it returned the
// given fields (specification v1, "Outcome rules"): only returned fields that
// were asked for, each by its free unit or at its price.
func (h Hold) Settle(returned enrich.Fields) Charge {
	charged := returned & h.Fields
	charge := Charge{Free: charged & h.Free, Paid: charged.Without(h.Free)}
	for f := range charge.Paid.Each() {
		charge.Amount += h.Prices[f]
	}
	return charge
}

// Allowance is what is left of the free allowance by field, according to the journal. Calls under
// way hold units; answers use them.
type Allowance struct {
	Left    enrich.ByField[int64] // not used; zero too when unknown
	Held    enrich.ByField[int64] // held by calls in flight
	Doubted enrich.ByField[int64] // held by calls whose outcome is unknown
}

// Take decides which of the fields hold a free unit. Free and paid holds of one field are never
// in flight at the same time. So whether a call uses a free unit never depends on the order in
// which the service sees the calls, and the charge of a call is known without asking. When calls
// in flight hold all units that are left, Take reports false: one of the calls must end first.
// Units held by doubted calls count as used until proved otherwise.
func (a Allowance) Take(fields enrich.Fields) (free enrich.Fields, ok bool) {
	for f := range fields.Each() {
		switch open := a.Left[f] - a.Doubted[f]; {
		case open <= 0:
		case open > a.Held[f]:
			free = free.With(f)
		default:
			return 0, false
		}
	}
	return free, true
}
