package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v1"
)

var (
	campaignRounds  = flag.Int("campaign.rounds", 1, "how many times TestSharedCampaign lets workers enrich their lists")
	campaignSeed    = flag.Uint64("campaign.seed", 1, "draws what happens in the first round; the next one has the next seed")
	campaignRows    = flag.Int("campaign.rows", 60, "how many rows the longer list of v1 has; those of v2 are half as long")
	campaignKills   = flag.Int("campaign.kills", 5, "how many workers are killed in a round")
	campaignStops   = flag.Int("campaign.stops", 3, "how many workers are stopped and go on in a round")
	campaignCrashes = flag.Int("campaign.crashes", 2, "how many times the database is killed in a round")
	campaignFails   = flag.Int("campaign.failovers", 1, "how many times a standby is promoted in a round")
	campaignStop    = flag.Duration("campaign.stop", 5*time.Second, "the longest time for which a worker is stopped")
	campaignLease   = flag.Duration("campaign.lease", 3*time.Second, "the lease of a worker")
)

// The environment of a worker of a campaign.
const (
	campaignClock   = "CAMPAIGN_CLOCK" // how far its clock is ahead
	campaignLeaseIs = "CAMPAIGN_LEASE"
)

// runInCampaign runs the program with a clock that is wrong, and with a lease.
func runInCampaign() {
	var spans [2]time.Duration
	for i, name := range []string{campaignClock, campaignLeaseIs} {
		var err error
		if spans[i], err = time.ParseDuration(os.Getenv(name)); err != nil {
			panic(err)
		}
	}
	now := func() time.Time { return time.Now().Add(spans[0]) }
	os.Exit(runProgram(environment{now: now, after: time.After, completionWait: longWait, lease: spans[1]}))
}

const (
	campaignWorkers = 8
	campaignRate    = "20/1s"
	// farthestClock is how far the clock of a worker is ahead or behind at most.
	farthestClock = 100 * time.Hour
	// mostStarts is how often a worker starts at most.
	mostStarts = 60
	// cutCommits is the mean number of commits between two at which a connection is broken.
	cutCommits = 60
)

// sharedCampaign is one round: workers on two accounts, with lists that overlap, a ceiling and a window, and what happens to
// them.
type sharedCampaign struct {
	t         *testing.T
	draw      *rand.Rand
	server    atomic.Pointer[iotest.PostgresServer] // a failover changes it
	proxy     *iotest.PostgresProxy
	workspace string
	began     time.Time
	ceiling   cost.Money
	units     int // that a run may use of each meter of v2
	service   *serviceProcess
	workers   []*campaignWorker
	ended     chan *campaignWorker
	goesOn    chan *process
	strikes   chan struct{}
	count     map[string]int // of what happened
	failovers []*campaignFailover
	accepting bool              // a failover is being accepted
	waiting   []*campaignWorker // for that
}

// campaignWorker is one machine.
type campaignWorker struct {
	*program
	v2Address string   // "" for a worker that does not use v2
	run       *process // nil when it has come to its end
	accepts   bool     // the run accepts a failover
	starts    int
	stopped   bool
}

// calamity is something that happens to the workers or the database.
type calamity struct {
	name  string
	times int
	// strike lets it happen. It returns false when it could not.
	strike func() bool
}

// calamities returns what happens in a round.
func (c *sharedCampaign) calamities() []calamity {
	return []calamity{
		{"workers killed", *campaignKills, c.kill},
		{"workers stopped", *campaignStops, c.stop},
		{"databases stopped at once", *campaignCrashes / 2, c.crash((*iotest.PostgresServer).Stop)},
		{"databases killed", *campaignCrashes - *campaignCrashes/2, c.crash((*iotest.PostgresServer).Kill)},
		{"failovers", *campaignFails, c.failOver},
	}
}

