package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
	"payonce/pipeline/report"
)

var (
	readerKills = flag.Int("reader-kills", 3, "how often TestReadersDoNotDisturbARun kills the run")
	readerLimit = flag.Duration("reader-limit", 0, "the longest that a reader of TestReadersDoNotDisturbARun may take; 0 for any time")
)

// TestReadersDoNotDisturbARun kills a run again and again, as TestFire does, while commands that read its
// journal run in loops and are killed too. The checks at the end are those of TestFire.
func TestReadersDoNotDisturbARun(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newCampaign(t, t.TempDir(), v1.REST, *fireSeed)
	c.base = append(c.base, "--wait", "1m")
	c.runToFirstKill()
	if err := copyFile(c.list(), filepath.Join(c.dir, "plan.csv")); err != nil { // the campaign's own list grows
		t.Fatal(err)
	}
	readers := startReaders(t, c)
	for c.killed() < *readerKills {
		c.change(c.strike())
	}
	readers.stop()
	c.checkAfterStrike()
	c.end()
	readers.report()
}

// The status of a run, which another run is told of too, is how far the run has come.
func TestStatusShowsARunAndItsEnd(t *testing.T) {
	t.Parallel()
	_, tap := newService(t, 5)
	p := newProgram(t, 30, tap.listen(t), "--max-spend", "40", "--concurrency", "1")
	reached, release := tap.hold(t, 10)
	run := p.start()
	receive(t, reached, "no tenth lookup")
	status := func() (found report.Status) {
		t.Helper()
		ended := p.startAs(exec.Command(*programPath, "status", "--json", "--state", p.state()))
		if code := ended.end(); code != exitDone {
			t.Fatalf("exit code %d\n%s", code, ended.stderr)
		}
		if err := json.Unmarshal(ended.stdout.Bytes(), &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	during := status()
	if len(during.Active) != 1 || during.Active[0].Progress == nil || during.Active[0].Run == nil {
		t.Fatalf("%+v", during)
	}
	active := during.Active[0]
	progress := active.Progress
	if active.Command != "run list" || active.Process != run.Process.Pid || progress.Done != 9 || progress.Total < 10 ||
		active.Run.Run != "list" || active.Run.MaxSpend != 40*cost.Dollar {
		t.Errorf("%+v, progress %+v, run %+v", active, progress, active.Run)
	}
	for _, args := range [][]string{{"runs"}, {"show", "list"}} {
		shown := p.startAs(exec.Command(*programPath, append(args, "--state", p.state())...))
		if code := shown.end(); code != exitDone || !strings.Contains(shown.stdout.String(), " running\n") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, shown.stdout.String(), shown.stderr)
		}
	}
	starts := p.startAs(exec.Command(*programPath, "runs", "--starts", "--state", p.state()))
	if code := starts.end(); code != exitDone || !strings.Contains(starts.stdout.String(), fmt.Sprintf("  running, process %d\n", run.Process.Pid)) {
		t.Errorf("exit code %d\n%s%s", code, starts.stdout.String(), starts.stderr)
	}
	refused := p.runToEnd(exitLocked)
	if want := fmt.Sprintf(", %d %% done; wait", progress.Percent()); !strings.Contains(refused.stderr.String(), want) {
		t.Errorf("no %q in %s", want, refused.stderr)
	}
	close(release)
	if code := run.end(); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	after := status()
	if len(after.Active) > 0 || after.Last == nil || after.Last.Run != "list" || after.Last.Ended == nil || after.Last.Spent != decodeSummary(t, run).Spent {
		t.Errorf("%+v, last run %+v", after, after.Last)
	}
}

// runToFirstKill kills the run once, so that there is a journal.
func (c *campaign) runToFirstKill() {
	c.t.Helper()
	for c.head() == "" {
		c.strike()
	}
}

// readers are commands that read the journal of a campaign, in loops.
type readers struct {
	*campaign
	cancel  context.CancelFunc
	working sync.WaitGroup

	mu      sync.Mutex
	ended   map[string]int           // by command and how it ended
	slowest map[string]time.Duration // of those that ended by themselves
}

// readerLoops is how many commands read at the same time.
const readerLoops = 2

