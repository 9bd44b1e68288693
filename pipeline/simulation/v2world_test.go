package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/scan"
)

// The accounts of these worlds in their journal.
const (
	accountV1 = 0
	accountV2 = 1
)

// v2World is a run that asks v2, alone or before v1, with crashes. The steps, the clients, the journal and the
// service are the real ones. The network, the disk and the time are not. The embedded world has them.
type v2World struct {
	*stepsWorld
	scenario v2Scenario
	mutation v2Mutation
	service  *sandbox.Server
	check    *v2Checker
	steps    []provider.Step
	accept   chan net.Conn
	closed   chan struct{}
	output   []byte // of the last start that wrote one
}

// simulateV2 runs a scenario in a bubble of virtual time.
func simulateV2(t *testing.T, s v2Scenario, m v2Mutation) (w *v2World) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w = newV2World(s, m)
		w.live()
	})
	return w
}

func newV2World(s v2Scenario, m v2Mutation) *v2World {
	w := &v2World{
		scenario: s, mutation: m, accept: make(chan net.Conn, 1024), closed: make(chan struct{}),
		stepsWorld: &stepsWorld{
			stepsScenario: stepsScenario{Seed: s.Seed, commitTime: s.commitTime, list: s.list, Concurrency: s.Concurrency},
			draws:         draws(s.Seed), clock: newClock(), disk: newDisk(true),
		},
	}
	w.check = &v2Checker{world: w}
	asked, err := provider.All(providers.All()).Of(s.Wanted)
	if err == nil {
		facts := provider.ListOf(s.Subject, w.mapping())
		if s.Fallback {
			facts.Fallbacks = provider.FallbacksOf(w.mapping())
		}
		w.steps, err = facts.Steps(asked)
	}
	if err == nil {
		w.service, err = sandbox.New(s.sandboxConfig())
	}
	if err != nil {
		panic(err)
	}
	return w
}

// Accept, Close and Addr make the world the listener of its service.
func (w *v2World) Accept() (net.Conn, error) {
	select {
	case c := <-w.accept:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *v2World) Close() error   { close(w.closed); return nil }
func (w *v2World) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (w *v2World) live() {
	handler := w.check.watch(w.service.Handler())
	if w.mutation.service != nil {
		handler = w.mutation.service(handler)
	}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(w) }()
	w.clock.pass(firstDay().Add(w.scenario.Dawn).Sub(w.clock.start)) // virtual time begins in 2000
	for _, m := range assumedModules() {
		if err := w.service.Second().Units().UseElsewhere(kit.UnitCharge{Module: m, Units: w.scenario.Used[m]}); err != nil {
			w.broken("the world fails: %v", err)
		}
	}
	w.others.Go(w.useElsewhere)
	w.others.Go(w.resetCounters)
	for _, s := range w.scenario.Starts {
		w.begin(s, false)
	}
	w.others.Wait()
	w.calm()
	w.check.nothingLost()
	_ = w.service.Close()
	_ = server.Close()
	<-served
	w.clock.pass(time.Hour) // whatever is under way ends
}

// firstDay is the midnight on which these worlds begin: the service is asked for emails and phones of recent years.
func firstDay() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }

// useElsewhere is somebody else who uses the account of v2.
func (w *v2World) useElsewhere() {
	for n := range w.scenario.Others {
		r := w.draws.of("others", n)
		w.clock.pass(w.scenario.pause() + span{0, 2 * time.Minute}.draw(r))
		w.useUnit(r)
	}
}

// pause is the least time between two calls of others, who stay within the rate limit of one key together.
func (s *v2Scenario) pause() time.Duration { return 2 * s.Window.Per / time.Duration(s.Window.Limit) }

