package dispatch

import "payonce/cost"

// FirstStop returns why a run stopped, from two stops of parts of it, of which each may be nil. Instead of a
// limit it returns a reason for which somebody has to act. Of two limits it returns the one that ends first,
// because then the run can go on with what is left.
func FirstStop(earlier, later Stop) Stop {
	switch {
	case earlier == nil:
		return later
	case later == nil:
		return earlier
	}
	before, after := endOf(earlier), endOf(later)
	if before != notLimit && (after == notLimit || after < before) {
		return later
	}
	return earlier
}

// limitEnd orders limits by when they end.
type limitEnd int

const (
	notLimit  limitEnd = iota // somebody has to act before the run sends anything, or stopped the run
	withDay                   // at the next midnight
	atTime                    // at a time of the service: of a limit of the day this is also the next midnight
	withMonth                 // when the month or the period of the account ends
	never                     // somebody has to raise it
)

// endOf returns when the limit ends at which a step stopped: a ceiling of the user or a limit of the account.
func endOf(stop Stop) limitEnd {
	switch stop := stop.(type) {
	case CeilingReached:
		switch {
		case stop.Ceiling.Period == cost.Day:
			return withDay
		case stop.Ceiling.Period == cost.Month || stop.Ceiling.Name == cost.UsageBudget:
			return withMonth
		case stop.Ceiling.Meter == cost.Lookups: // every lookup of the run counts, whatever it uses
			return notLimit
		}
		return never
	case ServiceRefused:
		switch {
		case !stop.Until.IsZero():
			return atTime
		case stop.Module != "":
			return never
		}
	}
	return notLimit
}
