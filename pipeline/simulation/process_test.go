package simulation

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// ending is how a start ends before its time.
type ending uint8

const (
	toTheEnd ending = iota
	crash
	interrupt
	diskFailure
)

func (e ending) String() string {
	return [...]string{"to the end", "crash", "interrupt", "disk failure"}[e]
}

// start is one start of the program and what the user and the world do to it.
type start struct {
	Ending   ending
	At       int           // the step of the start at which it ends
	Down     time.Duration // how long nothing runs before it
	SetBack  time.Duration // how far the clock is set back before it
	List     int           // which version of the list
	MaxSpend cost.Money
	Limits   []cost.Ceiling // beside MaxSpend
	StopAt   int            // the step at which the process is stopped for a time; 0 for none
	StopFor  time.Duration
}

// point is what happens to the process at a step.
type point uint8

const (
	pointGo point = iota
	pointDie
	pointFail
)

// process is one start of the program.
type process struct {
	world  *world
	start  start
	number int
	member int  // its machine
	calm   bool // nothing goes wrong any more
	cancel context.CancelFunc
	ledger *ledger
	// shared is the open journal when it is shared: then its clock counts.
	shared *checkpoint.Journal

	mu    sync.Mutex
	until time.Time // when it goes on after it was stopped
	steps int
	dead  bool
	ended bool // the plan's ending has come
	conns []*conn
	// readings are the looks at the account that the process goes by.
	readings []reading
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// hasEnded reports whether the start's ending has come.
func (p *process) hasEnded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *process) adopt(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
}

// point is a step of the process at which it can end.
func (p *process) point(kind string) point {
	p.mu.Lock()
	p.steps++
	if p.steps == p.start.StopAt {
		p.until = time.Now().Add(p.start.StopFor)
	}
	due := !p.dead && !p.ended && p.start.Ending != toTheEnd && p.steps >= p.start.At
	onDisk := kind == "commit" || kind == "committed"
	if p.dead || !due || p.start.Ending == diskFailure && !onDisk {
		defer p.mu.Unlock()
		if p.dead {
			return pointDie
		}
		return pointGo
	}
	p.ended = true
	p.dead = p.start.Ending == crash
	conns, step := p.conns, p.steps
	p.mu.Unlock()
	p.world.trace("start %d: %s at step %d, %s", p.number, p.start.Ending, step, kind)
	switch p.start.Ending {
	case crash:
		for _, c := range conns {
			_ = c.Close()
		}
		p.world.disk.lose()
		p.cancel()
		return pointDie
	case diskFailure:
		return pointFail
	default:
		p.cancel()
		return pointGo
	}
}

// now is the clock of the machine that the process runs on.
func (p *process) now() time.Time {
	if p.shared != nil {
		return p.shared.Now()
	}
	return time.Now().Add(-p.world.setBack)
}

// isStopped reports whether the process is stopped now.
func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.until)
}

// waitWhileStopped returns when the process is not stopped.
func (p *process) waitWhileStopped() {
	p.mu.Lock()
	left := time.Until(p.until)
	p.mu.Unlock()
	if left > 0 {
		p.world.clock.pass(left)
	}
}

// outcome is how a start went.
type outcome struct {
	stop   dispatch.Stop
	tally  dispatch.Tally
	output []byte // nil when it did not come that far
	err    error
	// pending are the losses that another start may settle.
	pending int
}

const (
	runName = "list"
	jobName = "nightly"
)

// run does what the program's run command does.
func (p *process) run(ctx context.Context) (o outcome) {
	w := p.world
	journal, err := p.openJournal(false)
	if err != nil {
		o.err = fmt.Errorf("open: %w", err)
		return o
	}
	if w.database != nil {
		p.shared = journal
	}
	defer func() {
		if err := journal.Close(); err != nil && o.err == nil {
			o.err = err
		}
	}()
	client, err := v1.NewClient(v1.Config{
		BaseURL: "http://localhost/api/v1", Key: sandbox.DefaultKey, MaxConnections: w.Concurrency,
		UserAgent: fmt.Sprint("start ", p.number), Now: p.now,
		Dial: p.dial,
	})
	if err != nil {
		o.err = err
		return o
	}
	defer client.Close()
	j := &job{process: p, journal: journal, client: client, list: csvList(w.lists[p.start.List])}
	o = j.run(ctx)
	o.pending = j.reconciler().Pending()
	return o
}

// csvList is a list in memory.
type csvList []byte

func (l csvList) Open([]int) (table.Reader, error) {
	return csvtable.NewReader(bytes.NewReader(l), "list.csv", csvtable.Options{})
}

// job is one list and the journal and service that it is worked on with.
type job struct {
	*process
	journal *checkpoint.Journal
	client  *v1.Client
	list    csvList
	scope   scan.Scope
	scanned *scan.Scan
	account cost.Account
}

func (j *job) reconciler() *dispatch.Reconciler {
	return &dispatch.Reconciler{Arbiter: j.journal, Status: j.client.StatusClient, SettleDelay: j.world.mutation.settleDelay(), Exclusive: j.world.exclusive() || j.world.mutation.exclusive, Now: j.now}
}

