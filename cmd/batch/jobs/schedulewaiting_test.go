package jobs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAnOccurrenceThatWaitsGoesOnAtItsTime decides about an hourly job whose occurrence of 10:00 waits.
func TestAnOccurrenceThatWaitsGoesOnAtItsTime(t *testing.T) {
	times, err := parseTimes("0 * * * *")
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	at := func(hour int) LocalTime { return localTimeOf(day.Add(time.Duration(hour) * time.Hour)) }
	hour := func(hour, minute int) time.Time {
		return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
	}
	state := ScheduleState{
		Decided: at(10), Unfinished: at(10), Until: hour(24, 0), Began: hour(10, 0), Ended: hour(10, 20),
		Ran: func(l LocalTime) bool { return l == at(10) },
	}
	skipped := []Passed{{First: at(11), Last: at(13), Count: 3, Reason: overlap}}
	for name, c := range map[string]struct {
		overlaps bool
		paused   time.Time
		catchUp  time.Duration
		now      time.Time
		want     Decision
	}{
		"before its time others are skipped": {
			catchUp: 24 * time.Hour, now: hour(13, 30),
			want: Decision{Waits: true, Passed: skipped, Decided: at(13), Next: at(14), Wake: hour(24, 0)},
		},
		"before its time others wait": {
			overlaps: true, catchUp: 24 * time.Hour, now: hour(13, 30),
			want: Decision{Waits: true, Decided: at(10), Next: at(14), Wake: hour(24, 0)},
		},
		"at its time": {
			catchUp: 24 * time.Hour, now: hour(24, 0),
			want: Decision{Run: at(10), Decided: at(10), Next: at(25), Wake: hour(25, 0)},
		},
		"at the end of its window": {
			catchUp: 14 * time.Hour, now: hour(24, 0),
			want: Decision{Run: at(10), Decided: at(10), Next: at(25), Wake: hour(25, 0)},
		},
		"after its window": {
			catchUp: 90 * time.Minute, now: hour(13, 30),
			want: Decision{
				Abandoned: true, Passed: []Passed{{First: at(11), Last: at(11), Count: 1, Reason: Missed}},
				Run: at(12), Decided: at(12), Next: at(14), Wake: hour(14, 0),
			},
		},
		"paused before its time": { // 11:00 was due before the pause
			paused: hour(11, 30), catchUp: 24 * time.Hour, now: hour(13, 40),
			want: Decision{
				Waits: true, Passed: []Passed{{First: at(11), Last: at(11), Count: 1, Reason: overlap}, {First: at(12), Last: at(13), Count: 2, Reason: Paused}},
				Decided: at(13), Next: at(14), Wake: hour(24, 0),
			},
		},
		"paused at its time": {
			paused: hour(11, 30), catchUp: 24 * time.Hour, now: hour(24, 10),
			want: Decision{
				Passed:  []Passed{{First: at(11), Last: at(11), Count: 1, Reason: overlap}, {First: at(12), Last: at(24), Count: 13, Reason: Paused}},
				Decided: at(24), Next: at(25), Wake: hour(25, 0),
			},
		},
		"paused after its window": {
			paused: hour(11, 30), catchUp: 90 * time.Minute, now: hour(13, 40),
			want: Decision{
				Abandoned: true, Passed: []Passed{{First: at(11), Last: at(11), Count: 1, Reason: Missed}, {First: at(12), Last: at(13), Count: 2, Reason: Paused}},
				Decided: at(13), Next: at(14), Wake: hour(14, 0),
			},
		},
		"after the clock was set back by a month": {
			catchUp: 24 * time.Hour, now: hour(10, 30).AddDate(0, -1, 0),
			want: Decision{Run: at(10)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := SchedulePlan{Job: "job", Times: times, Zone: time.UTC, CatchUp: c.catchUp, Overlaps: c.overlaps}
			s := state
			s.PausedAt = c.paused
			got := plan.Decide(s, c.now)
			if c.now.Before(day) {
				got = Decision{Run: got.Run, Waits: got.Waits}
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(LocalTime{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}
