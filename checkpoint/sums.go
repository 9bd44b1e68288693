package checkpoint

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// sum is what one scope has come to.
type sum struct {
	scope  string
	totals cost.Totals
	// inFlight is the part of the totals that calls in flight may still give back:
	// what they hold.
	inFlight cost.Totals
	changed  bool // since it was last taken to be written
}

// sums are the sums of all scopes, and the attempts that ended on each day.
type sums struct {
	scopes map[string]*sum
	days   map[string]record.Span
	// changed and changedDays are those of which the disk does not know yet.
	changed     []*sum
	changedDays map[string]bool
	// kinds holds the sums that attempts of one kind count in, so that their names are
	// not made for every attempt.
	kinds map[kind][]*sum
}

// kind is what the scopes of an attempt follow from.
type kind struct {
	run, job, pattern string
	operation         enrich.Operation
	year, day         int
}

// maxKinds bounds the kinds that are remembered at a time.
const maxKinds = 1024

func newSums() sums {
	return sums{
		scopes: map[string]*sum{}, days: map[string]record.Span{},
		changedDays: map[string]bool{}, kinds: map[kind][]*sum{},
	}
}

// scope returns the sum of a scope.
func (s *sums) scope(name string) *sum {
	if s.scopes[name] == nil {
		s.scopes[name] = &sum{scope: name}
	}
	return s.scopes[name]
}

// totals returns the totals of a scope, of which there may be none.
func (s *sums) totals(scope string) cost.Totals {
	if sum := s.scopes[scope]; sum != nil {
		return sum.totals
	}
	return cost.Totals{}
}

// of returns the sums that an attempt counts in.
func (s *sums) of(in record.Intent) []*sum {
	at := in.At.UTC()
	kind := kind{in.Run, in.Job, in.Pattern, in.Hold.Fields.Operation(), at.Year(), at.YearDay()}
	if known := s.kinds[kind]; known != nil {
		return known
	}
	var counts []*sum
	for _, scope := range in.Scopes() {
		counts = append(counts, s.scope(scope))
	}
	if len(s.kinds) >= maxKinds {
		clear(s.kinds)
	}
	s.kinds[kind] = counts
	return counts
}

// touch notes that a sum has to be written.
func (s *sums) touch(changed *sum) {
	if !changed.changed {
		changed.changed = true
		s.changed = append(s.changed, changed)
	}
}

// hold adds an attempt that is in flight from now on.
func (s *sums) hold(a *openAttempt) {
	for _, sum := range a.sums {
		sum.totals.Hold(a.Hold)
		sum.inFlight.Hold(a.Hold)
		s.touch(sum)
	}
}

// land takes what an attempt holds that is not in flight any more out of what calls
// in flight may give back.
func (a *openAttempt) land() {
	for _, sum := range a.sums {
		sum.inFlight.Release(a.Hold, cost.Charge{})
	}
}

// release takes the hold of an attempt back and adds what became of it. If the
// account's base is newer than the attempt, it does not count in the account's sums.
func (s *sums) release(a *openAttempt, res attempt.Resolution, beforeBase bool) {
	for _, sum := range a.sums {
		if sum.scope == ScopeAccount && beforeBase {
			continue
		}
		sum.totals.Release(a.Hold, res.Charge)
		record.CountOutcome(&sum.totals, a.Hold, res)
		s.touch(sum)
	}
}

// endOn notes the time at which an attempt ended.
func (s *sums) endOn(at time.Time, id attempt.ID) {
	day := record.DayOf(at)
	s.days[day] = s.days[day].With(id)
	s.changedDays[day] = true
}

// takeChanges returns the writes of what has changed since it was last called.
func (s *sums) takeChanges() []Write {
	var writes []Write
	for _, sum := range s.changed {
		sum.changed = false
		writes = append(writes, Write{Key: record.NameKey(record.TotalsPrefix, sum.scope), Value: record.Encode(&sum.totals)})
	}
	for day := range s.changedDays {
		attempts := s.days[day]
		writes = append(writes, Write{Key: record.NameKey(record.DayPrefix, day), Value: record.Encode(&attempts)})
	}
	s.changed = s.changed[:0]
	clear(s.changedDays)
	return writes
}