// TestSharedCampaign lets workers enrich lists for one workspace while workers are killed and stopped, the database is
// killed, connections are cut inside COMMIT, and an asynchronous standby is promoted that lacks the last commits. The
// clocks of the workers are wrong. Half of the workers connect through PgBouncer. The ledgers of the services say what
// was charged.
func TestSharedCampaign(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	server := iotest.StartPostgres(t, "fsync=on")
	for round := range uint64(*campaignRounds) {
		seed := *campaignSeed + round
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c := newSharedCampaign(t, server, seed)
			defer func() { server = c.server.Load() }() // a failover has changed it
			c.fight()
		})
	}
}

func newSharedCampaign(t *testing.T, server *iotest.PostgresServer, seed uint64) *sharedCampaign {
	c := &sharedCampaign{
		t: t, draw: rand.New(rand.NewPCG(seed, 1)), workspace: fmt.Sprint("round", seed),
		ended: make(chan *campaignWorker), goesOn: make(chan *process), strikes: make(chan struct{}, 1000), count: map[string]int{},
	}
	c.ceiling, c.units = 60*cost.Dollar, 2*(*campaignRows)
	if seed%2 == 0 { // these limits are reached
		c.ceiling, c.units = 8*cost.Dollar, *campaignRows/6
	}
	c.server.Store(server)
	var proxied string
	arriveSoon(t, server)
	c.proxy, proxied = iotest.StartPostgresProxy(t, server.URL(), time.Millisecond, c.cuts(seed))
	pooled := iotest.StartPooler(t, proxied)
	moments := map[int64]bool{}
	total := 0
	for _, of := range c.calamities() {
		total += of.times
	}
	for len(moments) < total {
		moments[1+c.draw.Int64N(max(int64(*campaignRows), 2*int64(total)))] = true
	}
	var requests atomic.Int64
	c.service = startService(t, seed, "--rate", campaignRate, "--rate-v2", campaignRate, "--latency", "20ms-80ms")
	watch := watcher(func(_ *http.Request, pass func()) {
		if moments[requests.Add(1)] {
			c.strikes <- struct{}{}
		}
		pass()
	})
	c.service.watch.Store(&watch)
	address := c.service.listen(t)
	for i := range campaignWorkers {
		w := &campaignWorker{}
		// Every pair of workers has a list. A list of an account is the first half of the other one.
		p := newProgram(t, 1, address, "--name", fmt.Sprint("list", i%4), "--workspace", c.workspace, "--max-spend", "60",
			"--workspace-monthly", c.ceiling.String(), "--rate", campaignRate, "--concurrency", "4", "--settle-delay", "2s")
		if i%2 == 1 {
			p.v2Key, w.v2Address = sandboxv2.DefaultKey, strings.TrimSuffix(address, "/api/v1")+"/v2"
			p.args = append(p.args, "--fields", "contact", "--base-url-v2", w.v2Address, "--rate-v2", campaignRate)
			for _, meter := range []string{"contacts", "email_count", "phone_count"} {
				p.args = append(p.args, "--max-units", fmt.Sprint(meter, "=", c.units))
			}
		}
		p.writeList(*campaignRows / (1 + i%4/2) / (1 + i%2)) // a row takes several calls of v2
		ahead := time.Duration(c.draw.Int64N(int64(2*farthestClock))) - farthestClock
		p.environ = []string{
			"BATCH_JOURNAL=" + []string{proxied, pooled}[i/4], campaignClock + "=" + ahead.String(), campaignLeaseIs + "=" + campaignLease.String(),
		}
		w.program = p
		c.workers = append(c.workers, w)
	}
	return c
}

// cuts returns what happens to the next commit.
func (c *sharedCampaign) cuts(seed uint64) func() iotest.CommitFault {
	draw := rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex
	return func() iotest.CommitFault {
		mu.Lock()
		defer mu.Unlock()
		faults := []iotest.CommitFault{iotest.CommitUnsent, iotest.CommitCut, iotest.CommitUnheard}
		if at := draw.IntN(cutCommits); at < 1 {
			return faults[draw.IntN(len(faults))]
		}
		return iotest.CommitPasses
	}
}

