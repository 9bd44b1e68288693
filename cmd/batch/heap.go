package main

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// The bytes that the heap may have in a phase besides those that are live when it begins. Without a limit the garbage
// of a phase doubles the memory of a run.
const (
	// sendingHeap is for Badger's memory tables and its compactions. With less, garbage collection would run all the
	// time during a compaction.
	sendingHeap = 140 << 20
	// writingHeap is for the rows and the answers of an output, and for row groups of its tables, which take about 120 MB
	// while they are full.
	writingHeap = 144 << 20
)

// limitHeap limits the memory that Go manages, until the returned function is called. The limit is the live heap plus
// more bytes. Near the limit Go collects garbage more often; it never refuses memory. A limit that the user has set
// (GOMEMLIMIT) stays.
func limitHeap(more int64) (unlimited func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(int64(live[0].Value.Uint64()) + more)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

// garbage is how much garbage the phases of all runs of the process allow. It is a variable because Go has one setting for a
// process.
var garbage struct {
	sync.Mutex
	usual    int   // while percents is empty
	percents []int // of each phase
}

// limitGarbage makes Go collect garbage when there is more than some percent of the live bytes, until the returned function
// is called. With several limits the lowest counts, also that of the user (GOGC). GOGC=off stays.
func limitGarbage(percent int) (unlimited func()) {
	garbage.Lock()
	defer garbage.Unlock()
	if len(garbage.percents) == 0 {
		garbage.usual = debug.SetGCPercent(percent)
	}
	garbage.percents = append(garbage.percents, percent)
	debug.SetGCPercent(min(garbage.usual, slices.Min(garbage.percents)))
	return sync.OnceFunc(func() {
		garbage.Lock()
		defer garbage.Unlock()
		i := slices.Index(garbage.percents, percent)
		garbage.percents = slices.Delete(garbage.percents, i, i+1)
		debug.SetGCPercent(slices.Min(append(garbage.percents, garbage.usual)))
	})
}
