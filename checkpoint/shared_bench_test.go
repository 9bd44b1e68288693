package checkpoint

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/pgstore"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

var sharedAnswers = flag.Int("shared.answers", 20_000, "how many answers the larger journal of BenchmarkSharedDecision has")

const (
	// benchProcesses is how many processes work on one shared journal.
	benchProcesses = 8
	// benchDelay is what a message takes in each direction, so that a round trip to the database takes 2 ms.
	benchDelay = time.Millisecond
)

// openFor opens a journal at a URL, as one more process.
func openFor(b *testing.B, url, workspace string) *Journal {
	b.Helper()
	store, err := pgstore.Open(pgstore.Options{URL: url, Workspace: workspace, Holder: "a benchmark", Lease: time.Minute, CallTime: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	j, err := New(store, Options{Rate: Rate{Slots: 1 << 20, Window: time.Millisecond}, Catalogue: v1.Catalogue()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = j.Close() })
	return j
}

// settleOne begins and settles a call. It returns how long Begin took.
func settleOne(j *Journal, person int) (began time.Duration, err error) {
	asked := time.Now()
	decision, err := j.Begin(request(fullPerson(person), email))
	granted, is := decision.(attempt.Granted)
	if err != nil || !is {
		return 0, errors.Join(err, fmt.Errorf("decision %#v", decision))
	}
	ticket, err := granted.Ticket()
	if began = time.Since(asked); err != nil {
		return began, err
	}
	_, err = j.Settle(ticket.ID, v1.EncodeAnswer(found))
	return began, err
}

// BenchmarkSharedCalls lets processes settle calls on one journal, with a delay between them and the database: as many as
// they can with four at a time each, and 50 in a second together.
func BenchmarkSharedCalls(b *testing.B) {
	server := iotest.StartPostgres(b, "fsync=on")
	_, through := iotest.StartPostgresProxy(b, server.URL(), benchDelay, nil)
	for name, pace := range map[string]time.Duration{"most": 0, "50 a second": time.Second / 50} {
		b.Run(name, func(b *testing.B) {
			workspace := fmt.Sprint("w", workspaces.Add(1))
			var journals []*Journal
			for range benchProcesses {
				journals = append(journals, openFor(b, through, workspace))
			}
			begun, next := make([]time.Duration, b.N), atomic.Int64{}
			var all sync.WaitGroup
			b.ResetTimer()
			start := time.Now()
			for worker := range 4 * benchProcesses {
				all.Go(func() {
					for n := int(next.Add(1)) - 1; n < b.N; n = int(next.Add(1)) - 1 {
						<-time.After(time.Until(start.Add(time.Duration(n) * pace)))
						var err error
						if begun[n], err = settleOne(journals[worker%benchProcesses], n); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			took := time.Since(start)
			b.StopTimer()
			slices.Sort(begun)
			b.ReportMetric(float64(b.N)/took.Seconds(), "calls/s")
			b.ReportMetric(float64(begun[b.N*99/100].Microseconds())/1000, "p99-begin-ms")
			b.ReportMetric(float64(begun[b.N/2].Microseconds())/1000, "median-begin-ms")
		})
	}
}

// BenchmarkSharedDecision decides in turns on a journal with a thousand answers and on one with many. The ratio of the
// medians is what the size of the journal costs.
func BenchmarkSharedDecision(b *testing.B) {
	server := iotest.StartPostgres(b, "fsync=on")
	sizes := []int{1000, *sharedAnswers}
	var journals []*Journal
	for _, answers := range sizes {
		workspace := fmt.Sprint("w", workspaces.Add(1))
		if err := openFor(b, server.URL(), workspace).fill(answers, email); err != nil {
			b.Fatal(err)
		}
		journals = append(journals, openFor(b, server.URL(), workspace)) // as the next process does
	}
	server.Exec("ANALYZE")
	next := 0
	b.Run(fmt.Sprint("1000 and ", *sharedAnswers), func(b *testing.B) {
		var took [2][]time.Duration
		for range b.N {
			next++
			for i := range journals {
				asked := time.Now()
				if _, err := settleOne(journals[i], sizes[i]+next); err != nil {
					b.Fatal(err)
				}
				took[i] = append(took[i], time.Since(asked))
			}
		}
		var medians [2]time.Duration
		for i := range took {
			slices.Sort(took[i])
			medians[i] = took[i][len(took[i])/2]
		}
		b.ReportMetric(float64(medians[1].Microseconds())/1000, "ms/call")
		b.ReportMetric(float64(medians[1])/float64(medians[0]), "ratio")
	})
}
