package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// sender sends one lookup over HTTP.
type sender func(enrich.Lookup) (enrich.Answered, error)

// senders are the two peers: the least that HTTP takes, and the program's client.
func senders(b *testing.B, url string, inFlight int) map[string]sender {
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}
	client, err := v1.NewClient(v1.Config{BaseURL: url + "/api/v1", Key: "key", MaxConnections: inFlight})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close(); plain.CloseIdleConnections() })
	return map[string]sender{
		"plain": func(lookup enrich.Lookup) (enrich.Answered, error) {
			response, err := plain.Post(url, "application/json", strings.NewReader(`{"pro_network_url":"`+lookup.Identity.ProfileURL+`"}`))
			if err != nil {
				return enrich.Answered{}, err
			}
			_, err = io.Copy(io.Discard, response.Body)
			return v1.EncodeAnswer(found), errors.Join(err, response.Body.Close())
		},
		"client": func(lookup enrich.Lookup) (enrich.Answered, error) {
			verdict := client.Find(context.Background(), lookup)
			if answered, ok := verdict.(enrich.Answered); ok {
				return answered, nil
			}
			return enrich.Answered{}, fmt.Errorf("%T %+v", verdict, verdict)
		},
	}
}

// answers is a service that answers at once.
func answers(b *testing.B) string {
	body := `{"object":"enrichment_result","status":"matched","operation":"work_email_lookup","request_id":"req-1",` +
		`"data":{"work_email":"a@b.example","full_name":"Ann Lee"},"unresolved":[],"retrieved_at":"2026-11-01T12:00:00Z"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// pairedLookups is how many lookups are sent in a row with the journal, and without.
const pairedLookups = 4000

// BenchmarkDurableLookups sends lookups over loopback with the journal, intent and
// answer synced, and without, in turns: the ratio is what the journal leaves of the
// speed of HTTP alone.
func BenchmarkDurableLookups(b *testing.B) {
	for _, inFlight := range []int{64, 256} {
		for _, name := range []string{"plain", "client"} {
			b.Run(fmt.Sprintf("%s/%d", name, inFlight), func(b *testing.B) { benchDurable(b, name, inFlight) })
		}
	}
}

func benchDurable(b *testing.B, name string, inFlight int) {
	journal, err := openIn(b.TempDir(), Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1 << 20, Window: time.Millisecond}, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	send := senders(b, answers(b), inFlight)[name]
	var persons atomic.Int64
	alone := func() error {
		_, err := send(enrich.Lookup{Identity: person(int(persons.Add(1))), Fields: email})
		return err
	}
	durable := func() error { return lookUpDurably(journal, send, person(int(persons.Add(1)))) }
	for _, do := range []func() error{alone, durable} { // connections, and the first tables
		if _, err := timed(pairedLookups, inFlight, do); err != nil {
			b.Fatal(err)
		}
	}
	commits := journal.store.Version()
	var without, with spent
	rounds := 0
	for b.Loop() {
		rounds++
		for _, turn := range []struct {
			do  func() error
			sum *spent
		}{{alone, &without}, {durable, &with}} {
			cpu := cpuTime()
			took, err := timed(pairedLookups, inFlight, turn.do)
			if err != nil {
				b.Fatal(err)
			}
			turn.sum.wall += took
			turn.sum.cpu += cpuTime() - cpu
		}
	}
	lookups := float64(rounds * pairedLookups)
	b.ReportMetric(lookups/without.wall.Seconds(), "alone/s")
	b.ReportMetric(lookups/with.wall.Seconds(), "durable/s")
	b.ReportMetric(without.wall.Seconds()/with.wall.Seconds(), "ratio")
	b.ReportMetric(float64(without.cpu.Microseconds())/lookups, "alone-cpu-us")
	b.ReportMetric(float64(with.cpu.Microseconds())/lookups, "durable-cpu-us")
	b.ReportMetric(2*lookups/float64(journal.store.Version()-commits), "operations/commit")
}

// spent is the time that something took, and that of the processors.
type spent struct{ wall, cpu time.Duration }

// cpuTime returns the time that processors have worked for the process.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func lookUpDurably(journal *Journal, send sender, who enrich.Identity) error {
	decision, err := journal.Begin(request(who, email))
	if err != nil {
		return err
	}
	granted, ok := decision.(attempt.Granted)
	if !ok {
		return fmt.Errorf("decision %T", decision)
	}
	ticket, err := granted.Ticket()
	if err != nil {
		return err
	}
	answer, err := send(ticket.Lookup)
	if err != nil {
		return err
	}
	_, err = journal.Settle(ticket.ID, answer)
	return err
}

// timed calls do n times, from the given number of goroutines.
func timed(n, goroutines int, do func() error) (time.Duration, error) {
	var left atomic.Int64
	left.Store(int64(n))
	errs := make(chan error, goroutines)
	start := time.Now()
	for range goroutines {
		go func() {
			var err error
			for err == nil && left.Add(-1) >= 0 {
				err = do()
			}
			errs <- err
		}()
	}
	var all error
	for range goroutines {
		all = errors.Join(all, <-errs)
	}
	return time.Since(start), all
}
