package dispatch

import (
	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// ShortBudget says what a run does when a lookup does not fit under a ceiling on
// money any more. A ceiling on the number of lookups always stops it.
type ShortBudget uint8

// The ways to go on with a short budget.
const (
	// StopWhenShort ends the run at the first lookup that does not fit.
	StopWhenShort ShortBudget = iota
	// EmailOnly stops asking for phones that hold money once one does not fit. It goes on until
	// a lookup does not fit without the phone either.
	EmailOnly
)

// goesOnWithout reports whether the run goes on without phones from here.
func (d *dispatcher) goesOnWithout(over attempt.Over) bool {
	return d.ShortBudget == EmailOnly && over.Ceiling.Meter == cost.USD &&
		d.short == nil && d.pending.lookup.Fields.Has(enrich.BusinessPhone)
}

// dropPaid takes the phone out of the pending task, because it would hold money that is kept
// for emails. It skips a lookup for a phone alone.
func (d *dispatcher) dropPaid(fields enrich.Fields) {
	d.tally.Dropped++
	d.drop(fields)
}
