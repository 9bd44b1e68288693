package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/pgstore"
	"payonce/cost"
	"payonce/io/iotest"
	"payonce/io/sandbox"
)

var (
	sharedRows  = flag.Int("shared.rows", 60, "how many rows the lists of the workers of a shared journal have, at least")
	sharedKills = flag.Int("shared.kills", 3, "how many of the workers are killed")
	sharedSeed  = flag.Uint64("shared.seed", 1, "draws which worker is killed when")
)

// newSharedProgram is newProgram with a journal in a database, whose address comes from the environment.
func newSharedProgram(t *testing.T, server *iotest.PostgresServer, rows int, baseURL string, flags ...string) *program {
	t.Helper()
	p := newProgram(t, rows, baseURL, flags...)
	p.environ = []string{"BATCH_JOURNAL=" + server.URL()}
	return p
}

// arriveSoon makes the calls of a process that is dead, or was seen again, arrive within seconds. It serves tests that
// kill processes and do not wait for the time-out of a call.
func arriveSoon(t *testing.T, server *iotest.PostgresServer) {
	t.Helper()
	if _, _, err := pgstore.Migrate(server.URL()); err != nil {
		t.Fatal(err)
	}
	server.Exec(`CREATE OR REPLACE FUNCTION soon() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			NEW.arrived := least(NEW.arrived, clock_timestamp() + interval '2 seconds');
			RETURN NEW;
		END $$;
		CREATE OR REPLACE TRIGGER soon BEFORE UPDATE OF arrived ON payonce_process FOR EACH ROW EXECUTE FUNCTION soon()`)
}

// TestTwoRunsOfOneListShareTheWork starts the same run on two machines at the same time.
func TestTwoRunsOfOneListShareTheWork(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	baseURL := service.listen(t)
	const rows = 60
	var programs []*program
	var runs []*process
	for range 2 {
		p := newSharedProgram(t, server, rows, baseURL, "--max-spend", "60", "--concurrency", "4")
		programs, runs = append(programs, p), append(runs, p.start())
	}
	for i, run := range runs {
		if code := run.end(); code != exitDone {
			t.Errorf("run %d ended with %d\n%s%s", i, code, run.stdout.String(), run.stderr.String())
		}
	}
	// What reads the journal works as with one in a directory, and shows both.
	for _, command := range []string{"status", "budget --offline", "runs", "show list", "ledger", "plan LIST --fields email,phone --max-spend 60"} {
		read := *programs[0]
		read.args = append(strings.Fields(strings.Replace(command, "LIST", read.list(), 1)), "--state", read.state(), "--json")
		said := read.runToEnd(exitDone)
		if text := said.stdout.String() + said.stderr.String(); strings.Contains(text, iotest.PostgresPassword) {
			t.Errorf("batch %s shows the password", command)
		}
	}
	again := *programs[1]
	again.args = []string{"write", "list", "-o", filepath.Join(again.dir, "again.csv"), "--state", again.state(), "--json"}
	again.runToEnd(exitDone)

	ledger := service.end(t)
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
	first, second := readRows(t, programs[0].output()), readRows(t, programs[1].output())
	for _, p := range programs {
		checkOutput(t, p, ledger)
		checkValues(t, readRows(t, p.output()), undisturbed(t, 5, rows))
	}
	if !slices.EqualFunc(first, second, func(a, b listRow) bool { return a["email"] == b["email"] && a["phone"] == b["phone"] }) {
		t.Error("the outputs of the two runs have different values")
	}
	written, err := os.ReadFile(filepath.Join(again.dir, "again.csv"))
	if err != nil || strings.Count(string(written), "\n") < rows {
		t.Errorf("written again: %d lines, %v", strings.Count(string(written), "\n"), err)
	}
	noPassword(t, programs[0].state())
}

// TestARunWaitsForACallOfAnotherOne starts a run while the call about its only row is in flight on another machine.
func TestARunWaitsForACallOfAnotherOne(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	reached, release := service.hold(t, 1)
	first := newSharedProgram(t, server, 20, service.listen(t), "--max-spend", "60", "--limit", "1")
	sends := first.start()
	<-reached
	second := newSharedProgram(t, server, 20, first.baseURL, "--max-spend", "60", "--limit", "1")
	waits := second.start()
	waits.stderr.await(t, "to look up              1") // it has read the list and the journal
	close(release)
	for _, run := range []*process{sends, waits} {
		if code := run.end(); code != exitDone {
			t.Errorf("a run ended with %d\n%s%s", code, run.stdout.String(), run.stderr.String())
		}
	}
	if ledger := service.end(t); len(ledger.Charges) != 1 {
		t.Errorf("%d charges, want 1", len(ledger.Charges))
	}
	sent, waited := readRows(t, first.output()), readRows(t, second.output())
	if diff := cmp.Diff(sent, waited); diff != "" {
		t.Errorf("the outputs differ (-sent +waited):\n%s", diff)
	}
}

