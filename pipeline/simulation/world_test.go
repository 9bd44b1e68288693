package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/io/sandbox"
)

// world is everything that one seed brings to life.
type world struct {
	scenario
	mutation mutation
	draws    draws
	clock    *clock
	disk     *disk
	database *database // that several machines share; nil for a disk of one machine
	network  *network
	service  *sandbox.Server
	check    *checker
	setBack  time.Duration // how far the process's clock is behind

	output []byte      // of the last start that came to its end
	begun  []time.Time // lookups, as a mutation counts them
	tallies

	strangers sync.WaitGroup // what other users of the account do

	mu      sync.Mutex
	events  []string
	current *process
}

// report is what is left of a world.
type report struct {
	scenario scenario
	broken   []string
	events   []string
	output   []byte // of the last start
	tallies  tallies
}

// tallies count over the starts of a world what the tests say about themselves.
type tallies struct {
	starts, crashes, arrivals, charges, losses int
	// overtaken are lookups whose connection came up while a pause had begun.
	overtaken int
	// converted are fields that counted on a free unit and were charged with money.
	converted int
	// database has what happened to the database.
	database map[string]int
	// endedEarly says that a start ended before its time.
	endedEarly bool
}

// simulate runs a scenario in a bubble of virtual time.
func simulate(t *testing.T, s scenario, m mutation) (r report) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(s, m)
		w.live()
		r = report{scenario: s, broken: w.check.found, events: w.events, output: w.output, tallies: w.sum()}
	})
	return r
}

func newWorld(s scenario, m mutation) *world {
	w := &world{scenario: s, mutation: m, draws: draws(s.Seed), clock: newClock(), disk: newDisk(!m.noSync)}
	w.check = &checker{world: w, begun: map[attempt.ID]began{}}
	w.network = newNetwork(w)
	if s.Shared {
		w.database = newDatabase(w)
	}
	var err error
	if w.service, err = sandbox.New(s.sandboxConfig()); err != nil {
		panic(err)
	}
	return w
}

// live lets the world run from its first start to its last.
func (w *world) live() {
	server := &http.Server{Handler: w.check.watch(w.service.Handler()), ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(w.network) }()
	alone, leave := context.WithCancel(context.Background())
	w.clock.pass(w.Dawn)
	w.strangers.Go(func() { w.spendElsewhere(alone) })
	w.strangers.Go(func() { w.askElsewhere(alone) })
	w.deposit(alone)
	if w.database != nil {
		w.workTogether()
	} else {
		for _, s := range w.Starts {
			w.begin(0, s, false)
		}
	}
	leave()
	w.calm()
	_ = w.service.Close()
	_ = server.Close()
	<-served
	w.clock.pass(time.Hour) // whatever is still on its way arrives
	w.strangers.Wait()
}

// begin starts the program once on a machine and waits for its end.
func (w *world) begin(member int, s start, calm bool) outcome {
	w.clock.pass(s.Down)
	if w.database == nil { // else its clock decides
		w.setBack += s.SetBack
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &process{world: w, start: s, number: w.nextStart(member), member: member, calm: calm, cancel: cancel}
	w.setRunning(p)
	o := p.run(ctx)
	w.setRunning(nil)
	w.count(p, o)
	w.mutation.forget(w)
	if o.output != nil {
		w.check.rows(w.lists[s.List], o.output)
	}
	w.check.walk()
	return o
}

// count adds a start to the tallies.
func (w *world) count(p *process, o outcome) {
	if !p.isDead() {
		w.trace("start %d ends: stop %v, %+v, error %v", p.number, o.stop, o.tally, o.err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.isDead() {
		w.crashes++ // whatever it says, nobody hears it
	} else {
		w.losses += int(o.tally.Lost)
	}
	w.endedEarly = w.endedEarly || p.hasEnded()
	if o.output != nil {
		w.output = o.output
	}
}

// nextStart numbers the starts: in a shared journal those of each machine, so that the order of goroutines decides
// nothing.
func (w *world) nextStart(member int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.starts++
	if w.database == nil {
		return w.starts
	}
	w.database.machines[member].starts++
	return 1000*(member+1) + w.database.machines[member].starts
}

// patience is how many undisturbed starts a run is given to come to its end.
const patience = 12

// calm starts the program undisturbed over the whole list until it is done.
func (w *world) calm() {
	w.service.ClearFaults()
	if w.Budget != nil {
		limit := ample
		w.must(w.service.Workspace().SetBudget(&limit))
	}
	for n := range patience {
		if len(w.check.found) > 0 {
			return // what follows from a broken promise says nothing new
		}
		down := span{time.Millisecond, time.Minute}.draw(w.draws.of("down", n))
		if w.database != nil {
			down += callTime / 2 // calls of dead processes come into doubt
		}
		o := w.begin(n%members, start{Down: down, MaxSpend: ample}, true)
		switch {
		case errors.Is(o.err, errFailedOver):
			w.accept(n % members)
		case o.err != nil:
			w.check.broken("liveness: an undisturbed start fails: %v", o.err)
		case o.stop == nil && (o.pending == 0 || n > patience/2 && w.database.hasFailedOver()) && o.tally.GivenUp == 0 && !w.database.waits():
			w.check.end(w.lists[0], o)
			return
		case o.stop != nil && w.poor(o.stop.Word()):
			w.check.end(w.lists[0], o)
			return
		}
	}
	w.check.broken("liveness: not done after %d undisturbed starts", patience)
}

// poor reports whether a run ends because the account has no more money, which
// nobody can change here.
func (w *world) poor(word string) bool {
	return w.Prepaid < 100_000 && (word == "ceiling:account balance" || word == "service:credits_exhausted" || word == "service:free_allowance_exhausted")
}

func (w *world) must(err error) {
	if err != nil {
		w.check.broken("the world fails: %v", err)
	}
}

func (w *world) setRunning(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.database == nil { // of several machines none is the one
		w.current = p
	}
}

// running returns the process that runs, nil when none does or it is dead.
func (w *world) running() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == nil || w.current.isDead() {
		return nil
	}
	return w.current
}

// trace notes an event with its virtual time.
func (w *world) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf("%12s  ", time.Since(w.clock.start))+fmt.Sprintf(format, args...))
}

func (w *world) sum() tallies {
	ledger := w.service.Ledger()
	t := w.tallies
	t.arrivals, t.charges = len(ledger.Arrivals), len(ledger.Charges)
	if w.database != nil {
		t.database = w.database.tally
	}
	return t
}

// undisturbed returns the scenario with nothing that goes wrong.
func (s scenario) undisturbed() scenario {
	s.Askers, s.Dawn, s.Followers, s.Deposits, s.Included = 0, 0, nil, nil, 0
	s.Faults, s.Starts, s.Elsewhere, s.unreachable, s.stalls = nil, nil, nil, 0, 0
	s.Prepaid, s.Budget, s.Shared = 100_000, nil, false
	s.lists = s.lists[:1]
	return s
}
