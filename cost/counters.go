package cost

import (
	"math"
	"time"
)

// Counting says how the counter of a meter moves.
type Counting uint8

const (
	// CountsLeft is a meter of which the account shows what is left.
	CountsLeft Counting = iota
	// CountsPeriod is a counter that grows with every call that it counts, by any caller. It begins at zero again
	// when a period ends, which the service does not announce. The counters of one account do so together
	// (assumptions, "What a call uses up").
	CountsPeriod
	// CountsSpan is a count of what was returned in a time span that is asked for. Until an answered call has moved
	// it, it is not certain that it counts in that span.
	CountsSpan
	// CountsNow is the number of things that there are now. It can fall, so it decides no lost call.
	CountsNow
)

// Pace is the most calls that all others together are assumed to send to an account: Calls in any Window.
type Pace struct {
	Calls  int64
	Window time.Duration
}

// most returns the most calls in a time. It is at least the number that fits into every window that the time touches.
func (p Pace) most(d time.Duration) int64 {
	if p.Window <= 0 || p.Calls < 0 || d < 0 || d > math.MaxInt64-2*p.Window {
		return math.MaxInt64 / 2
	}
	windows := int64(d/p.Window) + 2
	if p.Calls > math.MaxInt64/2/windows {
		return math.MaxInt64 / 2
	}
	return windows * p.Calls
}

// others returns the most calls that others can send in a time, where the limit of this program is a pace. It may be
// lower than that of the service.
func (t Tariff) others(pace Pace, d time.Duration) int64 {
	if t.Others == (Pace{}) {
		return pace.most(d)
	}
	return max(pace.most(d), t.Others.most(d))
}

// Seen is what readings of an account since its base show of the time between. Calls may have been in flight
// when they were made. Its zero value is that of no reading.
type Seen struct {
	// Last is the latest reading: its time, counters, free allowance, balance and budget.
	Last Account
	// Ended is how many calls of this journal had ended before Last was asked for, of those that began since the base.
	Ended int64
	// BeganAgain says that the counters may have begun again between the base and Last.
	BeganAgain bool
	// Renewed says that a free allowance was larger in a reading than in the one before it. What the service reserves of
	// it counts, because it may give it back.
	Renewed bool
}

// With returns what is seen with a further reading. The totals are those of the account since its base: as they stood
// before the reading was asked for, and after it had come.
func (s Seen) With(base, reading Account, before, after Totals, tariff Tariff, pace Pace) Seen {
	from := s.Last
	if from.ReadAt.IsZero() {
		from = base
	}
	if tariff.counted(CountsPeriod) != 0 {
		own, others := after.Calls()-s.Ended, tariff.others(pace, reading.ReadAt.Sub(from.ReadAt)+readAccuracy)
		s.BeganAgain = s.BeganAgain || !tariff.goesOn(from, reading, own+others)
	}
	for f := range reading.Free {
		left, now := from.allowance(f), reading.allowance(f)
		s.Renewed = s.Renewed || left.Known && now.Known && now.Value > left.Value
	}
	s.Last = Account{
		ReadAt: reading.ReadAt, Free: reading.Free, FreeReserved: reading.FreeReserved, Used: reading.Used,
		OtherUsed: reading.OtherUsed, Balance: reading.Balance, Budget: reading.Budget,
	}
	s.Ended = before.Calls() - before.Open
	return s
}

// allowance returns what is left of the free allowance of a field, with what is reserved of it.
func (a Account) allowance(f int) Optional[int64] {
	left, reserved := a.Free[f], a.FreeReserved[f]
	return Optional[int64]{left.Value + reserved.Value, left.Known && reserved.Known}
}

// goesOn reports whether the readings prove that no period ended between them. After the end of a period no counter
// shows more than the calls since then, which are no more than most. So a counter that shows more proves that it did
// not begin again, and neither did the others. A counter that fell disproves it. A counter that grew by more than the
// possible number of calls shows that the number can have been higher.
func (t Tariff) goesOn(from, to Account, most int64) (proved bool) {
	for name, before := range from.OtherUsed {
		if after, shown := to.OtherUsed[name]; shown && after < before {
			return false
		}
	}
	for m := range t.counted(CountsPeriod).Each() {
		before, after := from.Used[m], to.Used[m]
		if !before.Known || !after.Known {
			continue
		}
		if after.Value < before.Value || after.Value-before.Value > most {
			return false
		}
		proved = proved || after.Value > most
	}
	return proved
}

// CanFall reports whether a hold is one of a meter that counts the things that there are now. Such a counter proves
// nothing about a call: others may have gone meanwhile.
func (t Tariff) CanFall(h Hold) bool { return h.Amounts().Meters()&t.counted(CountsNow) != 0 }

// counted returns the meters whose counters move in a way.
func (t Tariff) counted(counting Counting) (meters Meters) {
	for m, info := range t.Meters {
		if info.Counting == counting {
			meters |= MetersOf(Meter(m))
		}
	}
	return meters
}

// goesOn reports whether it is proved that no counter of the account began again between the base and now. On an
// exclusive account only the calls of this journal can have moved a counter.
func (e Evidence) goesOn() bool {
	if e.Exclusive && e.Tariff.goesOn(e.Base, e.Now, e.Booked.Calls()) {
		return true
	}
	return !e.Seen.With(e.Base, e.Now, e.Booked, e.Booked, e.Tariff, e.Pace).BeganAgain
}

// mayBeRenewed says why the free allowance may have been renewed and used again between the snapshots; "" when it was
// not. It is taken to be renewed at the start of a month, UTC, or of a period of the budget.
func (e Evidence) mayBeRenewed() string {
	seen := e.Seen.With(e.Base, e.Now, e.Booked, e.Booked, e.Tariff, e.Pace)
	before, after := e.Base.Budget.ResetsAt, e.Now.Budget.ResetsAt
	switch {
	case seen.Renewed:
		return "the free allowance has grown in between"
	case !before.IsZero() && !after.IsZero() && !before.Equal(after),
		monthOf(e.Base.ReadAt.Add(-readAccuracy)) != monthOf(e.Now.ReadAt.Add(readAccuracy)):
		return "the free allowance may have been renewed in between"
	}
	return ""
}
