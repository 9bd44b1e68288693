package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/sandbox/world"
)

var nightKills = flag.Int("night-kills", 50, "how often TestServeIsKilledInANight kills schedulers")

// nightClock names the file that says how far the clock of a program is ahead.
const nightClock = "NIGHT_CLOCK"

// runAtNight runs the program with a clock that a file sets.
func runAtNight() {
	os.Exit(runProgram(environment{now: nightNow, after: nightAfter, completionWait: longWait}))
}

func nightNow() time.Time {
	text, err := os.ReadFile(os.Getenv(nightClock))
	if err != nil {
		panic(err)
	}
	ahead, err := time.ParseDuration(string(text))
	if err != nil {
		panic(err)
	}
	return time.Now().Add(ahead)
}

// nightAfter tells when a time has passed on the clock, which may jump.
func nightAfter(span time.Duration) <-chan time.Time {
	passed, end := make(chan time.Time, 1), nightNow().Add(span)
	go func() {
		ticks := time.NewTicker(5 * time.Millisecond)
		defer ticks.Stop()
		for nightNow().Before(end) {
			<-ticks.C
		}
		passed <- nightNow()
	}()
	return passed
}

// night is a jobs file whose jobs are served by real processes in scaled time.
type night struct {
	*program
	service *serviceProcess
	clock   string
	ahead   time.Duration
	names   []string // of the jobs; each is due every ten minutes
	lists   map[string]int
}

// nightStep is the time between two moments at which a job is due.
const nightStep = 5 * time.Minute

// newNight writes a jobs file, with lists for a number of steps.
func newNight(t *testing.T, steps int, rows int) *night {
	t.Helper()
	dir := t.TempDir()
	n := &night{service: startService(t, 5), clock: filepath.Join(dir, "clock"), names: []string{"full", "half"}, lists: map[string]int{}}
	n.program = &program{t: t, dir: dir, baseURL: n.service.listen(t)}
	begin := time.Now().UTC().Truncate(time.Hour).Add(3 * time.Hour)
	n.set(time.Until(begin.Add(-time.Minute)))
	// Each occurrence has persons of its own.
	var all bytes.Buffer
	if err := world.WriteListCSV(&all, world.DefaultList(7, steps*rows)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&all).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		at := begin.Add(time.Duration(i) * nightStep)
		name := n.names[i%2] + "-" + at.Format("2006-01-02-1504")
		var text bytes.Buffer
		if err := csv.NewWriter(&text).WriteAll(append(records[:1:1], records[1+i*rows:1+(i+1)*rows]...)); err != nil {
			t.Fatal(err)
		}
		n.write(name+".csv", text.String())
		n.lists[name] = i
	}
	n.write("jobs.yaml", `
defaults:
  time-zone: UTC
  max-spend: 60
  rate: 100000/1s
  settle-delay: 100ms
  overlap: wait
  pause-after: 10000
jobs:
  full: {list: "full-{date}-{time}.csv", output: "out-full-{date}-{time}.csv", schedule: "*/10 * * * *", catch-up: 24h}
  half: {list: "half-{date}-{time}.csv", output: "out-half-{date}-{time}.csv", schedule: "5-59/10 * * * *", catch-up: 24h}
`)
	return n
}

func (n *night) write(name, text string) {
	n.t.Helper()
	path := filepath.Join(n.dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		n.t.Fatal(err)
	}
}

// set sets the clock.
func (n *night) set(ahead time.Duration) {
	n.t.Helper()
	n.ahead = ahead
	n.write("clock", ahead.String())
}

// step sets the clock to a second after the next moment at which a job is due.
func (n *night) step() {
	n.t.Helper()
	now := time.Now().Add(n.ahead)
	n.set(n.ahead + now.Truncate(nightStep).Add(nightStep+time.Second).Sub(now))
}

// batch starts a command of the program at night.
func (n *night) batch(args ...string) *process {
	n.t.Helper()
	command := exec.Command("batch-night", args...)
	command.Dir = n.dir
	command.Env = []string{nightClock + "=" + n.clock, "BATCH_STATE=" + n.state()}
	return n.startAs(command)
}