// useUnit uses up a unit of a module, as somebody else.
func (w *v2World) useUnit(r *rand.Rand) {
	module := assumedModules()[r.IntN(len(assumedModules()))]
	charge := kit.UnitCharge{Module: module, Units: 1}
	if module == kit.Contacts {
		charge.Emails, charge.Phones = r.Int64N(2), r.Int64N(2)
	}
	w.trace("somebody else uses %+v: %v", charge, w.service.Second().Units().UseElsewhere(charge))
}

// resetCounters lets periods of the account end. Eager others then use it until its counters are near what they were.
func (w *v2World) resetCounters() {
	r := w.draws.of("resets", 0)
	for range w.scenario.Resets {
		w.clock.pass([]time.Duration{time.Second, 30 * time.Second, 10 * time.Minute}[r.IntN(3)] * time.Duration(1+r.IntN(8)))
		w.trace("the counters begin again: %v", w.service.Second().Units().Reset())
		if !w.scenario.Eager {
			continue
		}
		for range r.IntN(20) {
			w.clock.pass(w.scenario.pause())
			w.useUnit(r)
		}
	}
}

// calm ends all limits and starts the program undisturbed until it is done.
func (w *v2World) calm() {
	w.clock.pass(25 * time.Hour) // limits of a day end
	w.service.ClearFaults()
	for _, m := range kit.Modules() {
		if err := errors.Join(w.service.Second().Units().SetDaily(m, nil), w.service.Second().Units().SetTotal(m, 100_000)); err != nil {
			w.broken("the world fails: %v", err)
		}
	}
	for range patience {
		if len(w.found) > 0 {
			return
		}
		if w.begin(stepsStart{Down: time.Minute}, true) {
			return
		}
	}
	w.broken("liveness: not done after %d undisturbed starts: %v", patience, w.stopped)
}

// begin starts the program once. It reports whether nothing is left to do.
func (w *v2World) begin(s stepsStart, calm bool) (done bool) {
	w.clock.pass(s.Down)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.starts++
	p := &v2Process{stepsProcess: &stepsProcess{world: w.stepsWorld, start: s, number: w.starts, calm: calm, cancel: cancel}, world: w}
	w.setRunning(p.stepsProcess)
	stop, err := p.run(ctx)
	w.setRunning(nil)
	p.hangUp()
	if err != nil && calm {
		w.broken("liveness: an undisturbed start fails: %v", err)
	}
	w.trace("start %d ends: stop %v, error %v", p.number, stop, err)
	w.stopped = stop
	if w.mutation.forget != nil {
		w.mutation.forget(w)
	}
	w.check.walk()
	return err == nil && !p.isDead() && p.pending == 0 && p.givenUp == 0 && stop == nil && p.left == 0
}

// v2Process is one start of the program.
type v2Process struct {
	*stepsProcess
	world  *v2World
	left   int64 // lookups that limits left out
	first  *v1.Client
	second *v2.Client

	mu    sync.Mutex
	conns []net.Conn
}

// dial opens a connection.
func (p *v2Process) dial(context.Context, string, string) (net.Conn, error) {
	select {
	case <-p.world.closed:
		return nil, errUnreachable
	default:
	}
	if p.isDead() {
		return nil, errDead
	}
	near, far := net.Pipe()
	p.mu.Lock()
	p.conns = append(p.conns, near)
	p.mu.Unlock()
	p.world.accept <- far
	return near, nil
}

// hangUp ends the connections of the process, as its death does.
func (p *v2Process) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

func (p *v2Process) reconciler(n int) *dispatch.Reconciler {
	r := &dispatch.Reconciler{
		Arbiter: p.journals[n], SettleDelay: time.Minute, Exclusive: p.world.scenario.Exclusive, Now: time.Now, Status: p.second,
	}
	if n == accountV1 {
		r.Status = p.first.StatusClient
	}
	if p.world.mutation.hasty {
		r.SettleDelay = 0
	}
	return r
}

