package checkpoint

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// BenchmarkLookup measures one durable lookup, intent and answer synced, from many
// goroutines at a time; its peer commits the same two records through Badger's own
// queue, without the decision and without grouping.
func BenchmarkLookup(b *testing.B) {
	for _, inFlight := range []int{1, 64, 256} {
		b.Run(fmt.Sprintf("journal/%d", inFlight), func(b *testing.B) { benchJournal(b, inFlight) })
		b.Run(fmt.Sprintf("badger-alone/%d", inFlight), func(b *testing.B) { benchBadger(b, inFlight) })
	}
}

func benchJournal(b *testing.B, inFlight int) {
	journal, err := openIn(b.TempDir(), Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1 << 20, Window: time.Millisecond}, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	var persons atomic.Int64
	inParallel(b, inFlight, func() error {
		decision, err := journal.Begin(request(person(int(persons.Add(1))), email))
		if err != nil {
			return err
		}
		ticket, err := decision.(attempt.Granted).Ticket()
		if err != nil {
			return err
		}
		_, err = journal.Settle(ticket.ID, v1.EncodeAnswer(found))
		return err
	})
}

func benchBadger(b *testing.B, inFlight int) {
	store, err := badgerstore.Open(b.TempDir(), badgerstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	var persons atomic.Int64
	value := record.Encode(&attempt.Resolution{State: attempt.Settled, At: start, Run: "run", Status: found.Status, Data: v1.EncodeAnswer(found).Data})
	inParallel(b, inFlight, func() error {
		id := attempt.ID(persons.Add(1))
		for _, prefix := range []byte{record.IntentPrefix, record.ResolutionPrefix} {
			if err := store.Commit([]Write{{Key: record.IDKey(prefix, id), Value: value}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// inParallel calls do b.N times, from the given number of goroutines.
func inParallel(b *testing.B, goroutines int, do func() error) {
	var left atomic.Int64
	left.Store(int64(b.N))
	errs := make(chan error)
	b.ResetTimer()
	for range goroutines {
		go func() {
			var err error
			for err == nil && left.Add(-1) >= 0 {
				err = do()
			}
			errs <- err
		}()
	}
	for range goroutines {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lookups/s")
}

// BenchmarkOpen measures opening a journal with many answers.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	options := Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1 << 20, Window: time.Millisecond}, Now: time.Now}
	journal, err := openIn(dir, options)
	if err != nil {
		b.Fatal(err)
	}
	const answers = 50_000
	work := make(chan enrich.Identity)
	go func() {
		for i := range answers {
			work <- person(i)
		}
		close(work)
	}()
	done := make(chan error)
	for range 256 {
		go func() { done <- settleAll(journal, work) }()
	}
	for range 256 {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	if err := journal.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		journal, err := openIn(dir, options)
		if err != nil {
			b.Fatal(err)
		}
		if err := journal.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func settleAll(journal *Journal, work <-chan enrich.Identity) error {
	for who := range work {
		decision, err := journal.Begin(request(who, email))
		if err != nil {
			return err
		}
		ticket, err := decision.(attempt.Granted).Ticket()
		if err != nil {
			return err
		}
		if _, err := journal.Settle(ticket.ID, v1.EncodeAnswer(found)); err != nil {
			return err
		}
	}
	return nil
}