func (j *job) run(ctx context.Context) (o outcome) {
	if o.err = j.journal.CheckAPIKey(sandbox.DefaultKey, false); o.err != nil {
		return o
	}
	reader, err := j.list.Open(nil)
	if err != nil {
		o.err = err
		return o
	}
	defer reader.Close()
	reading, err := columns.Recognise(reader.Schema(), nil, columns.Options{})
	if err != nil {
		o.err = err
		return o
	}
	j.scope = scan.Scope{Catalogue: v1.Catalogue(), Mapping: reading.Mapping, Wanted: j.world.Wanted}
	if o.err = j.take(ctx); o.err != nil {
		return o
	}
	if o.err = j.openAccount(ctx); o.err != nil {
		return o
	}
	counts := j.scanned.Count()
	o.stop = dispatch.Precheck(j.account, counts.Lookups, 0, dispatch.Service{Catalogue: v1.Catalogue(), WantsMoney: v1.WantsMoney})
	if o.stop == nil && counts.Lookup > 0 {
		if o.tally, o.stop, o.err = j.lookUp(ctx); o.err != nil {
			return o
		}
	}
	o.output, o.err = j.write(o.stop)
	return o
}

func (j *job) take(ctx context.Context) (err error) {
	j.scanned, err = scan.NewWithIndex(ctx, j.scope, j.list, j.journal)
	return err
}

// openAccount settles what an earlier start has lost, reads the account and makes
// it the new base.
func (j *job) openAccount(ctx context.Context) error {
	reconciler := j.reconciler()
	if j.journal.AwaitsAccount() {
		reconciled, err := reconciler.Reconcile(ctx)
		if err != nil {
			return err
		}
		j.world.trace("start %d settled leftovers: %s %s", j.number, describe(reconciled.Cases), reconciled.Why)
		if err := j.take(ctx); err != nil {
			return err
		}
	}
	asked := time.Now()
	j.journal.BeginReading()
	account, err := j.client.Status(ctx)
	if err != nil {
		return err
	}
	j.account = account
	if err := dispatch.CheckPrices(account, cost.Quote{Prices: j.world.prices()}, v1.Catalogue(), j.world.Wanted); err != nil {
		return err
	}
	if err := j.journal.RecordAPIKey(sandbox.DefaultKey); err != nil {
		return err
	}
	if j.journal.AwaitsAccount() {
		_, err := j.monitor().Read(ctx) // the base that could decide them is still needed
		return err
	}
	if err := j.journal.Rebase(account); err != nil {
		return err
	}
	j.look(asked, cost.Totals{}, cost.Totals{}) // nothing is under way
	return nil
}

func (j *job) monitor() *dispatch.Monitor {
	monitor := &dispatch.Monitor{
		Status:     &watchedStatus{j, j.client.StatusClient},
		Accountant: j.world.mutation.wrapAccountant(j.journal), Scope: checkpoint.ScopeAccount, Tariff: v1.Tariff(),
	}
	if !j.world.Strict {
		monitor.Free = j.world.Wanted
	}
	return monitor
}

// watchedStatus notes when the monitor looks at the account.
type watchedStatus struct {
	*job
	inner dispatch.StatusReader
}

func (w *watchedStatus) Status(ctx context.Context) (cost.Account, error) {
	asked, before := time.Now(), w.journal.Totals(checkpoint.ScopeAll)
	account, err := w.inner.Status(ctx)
	if err == nil {
		w.look(asked, before, w.journal.Totals(checkpoint.ScopeAll))
	}
	return account, err
}

func describe(cases []attempt.Case) string {
	var b bytes.Buffer
	for _, c := range cases {
		fmt.Fprintf(&b, "%d %s %s; ", c.ID, c.Result, c.Fields)
	}
	return b.String()
}

func (j *job) lookUp(ctx context.Context) (dispatch.Tally, dispatch.Stop, error) {
	next, done := j.scanned.Lookups(ctx, j.list)
	defer done()
	w := j.world
	j.ledger = &ledger{process: j.process, Ledger: w.mutation.wrapLedger(j)}
	lookups := &dispatch.Lookups{
		Ledger: j.ledger, Finder: w.mutation.wrapFinder(&finder{j.process, j.client}), Concurrency: w.Concurrency, Now: j.now,
		Spacing: w.spacing(), Reconciler: j.reconciler(), Tariff: v1.Tariff(),
		Request: attempt.Request{
			Run: runName, Job: jobName, Rates: v1.Tariff().At(w.prices()), Strict: w.Strict,
			Ceilings: j.start.ceilings(),
		},
	}
	watching, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		j.monitor().Watch(watching, func(cost.Drift) {})
	}()
	tally, stop, err := lookups.Run(ctx, next)
	endWatch()
	<-watched
	return tally, stop, err
}

func (j *job) write(stop dispatch.Stop) ([]byte, error) {
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: j.scope, Run: runName}
	if stop != nil {
		output.Stopped = stop.Word()
	}
	reader, err := j.list.Open(nil)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var out bytes.Buffer
	writer := csvtable.NewWriter(&out, reader.(*csvtable.Reader), output.Columns(reader.Schema()))
	index, err := j.scanned.Index(context.Background(), j.scope, j.list, j.journal)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	if _, err := output.Write(context.Background(), j.list, index, j.journal, writer, nil); err != nil {
		return nil, err
	}
	err = writer.Close()
	return out.Bytes(), err
}

// finder looks at what leaves and comes back.
type finder struct {
	*process
	inner dispatch.Finder
}

func (f *finder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	f.world.check.sending(f.process)
	verdict := f.inner.Find(ctx, lookup)
	if refused, ok := verdict.(enrich.Refused); ok && refused.Class == enrich.SlowDown {
		f.world.check.pausing(f.process, refused)
	}
	if !f.isDead() {
		f.world.trace("start %d: %s: %T", f.number, lookup.Identity, verdict)
	}
	return verdict
}
