package simulation

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var (
	simSeeds   = flag.Int("sim.seeds", 200/slowdown, "how many seeds are simulated")
	simV2Seeds = flag.Int("sim.v2seeds", 80/slowdown, "how many seeds of worlds that ask v2 are simulated")
	simShared  = flag.Int("sim.shared", 100/slowdown, "how many seeds of worlds with a shared journal are simulated")
	simFirst   = flag.Uint64("sim.first", 1, "the first of them")
	simRepeats = flag.Int("sim.repeats", 25/slowdown, "how many seeds are simulated twice and compared")
	simMutants = flag.Int("sim.mutants", 100, "in how many seeds a mutation has to be found")
	simCount   = flag.Bool("sim.count", false, "go on after a mutation was found, and count")
	simTrace   = flag.Bool("sim.trace", false, "log every event of every seed")
)

// TestPromises runs whole worlds and fails for every promise broken in one.
func TestPromises(t *testing.T) {
	var next atomic.Uint64
	var total [7]atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for {
					n := next.Add(1) - 1
					if n >= uint64(*simSeeds) {
						return
					}
					tally := trySeed(t, *simFirst+n)
					for i, v := range []int{tally.starts, tally.crashes, tally.arrivals, tally.charges, tally.losses, tally.overtaken, tally.converted} {
						total[i].Add(int64(v))
					}
				}
			})
		}
	})
	t.Logf("%d seeds: %d starts, %d crashes, %d lookups arrived, %d fields charged, %d responses lost, %d lookups overtaken by a pause, %d free units taken away",
		*simSeeds, total[0].Load(), total[1].Load(), total[2].Load(), total[3].Load(), total[4].Load(), total[5].Load(), total[6].Load())
}

// trySeed runs the world of a seed and reports what is broken in it.
func trySeed(t *testing.T, seed uint64) tallies {
	t.Helper()
	r := simulate(t, newScenario(seed), mutation{})
	r.broken = append(r.broken, compareWithUndisturbed(t, r)...)
	if *simTrace {
		t.Logf("seed %d:\n%s", seed, strings.Join(r.events, "\n"))
	}
	if len(r.broken) > 0 {
		lists := bytes.Join(r.scenario.lists, []byte("\n"))
		r.scenario.lists = nil // numbers of bytes are nothing to read
		t.Errorf("seed %d: %s\nscenario: %+v\nlists:\n%s\nrepeat with: go test ./pipeline/simulation -run 'TestPromises$' -sim.first=%d -sim.seeds=1 -sim.trace -v",
			seed, strings.Join(r.broken, "\n"), r.scenario, lists, seed)
	}
	return r.tallies
}

// compareWithUndisturbed returns how the last output differs from that of a world
// in which nothing goes wrong.
func compareWithUndisturbed(t *testing.T, r report) []string {
	if len(r.broken) > 0 {
		return nil
	}
	same := simulate(t, r.scenario.undisturbed(), mutation{})
	broken := same.broken
	for _, difference := range sameAsUndisturbed(r.output, same.output) {
		broken = append(broken, "P3: the output differs from an undisturbed run's: "+difference)
	}
	return broken
}

// TestRepeats shows that a world is a pure function of its seed.
func TestRepeats(t *testing.T) {
	different := 0
	for n := range *simRepeats {
		seed := *simFirst + uint64(n)
		first, second := simulate(t, newScenario(seed), mutation{}), simulate(t, newScenario(seed), mutation{})
		if digest(first.events) != digest(second.events) {
			different++
			t.Errorf("seed %d: the second run differs: %s", seed, firstDifference(first.events, second.events))
		}
	}
	t.Logf("%d of %d seeds differ when repeated", different, *simRepeats)
}

func digest(events []string) uint64 {
	hash := fnv.New64a()
	for _, event := range events {
		fmt.Fprintln(hash, event)
	}
	return hash.Sum64()
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("event %d is\n%s\nand then\n%s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d events and then %d", len(a), len(b))
}

// TestMutations shows that the checker can fail: it finds each mistake that the
// program could make, by the promise that it breaks.
func TestMutations(t *testing.T) {
	for _, m := range mutations() {
		findMutation(t, m.name, m.promise, func(t *testing.T, seed uint64) []string {
			return simulate(t, m.scenario(seed), m).broken
		})
	}
}

// findMutation shows that the checker finds a mistake by the promise that it breaks. For a seed, simulated returns the
// promises that were broken.
func findMutation(t *testing.T, name, promise string, simulated func(t *testing.T, seed uint64) []string) {
	t.Run(name, func(t *testing.T) {
		if slowdown > 1 {
			t.Skip("the mutations are no matter of the race detector")
		}
		t.Parallel()
		found, tried, first, why := 0, 0, uint64(0), ""
		for seed := *simFirst; tried < *simMutants; seed++ {
			tried++
			broken := simulated(t, seed)
			at := slices.IndexFunc(broken, func(text string) bool { return strings.HasPrefix(text, promise) })
			if at < 0 {
				continue
			}
			if found++; found == 1 {
				first, why = seed, broken[at]
			}
			if !*simCount {
				break
			}
		}
		if found == 0 {
			t.Fatalf("%s: not found in %d seeds", name, tried)
		}
		t.Logf("%s: found in %d of %d seeds, first in seed %d: %s", name, found, tried, first, why)
	})
}
