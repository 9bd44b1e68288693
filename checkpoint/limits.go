package checkpoint

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// ReachLimit records a limit of the account because of which the service refused a call. The zero limit changes
// nothing. The list is replaced and never changed: a commit that is not written yet may still use it.
func (a *accountState) ReachLimit(now time.Time, hold cost.Hold, code string, limit enrich.Limit) {
	if limit == (enrich.Limit{}) {
		return
	}
	meters := a.Tariff.Limited(hold, limit)
	if meters == 0 {
		return // the call consumes nothing that shows which other calls the limit stops
	}
	reached := record.ReachedLimit{Limit: attempt.Limit{
		Meters: meters, Module: cmp.Or(limit.Module, a.namesOf(meters)), Code: code, At: now, Until: limit.Until,
	}}
	reached.Total, reached.Used = shownOf(a.Base, meters)
	kept := a.lasting(func(l record.ReachedLimit) bool {
		replaced := l.Meters == meters && l.Until.IsZero() == limit.Until.IsZero() && !l.Outlasts(reached.Limit)
		return l.Lasts(now) && !replaced
	})
	a.Limits = append(kept, reached)
}

// namesOf returns the names of meters.
func (a *accountState) namesOf(meters cost.Meters) string {
	var names []string
	for m := range meters.Each() {
		names = append(names, a.Tariff.Meters[m].Name)
	}
	return strings.Join(names, ", ")
}

// lasting returns the limits that are kept, in a new list.
func (a *accountState) lasting(keep func(record.ReachedLimit) bool) (kept []record.ReachedLimit) {
	return slices.DeleteFunc(slices.Clone(a.Limits), func(l record.ReachedLimit) bool { return !keep(l) })
}

// limits returns the limits as decisions need them.
func (a *accountState) limits() (limits []attempt.Limit) {
	for _, l := range a.Limits {
		limits = append(limits, l.Limit)
	}
	return limits
}

// LastingLimits returns the limits that have not ended.
func (a *accountState) LastingLimits(now time.Time) (limits []attempt.Limit) {
	return slices.DeleteFunc(a.limits(), func(l attempt.Limit) bool { return !l.Lasts(now) })
}

// EndLimits ends all limits, and returns those that lasted.
func (a *accountState) EndLimits(now time.Time) (ended []attempt.Limit) {
	ended = a.LastingLimits(now)
	a.Limits = nil
	return ended
}

// endLimitsBy ends the limits that a snapshot shows to have ended: the account may use more than before, or its
// counters have begun again. A limit that ends by itself does so at its time.
func (a *accountState) endLimitsBy(snapshot cost.Account) {
	if len(a.Limits) == 0 {
		return
	}
	a.Limits = a.lasting(func(l record.ReachedLimit) bool {
		total, used := shownOf(snapshot, l.Meters)
		known := l.Total.Known && total.Known
		more := total.Value > l.Total.Value || used.Value < l.Used.Value
		return !l.Until.IsZero() || !known || !more || total.Value <= used.Value
	})
	for i, l := range a.Limits {
		total, used := shownOf(snapshot, l.Meters)
		switch {
		case !total.Known:
		case !l.Total.Known:
			a.Limits[i].Total, a.Limits[i].Used = total, used
		case used.Value > l.Used.Value:
			a.Limits[i].Used = used // below which it falls when the counters begin again
		}
	}
}

// shownOf adds up what an account may use of those meters that it shows, and what it has used. Both are unknown when it
// shows none: of emails and phones it never shows how many are left.
func shownOf(snapshot cost.Account, meters cost.Meters) (total, used cost.Optional[int64]) {
	for m := range meters.Each() {
		left, gone := snapshot.Left[m], snapshot.Used[m]
		if left.Known && gone.Known {
			total = cost.Known(total.Value + left.Value + gone.Value)
			used = cost.Known(used.Value + gone.Value)
		}
	}
	return total, used
}

// clampLimits corrects limits that lie in the future because the clock was set back. They begin again.
func (a *accountState) clampLimits(now time.Time) {
	if !slices.ContainsFunc(a.Limits, func(l record.ReachedLimit) bool { return l.At.After(now) }) {
		return
	}
	a.Limits = slices.Clone(a.Limits)
	for i, l := range a.Limits {
		if !l.At.After(now) {
			continue
		}
		if !l.Until.IsZero() {
			a.Limits[i].Until = now.Add(l.Until.Sub(l.At))
		}
		a.Limits[i].At = now
	}
}
