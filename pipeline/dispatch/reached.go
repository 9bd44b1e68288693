package dispatch

import (
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// reached is a limit of the account or a ceiling on units that was reached. While it lasts, lookups that no
// longer fit under it are not sent, and all others are.
type reached struct {
	stop  Stop
	least cost.Amounts // of each limited meter, the least amount that a lookup no longer gets; 0 of others
	at    time.Time    // when it was reached, or shortly before
	left  int64        // lookups that were not sent because of it
}

// lasts reports whether the limit has not ended, or the ceiling has not renewed. Afterwards the journal is asked
// again. Lookups that were not sent before stay so: the next start sends them.
func (r *reached) lasts(now time.Time) bool {
	switch stop := r.stop.(type) {
	case ServiceRefused:
		return limitOf(stop).Lasts(now)
	case CeilingReached:
		return stop.Ceiling.Period.Of(now) == stop.Ceiling.Period.Of(r.at)
	}
	return true
}

// outlasts reports whether a limit of the service ends after another one.
func outlasts(stop, other Stop) bool {
	a, isLimit := stop.(ServiceRefused)
	b, both := other.(ServiceRefused)
	return isLimit && both && limitOf(a).Outlasts(limitOf(b))
}

func limitOf(stop ServiceRefused) attempt.Limit { return attempt.Limit{Until: stop.Until} }

// amountsOf returns one unit of each meter.
func amountsOf(meters cost.Meters) (amounts cost.Amounts) {
	for m := range meters.Each() {
		amounts[m] = 1
	}
	return amounts
}

// reach records that a limit was reached at a time, and returns its index. A limit that the service reports to
// several calls in flight is recorded once, and so is one that is reached again after its end.
func (d *dispatcher) reach(stop Stop, least cost.Amounts, at time.Time) int {
	for i := range d.reached {
		known := &d.reached[i]
		if known.least != least || known.stop.Word() != stop.Word() {
			continue
		}
		if !known.lasts(at) || outlasts(stop, known.stop) {
			known.stop, known.at = stop, at
		}
		return i
	}
	d.reached = append(d.reached, reached{stop: stop, least: least, at: at})
	return len(d.reached) - 1
}

// leave counts a lookup that is not sent because of a limit that was reached.
func (d *dispatcher) leave(i int) {
	d.reached[i].left++
	d.tally.NotSent++
}

// refusedBy reports whether a lookup for some fields does not fit under a limit that was reached and has not
// ended, and returns the index of the limit. The journal would decide the same, so it is not asked.
func (d *dispatcher) refusedBy(fields enrich.Fields, now time.Time) (i int, left bool) {
	if len(d.reached) == 0 {
		return 0, false
	}
	uses, err := d.Request.Rates.Total(fields)
	if err != nil {
		return 0, false // the journal says what is wrong
	}
	for i := range d.reached {
		r := &d.reached[i]
		if !r.lasts(now) {
			continue
		}
		for m, least := range r.least {
			if least > 0 && uses[m] >= least {
				return i, true
			}
		}
	}
	return 0, false
}

// stopOfAll returns why the step ended. It reports how many lookups were not sent because of each limit. What ended
// the step before its last lookup comes first: when one of the limits ends, the step still cannot go on.
func (d *dispatcher) stopOfAll() Stop {
	var limits Stop
	for _, r := range d.reached {
		limits = FirstStop(limits, r.stop)
		if d.NotSent != nil {
			d.NotSent(r.stop, r.left)
		}
	}
	if now := d.Now(); d.Limited != nil && slices.ContainsFunc(d.reached, func(r reached) bool { return r.lasts(now) }) {
		d.Limited(func(fields enrich.Fields) bool {
			_, left := d.refusedBy(fields, now)
			return left
		})
	}
	switch {
	case d.stop != nil:
		return d.stop
	case d.short != nil: // the others are done, but the expendable fields are not
		return FirstStop(limits, *d.short)
	}
	return limits
}