// history returns the occurrences that the journal knows.
func (n *night) history() []record.Occurrence {
	n.t.Helper()
	run := n.batch("jobs", "history", "--limit", "10000", "--json")
	if code := run.end(); code != exitDone {
		n.t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	var view struct{ Occurrences []record.Occurrence }
	if err := json.Unmarshal(run.stdout.Bytes(), &view); err != nil {
		n.t.Fatal(err)
	}
	return view.Occurrences
}

// TestServeIsKilledInANight has two schedulers on one journal. At moments that a seed chooses one of them is
// killed, or both, and started again. In the end every occurrence has run, nothing was paid for twice, and every
// output is whole.
func TestServeIsKilledInANight(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	steps := 3 * *nightKills
	n := newNight(t, steps, 8)
	draw := rand.New(rand.NewPCG(3, 1))
	schedulers := []*process{n.batch("jobs", "serve"), n.batch("jobs", "serve")}
	kills, taken := 0, 0
	for ; kills < *nightKills && taken < steps; taken++ {
		came := n.service.pass(1+draw.Int64N(8), draw.IntN(2) == 0)
		n.step()
		select {
		case <-came:
		case <-time.After(5 * time.Second): // this step needed fewer requests
			continue
		}
		for i, victim := range [][]int{{0}, {1}, {0, 1}}[draw.IntN(3)] {
			if i > 0 && kills >= *nightKills {
				break
			}
			killProcess(schedulers[victim])
			schedulers[victim].end()
			schedulers[victim] = n.batch("jobs", "serve")
			kills++
		}
	}
	if kills < *nightKills {
		t.Errorf("%d kills only", kills)
	}
	n.service.watch.Store(nil)
	for _, scheduler := range schedulers {
		scheduler.stderr.await(t, "the jobs are served") // before, the system ends it
		if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if code := scheduler.end(); code != exitDone {
			t.Errorf("after SIGTERM the scheduler ended with %d\n%s", code, scheduler.stderr)
		}
	}
	for _, name := range n.names {
		if run := n.batch("jobs", "run", name); run.end() != exitDone && run.ProcessState.ExitCode() != exitDoubt {
			t.Errorf("%s ended with %d\n%s", name, run.ProcessState.ExitCode(), run.stderr)
		}
	}
	n.check(taken)
}

// TestTwoSchedulersLogNoErrorsOfPagesAndMetrics serves jobs with pages and metrics from two processes on one journal.
// Each reads the journal at moments at which the other one takes it or gives it back.
func TestTwoSchedulersLogNoErrorsOfPagesAndMetrics(t *testing.T) {
	t.Parallel()
	const steps = 8
	n := newNight(t, steps, 3)
	n.write("jobs.yaml", strings.Replace(n.read("jobs.yaml"), "pause-after: 10000", "report: pages/{job}\n  metrics: \"{job}.prom\"", 1))
	schedulers := []*process{
		n.batch("jobs", "serve", "--listen", "127.0.0.1:0"), n.batch("jobs", "serve", "--listen", "127.0.0.1:0"),
	}
	for _, scheduler := range schedulers {
		scheduler.stderr.await(t, "the jobs are served")
	}
	for step := range steps {
		n.step()
		for ended := 0; ended <= step; {
			ended = 0
			for _, one := range n.history() {
				if !one.Ended.IsZero() && one.Exit == exitDone { // an occurrence before the first step has no list
					ended++
				}
			}
		}
	}
	for _, scheduler := range schedulers {
		if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if code := scheduler.end(); code != exitDone {
			t.Errorf("exit code %d", code)
		}
		if text := scheduler.stderr.String(); strings.Contains(text, "could not be") {
			t.Errorf("a scheduler logs errors:\n%s", text)
		}
	}
	n.check(steps)
}

// check checks that every occurrence of the first steps ran, and what was paid.
func (n *night) check(taken int) {
	n.t.Helper()
	found := map[string]record.Occurrence{}
	for _, one := range n.history() {
		at := strings.NewReplacer("T", "-", ":", "").Replace(one.At)
		found[one.Job+"-"+at] = one
	}
	starts := int64(0)
	for name, step := range n.lists {
		if step >= taken {
			continue
		}
		one, known := found[name]
		if !known || one.Count != 1 || one.Starts < 1 || one.Ended.IsZero() || one.Exit != exitDone && one.Exit != exitDoubt {
			n.t.Errorf("%s: %+v", name, one)
			continue
		}
		starts += one.Starts
		checkCells(n.t, readRows(n.t, filepath.Join(n.dir, name+".csv")), readRows(n.t, filepath.Join(n.dir, "out-"+name+".csv")))
	}
	ledger := n.service.end(n.t)
	if err := chargedOnce(ledger.Charges); err != nil {
		n.t.Error(err)
	}
	n.t.Logf("%d occurrences in %d starts, %d lookups arrived, $%s charged", taken, starts, len(ledger.Arrivals), ledger.Charged)
	if n.environ == nil { // the journal is in a directory
		if run := n.batch("journal", "check"); run.end() != exitDone {
			n.t.Errorf("the journal: %s%s", run.stdout.String(), run.stderr)
		}
	}
}

// pass returns a channel that tells when the nth request has come: before the service sees it, or after it was
// answered. The request passes.
func (tap *tap) pass(nth int64, before bool) <-chan struct{} {
	came := make(chan struct{})
	var requests atomic.Int64
	watch := watcher(func(_ *http.Request, pass func()) {
		if requests.Add(1) != nth {
			pass()
			return
		}
		if before {
			close(came)
			pass()
			return
		}
		defer close(came) // deferred, because a fault of the service ends in a panic
		pass()
	})
	tap.watch.Store(&watch)
	return came
}

// TestServeStartsAResumedJobWithoutDelay resumes a job whose occurrence was due before the pause. The clock does not
// jump: a scheduler that only asks its jobs every ten minutes starts it too late.
func TestServeStartsAResumedJobWithoutDelay(t *testing.T) {
	t.Parallel()
	n := newNight(t, 2, 3)
	n.step()
	n.run("jobs", "pause", "full", "--note", "the export is rebuilt")
	scheduler := n.batch("jobs", "serve")
	scheduler.stderr.await(t, "the jobs are served")
	n.run("jobs", "resume", "full")
	scheduler.stderr.await(t, ": exit 0")
	if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := scheduler.end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, scheduler.stderr)
	}
	n.check(1)
}

