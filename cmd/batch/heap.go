package main

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// What the program may use besides what is live when a phase begins, in bytes. Without a limit the garbage of a phase
// doubles the memory of a run.
const (
	// sendingHeap is for the journal's memory tables, and for the tables that it merges now and then. With less, the
	// collector works all the time while tables are merged.
	sendingHeap = 104 << 20
	// writingHeap is for the rows and the answers of an output, and for row groups of its tables. With 64 MiB the
	// collector worked all the time while row groups were full.
	writingHeap = 128 << 20
)

// limitHeap limits the memory that Go manages, until the returned function is called. The limit is what is live now,
// and more bytes besides. Go collects garbage more often near the limit; it never refuses memory. A limit that the
// user set (GOMEMLIMIT) stays.
func limitHeap(more int64) (unlimited func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(int64(live[0].Value.Uint64()) + more)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}
