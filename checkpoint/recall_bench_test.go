package checkpoint

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"payonce/attempt"
	"payonce/enrich"
)

// recalledAnswers is how many answers the journal of the benchmarks holds.
const recalledAnswers = 200_000

// BenchmarkOutcomes reads all answers of a journal, a block of a list at a time.
func BenchmarkOutcomes(b *testing.B) {
	const block = 4000
	journal := answeredJournal(b)
	perAnswer(b, func() (answers int, err error) {
		ids := make([]attempt.ID, block)
		for first := 0; first < recalledAnswers; first += block {
			for i := range ids {
				ids[i] = attempt.ID(first + i + 1)
			}
			err := journal.Outcomes(ids, func(_ attempt.ID, _ enrich.Identity, ended attempt.Resolution, _ string) error {
				if ended.Answer.WorkEmail != "" {
					answers++
				}
				return nil
			})
			if err != nil {
				return answers, err
			}
		}
		return answers, nil
	})
}

// BenchmarkRecords reads what a journal knows of everybody.
func BenchmarkRecords(b *testing.B) {
	journal := answeredJournal(b)
	perAnswer(b, func() (answers int, err error) {
		for first := range 256 {
			err := journal.Records(byte(first), func(_ enrich.Key, recordOf func() (attempt.Record, error)) error {
				record, err := recordOf()
				if record.States[enrich.WorkEmail] == attempt.Found {
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
	options := Options{Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now, verifyAtOpen: 1 << 30}
	journal, err := Open(dir, options)
	if err != nil {
		b.Fatal(err)
	}
	if err := journal.fill(recalledAnswers); err != nil {
		b.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		b.Fatal(err)
	}
	if journal, err = Open(dir, options); err != nil {
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