func startReaders(t *testing.T, c *campaign) *readers {
	ctx, cancel := context.WithCancel(t.Context())
	r := &readers{campaign: c, cancel: cancel, ended: map[string]int{}, slowest: map[string]time.Duration{}}
	for loop := range readerLoops {
		draw := rand.New(rand.NewPCG(*fireSeed, uint64(loop+1)))
		r.working.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				life := time.Hour
				if draw.IntN(8) == 0 {
					life = time.Duration(draw.IntN(200)) * time.Millisecond
				}
				commands := readingCommands(c, loop)
				r.read(ctx, commands[draw.IntN(len(commands))], life)
			}
		})
	}
	t.Cleanup(r.stop)
	return r
}

// readingCommands returns the commands that read a journal.
func readingCommands(c *campaign, loop int) [][]string {
	own := filepath.Join(c.dir, fmt.Sprintf("read-%d.csv", loop))
	return [][]string{
		{"runs", "--json"},
		{"status", "--json"},
		{"show", "list", "--json"},
		{"budget", "--offline", "--json"},
		{"ledger", "--json"},
		{"plan", filepath.Join(c.dir, "plan.csv"), "--name", "list", "--fields", "email,phone", "--offline", "--json"},
		{"write", "list", "-o", own, "--json"},
		{"journal", "check", "--json"},
	}
}

// stop ends the loops.
func (r *readers) stop() {
	r.cancel()
	r.working.Wait()
}

// read runs one command to its end, or kills it after a time.
func (r *readers) read(ctx context.Context, args []string, life time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	command := exec.CommandContext(ctx, *programPath, append(slices.Clip(args), "--state", r.state())...)
	command.Env = append(command.Environ(), "SERVICE_BASE_URL="+r.baseURL, "SERVICE_API_KEY="+sandbox.DefaultKey)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	begun := time.Now()
	if err := command.Start(); err != nil {
		r.t.Error(err)
		return
	}
	command.Wait() // the exit code says it all
	took, code, name := time.Since(begun), command.ProcessState.ExitCode(), args[0]
	how := fmt.Sprintf("exit %d", code)
	switch told := stderr.String(); {
	case code == -1:
		how = "killed"
	case code == exitDone, code == exitDoubt && args[0] == "write":
		if err := checkSnapshot(args[0], stdout.Bytes()); err != nil {
			r.t.Errorf("%s: %v\n%s", name, err, stdout.String())
		}
	case code == exitLocked && strings.Contains(told, "run the same command again"):
		how = "the owner ended"
	case code == exitLocked && strings.Contains(told, "is held by"):
	case code == exitInternal && strings.Contains(told, `no run "list"`): // it was killed before it recorded the run
	default:
		r.t.Errorf("%s: exit code %d\n%s%s", name, code, stdout.String(), told)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[name+": "+how]++
	if code != -1 {
		r.slowest[name] = max(r.slowest[name], took)
	}
}

// checkSnapshot checks that the sums that a command shows are those of its records.
func checkSnapshot(command string, printed []byte) error {
	if command != "show" { // the others exit with another code, or show sums alone
		return nil
	}
	var run report.Run
	if err := json.Unmarshal(printed, &run); err != nil {
		return err
	}
	var charged cost.Money
	attempts := int64(0)
	for _, part := range run.Spend.ByDay {
		charged, attempts = charged+part.Charged, attempts+part.Attempts
	}
	if charged != run.Spent || attempts < run.Lookups {
		return fmt.Errorf("the records have %d attempts and $%s, the sums %d and $%s", attempts, charged, run.Lookups, run.Spent)
	}
	return nil
}

// report logs how the readers ended, and fails the test when one took too long.
func (r *readers) report() {
	r.t.Logf("readers: %v", r.ended)
	r.t.Logf("the slowest: %v", r.slowest)
	for name, took := range r.slowest {
		if *readerLimit > 0 && took > *readerLimit {
			r.t.Errorf("%s took %v", name, took)
		}
	}
	read := 0
	for _, args := range readingCommands(r.campaign, 0) {
		n := r.ended[args[0]+": exit 0"] + r.ended[args[0]+": exit 5"]
		if read += n; n == 0 && *readerKills >= 15 { // fewer kills may be too few for each
			r.t.Errorf("%s never read the journal", args[0])
		}
	}
	if read == 0 {
		r.t.Error("no command read the journal")
	}
}
