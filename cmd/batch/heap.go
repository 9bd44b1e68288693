package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// How much garbage the heap may have besides what is live, in bytes. With less the collector works more often, with
// more the memory of a run grows.
const (
	// usualGarbage is for scans, and for all that has no bound of its own.
	usualGarbage = 40 << 20
	// answersGarbage is for the time while answers arrive, and while an output is written. An answer about a company
	// leaves 100 KB or more in each of the two.
	answersGarbage = 64 << 20
)

// garbageShare is how much garbage the heap may have in any case, in percent of what is live.
const garbageShare = 30

// garbageBound bounds the garbage in a heap. Go bounds it by a share of what is live. So the collector would work all
// the time while little is live, and the garbage would double the memory while much is.
type garbageBound struct {
	set  func(percent int) int // debug.SetGCPercent
	live func() int64          // the bytes that were live after the last collection

	mu     sync.Mutex
	phases []int64 // the bounds of the phases that run, in bytes; the largest one counts
}

func newGarbageBound(set func(percent int) int, live func() int64) *garbageBound {
	return &garbageBound{set: set, live: live, phases: []int64{usualGarbage}}
}

// boundGarbage bounds the garbage of the process from now on.
func boundGarbage() *garbageBound {
	b := newGarbageBound(debug.SetGCPercent, liveBytes)
	b.follow()
	return b
}

// allow sets the bound of a phase, until the returned function is called.
func (b *garbageBound) allow(bytes int64) (end func()) {
	if b == nil {
		return func() {}
	}
	b.change(func() { b.phases = append(b.phases, bytes) })
	return func() {
		b.change(func() {
			at := slices.Index(b.phases, bytes)
			b.phases = slices.Delete(b.phases, at, at+1)
		})
	}
}

// follow applies the bound now and after each collection.
func (b *garbageBound) follow() {
	b.change(func() {})
	type collected struct{ *garbageBound } // nothing refers to it
	runtime.AddCleanup(&collected{}, (*garbageBound).follow, b)
}

func (b *garbageBound) change(phases func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	phases()
	b.set(percentFor(slices.Max(b.phases), b.live()))
}

// percentFor returns the share of what is live, in percent, that bounds the garbage to so many bytes.
func percentFor(garbage, live int64) int {
	const least = 4 << 20 // Go takes this for the least that is live
	return max(garbageShare, int(garbage*100/max(live, least)))
}

// liveBytes returns what was live after the last collection.
func liveBytes() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
