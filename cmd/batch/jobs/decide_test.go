package jobs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// nightly is a plan that is due at 02:00 in a zone.
func nightly(t *testing.T, zone string) SchedulePlan {
	t.Helper()
	times, err := parseTimes("daily at 02:00")
	if err != nil {
		t.Fatal(err)
	}
	in, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return SchedulePlan{Job: "nightly", Times: times, Zone: in, CatchUp: 24 * time.Hour}
}

// TestEveryOccurrenceHasADelayOfItsOwnThatDoesNotChange draws no random numbers, so that a second scheduler and a
// restart find the same delay.
func TestEveryOccurrenceHasADelayOfItsOwnThatDoesNotChange(t *testing.T) {
	p := nightly(t, "Europe/Berlin")
	p.Jitter = time.Hour
	other := p
	other.Job = "weekly"
	delays, least, most := map[time.Duration]bool{}, time.Hour, time.Duration(0)
	at, _ := p.NextAfter(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	for range 365 {
		delay := p.Due(at).Sub(at.In(p.Zone))
		if delay != p.Due(at).Sub(at.In(p.Zone)) || delay < 0 || delay >= p.Jitter {
			t.Fatalf("%s is delayed by %s", at, delay)
		}
		if next, due := p.NextAfter(p.Due(at).Add(-time.Second)); next != at || !due.Equal(p.Due(at)) {
			t.Fatalf("before %s the next occurrence is %s at %s", p.Due(at), next, due)
		}
		delays[delay], least, most = true, min(least, delay), max(most, delay)
		at = p.Times.Next(at)
	}
	if len(delays) < 300 || least > 5*time.Minute || most < 55*time.Minute {
		t.Errorf("%d delays from %s to %s in a year, want them spread over an hour", len(delays), least, most)
	}
	if p.Due(at).Equal(other.Due(at)) {
		t.Error("two jobs have the same delay")
	}
}

// TestWhatWasMissedRunsOnceWithinItsCatchUpWindow decides after five nights without a scheduler.
func TestWhatWasMissedRunsOnceWithinItsCatchUpWindow(t *testing.T) {
	p := nightly(t, "UTC")
	p.CatchUp = 36 * time.Hour
	night := func(day int) LocalTime { return localTimeOf(time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC)) }
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	state := ScheduleState{Decided: night(5), Ran: func(LocalTime) bool { return false }}
	d := p.Decide(state, now)
	if want := []Passed{{First: night(6), Last: night(8), Count: 3, Reason: Missed}}; d.Run != night(9) || cmp.Diff(want, d.Passed, cmp.AllowUnexported(LocalTime{})) != "" {
		t.Fatalf("%s runs, and %+v do not; want %s, and %+v", d.Run, d.Passed, night(9), want)
	}
	// The run of the 9th ends; that of the 10th is next, unless it became due meanwhile.
	state = ScheduleState{Decided: d.Decided, Ran: func(l LocalTime) bool { return l == night(9) }, Began: now, Ended: now.Add(time.Hour)}
	if d = p.Decide(state, now.Add(time.Hour)); d.Run != night(10) || len(d.Passed) > 0 {
		t.Errorf("%s runs next, without %+v", d.Run, d.Passed)
	}
}

// TestAnOccurrenceThatIsDueDuringARunIsSkippedOrWaits decides when a run of 30 hours has ended.
func TestAnOccurrenceThatIsDueDuringARunIsSkippedOrWaits(t *testing.T) {
	night := func(day int) LocalTime { return localTimeOf(time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC)) }
	began := time.Date(2026, 3, 5, 2, 0, 0, 0, time.UTC)
	ended := began.Add(30 * time.Hour)
	state := ScheduleState{Decided: night(5), Began: began, Ended: ended, Ran: func(l LocalTime) bool { return l == night(5) }}
	skips := nightly(t, "UTC")
	d := skips.Decide(state, ended)
	if want := []Passed{{First: night(6), Last: night(6), Count: 1, Reason: overlap}}; !d.Run.IsZero() || cmp.Diff(want, d.Passed, cmp.AllowUnexported(LocalTime{})) != "" {
		t.Errorf("%s runs, without %+v; want nothing, without %+v", d.Run, d.Passed, want)
	}
	waits := skips
	waits.Overlaps = true
	if d := waits.Decide(state, ended); d.Run != night(6) || len(d.Passed) > 0 {
		t.Errorf("%s runs, without %+v; want %s", d.Run, d.Passed, night(6))
	}
}
