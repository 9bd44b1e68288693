package cost

import (
	"fmt"
	"time"
)

// Measure is the quantity that a ceiling limits. It decides the unit of the limit.
type Measure uint8

// The measures.
const (
	Spend   Measure = iota // money settled and held together, in micro-USD
	Lookups                // lookups that were sent or may have been sent, whatever their outcome
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

// Ceiling is the upper limit of one scope.
type Ceiling struct {
	Name    string // how the summary names it: "max-spend", "account balance", …
	Scope   string // whose totals it bounds
	Period  Period // of the scope
	Measure Measure
	Limit   int64 // in the unit of the measure
}

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
	if c.Measure == Lookups {
		return t.Lookups + t.Forfeited + t.Uncharged + t.Open
	}
	return int64(t.Settled + t.Held)
}

// Left returns how much of the ceiling is left.
func (c Ceiling) Left(t Totals) int64 { return c.Limit - c.Used(t) }

// Need returns how much of the ceiling a lookup with this hold uses.
func (c Ceiling) Need(h Hold) int64 {
	if c.Measure == Lookups {
		return 1
	}
	return int64(h.Amount())
}

// Format writes an amount in the unit of the ceiling: "$3.00", "1 lookup" or "12 lookups".
func (c Ceiling) Format(amount int64) string {
	switch {
	case c.Measure != Lookups:
		return "$" + Money(amount).String()
	case amount == 1:
		return "1 lookup"
	}
	return fmt.Sprintf("%d lookups", amount)
}

// Refusing returns the ceiling that a lookup with this hold does not fit under. When there are
// several, it returns the one with the least left. It reports false when the lookup fits.
func Refusing(ceilings []Ceiling, h Hold, totals func(scope string) Totals) (Ceiling, bool) {
	var refusing Ceiling
	var least int64
	found := false
	for _, c := range ceilings {
		left, need := c.Left(totals(c.Scope)), c.Need(h)
		if need > 0 && left < need && (!found || left < least) {
			refusing, least, found = c, left, true
		}
	}
	return refusing, found
}

// Tightest returns the ceiling on money with the least left. It reports false
// when there is none.
func Tightest(ceilings []Ceiling, totals func(scope string) Totals) (Ceiling, Money, bool) {
	var tightest Ceiling
	var least Money
	found := false
	for _, c := range ceilings {
		if left := Money(c.Left(totals(c.Scope))); c.Measure == Spend && (!found || left < least) {
			tightest, least, found = c, left, true
		}
	}
	return tightest, least, found
}
