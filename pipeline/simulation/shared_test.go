package simulation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// members is how many machines work at the same time on a shared journal.
const members = 3

// strike is something that happens to the database.
type strike struct {
	Commit   int // after which
	After    time.Duration
	Failover bool // to the standby, or else a restart
}

// newSharedScenario returns a world in which several machines work on one list with a database.
func newSharedScenario(seed uint64) scenario {
	s := newScenario(seed)
	s.Shared = true
	s.Askers, s.Followers, s.Elsewhere, s.Deposits, s.Included = 0, nil, nil, nil, 0
	s.Prepaid, s.Budget = 100_000, nil
	r := s.draws().of("shared")
	s.Starts = s.Starts[:1]
	s.Starts[0].SetBack, s.Starts[0].Ending = 0, toTheEnd
	for range 3 * members {
		drawn := drawStarts(r, len(s.lists))[0]
		drawn.SetBack = 0
		if drawn.Ending == diskFailure || r.IntN(2) == 0 {
			drawn.Ending = toTheEnd
		}
		drawn.MaxSpend = s.Starts[0].MaxSpend
		if r.IntN(4) == 0 {
			drawn.StopAt, drawn.StopFor = 1+r.IntN(60), span{time.Second, []time.Duration{lease, 2 * lease, 2 * callTime}[r.IntN(3)]}.draw(r)
		}
		s.Starts = append(s.Starts, drawn)
	}
	for range r.IntN(4) {
		s.Strikes = append(s.Strikes, strike{
			Commit: 1 + r.IntN(1<<(3+r.IntN(6))), After: span{1, 2 * s.commitTime.most}.draw(r), Failover: r.IntN(2) == 0,
		})
	}
	return s
}

func (s scenario) draws() draws { return draws(s.Seed) }

// workTogether lets the machines work at the same time, each through its starts.
func (w *world) workTogether() {
	var all sync.WaitGroup
	for member := range members {
		all.Go(func() {
			for i := member; i < len(w.Starts); i += members {
				if o := w.begin(member, w.Starts[i], false); errors.Is(o.err, errFailedOver) {
					w.accept(member)
				}
			}
		})
	}
	all.Wait()
}

// accept is the user, who accepts a failover after some time.
func (w *world) accept(member int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &process{world: w, number: w.nextStart(member), member: member, calm: true, cancel: cancel}
	drawn := w.draws.of("accept", p.number)
	w.clock.pass(span{time.Millisecond, []time.Duration{time.Second, time.Minute, 10 * time.Minute}[drawn.IntN(3)]}.draw(drawn))
	journal, err := p.openJournal(true)
	if err == nil && journal.FailedOver() != nil {
		err = journal.AcceptFailover()
	}
	if journal != nil {
		err = errors.Join(err, journal.Close())
	}
	w.trace("machine %d accepts: %v, %v", member, err, ctx.Err())
}

// TestSharedPromises runs worlds of several machines with one journal in a database that restarts, loses replies to
// commits, and fails over to an asynchronous standby.
func TestSharedPromises(t *testing.T) {
	var next atomic.Uint64
	var mu sync.Mutex
	sum, charges, arrivals := map[string]int{}, 0, 0
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < uint64(*simShared); n = next.Add(1) - 1 {
					of := trySharedSeed(t, *simFirst+n)
					mu.Lock()
					for name, times := range of.database {
						sum[name] += times
					}
					charges, arrivals = charges+of.charges, arrivals+of.arrivals
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d seeds: %d lookups arrived, %d fields charged, %v", *simShared, arrivals, charges, sum)
	for _, name := range []string{"restarts", "failovers", "failovers accepted", "calls lost", "commits looked up", "epochs ended by others"} {
		if sum[name] == 0 && *simShared > 20 {
			t.Errorf("%s: none", name)
		}
	}
}

// trySharedSeed runs the world of a seed and reports what is broken in it.
func trySharedSeed(t *testing.T, seed uint64) tallies {
	t.Helper()
	r := simulate(t, newSharedScenario(seed), mutation{})
	r.broken = append(r.broken, compareWithUndisturbed(t, r)...)
	if *simTrace {
		t.Logf("seed %d:\n%s", seed, strings.Join(r.events, "\n"))
	}
	if len(r.broken) > 0 {
		r.scenario.lists = nil // numbers of bytes are nothing to read
		t.Errorf("seed %d: %s\nscenario: %+v\nrepeat with: go test ./pipeline/simulation -run 'TestSharedPromises$' -sim.first=%d -sim.shared=1 -sim.trace -v",
			seed, strings.Join(r.broken, "\n"), r.scenario, seed)
	}
	return r.tallies
}

// TestSharedMutations shows that the checker finds mistakes of a store in a database.
func TestSharedMutations(t *testing.T) {
	for _, m := range []mutation{
		{name: "a failover is not detected", promise: "P1", overlooks: true},
		{name: "a commit without a reply is guessed", promise: "P3", guesses: true},
	} {
		findMutation(t, m.name, m.promise, func(t *testing.T, seed uint64) []string {
			return simulate(t, newSharedScenario(seed), m).broken
		})
	}
}
