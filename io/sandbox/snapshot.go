package sandbox

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Arrival is one lookup that arrived, whatever became of it.
type Arrival struct {
	Number    int           `json:"number"` // from 1, in the order of arrival; goes on after a restart
	At        time.Time     `json:"at"`     // UTC
	Path      string        `json:"path"`   // of the operation over REST, such as "/api/v1/contacts/enrich"
	Transport string        `json:"transport,omitempty"`
	Key       string        `json:"key,omitempty"`      // the ID of the key that asked
	Identity  string        `json:"identity,omitempty"` // enrich.Identity.Canonical; empty when the request named nobody
	Fields    enrich.Fields `json:"fields"`             // asked for
	Code      ErrorCode     `json:"code,omitempty"`     // why it was refused; empty when it was not
}

// Charge is what one returned field cost.
type Charge struct {
	Arrival   int          `json:"arrival"`  // the number of the arrival that was charged
	Identity  string       `json:"identity"` // enrich.Identity.Canonical
	Field     enrich.Field `json:"field"`
	Amount    cost.Money   `json:"usd"`  // zero when Free
	Free      bool         `json:"free"` // paid by a unit of the free allowance
	From      Source       `json:"from"` // the balances that paid the Amount
	RequestID string       `json:"request_id"`
	At        time.Time    `json:"at"` // UTC
}

// Snapshot is a copy of the ledger at one moment. What lookups under way have
// reserved is in none of its sums but Reserved and ReservedFree.
type Snapshot struct {
	Plan   string      `json:"plan"`
	State  State       `json:"state"`
	Prices cost.Prices `json:"prices_usd"`

	// Older is how many arrivals came before Arrivals. They and their charges are in the
	// sums below alone (Config.KeepArrivals).
	Older     int        `json:"older,omitempty"`
	Arrivals  []Arrival  `json:"arrivals"`  // in the order of their numbers
	Charges   []Charge   `json:"charges"`   // in the order in which they were made
	Movements []Movement `json:"movements"` // in the order in which they were made

	Charged        cost.Money `json:"charged_usd"`
	FreeUsed       FieldUnits `json:"free_used"`
	SpentElsewhere cost.Money `json:"spent_elsewhere_usd"` // by others in the workspace
	FreeElsewhere  FieldUnits `json:"free_elsewhere"`

	Available    cost.Money `json:"available_usd"` // net of reservations
	Included     cost.Money `json:"included_usd"`  // the part of Available that expires with the month
	FreeLeft     FieldUnits `json:"free_left"`
	Reserved     cost.Money `json:"reserved_usd"`
	ReservedFree FieldUnits `json:"reserved_free"`

	Posts   map[string]int    `json:"posts"`   // arrivals by path
	Refused map[ErrorCode]int `json:"refused"` // arrivals by the code of their refusal
}

// Snapshot returns a copy of the ledger.
func (l *Ledger) Snapshot() Snapshot {
	l.lock()
	defer l.mu.Unlock()
	a, total := &l.account, l.history.total()
	s := Snapshot{
		Plan: a.plan.Name, State: l.state, Prices: a.prices,
		Arrivals: append([]Arrival{}, l.history.arrivals...), Charges: append([]Charge{}, l.history.charges...),
		Movements: append([]Movement{}, a.movements...),
		Available: a.left.total(), Included: a.left.included,
		Reserved: a.reserved, ReservedFree: a.heldFree,
		Older: l.history.older.arrivals, Charged: total.charged, FreeUsed: total.freeUsed,
		Posts: total.posts, Refused: total.refused,
	}
	for f, units := range a.free {
		s.FreeLeft[f] = units - a.heldFree[f]
	}
	for _, m := range s.Movements {
		if m.Kind == UsedElsewhere {
			s.SpentElsewhere += m.Amount
			for f, units := range m.Free {
				s.FreeElsewhere[f] += units
			}
		}
	}
	return s
}