// run does what the program does: it opens the accounts, settles what an earlier start has lost, takes the list
// through the steps, and writes the output.
func (p *v2Process) run(ctx context.Context) (stop dispatch.Stop, err error) {
	w := p.world
	rate := checkpoint.Rate{Slots: w.scenario.Window.Limit, Window: w.scenario.Window.Per}
	if w.mutation.rate != nil {
		rate = w.mutation.rate(rate)
	}
	one, two := providerv1.Provider{}.Interface(), providerv2.Provider{}.Interface()
	journal, err := checkpoint.New(&stepsStore{stepsProcess: p.stepsProcess}, checkpoint.Options{
		Catalogue: one.Catalogue, Tariff: one.Tariff, Rate: rate, Service: "v1", Now: time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer func() {
		if closed := journal.Close(); err == nil {
			err = closed
		}
	}()
	if err := journal.RecordAPIKey(sandbox.DefaultKey); err != nil {
		return nil, err
	}
	two.Tariff.Others = cost.Pace{} // others keep to the rate of these worlds, so counters of tens can prove something
	if w.mutation.tariff != nil {
		two.Tariff = w.mutation.tariff(two.Tariff)
	}
	number, err := journal.Account(
		checkpoint.AccountID{Interface: two.Catalogue.Interface, Service: "v2", Key: sandboxv2.DefaultKey},
		checkpoint.AccountOptions{Rate: rate, Catalogue: two.Catalogue, Tariff: two.Tariff},
	)
	if err != nil {
		return nil, err
	}
	of2, err := journal.For(number)
	if err != nil {
		return nil, err
	}
	p.journals = []*checkpoint.Journal{journal, of2}
	if err := p.connect(); err != nil {
		return nil, err
	}
	defer p.first.Close()
	defer p.second.Close()
	for n := range p.journals {
		if err := p.settle(ctx, n); err != nil {
			return nil, err
		}
	}
	defer p.watch(ctx, two.Tariff)()
	all := p.listSteps()
	stops, err := all.Run(ctx, csvList(w.list), nil, func(ctx context.Context, step int, found *scan.Scan, rows scan.List) (sent output.Sent, err error) {
		next, done := found.Lookups(ctx, rows)
		defer done()
		lookups := p.lookups(step)
		lookups.Limited = func(refuses dispatch.Refuses) { sent.Refuses = refuses }
		tally, stop, err := lookups.Run(ctx, next)
		p.givenUp += tally.GivenUp
		p.left += tally.NotSent + tally.AlreadyKnown
		w.trace("step %d ends: stop %v, %+v, error %v", step, stop, tally, err)
		sent.Stop = stop
		return sent, err
	})
	stop = stops.FirstStop()
	if err != nil || p.isDead() {
		return stop, err
	}
	for n := range p.journals {
		p.pending += p.reconciler(n).Pending()
	}
	return stop, p.write(all)
}

// watch reads the account of v2 regularly, as a run does. The function that it returns ends that.
func (p *v2Process) watch(ctx context.Context, tariff cost.Tariff) (end func()) {
	watching, stop := context.WithCancel(ctx)
	monitor := dispatch.Monitor{
		Status: p.second, Accountant: p.journals[accountV2], Tariff: tariff,
		Scope: attempt.Account(accountV2).Scope(checkpoint.ScopeAccount),
	}
	var ended sync.WaitGroup
	ended.Go(func() {
		p.world.beat("watch", p.number)
		monitor.Watch(watching, func(drift cost.Drift) { p.world.trace("drift %+v", drift) })
	})
	return func() { stop(); ended.Wait() }
}

// connect makes the clients of the process.
func (p *v2Process) connect() (err error) {
	p.first, err = v1.NewClient(v1.Config{
		BaseURL: "http://localhost/api/v1", Key: sandbox.DefaultKey, MaxConnections: p.world.Concurrency, Now: time.Now, Dial: p.dial,
	})
	if err != nil {
		return err
	}
	p.second, err = v2.NewClient(v2.Config{
		BaseURL: "http://localhost/v2", Key: sandboxv2.DefaultKey, MaxConnections: p.world.Concurrency, Now: time.Now, Dial: p.dial,
	})
	return err
}

// settle compares an account with the journal, and makes it the base.
func (p *v2Process) settle(ctx context.Context, n int) error {
	journal, reconciler := p.journals[n], p.reconciler(n)
	if journal.AwaitsAccount() {
		if reconciled, err := reconciler.Reconcile(ctx); err != nil {
			return err
		} else if p.world.trace("account %d settled leftovers: %s %s", n, describe(reconciled.Cases), reconciled.Why); journal.AwaitsAccount() {
			return nil
		}
	}
	status, err := reconciler.Status.Status(ctx)
	if err != nil {
		return err
	}
	return journal.Rebase(status)
}

// mapping returns what the columns of the list are.
func (w *v2World) mapping() columns.Mapping {
	if w.scenario.Several {
		return columns.Mapping{
			columns.CompanyID: {0}, columns.CompanyWebsite: {1}, columns.CompanyCountry: {2}, columns.RegistrationNumber: {3},
			columns.VATNumber: {4},
		}
	}
	if w.scenario.Subject == enrich.Companies {
		return columns.Mapping{columns.CompanyID: {0}, columns.CompanyWebsite: {1}}
	}
	mapping := columns.Mapping{columns.ProfileURL: {0}, columns.Email: {1}, columns.Phone: {2}}
	if w.scenario.Named {
		mapping[columns.FirstName], mapping[columns.LastName] = []int{3}, []int{4}
		mapping[columns.CompanyDomain], mapping[columns.CompanyName] = []int{5}, []int{6}
	}
	return mapping
}

// accountOf returns the account that a step asks.
func (w *v2World) accountOf(step int) int {
	if w.steps[step].Interface.Catalogue.Interface == "v1" {
		return accountV1
	}
	return accountV2
}

func (p *v2Process) listSteps() (all output.Steps) {
	for n, name := range provider.StepNames(p.world.steps) {
		step := p.world.steps[n]
		var account output.StepAccount = p.journals[p.world.accountOf(n)]
		if p.world.mutation.account != nil {
			account = p.world.mutation.account(p.journals[p.world.accountOf(n)])
		}
		scope := step.Scope(maps.Clone(p.world.mapping()))
		if p.world.scenario.Fallback && p.world.scenario.Subject == enrich.Companies {
			scope.Prefer = enrich.ByWebsite
		}
		scope.Known = p.known(n)
		all = append(all, output.Step{Name: name, Account: account, Output: output.Output{
			Run: runName, Decoder: step.Interface.NewDecoder(), Scope: scope,
		}})
	}
	return all
}

// known finds out which companies a step knows under other identities than those of their rows.
func (p *v2Process) known(step int) scan.Known {
	s := p.world.steps[step]
	if s.Subject != enrich.Companies || s.Fields&s.Interface.Identifying == 0 || p.world.mutation.identities {
		return nil
	}
	return &output.KnownCompanies{
		Account: p.journals[p.world.accountOf(step)], Catalogue: s.Interface.Catalogue, Decoder: s.Interface.NewDecoder(),
		Wanted: s.Fields,
	}
}

// ceilings returns those that the calls of an account run under.
func (p *v2Process) ceilings(account int) (all []cost.Ceiling) {
	spend := cost.SpendCeiling("max-spend", checkpoint.RunScope(runName), p.world.scenario.MaxSpend)
	if p.calm {
		spend.Limit = int64(ample)
	} else if account == accountV2 {
		all = append(all, p.world.scenario.Ceilings...)
	}
	return append(all, spend)
}

func (p *v2Process) lookups(step int) *dispatch.Lookups {
	w, n := p.world, p.world.accountOf(step)
	of := w.steps[step].Interface
	prices := v1Prices()
	if n == accountV2 {
		for f := range of.Catalogue.All().Each() {
			prices[f] = 0
		}
	}
	var ledger dispatch.Ledger = p.journals[n]
	if w.mutation.ledger != nil && n == accountV2 {
		ledger = w.mutation.ledger(p.journals[n])
	}
	lookups := &dispatch.Lookups{
		Ledger: &stepsLedger{p.stepsProcess, ledger, step, 0}, Finder: &v2Finder{p, step}, Concurrency: w.Concurrency, Now: time.Now,
		Catalogue: of.Catalogue, Tariff: of.Tariff, Reconciler: p.reconciler(n),
		Request: attempt.Request{Run: runName, Job: jobName, Rates: of.Tariff.At(prices), Ceilings: p.ceilings(n)},
	}
	if known := p.known(step); known != nil {
		lookups.Known = func(lookup enrich.Lookup) (bool, error) {
			as, err := known.As(lookup.Identity, p.journals[n].Key(lookup.Identity), func(row *enrich.Described) { *row = *lookup.Row })
			return as != lookup.Identity, err
		}
	}
	if w.scenario.Sparing {
		lookups.Spacing = w.scenario.Window.Per / time.Duration(w.scenario.Window.Limit)
	}
	return lookups
}

// v2Finder sends the calls of a step.
type v2Finder struct {
	*v2Process
	step int
}

func (f *v2Finder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	w, account := f.world, f.world.accountOf(f.step)
	w.beat("send", f.number, f.step, lookup.Identity.String())
	if f.point("send") == pointDie {
		return enrich.Lost{Err: errDead}
	}
	w.check.sending(f, account, lookup)
	var finder dispatch.Finder = f.first
	if account == accountV2 {
		finder = v2.Finder{Client: f.second}
		if w.mutation.finder != nil {
			finder = w.mutation.finder(finder)
		}
	}
	verdict := finder.Find(ctx, lookup)
	if f.point("receive") == pointDie {
		return enrich.Lost{Err: errDead}
	}
	if refused, ok := verdict.(enrich.Refused); ok && !refused.Limit.Until.IsZero() {
		w.check.limited(f.number, refused.Limit)
	}
	w.trace("start %d, step %d: %s %s: %T", f.number, f.step, lookup.Identity, lookup.Fields, verdict)
	return verdict
}

// write writes the output.
func (p *v2Process) write(all output.Steps) error {
	rows, err := all.After(csvList(p.world.list), len(all))
	if err != nil {
		return err
	}
	reader, err := csvList(p.world.list).Open(nil)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	out := csvtable.NewWriter(&text, reader.(*csvtable.Reader), all.Outputs().Columns(reader.Schema()))
	_, err = rows.Write(context.Background(), csvList(p.world.list), out, nil)
	if err = errors.Join(err, out.Close(), rows.Close(), reader.Close()); err == nil {
		p.world.output = text.Bytes()
	}
	return err
}

// routes are the routes that use up units in these worlds, with the modules that are assumed to count them.
func routes() map[string]kit.Module {
	return map[string]kit.Module{
		"GET /companies/{id}": kit.Companies, "POST /enrichment/url": kit.Companies, "POST /enrichment/company": kit.Companies,
		"POST /enrichment/employee/linkedin": kit.Contacts, "POST /enrichment/employee/contacts": kit.Contacts,
		"POST /enrichment/email": kit.Contacts, "GET /financial/{id}": kit.Financials,
		"GET /digital-insights/{id}": kit.Insights, "GET /ownership/{id}": kit.Ownership,
	}
}

// moduleOf returns the module that a path of v2 is assumed to count on; false for one that is free.
func moduleOf(path string) (kit.Module, bool) {
	for route, module := range routes() {
		_, prefix, _ := strings.Cut(strings.TrimSuffix(route, "{id}"), " ")
		if strings.HasPrefix(path, "/v2"+prefix) {
			return module, true
		}
	}
	return "", false
}
