package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

var (
	machineKills = flag.Int("machine-kills", 6, "how often TestServeOnMachinesIsKilledInANight kills schedulers")
	machineSeed  = flag.Uint64("machine-seed", 1, "draws which of them is killed when")
)

// sharedNight is a night of several machines. They have the lists in one directory, and a state directory each.
type sharedNight struct {
	*night
	server *iotest.PostgresServer
}

func newSharedNight(t *testing.T, steps, rows int) *sharedNight {
	n := &sharedNight{newNight(t, steps, rows), iotest.StartPostgres(t, "fsync=on")}
	arriveSoon(t, n.server)
	n.environ = []string{"BATCH_JOURNAL=" + n.server.URL()}
	for _, name := range n.names { // otherwise a job begins with its newest occurrence
		n.on(0, "jobs", "run", name).end() // the occurrence before the first step has no list
	}
	return n
}

// on starts a command on a machine.
func (n *sharedNight) on(machine int, args ...string) *process {
	n.t.Helper()
	command := exec.Command("batch-night", args...)
	command.Dir = n.dir
	command.Env = []string{nightClock + "=" + n.clock, "BATCH_STATE=" + filepath.Join(n.dir, fmt.Sprint("machine", machine))}
	return n.startAs(command)
}

// says runs a command on a machine, which has to end well, and returns what it prints.
func (n *sharedNight) says(machine int, args ...string) string {
	n.t.Helper()
	run := n.on(machine, args...)
	if code := run.end(); code != exitDone {
		n.t.Fatalf("%v ended with %d\n%s", args, code, run.stderr)
	}
	return run.stdout.String()
}

// kill kills a process. Without passed its lease has not ended yet. With it, the lease and the time-out of its calls
// have passed.
func (n *sharedNight) kill(run *process, passed bool) {
	n.t.Helper()
	killProcess(run)
	run.end()
	if passed {
		n.pass(run)
	}
}

// pass makes it seem that the lease of a killed process and the time-out of its calls have passed.
func (n *sharedNight) pass(run *process) {
	n.t.Helper()
	n.server.Exec(fmt.Sprintf("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' "+
		"WHERE ended IS NULL AND holder LIKE '%%(process %d on %%'", run.Process.Pid))
}

// stop ends schedulers as the system does.
func (n *sharedNight) stop(schedulers ...*process) {
	n.t.Helper()
	for _, scheduler := range schedulers {
		scheduler.stderr.await(n.t, "the jobs are served") // before, the system ends it
		if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
			n.t.Error(err)
		}
		if code := scheduler.end(); code != exitDone {
			n.t.Errorf("after SIGTERM the scheduler ended with %d\n%s", code, scheduler.stderr)
		}
	}
}

// awaitEnds waits until a number of occurrences have ended well, and returns them.
func (n *sharedNight) awaitEnds(count int) (ended []record.Occurrence) {
	n.t.Helper()
	for deadline := time.Now().Add(longWait); ; {
		ended = nil
		for _, one := range n.history() {
			if !one.Ended.IsZero() && (one.Exit == exitDone || one.Exit == exitDoubt) {
				ended = append(ended, one)
			}
		}
		if len(ended) >= count {
			return ended
		}
		if time.Now().After(deadline) {
			n.t.Fatalf("%d occurrences have ended, want %d: %+v", len(ended), count, n.history())
		}
	}
}