// note logs what happened when.
func (c *sharedCampaign) note(format string, args ...any) {
	c.t.Logf("%6.2fs: %s", time.Since(c.began).Seconds(), fmt.Sprintf(format, args...))
}

// fight lets the workers come to their ends, and checks what they did.
func (c *sharedCampaign) fight() {
	c.began = time.Now()
	for _, w := range c.workers {
		c.start(w)
	}
	left := c.calamities()
	for running := len(c.workers); running > 0; {
		select {
		case <-c.strikes:
			left = c.strikeOne(left)
		case run := <-c.goesOn:
			_ = run.Process.Signal(syscall.SIGCONT) // it may have been killed
		case w := <-c.ended:
			if !c.restart(w) {
				running--
			}
		}
	}
	c.check(time.Since(c.began))
}

func (c *sharedCampaign) start(w *campaignWorker) {
	w.starts++
	c.follow(w, w.startAs(exec.Command("batch-campaign", w.args...)), false)
}

// follow sends the worker to ended when its run has ended.
func (c *sharedCampaign) follow(w *campaignWorker, run *process, accepts bool) {
	w.run, w.accepts, w.stopped = run, accepts, false
	go func() {
		run.end()
		c.ended <- w
	}()
}

// strikeOne lets one of the calamities that are left happen.
func (c *sharedCampaign) strikeOne(left []calamity) []calamity {
	left = slices.DeleteFunc(left, func(one calamity) bool { return one.times == 0 })
	if len(left) == 0 {
		return left
	}
	at := c.draw.IntN(len(left))
	if left[at].strike() {
		left[at].times--
		c.count[left[at].name]++
		c.note("%s", left[at].name)
	}
	return left
}

// one returns a worker that runs; nil when there is none.
func (c *sharedCampaign) one() *campaignWorker {
	running := slices.DeleteFunc(slices.Clone(c.workers), func(w *campaignWorker) bool { return w.run == nil || w.stopped })
	if len(running) == 0 {
		return nil
	}
	return running[c.draw.IntN(len(running))]
}

func (c *sharedCampaign) kill() bool {
	w := c.one()
	return w != nil && w.run.Process.Kill() == nil
}

// crash returns what ends the database and starts it again.
func (c *sharedCampaign) crash(end func(*iotest.PostgresServer)) func() bool {
	return func() bool {
		server := c.server.Load()
		end(server)
		server.Start()
		return true
	}
}

// stop stops a worker for a time. When that is longer than its lease, half of the workers are given up meanwhile, as if
// the time-out of their calls had passed too.
func (c *sharedCampaign) stop() bool {
	w := c.one()
	if w == nil || w.run.Process.Signal(syscall.SIGSTOP) != nil {
		return false
	}
	w.stopped = true
	run, span := w.run, time.Second+time.Duration(c.draw.Int64N(int64(*campaignStop-time.Second)))
	givenUp := span > *campaignLease && c.draw.IntN(2) == 0
	time.AfterFunc(span, func() { c.goesOn <- run })
	if givenUp {
		c.count["of them longer than the lease and given up"]++
		time.AfterFunc(*campaignLease, func() { c.giveUp(run) })
	}
	return true
}

// giveUp makes it seem that the lease of a process and the time-out of its calls have passed.
func (c *sharedCampaign) giveUp(run *process) {
	for c.server.Load().TryExec(fmt.Sprintf("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' "+
		"WHERE workspace = '%s' AND holder LIKE '%%(process %d on %%'", c.workspace, run.Process.Pid)) != nil {
		<-time.After(50 * time.Millisecond) // the database is starting
	}
}

