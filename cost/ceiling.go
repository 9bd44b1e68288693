package cost

import (
	"math"
	"time"

	"github.com/dustin/go-humanize"
)

// Period says how often a ceiling renews.
type Period uint8

// The periods.
const (
	Ever  Period = iota // never
	Day                 // at midnight UTC
	Month               // at the first midnight of the month, UTC
)

// Of names the period that a time lies in: "2026-11-21", "2026-11", or "" for Ever.
func (p Period) Of(t time.Time) string {
	switch p {
	case Day:
		return t.UTC().Format(time.DateOnly)
	case Month:
		return t.UTC().Format("2006-01")
	}
	return ""
}

// Ceiling is the upper limit of one meter in one scope.
type Ceiling struct {
	Name   string // how the summary names it: "max-spend", "account balance", …
	Scope  string // whose totals it bounds
	Period Period // of the scope
	Meter  Meter  // what is settled and held of it counts; or Lookups
	Limit  int64  // in the unit of the meter
}

// Lookups is the meter of a ceiling on the number of lookups that were sent or may have been sent,
// with any outcome. No tariff has a meter with this number.
const Lookups Meter = math.MaxUint8

// SpendCeiling returns a ceiling on the money of a scope. It never renews.
func SpendCeiling(name, scope string, limit Money) Ceiling {
	return Ceiling{Name: name, Scope: scope, Limit: int64(limit)}
}

// At returns the ceiling at a time: its scope is that of the period that contains the time.
func (c Ceiling) At(t time.Time) Ceiling {
	if c.Period != Ever {
		c.Scope, c.Period = c.Scope+"/"+c.Period.Of(t), Ever
	}
	return c
}

// Used returns how much of the ceiling the totals of its scope have used.
func (c Ceiling) Used(t Totals) int64 {
	if c.Meter == Lookups {
		return t.Calls()
	}
	return t.Settled[c.Meter] + t.Held[c.Meter]
}

// Left returns how much of the ceiling is left.
func (c Ceiling) Left(t Totals) int64 { return c.Limit - c.Used(t) }

// Need returns how much of the ceiling a lookup that holds these amounts uses.
func (c Ceiling) Need(held Amounts) int64 {
	if c.Meter == Lookups {
		return 1
	}
	return held[c.Meter]
}

// Format writes an amount in the unit of the ceiling: "$3.00", "1 lookup", "12 lookups" or "5 units".
func (c Ceiling) Format(amount int64) string {
	unit := "unit"
	switch c.Meter {
	case USD:
		return "$" + Money(amount).Grouped()
	case Lookups:
		unit = "lookup"
	}
	if amount != 1 {
		unit += "s"
	}
	return humanize.Comma(amount) + " " + unit
}

// Refusing returns the ceiling that a lookup that holds these amounts does not fit under. When there
// are several, it returns the one with the least left. It reports false when the lookup fits.
func Refusing(ceilings []Ceiling, held Amounts, totals func(scope string) Totals) (Ceiling, bool) {
	var refusing Ceiling
	var least int64
	found := false
	for _, c := range ceilings {
		left, need := c.Left(totals(c.Scope)), c.Need(held)
		if need > 0 && left < need && (!found || left < least) {
			refusing, least, found = c, left, true
		}
	}
	return refusing, found
}

// MostRestrictive returns the ceiling on money with the least left. It reports false
// when there is none.
func MostRestrictive(ceilings []Ceiling, totals func(scope string) Totals) (Ceiling, Money, bool) {
	var mostRestrictive Ceiling
	var least Money
	found := false
	for _, c := range ceilings {
		if left := Money(c.Left(totals(c.Scope))); c.Meter == USD && (!found || left < least) {
			mostRestrictive, least, found = c, left, true
		}
	}
	return mostRestrictive, least, found
}
