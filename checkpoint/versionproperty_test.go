package checkpoint

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// TestAJournalReturnsTheSameWhileItsVersionIsTheSame plays runs of two accounts, with lost calls, crashes, snapshots and
// erasures. After every step it compares all that an output can read with what the journal returned when it had that
// version last. Records of runs and files do not change the version.
func TestAJournalReturnsTheSameWhileItsVersionIsTheSame(t *testing.T) {
	compared, versions := 0, 0
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			w := newTwoServices(t, seed)
			told := map[uint64][]string{}
			for range 120 {
				w.step()
				switch w.draw.IntN(12) {
				case 0:
					w.erase()
				case 1:
					before := w.r.Version()
					w.r.check(w.r.SaveRun(record.Run{Name: "run", Started: w.r.clock.at}))
					w.r.check(w.r.SaveFile(record.File{Path: "/out.csv", Written: w.r.clock.at}))
					if w.r.Version() != before {
						t.Fatal("a record of a run or a file changed the version")
					}
				}
				version, now := w.r.Version(), w.known()
				if before, known := told[version]; known {
					compared++
					if diff := cmp.Diff(before, now); diff != "" {
						t.Fatalf("the journal returns something else with the version %x (-want +got):\n%s", version, diff)
					}
				}
				told[version] = now
			}
			versions += len(told)
		})
	}
	if compared < 500 || versions < 500 {
		t.Errorf("%d versions and %d comparisons are too few", versions, compared)
	}
}

// erase forgets somebody, or erases what is old, unless calls are in flight.
func (w *twoServices) erase() {
	if len(w.r.state.persisted.InFlight) > 0 {
		return
	}
	if w.draw.IntN(2) == 0 {
		_, err := w.r.erase(Person{Identity: person(w.draw.IntN(30))})
		w.r.check(err)
		return
	}
	_, err := w.r.Prune(w.r.clock.at.Add(-time.Minute))
	w.r.check(err)
}

// known returns all that the journal knows of subjects, calls and answers.
func (w *twoServices) known() (all []string) {
	for _, on := range w.on {
		records := map[enrich.Key]attempt.Record{}
		last := enrich.Key(bytes.Repeat([]byte{0xff}, len(enrich.Key{})))
		w.r.check(on.Records(enrich.Key{}, last, func(key enrich.Key, recall func() (attempt.Record, error)) (err error) {
			records[key], err = recall()
			return err
		}))
		for _, key := range slices.SortedFunc(maps.Keys(records), func(a, b enrich.Key) int { return bytes.Compare(a[:], b[:]) }) {
			all = append(all, fmt.Sprintf("%x: %+v", key, records[key]))
		}
		forgotten, err := on.Forgotten()
		w.r.check(err)
		all = append(all, fmt.Sprintf("forgotten: %v", forgotten))
		for n := range 30 {
			known, err := on.Record(person(n))
			w.r.check(err)
			all = append(all, fmt.Sprintf("person %d: %+v", n, known))
		}
	}
	var ids []attempt.ID
	for id := attempt.ID(1); id < w.r.state.persisted.NextID; id++ {
		ids = append(ids, id)
	}
	known, err := w.r.Recall(0, true)(ids, nil)
	w.r.check(err)
	for _, outcome := range known {
		all = append(all, fmt.Sprintf("%+v", outcome))
	}
	return all
}