// restart starts a worker again that has not come to its end. It returns false for one that has. When the worker was
// refused because of a failover, the failover is accepted first.
func (c *sharedCampaign) restart(w *campaignWorker) bool {
	run, code := w.run, w.run.ProcessState.ExitCode()
	w.run = nil
	var said struct{ Error struct{ Code string } }
	_ = json.Unmarshal(run.stdout.Bytes(), &said) // a process that was killed has said nothing
	c.note("worker %d ended with %d %s", slices.Index(c.workers, w), code, said.Error.Code)
	finished := slices.Contains([]int{exitDone, exitDoubt, exitCeiling}, code)
	passing := slices.Contains([]string{"journal_failed", "journal_unreachable", "journal_failed_over"}, said.Error.Code) ||
		said.Error.Code == "service" && w.stopped // for longer than its time-out, while it read the account
	switch {
	case finished && !w.accepts:
		return false
	case !finished && !passing && code != -1:
		c.t.Errorf("a worker ended with %d\n%s%s", code, run.stdout.String(), run.stderr.String())
		return false
	case w.starts >= mostStarts:
		c.t.Errorf("a worker did not come to its end in %d starts\n%s%s", w.starts, run.stdout.String(), run.stderr.String())
		return false
	}
	if passing {
		c.count["ended: "+said.Error.Code]++
	}
	c.giveUp(run)
	switch refused := said.Error.Code == "journal_failed_over"; {
	case w.accepts && finished:
		c.accepting = false
		c.count["failovers accepted"]++
		for _, waits := range append(c.waiting, w) {
			c.start(waits)
		}
		c.waiting = nil
	case w.accepts || refused && !c.accepting:
		c.accept(w)
	case refused:
		c.waiting = append(c.waiting, w)
	default:
		c.start(w)
	}
	return true
}

// check checks what the workers did against the ledgers of the service.
func (c *sharedCampaign) check(took time.Duration) {
	t := c.t
	t.Helper()
	ledger := c.service.end(t)
	records := slices.DeleteFunc(recordsOf(t, c.service.ledger+".v2"), func(r kit.UnitRecord) bool { return r.Number == 0 })
	lost := c.lostCalls()
	own := c.explained(ledger.Charges, lost)
	if err := chargedOnce(own); err != nil {
		t.Error(err)
	}
	charged := chargedSum(own) // without what no journal can know any more
	if over := ledger.Refused[sandbox.RateLimited]; over != 0 {
		t.Errorf("%d lookups of v1 were above the limit of the window", over)
	}
	if charged > c.ceiling {
		t.Errorf("charged $%s under a ceiling of $%s", charged, c.ceiling)
	}
	used := c.checkUnits(records, lost)
	journal := c.checkJournal()
	defer journal.Close()
	mayBeFree, err := journal.MayBeFree(checkpoint.ScopeAll)
	sum := journal.Totals(checkpoint.ScopeAll)
	if settled, held := sum.Settled.Money(), sum.Held.Money(); err != nil || settled-mayBeFree > charged || settled+held < charged {
		t.Errorf("the journal has $%s settled, of which $%s may have been free, and $%s held; $%s were charged; %v", settled, mayBeFree, held, charged, err)
	}
	unknown, starts := c.checkAnswers(journal, own), 0
	for _, w := range c.workers {
		starts += w.starts
		checkCells(t, readRows(t, w.list()), readRows(t, w.output()))
	}
	callsLost := 0
	for _, calls := range lost {
		callsLost += len(calls)
	}
	t.Logf("%s: %d starts; v1: %d lookups arrived, %d charges, $%s of $%s, %d of unknown outcome; v2: %d calls, %v units; "+
		"%d connections cut in COMMIT; %d calls lost by failovers, which explain %d charges of v1; %v",
		took.Round(time.Second), starts, len(ledger.Arrivals), len(ledger.Charges), charged, c.ceiling, unknown,
		len(records), used, c.proxy.Hit(), callsLost, len(ledger.Charges)-len(own), c.count)
	for _, of := range c.calamities() {
		if of.times > 0 && c.count[of.name] == 0 {
			t.Errorf("%s: none", of.name)
		}
	}
}

