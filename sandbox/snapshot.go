package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Arrival is one POST on the path of a lookup, whatever became of it.
type Arrival struct {
	Number   int           // from 1, in the order of arrival; goes on after a restart
	At       time.Time     // UTC
	Path     string        // such as "/api/v1/contacts/enrich"
	Identity string        // enrich.Identity.Canonical; empty when the request named nobody
	Fields   enrich.Fields // asked for
	Code     ErrorCode     // why it was refused; empty when it was not
}

// Charge is what one returned field cost.
type Charge struct {
	Arrival   int    // the number of the arrival that was charged
	Identity  string // enrich.Identity.Canonical
	Field     enrich.Field
	Amount    cost.Money // zero when Free
	Free      bool       // paid by a unit of the free allowance
	RequestID string
	At        time.Time // UTC
}

// Snapshot is a copy of the books at one moment. What lookups under way have
// reserved is in none of its sums but Reserved and ReservedFree.
type Snapshot struct {
	Arrivals []Arrival // in the order of their numbers
	Charges  []Charge  // in the order in which they were made

	Charged        cost.Money // by Charges
	FreeUsed       [enrich.NumFields]int64
	SpentElsewhere cost.Money // by SpendCredit

	Available    cost.Money // net of reservations
	FreeLeft     [enrich.NumFields]int64
	Reserved     cost.Money
	ReservedFree [enrich.NumFields]int64

	Posts   map[string]int    // arrivals by path
	Refused map[ErrorCode]int // arrivals by the code of their refusal
}

func (b *books) snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.snapshotLocked()
}

func (b *books) snapshotLocked() Snapshot {
	s := Snapshot{
		Arrivals:       slices.Clone(b.arrivals),
		Charges:        slices.Clone(b.charges),
		SpentElsewhere: b.elsewhere,
		Available:      b.account.available(),
		Reserved:       b.account.held,
		ReservedFree:   b.account.heldFree,
		Posts:          map[string]int{},
		Refused:        map[ErrorCode]int{},
	}
	for f, units := range b.account.left.free {
		s.FreeLeft[f] = units - b.account.heldFree[f]
	}
	for _, c := range s.Charges {
		s.Charged += c.Amount
		if c.Free {
			s.FreeUsed[c.Field]++
		}
	}
	for _, a := range s.Arrivals {
		s.Posts[a.Path]++
		if a.Code != "" {
			s.Refused[a.Code]++
		}
	}
	return s
}

// audit checks the sums that the account keeps against the single charges and
// reservations.
func (b *books) audit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.snapshotLocked()
	return errors.Join(b.auditReservations(), b.auditMoney(s), b.auditFree(s))
}

func (b *books) auditReservations() error {
	var held cost.Money
	var heldFree [enrich.NumFields]int64
	for _, hold := range b.open {
		held += hold.Amount()
		for f := range hold.Free.Each() {
			heldFree[f]++
		}
	}
	if held != b.account.held || heldFree != b.account.heldFree {
		return fmt.Errorf("sandbox: the reservations hold %s and %v free fields, the account says %s and %v",
			held, heldFree, b.account.held, b.account.heldFree)
	}
	return nil
}

func (b *books) auditMoney(s Snapshot) error {
	start := b.account.start.included + b.account.start.prepaid
	var spent cost.Money
	for _, amount := range b.account.budget.spent {
		spent += amount
	}
	switch {
	case start != s.Available+s.Reserved+s.Charged+s.SpentElsewhere:
		return fmt.Errorf("sandbox: the account started with %s, but %s available, %s reserved, %s charged and %s spent elsewhere do not make it",
			start, s.Available, s.Reserved, s.Charged, s.SpentElsewhere)
	case s.Available < 0 || b.account.overdrawn():
		return fmt.Errorf("sandbox: the account is overdrawn: %s available", s.Available)
	case spent != s.Charged+s.SpentElsewhere:
		return fmt.Errorf("sandbox: the budget counts %s, but %s was charged and %s spent elsewhere", spent, s.Charged, s.SpentElsewhere)
	}
	return nil
}

func (b *books) auditFree(s Snapshot) error {
	for f := range enrich.AllFields.Each() {
		if start := b.account.start.free[f]; s.FreeLeft[f] < 0 || start != s.FreeLeft[f]+s.ReservedFree[f]+s.FreeUsed[f] {
			return fmt.Errorf("sandbox: of %d free units of %s, %d are left, %d reserved and %d used",
				start, f, s.FreeLeft[f], s.ReservedFree[f], s.FreeUsed[f])
		}
	}
	return nil
}
