package simulation_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"payonce/pipeline/scan"

	"golang.org/x/time/rate"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// network is a network of one server in memory.
type network struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (n network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.conns:
		return conn, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n network) Close() error   { return nil }
func (n network) Addr() net.Addr { return &net.IPAddr{} }

func (n network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stack is the whole program but for its command line: list, journal, client and
// the embedded service, on synctest's clock.
type stack struct {
	t       *testing.T
	list    csvList
	disk    *disk
	store   *mount
	sandbox *sandbox.Server
	client  *v1.Client
	pacer   dispatch.Pacer
	limit   checkpoint.Rate
}

// withStack runs a test on a list of that number of people and a service that allows 30
// lookups in 3 s and takes 5 to 250 ms for each.
func withStack(t *testing.T, people int, test func(t *testing.T, s *stack)) {
	synctest.Test(t, func(t *testing.T) {
		config := sandbox.DefaultConfig()
		config.Seed = 7
		config.Window = sandbox.Window{Limit: 30, Per: 3 * time.Second}
		config.Latency = sandbox.Latency{Min: 5 * time.Millisecond, Max: 250 * time.Millisecond}
		server, err := sandbox.New(config)
		if err != nil {
			t.Fatal(err)
		}
		network := network{make(chan net.Conn), make(chan struct{})}
		front := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: time.Hour}
		go func() { _ = front.Serve(network) }()
		client, err := v1.NewClient(v1.Config{
			BaseURL: "http://localhost/api/v1", Key: sandbox.DefaultKey, Dial: network.dial, Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		test(t, &stack{
			t: t, list: profileList(names(people)...), disk: newDisk(), sandbox: server, client: client,
			limit: checkpoint.Rate{Slots: 30, Window: 3 * time.Second},
		})
		client.Close()
		close(network.closed)
		_ = server.Close()
		_ = front.Close()
	})
}

// run is one start of the program; it ends with the error of the journal when the
// process is killed.
func (s *stack) run() error {
	store := s.disk.mount()
	s.store = store
	journal, err := checkpoint.New(store, checkpoint.Options{Catalogue: v1.Catalogue(), Rate: s.limit, Now: time.Now})
	if err != nil {
		return err
	}
	scope := s.list.scope(s.t, email)
	taken, err := scan.New(s.t.Context(), scope, s.list, journal)
	if err != nil {
		return errors.Join(err, journal.Close())
	}
	next, done := taken.Lookups(s.t.Context(), s.list)
	defer done()
	lookups := &dispatch.Lookups{
		Ledger: journal, Finder: s.client, Pacer: s.pacer, Concurrency: 16, Now: time.Now,
		Reconciler: &dispatch.Reconciler{Arbiter: journal, Status: s.client, SettleDelay: settleDelay, Now: time.Now},
		Request:    attempt.Request{Run: "run", Rates: v1.Tariff().At(prices)},
		Tariff:     v1.Tariff(),
	}
	_, stop, err := lookups.Run(s.t.Context(), next)
	if stop != nil {
		err = errors.Join(err, errors.New(stop.Word()))
	}
	return errors.Join(err, journal.Close())
}

// wantFullUse checks that the service never had to refuse, and that at least 90 %
// of what it allows was used. Slots of calls that were under way when a process
// was killed may be blocked for a time, since nobody knows whether they arrive yet.
func (s *stack) wantFullUse(blocked int, since time.Time) {
	s.t.Helper()
	ledger := s.sandbox.Ledger()
	if len(ledger.Refused) != 0 {
		s.t.Errorf("refused: %v; the window was overrun", ledger.Refused)
	}
	arrivals := ledger.Arrivals
	limit := 30
	for i := limit; i < len(arrivals); i++ {
		if span := arrivals[i].At.Sub(arrivals[i-limit].At); span < 3*time.Second {
			s.t.Errorf("%d lookups within %s", limit+1, span)
		}
	}
	// Until the last lookup began each one took a slot for 3 s, and a blocked slot
	// was blocked from 3 s after its call at the latest.
	last := arrivals[len(arrivals)-1].At
	span := last.Sub(arrivals[0].At)
	used := time.Duration(blocked) * (last.Sub(since) - 3*time.Second)
	for _, arrival := range arrivals {
		used += min(last.Sub(arrival.At), 3*time.Second)
	}
	if use := used.Seconds() / (time.Duration(limit) * span).Seconds(); use < 0.9 {
		s.t.Errorf("%d lookups in %s use %.1f %% of the limit, want 90", len(arrivals), span, 100*use)
	}
}

// doubts returns how many lookups have no known outcome.
func (s *stack) doubts() int {
	s.t.Helper()
	journal, err := checkpoint.New(s.disk.mount(), checkpoint.Options{Catalogue: v1.Catalogue(), Rate: s.limit, Now: time.Now})
	if err != nil {
		s.t.Fatal(err)
	}
	count, _ := journal.InDoubt("")
	if err := journal.Close(); err != nil {
		s.t.Fatal(err)
	}
	return count
}

// wantPaidOnce checks that nobody was looked up or paid for twice.
func (s *stack) wantPaidOnce() {
	s.t.Helper()
	seen := map[string]bool{}
	for _, arrival := range s.sandbox.Ledger().Arrivals {
		if seen[arrival.Identity] {
			s.t.Errorf("%s was looked up twice", arrival.Identity)
		}
		seen[arrival.Identity] = true
	}
	if err := s.sandbox.Audit(); err != nil {
		s.t.Error(err)
	}
}

func TestTheWindowIsNeverOverrunAndWellUsed(t *testing.T) {
	withStack(t, 300, func(t *testing.T, s *stack) {
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		s.wantFullUse(0, time.Time{})
		s.wantPaidOnce()
		if got := len(s.sandbox.Ledger().Arrivals); got != 300 {
			t.Errorf("%d lookups, want 300", got)
		}
	})
}

// TestTheWindowHoldsAcrossAKill pulls the disk in the middle of a run, at moments
// all over the window, and starts again at once: while calls of the killed process
// are still under way.
func TestTheWindowHoldsAcrossAKill(t *testing.T) {
	for _, after := range []time.Duration{50, 3020, 6500} {
		after *= time.Millisecond
		t.Run(after.String(), func(t *testing.T) {
			withStack(t, 300, func(t *testing.T, s *stack) {
				killed := make(chan error)
				go func() { killed <- s.run() }()
				<-time.After(after)
				s.store.pull()
				killedAt := time.Now()
				if err := s.run(); err != nil {
					t.Error(err)
				}
				if err := <-killed; !errors.Is(err, checkpoint.ErrFailed) {
					t.Errorf("the killed run ended with %v, want %v", err, checkpoint.ErrFailed)
				}
				s.wantFullUse(s.doubts(), killedAt)
				s.wantPaidOnce()
			})
		})
	}
}

func TestTheWindowHoldsAcrossARestart(t *testing.T) {
	withStack(t, 150, func(t *testing.T, s *stack) {
		whole := s.list
		for _, part := range []int{20, 45, 100, 150} {
			s.list = profileList(names(part)...)
			if err := s.run(); err != nil {
				t.Fatal(err)
			}
		}
		if s.list != whole {
			t.Fatal("the last part is not the whole list")
		}
		s.wantFullUse(0, time.Time{})
		s.wantPaidOnce()
	})
}

func TestAnEvenPaceSpreadsTheLookups(t *testing.T) {
	withStack(t, 200, func(t *testing.T, s *stack) {
		s.pacer = rate.NewLimiter(rate.Every(100*time.Millisecond), 1)
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		s.wantPaidOnce()
		arrivals := s.sandbox.Ledger().Arrivals
		for i := 8; i < len(arrivals); i++ {
			if span := arrivals[i].At.Sub(arrivals[i-8].At); span < 500*time.Millisecond {
				t.Fatalf("9 lookups within %s; at an even pace they take 800ms", span)
			}
		}
		if len(s.sandbox.Ledger().Refused) != 0 {
			t.Errorf("refused: %v", s.sandbox.Ledger().Refused)
		}
		span := arrivals[len(arrivals)-1].At.Sub(arrivals[0].At)
		if most := 199 * 100 * time.Millisecond * 10 / 9; span > most {
			t.Errorf("200 lookups took %s, want %s at most: 90 %% of the limit", span, most)
		}
	})
}