// checkUnits checks that nothing was counted twice, or above a ceiling or the limit of the window, besides calls that
// promoted standbys lacked. It returns what was counted of each meter.
func (c *sharedCampaign) checkUnits(records []kit.UnitRecord, lost map[subject][]record.Intent) map[string]int64 {
	t := c.t
	t.Helper()
	for _, r := range records {
		if r.Code == kit.RateLimited {
			t.Errorf("call %d of v2 was above the limit of the window", r.Number)
		}
	}
	seen, used := map[string]bool{}, map[string]int64{}
	for _, r := range withoutLost(records, lost) {
		if r.Units+r.Emails+r.Phones == 0 {
			continue
		}
		if call := r.Path + " " + r.About; seen[call] {
			t.Errorf("%s was counted twice; %d calls about %q were lost", call, len(lost[subject{1, personOf(r)}]), personOf(r))
		} else {
			seen[call] = true
		}
		used[string(r.Module)] += r.Units
		used["email_count"] += r.Emails
		used["phone_count"] += r.Phones
	}
	for meter, units := range used { // two runs have a ceiling each
		if units > int64(2*c.units) {
			t.Errorf("%d of %s were counted under ceilings of %d", units, meter, 2*c.units)
		}
	}
	return used
}

// checkJournal checks the records of the journal, and opens it.
func (c *sharedCampaign) checkJournal() *checkpoint.Journal {
	t := c.t
	t.Helper()
	for _, close := range []bool{true, false} {
		snapshot, err := pgstore.Read(c.server.Load().URL(), c.workspace, nil)
		if err != nil {
			t.Fatal(err)
		}
		if close {
			if _, err := verify.Check(snapshot, v1.Catalogue(), nil, func(p verify.Problem) { t.Errorf("the journal: %v", p) }); err != nil {
				t.Error(err)
			}
			_ = snapshot.Close()
			continue
		}
		journal, err := checkpoint.Read(snapshot, checkpoint.Options{Catalogue: v1.Catalogue(), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return journal
	}
	return nil
}

// checkAnswers checks that the journal explains every charge of v1, and that the outputs have every answer. It returns how
// many charges belong to calls whose answers were lost on their way.
func (c *sharedCampaign) checkAnswers(journal *checkpoint.Journal, charges []sandbox.Charge) (unknown int) {
	t := c.t
	t.Helper()
	outputs, identities := map[string][]listRow{}, map[string]enrich.Identity{} // by person
	for i, w := range c.workers {
		for _, row := range readRows(t, w.output()) {
			id, reason := row.contact().Identify(enrich.ByProfile)
			if i%2 == 1 || reason != "" {
				continue
			}
			outputs[id.Canonical()] = append(outputs[id.Canonical()], row)
			identities[id.Canonical()] = id
		}
	}
	for _, charge := range charges {
		of, err := journal.Record(identities[charge.Identity])
		if err != nil {
			t.Fatal(err)
		}
		switch state := of.States[charge.Field]; state {
		case attempt.Found:
			for _, row := range outputs[charge.Identity] {
				column := map[enrich.Field]string{v1.WorkEmail: "email", v1.BusinessPhone: "phone"}[charge.Field]
				if row[column] == "" && !slices.Contains([]string{"duplicate", "not_attempted"}, row["enrich_status"]) && !row.unknown() {
					t.Errorf("the %s of %s was paid for, and a row does not have it: %v", column, charge.Identity, row)
				}
			}
		case attempt.PaidAndGone, attempt.OutcomeUnknown:
			unknown++
		default:
			t.Errorf("the %s of %s was charged in %s; the journal has the state %d", charge.Field, charge.Identity, charge.RequestID, state)
		}
	}
	return unknown
}
