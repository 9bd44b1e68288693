package main

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
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
