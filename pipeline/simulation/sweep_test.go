package simulation

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"payonce/enrich"
	sandboxworld "payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// TestAnyEndAtAnyStepOfARunKeepsThePromises ends the first start of one small list at each of its steps in
// turn, in every way in which a start can end.
func TestAnyEndAtAnyStepOfARunKeepsThePromises(t *testing.T) {
	stalled := small()
	stalled.stalls, stalled.Window.Limit = 0.2, 2
	want := simulate(t, small().undisturbed(), mutation{})
	for name, world := range map[string]scenario{
		"clean":       small(),
		"lost before": small("lost-before:at=2"),
		"lost after":  small("lost-after:at=3"),
		"slowed down": small("rate_limited:at=2,retry-after=90s"),
		"stalled":     stalled,
	} {
		for _, end := range []ending{crash, interrupt, diskFailure} {
			t.Run(fmt.Sprint(name, "/", end), func(t *testing.T) {
				t.Parallel()
				steps := 0
				for at := 1; ; at += slowdown {
					s := world
					s.Starts = []start{{Ending: end, At: at, MaxSpend: ample}, {Down: time.Millisecond, MaxSpend: ample}}
					r := simulate(t, s, mutation{})
					for _, text := range append(r.broken, sameAsUndisturbed(r.output, want.output)...) {
						t.Errorf("step %d: %s", at, text)
					}
					if !r.tallies.endedEarly {
						break
					}
					steps++
				}
				if steps < 40/slowdown {
					t.Errorf("the start ended at %d of its steps; it has to have more", steps)
				}
			})
		}
	}
}

// small is a list of a few rows in a world where little happens but the faults.
func small(faults ...string) scenario {
	s := newScenario(3)
	s.Wanted, s.Concurrency, s.Strict = v1.AllFields, 3, false
	s.Window.Limit, s.Free, s.Prepaid, s.Budget = 4, enrich.ByField[int64]{2, 1}, 100_000, nil
	s.travel, s.service = span{time.Millisecond, 300 * time.Millisecond}, span{time.Millisecond, time.Second}
	s.commitTime, s.unreachable, s.stalls = span{time.Millisecond, 20 * time.Millisecond}, 0, 0
	s.Faults, s.Elsewhere = faults, nil
	var list bytes.Buffer
	if err := sandboxworld.WriteListCSV(&list, sandboxworld.DefaultList(5, 9)); err != nil {
		panic(err)
	}
	s.lists = [][]byte{list.Bytes()}
	return s
}
