package waits

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/dispatch"
)

func TestARunWaitsBetweenItsStartsForWhatStoppedIt(t *testing.T) {
	ended := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	before := []record.Waited{{For: "rate", Milliseconds: 5}}
	for stop, want := range map[string][]record.Waited{
		"ceiling:daily": {{For: "rate", Milliseconds: 5}, {For: "ceiling:daily", Milliseconds: 4 * 60 * 60 * 1000}},
		"interrupted":   before,
		"":              before,
	} {
		earlier := checkpoint.Run{Ended: ended, Stop: stop, Waits: before}
		if diff := cmp.Diff(want, Resumed(earlier, ended.Add(4*time.Hour))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", stop, diff)
		}
	}
	if got := Resumed(checkpoint.Run{Stop: "ceiling:daily", Waits: before}, ended); len(got) != 1 {
		t.Errorf("after a crash: %+v", got)
	}
	if got := Resumed(checkpoint.Run{Ended: ended, Stop: "ceiling:daily"}, ended.Add(-time.Hour)); len(got) != 0 {
		t.Errorf("after the clock was set back: %+v", got)
	}
}

func TestTheWaitsOfRunsAreAddedUp(t *testing.T) {
	first := Sent(nil, dispatch.Waited{Rate: 2 * time.Second, Retry: time.Second})
	second := Sent(first, dispatch.Waited{Rate: time.Second, SlowDown: 10 * time.Second, Pace: time.Microsecond})
	want := []record.Waited{{For: "slow_down", Milliseconds: 10_000}, {For: "rate", Milliseconds: 5_000}, {For: "retry", Milliseconds: 2_000}}
	if diff := cmp.Diff(want, Of([]checkpoint.Run{{Waits: first}, {Waits: second}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if first[0].Milliseconds != 2_000 {
		t.Errorf("the waits of an earlier start were changed: %+v", first)
	}
}