// noPassword fails when a file below a directory has the password of the database.
func noPassword(t *testing.T, dir string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), iotest.PostgresPassword) {
			t.Errorf("%s has the password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSharedWorkersUnderKills lets four workers enrich two lists that share rows, under one ceiling of the workspace
// and one window. Some are killed and start again. The service's own ledger says what it was asked and what it was
// charged.
func TestSharedWorkersUnderKills(t *testing.T) {
	skipIfShort(t)
	t.Logf("seed %d", *sharedSeed)
	server := iotest.StartPostgres(t, "fsync=on")
	arriveSoon(t, server)
	service := startService(t, 7, "--rate", "40/1s", "--latency", "20ms-80ms")
	draw := rand.New(rand.NewPCG(*sharedSeed, 0))
	kill := make(chan struct{}, *sharedKills)
	var lookups atomic.Int64
	moments := make([]int64, *sharedKills)
	for i := range moments {
		moments[i] = 1 + draw.Int64N(int64(*sharedRows))
	}
	watch := watcher(func(r *http.Request, pass func()) {
		if isLookup(t, r) && slices.Contains(moments, lookups.Add(1)) {
			select {
			case kill <- struct{}{}:
			default:
			}
		}
		pass()
	})
	service.watch.Store(&watch)
	baseURL := service.listen(t)

	const ceiling = "9.00"
	type end struct {
		worker int
		run    *process
	}
	var programs []*program
	running, ends := make([]*process, 4), make(chan end)
	start := func(i int) {
		run := programs[i].start()
		running[i] = run
		go func() {
			run.end()
			ends <- end{i, run}
		}()
	}
	for i := range running {
		p := newSharedProgram(t, server, *sharedRows*(1+i%2), baseURL,
			"--name", fmt.Sprint("list", i%2), "--max-spend", "60", "--workspace-monthly", ceiling, "--rate", "40/1s", "--concurrency", "4")
		programs = append(programs, p)
		start(i)
	}
	killed := 0
	for left := len(running); left > 0; {
		select {
		case <-kill:
			if i := draw.IntN(len(running)); running[i] != nil {
				_ = running[i].Process.Kill() // it may have ended just now
			}
		case e := <-ends:
			code := e.run.ProcessState.ExitCode()
			running[e.worker] = nil
			switch {
			case code == -1:
				killed++
				// As if its lease and the time-out of its calls had passed since.
				server.Exec(fmt.Sprintf("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' "+
					"WHERE holder LIKE '%%(process %d on %%'", e.run.Process.Pid))
				start(e.worker)
			case slices.Contains([]int{exitDone, exitDoubt, exitCeiling}, code):
				left--
			default:
				t.Fatalf("worker %d ended with %d\n%s%s", e.worker, code, e.run.stdout.String(), e.run.stderr.String())
			}
		}
	}
	ledger := service.end(t)
	t.Logf("%d kills, %d lookups arrived, $%s charged, refused %v", killed, len(ledger.Arrivals), ledger.Charged, ledger.Refused)
	if killed == 0 {
		t.Error("no worker was killed")
	}
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
	if limit, err := cost.ParseMoney(ceiling); err != nil || ledger.Charged > limit {
		t.Errorf("charged $%s under a ceiling of $%s, %v", ledger.Charged, ceiling, err)
	}
	if over := ledger.Refused[sandbox.RateLimited]; over != 0 {
		t.Errorf("%d lookups were above the limit of the window", over)
	}
	for _, p := range programs {
		checkCells(t, readRows(t, p.list()), readRows(t, p.output()))
	}
}

// TestAStoppedProcessSendsNothingAfterItsLease stops a process in the middle of a run and gives its epoch up. When it
// goes on, nothing more arrives from it.
func TestAStoppedProcessSendsNothingAfterItsLease(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 9)
	reached, release := service.hold(t, 3)
	// With one call at a time, none is on its way to the service while this one is held.
	p := newSharedProgram(t, server, 40, service.listen(t), "--max-spend", "60", "--concurrency", "1")
	run := p.start()
	<-reached
	if err := run.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	server.Exec("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour'")
	var arrived atomic.Int64
	watch := watcher(func(r *http.Request, pass func()) {
		if isLookup(t, r) {
			arrived.Add(1)
		}
		pass()
	})
	service.watch.Store(&watch)
	close(release)
	if err := run.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code := run.end(); code != exitInternal {
		t.Errorf("it ended with %d\n%s%s", code, run.stdout.String(), run.stderr.String())
	}
	if arrived.Load() != 0 {
		t.Errorf("%d lookups arrived after its lease", arrived.Load())
	}
	// Another machine goes on with the list.
	other := newSharedProgram(t, server, 40, p.baseURL, "--max-spend", "60")
	other.runToEnd(exitDone, exitDoubt)
	ledger := service.end(t)
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
	checkCells(t, readRows(t, other.list()), readRows(t, other.output()))
}

// TestACallThatLeavesLateIsPaidOnce stops a process right before its request arrives, for longer than its lease and the
// time-out of a call. Other processes of the same machine and of another one compare the account, which shows no
// charge. Then the request arrives after all.
func TestACallThatLeavesLateIsPaidOnce(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 9)
	reached, release := service.hold(t, 3)
	p := newSharedProgram(t, server, 20, service.listen(t), "--max-spend", "60", "--concurrency", "1")
	run := p.start()
	<-reached
	if err := run.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	server.Exec("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour'")
	service.watch.Store(new(watcher(func(_ *http.Request, pass func()) { pass() }))) // others are not held
	for _, machine := range []*program{p, newSharedProgram(t, server, 20, p.baseURL)} {
		compare := *machine
		compare.args = []string{"reconcile", "--settle-delay", "0s", "--state", machine.state(), "--exclusive"}
		said := compare.runToEnd(exitDoubt)
		if text := said.stdout.String() + said.stderr.String(); !strings.Contains(text, "is not known to be dead") {
			t.Errorf("the comparison does not say why the lookup stays in doubt: %s", text)
		}
		again := *machine
		again.args = append(slices.Clone(p.args), "--state", machine.state(), "-o", filepath.Join(machine.dir, "other.csv"))
		again.runToEnd(exitDoubt)
	}
	// The stopped process goes on. What it held arrives.
	close(release)
	if err := run.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code := run.end(); code != exitInternal {
		t.Errorf("it ended with %d\n%s%s", code, run.stdout.String(), run.stderr.String())
	}
	compare := *p
	compare.args = []string{"reconcile", "--settle-delay", "0s", "--state", p.state(), "--exclusive"}
	compare.runToEnd(exitDone)
	p.runToEnd(exitDone)
	ledger := service.end(t)
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
}