// run runs a command that has to end well.
func (n *night) run(args ...string) {
	n.t.Helper()
	if run := n.batch(args...); run.end() != exitDone {
		n.t.Fatalf("%v ended with %d\n%s", args, run.ProcessState.ExitCode(), run.stderr)
	}
}

// TestServeDrainsAndReloads stops a scheduler while a lookup is in flight. Before, its jobs file was broken.
func TestServeDrainsAndReloads(t *testing.T) {
	t.Parallel()
	n := newNight(t, 2, 40)
	reached, release := n.service.hold(t, 2)
	scheduler := n.batch("jobs", "serve")
	scheduler.stderr.await(t, "the jobs are served")
	n.step()
	receive(t, reached, "no lookup was sent")
	jobs, err := os.ReadFile(filepath.Join(n.dir, "jobs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n.write("jobs.yaml", string(jobs)+"  wrong: {colour: red}\n")
	signal := func(signal os.Signal) {
		if err := scheduler.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGHUP)
	scheduler.stderr.await(t, "the jobs stay as they were")
	if text := scheduler.stderr.String(); !strings.Contains(text, `unknown key "colour"`) {
		t.Errorf("it does not say what is wrong: %s", text)
	}
	n.write("jobs.yaml", string(jobs))
	signal(syscall.SIGHUP)
	scheduler.stderr.await(t, "the jobs file was read again")
	signal(syscall.SIGTERM)
	scheduler.stderr.await(t, "waiting for the lookups in flight")
	close(release)
	if code := scheduler.end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, scheduler.stderr)
	}
	history := n.history()
	if len(history) == 0 {
		t.Fatal("nothing began")
	}
	first := history[len(history)-1]
	if first.Exit != exitInterrupted || first.Ended.IsZero() || first.Lookups < 2 {
		t.Errorf("the occurrence ended as %+v", first)
	}
	name := fmt.Sprintf("%s-%s.csv", first.Job, strings.NewReplacer("T", "-", ":", "").Replace(first.At))
	checkCells(t, readRows(t, filepath.Join(n.dir, name)), readRows(t, filepath.Join(n.dir, "out-"+name)))

	n.service.watch.Store(nil)
	again := n.batch("jobs", "serve")
	again.stderr.await(t, first.Job+" "+first.At+": exit 0")
	if err := again.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := again.end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, again.stderr)
	}
}
