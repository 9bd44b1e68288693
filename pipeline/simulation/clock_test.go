package simulation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// draws gives random numbers that depend on the seed and on what they are for, not
// on the order in which they are asked for.
type draws uint64

func (d draws) of(purpose ...any) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprintln(hash, purpose...)
	return rand.New(rand.NewPCG(uint64(d), hash.Sum64()))
}

// span is what a duration is drawn from.
type span struct{ least, most time.Duration }

func (s span) draw(r *rand.Rand) time.Duration {
	return s.least + time.Duration(r.Int64N(int64(s.most-s.least)+1))
}

// clock lets every step of the world happen at a different instant.
type clock struct {
	start time.Time
	mu    sync.Mutex
	taken map[time.Time]bool
}

func newClock() *clock { return &clock{start: time.Now(), taken: map[time.Time]bool{}} }

// pass lets about a span pass.
func (c *clock) pass(span time.Duration) {
	c.mu.Lock()
	now := time.Now().Round(0)
	at := now.Add(span)
	for c.taken[at] || !at.After(now) {
		at = at.Add(1)
	}
	c.taken[at] = true
	c.mu.Unlock()
	<-time.After(at.Sub(now))
}

// beat lets less than a microsecond or two pass, which one depends on what it is
// for: what was set off at the same instant goes apart.
func (w *world) beat(purpose ...any) {
	w.clock.pass(span{1, 2 * time.Microsecond}.draw(w.draws.of(purpose...)))
}
