package simulation

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// stepsWorld is a run of several steps on several accounts of one journal, with crashes. The pipeline and the
// journal are the real ones. The services, the disk and the time are not.
type stepsWorld struct {
	stepsScenario
	mutation stepsMutation
	draws    draws
	clock    *clock
	disk     *disk
	services []*accountService
	starts   int
	stopped  dispatch.Stop // why the last start stopped

	others sync.WaitGroup

	mu      sync.Mutex
	current *stepsProcess
	found   []string // broken promises
	passed  int      // fields that a step was asked for because of a limit of an earlier one
	events  []string
}

// simulateSteps runs a scenario in a bubble of virtual time.
func simulateSteps(t *testing.T, s stepsScenario, m stepsMutation) (w *stepsWorld) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w = &stepsWorld{
			stepsScenario: s, mutation: m, draws: draws(s.Seed), clock: newClock(), disk: newDisk(true),
		}
		for n := range s.Accounts {
			w.services = append(w.services, newAccountService(w, n))
		}
		w.live()
	})
	return w
}

func (w *stepsWorld) live() {
	for _, s := range w.services {
		w.others.Go(s.spendElsewhere)
	}
	for _, s := range w.Starts {
		w.begin(s, false)
	}
	w.others.Wait()
	w.clock.pass(10 * time.Minute) // limits of the accounts end
	for range patience {
		if len(w.found) > 0 {
			break
		}
		if w.begin(stepsStart{Down: time.Minute}, true) {
			w.checkEnd()
			break
		}
		if w.starts == len(w.Starts)+patience {
			w.broken("liveness: not done after %d undisturbed starts: %v", patience, w.stopped)
		}
	}
	w.clock.pass(time.Hour) // whatever is under way ends
}

// begin starts the program once. It reports whether nothing is left to do.
func (w *stepsWorld) begin(s stepsStart, calm bool) (done bool) {
	w.clock.pass(s.Down)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.starts++
	p := &stepsProcess{world: w, start: s, number: w.starts, calm: calm, cancel: cancel}
	w.setRunning(p)
	stop, err := p.run(ctx)
	w.setRunning(nil)
	if err != nil && calm {
		w.broken("liveness: an undisturbed start fails: %v", err)
	}
	w.trace("start %d ends: stop %v, error %v", p.number, stop, err)
	w.stopped = stop
	w.mutation.forgets(w)
	w.walk()
	return err == nil && !p.isDead() && p.pending == 0 && p.givenUp == 0 && (stop == nil || ranOut(stop))
}

// ranOut reports whether an undisturbed start stopped because an account has no more money or units.
func ranOut(stop dispatch.Stop) bool {
	return strings.HasPrefix(stop.Word(), "ceiling:") || stop.Word() == "service:credits_exhausted"
}

func (w *stepsWorld) beat(purpose ...any) {
	w.clock.pass(span{1, 2 * time.Microsecond}.draw(w.draws.of(purpose...)))
}

func (w *stepsWorld) setRunning(p *stepsProcess) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current = p
}

// running returns the process that runs, nil when none does or it is dead.
func (w *stepsWorld) running() *stepsProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == nil || w.current.isDead() {
		return nil
	}
	return w.current
}

// noMoney checks that a service does not refuse a call for want of money or units that only the program uses.
func (w *stepsWorld) noMoney(s *accountService) {
	if s.Others == 0 {
		w.broken("P2: account %d refuses a call with %v left, though nobody else spends", s.number, s.left)
	}
}

func (w *stepsWorld) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf("%12s  ", time.Since(w.clock.start))+fmt.Sprintf(format, args...))
}

