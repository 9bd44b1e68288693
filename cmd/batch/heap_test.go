package main

import (
	"io"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/pipeline"
)

// TestHeapIsLimitedWhileLookupsAreSentAndTheOutputIsWritten looks at the limit before, during and after each. A limit
// of the user stays.
func TestHeapIsLimitedWhileLookupsAreSentAndTheOutputIsWritten(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(math.MaxInt64)

	unlimited := limitHeap(sendingHeap)
	if got := limit(); got < sendingHeap || got > sendingHeap+1<<30 {
		t.Errorf("while lookups are sent the limit is %d bytes", got)
	}
	second := limitHeap(sendingHeap) // of a second run in the same process
	second()
	unlimited()
	if got := limit(); got != math.MaxInt64 {
		t.Errorf("afterwards the limit is %d bytes", got)
	}

	observer := &hostObserver{Log: hostLog{Out: io.Discard, Now: time.Now}}
	_, sent := observer.Sending(pipeline.Sending{Lookups: 2, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}})
	scanned := observer.Scanning() // of the second step
	if got := limit(); got != math.MaxInt64 {
		t.Errorf("while a later step is scanned the limit is %d bytes", got)
	}
	scanned()
	if got := limit(); got == math.MaxInt64 {
		t.Error("while the later step sends, there is no limit")
	}
	sent()
	observer.Scanning()()
	if got := limit(); got != math.MaxInt64 {
		t.Errorf("when all is sent the limit is %d bytes", got)
	}
	written := observer.Writing()
	if got := limit(); got < writingHeap || got > writingHeap+1<<30 {
		t.Errorf("while the output is written the limit is %d bytes", got)
	}
	written()
	if got := limit(); got != math.MaxInt64 {
		t.Errorf("when the output is written the limit is %d bytes", got)
	}

	debug.SetMemoryLimit(1 << 40)
	limitHeap(sendingHeap)()
	if got := limit(); got != 1<<40 {
		t.Errorf("the limit of the user became %d bytes", got)
	}
}

// TestTheGarbageCollectorRunsMoreOftenWhileListsAndJournalsAreRead looks at the garbage that the collector allows, also
// when phases of two runs overlap.
func TestTheGarbageCollectorRunsMoreOftenWhileListsAndJournalsAreRead(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	check := func(when string, want int) {
		t.Helper()
		got := debug.SetGCPercent(100)
		debug.SetGCPercent(got)
		if got != want {
			t.Errorf("%d %% %s, want %d", got, when, want)
		}
	}
	observer := &hostObserver{Log: hostLog{Out: io.Discard, Now: time.Now}}
	for _, usual := range []int{100, 10, -1} {
		debug.SetGCPercent(usual)
		scanned := observer.Scanning()
		check("while a list is read", min(usual, scanningGCPercent))
		read := (&hostObserver{}).ReadingJournal()
		check("while a journal is read too", min(usual, readingGCPercent))
		scanned()
		check("while the journal alone is read", min(usual, readingGCPercent))
		read()
		check("afterwards", usual)
	}
}
