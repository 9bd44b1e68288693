// This file keeps the totals of each scope. Decisions to spend are made on them.

package checkpoint

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Sum is what the attempts of one scope add up to.
type Sum struct {
	decide.Scope
	adjustment cost.Amounts // by which the totals hold less than the attempts do
	changed    bool         // since TakeChanges last returned it
}

// Sums are the sums of all scopes, and the attempts that ended on each day.
type Sums struct {
	Scopes map[string]*Sum
	Days   map[string]record.Span
	// changed and changedDays are those that TakeChanges returns next.
	changed     []*Sum
	changedDays map[string]bool
	adjusted    []*Sum // that may have a hold adjustment
	// kinds holds the sums that attempts of one kind count in. So the names of the scopes
	// are not made for every attempt.
	kinds map[kind][]SumCount
}

// SumCount is a sum that an attempt counts in.
type SumCount struct {
	*Sum
	As record.Scope // says which part of the attempt counts
}

// kind is what the scopes of an attempt follow from.
type kind struct {
	account           attempt.Account
	run, job, pattern string
	fields            enrich.Fields
	year, day         int
}

// maxKinds limits how many kinds are remembered at a time.
const maxKinds = 1024

// NewSums returns sums without attempts.
func NewSums() Sums {
	return Sums{
		Scopes: map[string]*Sum{}, Days: map[string]record.Span{},
		changedDays: map[string]bool{}, kinds: map[kind][]SumCount{},
	}
}

// Scope returns the sum of a scope.
func (s *Sums) Scope(name string) *Sum {
	if s.Scopes[name] == nil {
		s.Scopes[name] = &Sum{Scope: decide.Scope{Name: name}}
	}
	return s.Scopes[name]
}

// Totals returns the totals of a scope. They are zero when no attempt counts in it.
func (s *Sums) Totals(scope string) cost.Totals {
	if sum := s.Scopes[scope]; sum != nil {
		return sum.Totals
	}
	return cost.Totals{}
}

// Of returns the sums that an attempt counts in. The catalogue is that of its account.
func (s *Sums) Of(in record.Intent, catalogue enrich.Catalogue) []SumCount {
	at := in.At.UTC()
	kind := kind{in.Account, in.Run, in.Job, in.Pattern, in.Hold.Fields, at.Year(), at.YearDay()}
	if known := s.kinds[kind]; known != nil {
		return known
	}
	var counts []SumCount
	for _, scope := range in.Counts(catalogue) {
		counts = append(counts, SumCount{s.Scope(scope.Name), scope})
	}
	if len(s.kinds) >= maxKinds {
		clear(s.kinds)
	}
	s.kinds[kind] = counts
	return counts
}

// Touch notes that a sum has to be written.
func (s *Sums) Touch(changed *Sum) {
	if !changed.changed {
		changed.changed = true
		s.changed = append(s.changed, changed)
	}
}

// Hold adds an attempt that is in flight from now on.
func (s *Sums) Hold(in []SumCount, hold cost.Hold) {
	held := hold.Amounts()
	for _, sum := range in {
		sum.Totals.Hold(sum.As.Of(held))
		sum.InFlight.Hold(sum.As.Of(held))
		s.Touch(sum.Sum)
	}
}

// LandHold removes the hold of an attempt that is not in flight any more from what the calls in
// flight may release.
func LandHold(in []SumCount, hold cost.Hold) {
	held := hold.Amounts()
	for _, sum := range in {
		sum.InFlight.Release(sum.As.Of(held), cost.Charge{})
	}
}

// FlyHold adds the hold of an attempt to what the calls in flight may release. The totals have it already.
func FlyHold(in []SumCount, hold cost.Hold) {
	held := hold.Amounts()
	for _, sum := range in {
		sum.InFlight.Hold(sum.As.Of(held))
	}
}

// Release removes the hold of an attempt and adds its outcome. If the account's base is newer
// than the attempt, the attempt does not count in the account's sums.
func (s *Sums) Release(in []SumCount, hold cost.Hold, res attempt.Resolution, beforeBase bool) {
	held := hold.Amounts()
	for _, sum := range in {
		if sum.As.SinceBase && beforeBase {
			continue
		}
		sum.As.Release(&sum.Totals, hold, held, &res)
		s.Touch(sum.Sum)
	}
}

// EndOn notes the time at which an attempt ended.
func (s *Sums) EndOn(at time.Time, id attempt.ID) {
	day := record.DayOf(at)
	s.Days[day] = s.Days[day].With(id)
	s.changedDays[day] = true
}

// TakeChanges returns the writes of what has changed since its last call.
func (s *Sums) TakeChanges() []record.Write {
	var writes []record.Write
	for _, sum := range s.changed {
		sum.changed = false
		key := record.NameKey(record.TotalsPrefix, sum.Name)
		writes = append(writes, record.Write{Key: key, Value: record.Encode(&sum.Totals)})
	}
	for day := range s.changedDays {
		attempts := s.Days[day]
		writes = append(writes, record.Write{Key: record.NameKey(record.DayPrefix, day), Value: record.Encode(&attempts)})
	}
	s.changed = s.changed[:0]
	clear(s.changedDays)
	return writes
}

// Correct replaces the charge of a resolved attempt in the sums that it counts in. If the
// account's base is newer than the attempt, the attempt does not count in the account's sums.
func (s *Sums) Correct(in []SumCount, before, after cost.Charge, beforeBase bool) {
	for _, sum := range in {
		if sum.As.SinceBase && beforeBase {
			continue
		}
		sum.Totals.Settled = sum.Totals.Settled.Plus(sum.As.Of(after.Amounts.Minus(before.Amounts)))
		s.Touch(sum.Sum)
	}
}
