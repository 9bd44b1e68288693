package dispatch

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// goesOnWithout reports whether the run goes on without the expendable fields from here.
func (d *dispatcher) goesOnWithout(over attempt.Over) bool {
	return over.Ceiling.Meter == cost.USD && d.short == nil && d.pending.lookup.Fields&d.Expendable != 0
}

// dropPaid takes expendable fields out of the pending task, because they would hold money that is
// kept for the others. It skips a lookup for expendable fields alone.
func (d *dispatcher) dropPaid(fields enrich.Fields) {
	d.tally.Dropped++
	d.drop(fields)
}
