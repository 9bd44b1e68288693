package host

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// sendingHeap is what the program may use besides what is live when the first lookup is sent: the journal's
// memory tables, and the tables that it merges now and then. Without a limit the garbage of a merge doubles the
// memory of a run.
const sendingHeap = 64 << 20

// limitHeap limits the memory that Go manages, until the returned function is called. Go collects garbage more
// often near the limit; it never refuses memory. A limit that the user set (GOMEMLIMIT) stays.
func limitHeap() (unlimited func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(int64(live[0].Value.Uint64()) + sendingHeap)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}