func (w *stepsWorld) broken(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.trace("BROKEN %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found = append(w.found, text)
}

// stepsProcess is one start of the program.
type stepsProcess struct {
	world    *stepsWorld
	start    stepsStart
	number   int
	calm     bool
	cancel   context.CancelFunc
	journals []*checkpoint.Journal // of the accounts
	pending  int                   // losses that another start may settle
	givenUp  int64

	mu    sync.Mutex
	steps int
	dead  bool
	ended bool
}

func (p *stepsProcess) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// point is a step of the process at which it can end.
func (p *stepsProcess) point(kind string) point {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps++
	onDisk := kind == "commit" || kind == "committed"
	due := !p.ended && p.start.Ending != toTheEnd && p.steps >= p.start.At && (p.start.Ending != diskFailure || onDisk)
	switch {
	case p.dead:
		return pointDie
	case !due:
		return pointGo
	}
	p.ended = true
	p.world.trace("start %d: %s at step %d, %s", p.number, p.start.Ending, p.steps, kind)
	switch p.start.Ending {
	case crash:
		p.dead = true
		p.cancel()
		return pointDie
	case diskFailure:
		return pointFail
	}
	p.cancel()
	return pointGo
}

// stepsStore is the disk as one process sees it.
type stepsStore struct {
	*stepsProcess
	commits int
}

func (s *stepsStore) Get(key []byte) ([]byte, error) {
	if s.isDead() {
		return nil, errDead
	}
	return s.world.disk.get(string(key)), nil
}

func (s *stepsStore) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	if s.isDead() {
		return errDead
	}
	for _, record := range s.world.disk.scan(string(prefix), string(from)) {
		if more, err := visit(record.Key, record.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// Commit can die before anything is kept, and when all is kept but nobody was told.
func (s *stepsStore) Commit(writes []checkpoint.Write) error {
	s.commits++
	switch s.point("commit") {
	case pointFail:
		return errDisk
	case pointDie:
		return errDead
	}
	s.world.clock.pass(s.world.commitTime.draw(s.world.draws.of("commit", s.number, s.commits)))
	if s.isDead() {
		return errDead
	}
	s.world.disk.apply(writes)
	switch s.point("committed") {
	case pointFail:
		return errDisk
	case pointDie:
		return errDead
	}
	return nil
}

func (s *stepsStore) Version() uint64 {
	s.world.disk.mu.Lock()
	defer s.world.disk.mu.Unlock()
	return s.world.disk.applied
}

func (*stepsStore) Close() error { return nil }

// run does what the program does: it opens the accounts, settles what an earlier start has lost, and takes
// the list through the steps.
func (p *stepsProcess) run(ctx context.Context) (stop dispatch.Stop, err error) {
	w := p.world
	first := w.Accounts[0]
	journal, err := checkpoint.New(&stepsStore{stepsProcess: p}, checkpoint.Options{
		Catalogue: first.catalogue(), Tariff: first.tariff(), Rate: w.mutation.rateOf(w, 0), Service: "account 0", Now: time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer func() {
		if closed := journal.Close(); err == nil {
			err = closed
		}
	}()
	if err := journal.RecordAPIKey("key"); err != nil {
		return nil, err
	}
	p.journals = []*checkpoint.Journal{journal}
	for n := 1; n < len(w.Accounts); n++ {
		if err := p.openAccount(n); err != nil {
			return nil, err
		}
	}
	for n := range p.journals {
		if err := p.settle(ctx, n); err != nil {
			return nil, err
		}
	}
	stops, err := p.listSteps().Run(ctx, csvList(w.list), nil, func(
		ctx context.Context, step int, found *scan.Scan, rows scan.List,
	) (sent output.Sent, err error) {
		next, done := found.Lookups(ctx, rows)
		defer done()
		lookups := p.lookups(step)
		lookups.Limited = func(refuses dispatch.Refuses) { sent.Refuses = refuses }
		tally, stop, err := lookups.Run(ctx, next)
		p.givenUp += tally.GivenUp
		w.trace("step %d ends: stop %v, %+v, error %v", step, stop, tally, err)
		sent.Stop = stop
		return sent, err
	})
	for n := range p.journals {
		p.pending += p.reconciler(n).Pending()
	}
	return stops.FirstStop(), err
}

// openAccount opens the account n of the journal, where n counts from 1.
func (p *stepsProcess) openAccount(n int) error {
	account := p.world.Accounts[n]
	id := checkpoint.AccountID{Interface: account.catalogue().Interface, Service: fmt.Sprint("account ", n), Key: "key"}
	number, err := p.journals[0].Account(id, checkpoint.AccountOptions{
		Rate: p.world.mutation.rateOf(p.world, n), Catalogue: account.catalogue(), Tariff: account.tariff(),
	})
	if err != nil {
		return err
	}
	if number != attempt.Account(n) {
		p.world.broken("P1: account %d has the number %d", n, number)
	}
	journal, err := p.journals[0].For(number)
	p.journals = append(p.journals, journal)
	return err
}

// settle compares an account with the journal, and makes it the base.
func (p *stepsProcess) settle(ctx context.Context, n int) error {
	journal := p.journals[n]
	if journal.AwaitsAccount() {
		if reconciled, err := p.reconciler(n).Reconcile(ctx); err != nil {
			return err
		} else if p.world.trace("account %d settled leftovers: %s %s", n, describe(reconciled.Cases), reconciled.Why); journal.AwaitsAccount() {
			return nil // the base that could decide them is still needed
		}
	}
	status, err := p.world.services[n].Status(ctx)
	if err != nil {
		return err
	}
	return journal.Rebase(status)
}

func (p *stepsProcess) reconciler(n int) *dispatch.Reconciler {
	return &dispatch.Reconciler{
		Arbiter: p.journals[n], Status: p.world.services[p.world.mutation.statusOf(p.world, n)], SettleDelay: time.Minute,
		Exclusive: p.world.Accounts[n].Exclusive, Now: time.Now,
	}
}

// listSteps returns the steps on the open accounts.
func (p *stepsProcess) listSteps() (all output.Steps) {
	w := p.world
	mapping := columns.Mapping{columns.ProfileURL: {0}, columns.Email: {1}, columns.Phone: {2}}
	for n, step := range w.Steps {
		all = append(all, output.Step{
			Name: fmt.Sprint("step", n), Account: w.mutation.accountOf(p, n),
			Output: output.Output{Run: runName, Decoder: new(v1.AnswerDecoder), Scope: scan.Scope{
				Catalogue: w.Accounts[step.Account].catalogue(), Mapping: maps.Clone(mapping), Wanted: step.Wanted,
			}},
		})
	}
	return all
}

// ceilings returns those that the calls of an account run under.
func (p *stepsProcess) ceilings(account int) []cost.Ceiling {
	if p.calm {
		return nil
	}
	return append(append([]cost.Ceiling(nil), p.world.Ceilings...), p.world.Accounts[account].Ceilings...)
}

func (p *stepsProcess) lookups(step int) *dispatch.Lookups {
	w, n := p.world, p.world.Steps[step].Account
	account := w.Accounts[n]
	ceilings := p.ceilings(n)
	if p.calm {
		ceilings = []cost.Ceiling{cost.SpendCeiling("max-spend", checkpoint.RunScope(runName), ample)}
	}
	return &dispatch.Lookups{
		Ledger: &stepsLedger{p, w.mutation.ledgerOf(p, n), step, 0}, Finder: &stepsFinder{p, step},
		Concurrency: w.Concurrency, Spacing: account.spacing(), Now: time.Now, Catalogue: account.catalogue(), Tariff: account.tariff(),
		Reconciler: p.reconciler(n),
		Request:    attempt.Request{Run: runName, Job: jobName, Rates: account.rates(), Ceilings: ceilings},
	}
}

// stepsLedger parts in time what the journal sets off at one instant.
type stepsLedger struct {
	*stepsProcess
	dispatch.Ledger
	step, begun int
}

func (l *stepsLedger) Begin(req attempt.Request) (attempt.Decision, error) {
	l.begun++
	l.world.beat("begin", l.number, l.step, l.begun)
	decision, err := l.Ledger.Begin(req)
	granted, ok := decision.(attempt.Granted)
	if !ok || err != nil {
		return decision, err
	}
	return attempt.Granted{Ticket: func() (attempt.Ticket, error) {
		ticket, err := granted.Ticket()
		l.world.beat("ticket", l.number, ticket.ID)
		return ticket, err
	}}, nil
}

func (l *stepsLedger) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	l.world.beat("settle", l.number, id)
	charge, err := l.Ledger.Settle(id, answer)
	if err == nil && !l.isDead() && !l.world.disk.has(recordKey('r', id)) {
		l.world.broken("P3: an answer of attempt %d is used and not on the disk", id)
	}
	l.world.beat("settled", l.number, id)
	return charge, err
}

func (l *stepsLedger) Release(id attempt.ID, why attempt.Release) error {
	l.world.beat("void", l.number, id)
	err := l.Ledger.Release(id, why)
	l.world.beat("voided", l.number, id)
	return err
}

func (l *stepsLedger) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	l.world.beat("park", l.number, id)
	err := l.Ledger.MarkInDoubt(id, why)
	l.world.beat("parked", l.number, id)
	return err
}

// stepsFinder sends the calls of a step.
type stepsFinder struct {
	*stepsProcess
	step int
}

func (f *stepsFinder) Find(_ context.Context, lookup enrich.Lookup) enrich.Verdict {
	f.world.beat("send", f.number, f.step, lookup.Identity.ProfileURL)
	if f.point("send") == pointDie {
		return enrich.Lost{Err: errDead}
	}
	service := f.world.services[f.world.Steps[f.step].Account]
	f.world.arrival(f, service, lookup)
	verdict := service.find(lookup, f.calm)
	if f.point("receive") == pointDie {
		return enrich.Lost{Err: errDead}
	}
	if refused, ok := verdict.(enrich.Refused); ok && refused.Class == enrich.SlowDown {
		service.pausing(f.number, refused.RetryAfter)
	}
	if refused, ok := verdict.(enrich.Refused); ok && refused.Limit != (enrich.Limit{}) {
		service.limiting(f.number, refused.Code, refused.Limit.Until)
	}
	f.world.trace("start %d, step %d: %s %s: %T", f.number, f.step, lookup.Identity.ProfileURL, lookup.Fields, verdict)
	return verdict
}
