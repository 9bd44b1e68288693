package sandbox

import (
	"time"

	"payonce/cost"
)

// balance is money, by where it came from.
type balance struct{ included, prepaid cost.Money }

func (b balance) total() cost.Money { return b.included + b.prepaid }

// draw takes an amount out: of the included balance first, then of the prepaid one
// (specification v1, "Allowances and rate card").
func (b *balance) draw(amount cost.Money) Source {
	from := Source{Included: min(amount, b.included)}
	from.Prepaid = amount - from.Included
	b.take(from)
	return from
}

// take takes out what a source says. What had expired is not in it any more.
func (b *balance) take(from Source) {
	b.included -= from.Included
	b.prepaid -= from.Prepaid
}

// Source says out of which balance an amount was paid.
type Source struct {
	// Expired is included balance that was reserved when it expired: what is reserved
	// can still be charged.
	Expired  cost.Money `json:"expired,omitempty"`
	Included cost.Money `json:"included,omitempty"`
	Prepaid  cost.Money `json:"prepaid,omitempty"`
}

func (s Source) total() cost.Money { return s.Expired + s.Included + s.Prepaid }

// MovementKind says why the balance moved without a lookup of ours.
type MovementKind string

// The kinds of movements.
const (
	Granted       MovementKind = "included_granted"
	Deposited     MovementKind = "prepaid_deposited"
	Expired       MovementKind = "included_expired"
	UsedElsewhere MovementKind = "used_elsewhere"
)

// Movement is a change of the account that is not the charge of an arrival.
type Movement struct {
	At     time.Time    `json:"at,omitzero"` // UTC; zero for what the account began with
	Kind   MovementKind `json:"kind"`
	Amount cost.Money   `json:"amount_usd"`
	Free   FieldUnits   `json:"free,omitzero"` // free units by field, for UsedElsewhere
}
