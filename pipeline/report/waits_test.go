package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/dispatch"
)

const hour = 60 * 60 * 1000 // milliseconds

// ended is when a run stopped at a ceiling.
var ended = time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)

func TestTimeBetweenStartsIsCountedAsAWaitForTheStop(t *testing.T) {
	before := []record.Waited{{For: "rate", Milliseconds: 5, Month: "2026-11"}}
	for stop, want := range map[string][]record.Waited{
		"ceiling:daily": append(before[:1:1], record.Waited{For: "ceiling:daily", Milliseconds: 4 * hour, Month: "2026-11"}),
		"interrupted":   before,
		"":              before,
	} {
		earlier := checkpoint.Run{Ended: ended, Stop: stop, Waits: before}
		if diff := cmp.Diff(want, WaitsAtStart(earlier, ApprovalAsked{}, ended.Add(4*time.Hour))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", stop, diff)
		}
	}
	if got := WaitsAtStart(checkpoint.Run{Stop: "ceiling:daily", Waits: before}, ApprovalAsked{}, ended); len(got) != 1 {
		t.Errorf("after a crash: %+v", got)
	}
	if got := WaitsAtStart(checkpoint.Run{Ended: ended, Stop: "ceiling:daily"}, ApprovalAsked{}, ended.Add(-time.Hour)); len(got) != 0 {
		t.Errorf("after the clock was set back: %+v", got)
	}
}

func TestTheWaitForAnApprovalFollowsTheOneForACeiling(t *testing.T) {
	since, approved := ended.Add(4*time.Hour), ended.Add(10*time.Hour)
	asked := ApprovalAsked{Since: since, Approved: approved}
	earlier := checkpoint.Run{Restarted: ended.Add(-time.Hour), Ended: ended, Stop: "ceiling:daily"}
	want := []record.Waited{
		{For: "ceiling:daily", Milliseconds: 4 * hour, Month: "2026-11"}, {For: WaitForApproval, Milliseconds: 6 * hour, Month: "2026-11"},
	}
	if diff := cmp.Diff(want, WaitsAtStart(earlier, asked, approved.Add(time.Minute))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], WaitsAtStart(checkpoint.Run{}, asked, approved)); diff != "" {
		t.Errorf("a run that never started before (-want +got):\n%s", diff)
	}
	killed := checkpoint.Run{Restarted: approved, Waits: want}
	if diff := cmp.Diff(want, WaitsAtStart(killed, asked, approved.Add(time.Hour))); diff != "" {
		t.Errorf("after the approved start was killed (-want +got):\n%s", diff)
	}
}

func TestAWaitCountsInTheMonthInWhichItWasWaited(t *testing.T) {
	late := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	earlier := checkpoint.Run{Ended: late, Stop: "ceiling:monthly"}
	waits := WaitsAtStart(earlier, ApprovalAsked{}, time.Date(2027, 1, 1, 1, 0, 0, 0, time.FixedZone("", 60*60)))
	waits = AddSentWaits(waits, dispatch.Waited{Rate: 40 * time.Minute}, late, late.Add(8*time.Hour))
	runs := []checkpoint.Run{{Restarted: late.AddDate(0, 1, 0), Waits: append(waits, record.Waited{For: "retry", Milliseconds: 7})}}
	minute := int64(60 * 1000)
	for month, want := range map[string][]record.Waited{
		"2026-10": nil,
		"2026-11": {{For: "ceiling:monthly", Milliseconds: 2 * hour}, {For: "rate", Milliseconds: 10 * minute}},
		"2026-12": {{For: "ceiling:monthly", Milliseconds: 31 * 24 * hour}, {For: "rate", Milliseconds: 30 * minute}, {For: "retry", Milliseconds: 7}},
		"2027-01": nil,
		"":        {{For: "ceiling:monthly", Milliseconds: 31*24*hour + 2*hour}, {For: "rate", Milliseconds: 40 * minute}, {For: "retry", Milliseconds: 7}},
	} {
		if diff := cmp.Diff(want, waitSums(runs, month)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", month, diff)
		}
	}
	if got := AddSentWaits(nil, dispatch.Waited{Rate: time.Minute}, late, late.Add(-time.Hour)); len(got) != 1 || got[0].Milliseconds != minute {
		t.Errorf("when the clock was set back: %+v", got)
	}
}

func TestTheWaitsOfRunsAreAddedUp(t *testing.T) {
	first := AddSentWaits(nil, dispatch.Waited{Rate: 2 * time.Second, Retry: time.Second}, ended, ended)
	second := AddSentWaits(first, dispatch.Waited{Rate: time.Second, SlowDown: 10 * time.Second, Pace: time.Microsecond}, ended, ended)
	want := []record.Waited{{For: "slow_down", Milliseconds: 10_000}, {For: "rate", Milliseconds: 5_000}, {For: "retry", Milliseconds: 2_000}}
	if diff := cmp.Diff(want, waitSums([]checkpoint.Run{{Waits: first}, {Waits: second}}, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if first[0].Milliseconds != 2_000 {
		t.Errorf("the waits of an earlier start were changed: %+v", first)
	}
}
