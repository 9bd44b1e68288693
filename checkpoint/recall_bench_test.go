package checkpoint

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// recalledAnswers is how many answers the journal of the benchmarks holds.
const recalledAnswers = 200_000

// BenchmarkRecall reads answers of a journal, a block of a list at a time, with and without
// the persons. The answers lie together, as for the list that was looked up; or some belong to
// duplicates of any earlier row; or the list is in another order. The ratio compares with asking
// for each answer by itself, in turns.
func BenchmarkRecall(b *testing.B) {
	journal := answeredJournal(b)
	for _, order := range []struct {
		name  string
		alone int // how many of a hundred lie anywhere
	}{{"together", 0}, {"duplicates", 25}, {"apart", 100}} {
		blocks := blocksOf(order.alone)
		b.Run(order.name+"/who", func(b *testing.B) { benchmarkRecall(b, journal, blocks, true) })
		b.Run(order.name+"/without", func(b *testing.B) { benchmarkRecall(b, journal, blocks, false) })
	}
}

func benchmarkRecall(b *testing.B, journal *Journal, blocks [][]attempt.ID, who bool) {
	var alone, together time.Duration
	rounds := 0
	perAnswer(b, func() (answers int, err error) {
		rounds++
		begun := cpuTime()
		for _, ids := range blocks[:len(blocks)/10] {
			if err := eachAlone(journal, ids, who); err != nil {
				return 0, err
			}
		}
		between := cpuTime()
		recall := journal.Recall(0, who)
		var outcomes []attempt.Outcome
		for _, ids := range blocks {
			if outcomes, err = recall(ids, outcomes[:0]); err != nil {
				return answers, err
			}
			answers += countAnswers(outcomes, who)
		}
		alone += between - begun
		together += cpuTime() - between
		return answers, nil
	})
	b.ReportMetric(float64(together.Nanoseconds())/float64(rounds*recalledAnswers), "ns/answer")
	b.ReportMetric(together.Seconds()/(10*alone.Seconds()), "ratio")
}

// blocksOf returns the attempts of the blocks of a list. Of each hundred, alone lie anywhere
// and the others together.
func blocksOf(alone int) (blocks [][]attempt.ID) {
	const block = 400
	draws := rand.New(rand.NewPCG(1, 2))
	first := attempt.ID(1)
	for range recalledAnswers / block {
		chosen := map[attempt.ID]bool{}
		for len(chosen) < block*(100-alone)/100 {
			chosen[first] = true
			first++
		}
		for len(chosen) < block {
			chosen[attempt.ID(1+draws.IntN(recalledAnswers))] = true
		}
		blocks = append(blocks, slices.Sorted(maps.Keys(chosen)))
	}
	return blocks
}

func countAnswers(outcomes []attempt.Outcome, who bool) (answers int) {
	for i := range outcomes {
		outcome := &outcomes[i]
		if (outcome.Who.FirstName != "") == who && outcome.Ended.Data != "" {
			answers++
		}
	}
	return answers
}

func eachAlone(journal *Journal, ids []attempt.ID, who bool) error {
	for _, id := range ids {
		if _, _, err := journal.Resolution(id); err != nil {
			return err
		}
		if !who {
			continue
		}
		if _, _, err := record.Load[record.About](journal.store, record.IDKey(record.IntentPrefix, id)); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkRecords reads what a journal knows of everybody.
func BenchmarkRecords(b *testing.B) {
	journal := answeredJournal(b)
	perAnswer(b, func() (answers int, err error) {
		for first := range 256 {
			err := journal.Records(enrich.Key{byte(first)}, lastOf(byte(first)), func(_ enrich.Key, recordOf func() (attempt.Record, error)) error {
				record, err := recordOf()
				if record.States[v1.WorkEmail] == attempt.Found {
					answers++
				}
				return err
			})
			if err != nil {
				return answers, err
			}
		}
		return answers, nil
	})
}

// answeredJournal opens a closed journal with answers.
func answeredJournal(b *testing.B) *Journal {
	dir := filepath.Join(b.TempDir(), "journal")
	options := Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now}
	journal, err := openIn(dir, options)
	if err != nil {
		b.Fatal(err)
	}
	if err := journal.fill(recalledAnswers, email); err != nil {
		b.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		b.Fatal(err)
	}
	if journal, err = openIn(dir, options); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = journal.Close() })
	return journal
}

// perAnswer reports what reading all answers takes for each of them.
func perAnswer(b *testing.B, read func() (answers int, err error)) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds := 0
	for b.Loop() {
		rounds++
		if answers, err := read(); err != nil || answers != recalledAnswers {
			b.Fatalf("%d answers of %d, error %v", answers, recalledAnswers, err)
		}
	}
	runtime.ReadMemStats(&after)
	answers := float64(rounds * recalledAnswers)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/answers, "ns/answer")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/answers, "allocs/answer")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/answers, "B/answer")
}