// checkJournal checks the records of the journal.
func checkSharedJournal(t *testing.T, server *iotest.PostgresServer, workspace string) {
	t.Helper()
	snapshot, err := pgstore.Read(server.URL(), workspace, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if _, err := verify.Check(snapshot, v1.Catalogue(), nil, func(p verify.Problem) { t.Errorf("the journal: %v", p) }); err != nil {
		t.Error(err)
	}
}

// TestServeOnMachinesStartsEachOccurrenceOnce serves the same jobs on three machines.
func TestServeOnMachinesStartsEachOccurrenceOnce(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const steps = 5
	n := newSharedNight(t, steps, 5)
	var schedulers []*process
	for machine := range 3 {
		schedulers = append(schedulers, n.on(machine, "jobs", "serve"))
	}
	for _, scheduler := range schedulers {
		scheduler.stderr.await(t, "the jobs are served")
	}
	for step := range steps {
		n.step()
		n.awaitEnds(step + 1)
	}
	n.stop(schedulers...)
	for _, one := range n.awaitEnds(steps) {
		if one.Starts != 1 || one.Machine == "" {
			t.Errorf("%+v: want one start, and the machine", one)
		}
	}
	n.check(steps)
	checkSharedJournal(t, n.server, "default")
}

// TestAnotherMachineResumesAnOccurrence kills the machine that runs an occurrence. While its lease has not ended, no other
// machine starts the job. Then another one continues.
func TestAnotherMachineResumesAnOccurrence(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	n := newSharedNight(t, 2, 6)
	n.step()
	reached, release := n.service.hold(t, 3)
	first := n.on(0, "jobs", "run", "full")
	<-reached
	runs := n.on(1, "jobs", "next", "full")
	if code := runs.end(); code != exitDone || !strings.Contains(runs.stdout.String(), "full") {
		t.Errorf("exit code %d\n%s%s", code, runs.stdout.String(), runs.stderr)
	}
	for _, state := range []string{"while it runs", "after it was killed"} {
		// The overlap "wait" would wait for the other machine.
		n.write("skip.yaml", strings.Replace(n.read("jobs.yaml"), "overlap: wait", "overlap: skip", 1))
		if said := n.says(1, "jobs", "run", "full", "-f", "skip.yaml"); !strings.Contains(said, "full runs already") {
			t.Errorf("%s another machine says: %s", state, said)
		}
		if state == "while it runs" {
			n.kill(first, false)
		}
	}
	n.service.watch.Store(nil)
	close(release)
	n.pass(first)
	if said := n.says(1, "jobs", "history", "full"); !strings.Contains(said, "was killed and goes on with the next start") {
		t.Errorf("the history before the next start: %s", said)
	}
	second := n.on(1, "jobs", "run", "full")
	if code := second.end(); code != exitDone && code != exitDoubt {
		t.Fatalf("exit code %d\n%s%s", code, second.stdout.String(), second.stderr)
	}
	for machine := range 2 {
		if said := n.says(machine, "jobs", "history", "full"); strings.Count(said, "\nfull  ") != 2 {
			t.Errorf("the history on machine %d: %s", machine, said)
		}
	}
	if ended := n.awaitEnds(1); ended[0].Starts != 2 {
		t.Errorf("%+v: want two starts", ended[0])
	}
	n.check(1)
}

// TestAPauseHoldsOnEveryMachine pauses a job on one machine while it runs on another, and resumes it.
func TestAPauseHoldsOnEveryMachine(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	n := newSharedNight(t, 3, 5)
	n.step()
	reached, release := n.service.hold(t, 2)
	first := n.on(0, "jobs", "run", "full")
	<-reached
	n.says(1, "jobs", "pause", "full", "--note", "the export is rebuilt")
	n.says(2, "jobs", "resume", "full")
	n.says(1, "jobs", "pause", "full", "--note", "the export is rebuilt")
	close(release)
	if code := first.end(); code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, first.stdout.String(), first.stderr)
	}
	n.step()
	n.step()
	for machine := range 3 {
		if said := n.says(machine, "jobs", "run", "full"); !strings.Contains(said, "full is paused") || !strings.Contains(said, "rebuilt") {
			t.Errorf("machine %d: %s", machine, said)
		}
		if said := n.says(machine, "jobs", "next", "full"); !strings.Contains(said, "the export is rebuilt") {
			t.Errorf("machine %d: %s", machine, said)
		}
	}
	if said := n.says(0, "jobs", "resume", "full"); !strings.Contains(said, "does not run") {
		t.Errorf("after the pause: %s", said)
	}
	if ended := n.awaitEnds(1); len(ended) != 1 || ended[0].Starts != 1 {
		t.Errorf("%+v: want one start", ended)
	}
}

// TestServeOnMachinesIsKilledInANight has a scheduler on each of three machines. At moments that a seed chooses some of
// them are killed, and started again. In the end every occurrence has run, nothing was paid for twice, and every output
// is whole.
func TestServeOnMachinesIsKilledInANight(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	t.Logf("seed %d", *machineSeed)
	steps := 3 * *machineKills
	n := newSharedNight(t, steps, 8)
	draw := rand.New(rand.NewPCG(*machineSeed, 1))
	schedulers := make([]*process, 3)
	for machine := range schedulers {
		schedulers[machine] = n.on(machine, "jobs", "serve")
	}
	kills, taken := 0, 0
	var gone []*process // whose leases end with the next step
	for ; kills < *machineKills && taken < steps; taken++ {
		came := n.service.pass(1+draw.Int64N(8), draw.IntN(2) == 0)
		for _, run := range gone {
			n.pass(run)
		}
		gone = nil
		n.step()
		select {
		case <-came:
		case <-time.After(5 * time.Second): // this step needed fewer requests
			continue
		}
		for _, victim := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 1, 2}}[draw.IntN(5)] {
			passed := draw.IntN(2) == 0
			n.kill(schedulers[victim], passed)
			if !passed {
				gone = append(gone, schedulers[victim])
			}
			kills++
			schedulers[victim] = n.on(victim, "jobs", "serve")
		}
	}
	if kills < *machineKills {
		t.Errorf("%d kills only", kills)
	}
	n.service.watch.Store(nil)
	n.stop(schedulers...)
	n.server.Exec("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' WHERE ended IS NULL")
	for i, name := range n.names {
		run := n.on(i, "jobs", "run", name)
		if code := run.end(); code != exitDone && code != exitDoubt {
			t.Errorf("%s ended with %d\n%s", name, code, run.stderr)
		}
	}
	starts := int64(0)
	for _, one := range n.history() {
		starts += one.Starts
	}
	if most := int64(len(n.names) + taken + kills); starts > most {
		t.Errorf("%d starts of %d occurrences with %d kills", starts, taken, kills)
	}
	n.check(taken)
	checkSharedJournal(t, n.server, "default")
}
