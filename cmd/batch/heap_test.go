package main

import (
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/pipeline"
)

// TestGarbageIsBoundedByThePhase looks at the bound before, during and after each phase. A phase within another one
// does not lower its bound.
func TestGarbageIsBoundedByThePhase(t *testing.T) {
	percent := 0
	bound := newGarbageBound(
		func(set int) int { percent = set; return 0 }, func() int64 { return 20 << 20 })
	check := func(when string, want int) {
		t.Helper()
		if percent != want {
			t.Errorf("%s the garbage may be %d %% of what is live, want %d", when, percent, want)
		}
	}
	observer := &hostObserver{Log: hostLog{Out: io.Discard, Now: time.Now}, Garbage: bound}
	_, sent := observer.Sending(pipeline.Sending{Lookups: 2, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}})
	check("while lookups are sent", 320)
	scanned, written := observer.Scanning(), observer.Writing()
	check("while a later step is scanned and an output is written", 320)
	written()
	scanned()
	check("when that has ended", 320)
	sent()
	check("when all is sent", 200)
	written = observer.Writing()
	check("while the output is written", 320)
	written()
	check("when the output is written", 200)
}

// TestGarbageIsAShareOfWhatIsLiveWhenMuchIs has bounds for little, some and much that is live.
func TestGarbageIsAShareOfWhatIsLiveWhenMuchIs(t *testing.T) {
	for live, want := range map[int64]int{
		0: 1000, 1 << 20: 1000, 4 << 20: 1000, 40 << 20: 100, 100 << 20: 40, 200 << 20: 30, 4 << 30: 30,
	} {
		if got := percentFor(40<<20, live); got != want {
			t.Errorf("with %d bytes live the garbage may be %d %%, want %d", live, got, want)
		}
	}
}

// TestTheBoundOfGarbageFollowsEachCollection collects garbage until the bound has followed what is live, twice.
func TestTheBoundOfGarbageFollowsEachCollection(t *testing.T) {
	var live, percent atomic.Int64
	bound := newGarbageBound(func(set int) int { percent.Store(int64(set)); return 0 }, live.Load)
	bound.follow()
	for _, now := range []int64{1 << 30, 20 << 20} {
		live.Store(now)
		for percent.Load() != int64(percentFor(usualGarbage, now)) {
			runtime.GC()
		}
	}
}