// TestCommandsWithoutASharedJournalRefuseIt calls what works only with a journal in a directory, and other commands with a
// database that does not answer. None takes a journal in a directory instead.
func TestCommandsWithoutASharedJournalRefuseIt(t *testing.T) {
	skipIfShort(t)
	p := newProgram(t, 3, "http://127.0.0.1:1/api/v1")
	p.environ = []string{"BATCH_JOURNAL=postgres://tester:" + iotest.PostgresPassword + "@127.0.0.1:1/db"}
	jobs := filepath.Join(p.dir, "jobs.yaml")
	job := fmt.Sprintf("jobs:\n  nightly: {list: %s, output: %s, max-spend: 1, state: %s}\n", p.list(), p.output(), p.state())
	if err := os.WriteFile(jobs, []byte(job), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"journal check", "journal dump", "journal unpause", "journal rekey", "forget --email a@b.example", "report list", "crm review list -o review.csv",
		"status", "run LIST -o out.csv --sandbox --max-spend 1 --yes",
		"run LIST -o out.csv --max-spend 1 --yes --journal postgres://a:" + iotest.PostgresPassword + "@h/d",
	} {
		p.args = strings.Fields(strings.Replace(command, "LIST", p.list(), 1))
		if p.args[0] != "jobs" {
			p.args = append(p.args, "--state", p.state())
		}
		run := p.runToEnd(exitUsage)
		if text := run.stdout.String() + run.stderr.String(); strings.Contains(text, iotest.PostgresPassword) {
			t.Errorf("batch %s shows the password: %s", command, text)
		} else if !strings.Contains(text, "shared journal") && !strings.Contains(text, "BATCH_JOURNAL") {
			t.Errorf("batch %s: %s", command, text)
		}
	}
	noPassword(t, p.dir)
}
