package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

var killSeeds = flag.Int("kill-seeds", 4, "how many seeds TestKill runs")

// TestKill kills the program at moments that a seed chooses and starts it again,
// until it ends by itself. The service's own ledger then says what it asked and
// what it was charged.
func TestKill(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	overEachTransport(t, func(t *testing.T, transport v1.Transport) {
		for seed := range uint64(*killSeeds) {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				killAndResume(t, transport, seed, "60.00", 45, exitDone, exitDoubt)
			})
		}
	})
}

// TestKillUnderCeiling kills a program whose money does not suffice for the list.
func TestKillUnderCeiling(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	overEachTransport(t, func(t *testing.T, transport v1.Transport) {
		killAndResume(t, transport, 99, "8.00", 12, exitCeiling) // the ceiling comes soon
	})
}

// maxKills is after how many kills the program is left alone.
const maxKills = 8

// killAndResume starts a program again and again, kills it at one of the first requests of
// each start, and finally lets it end.
func killAndResume(t *testing.T, transport v1.Transport, seed uint64, maxSpend string, within int64, codes ...int) {
	service := startService(t, seed)
	p := newProgram(t, 200, service.listen(t), "--max-spend", maxSpend, "--concurrency", "4").over(transport)
	draw := rand.New(rand.NewPCG(seed, 0))
	kills := 0
	for ; kills < maxKills; kills++ {
		if code := killAt(p, &service.tap, 1+draw.Int64N(within), draw.IntN(2) == 0); code != -1 {
			break
		}
	}
	service.watch.Store(nil)
	last := p.runToEnd(codes...)
	view, ledger := decodeSummary(t, last), service.end(t)
	if kills < 3 {
		t.Fatalf("it was killed %d times only", kills)
	}
	t.Logf("%d kills, %d lookups arrived, $%s charged, rows %v", kills, len(ledger.Arrivals), ledger.Charged, view.Rows)

	limit, err := cost.ParseMoney(maxSpend)
	if err != nil || ledger.Charged > limit {
		t.Errorf("charged $%s of $%s, error %v", ledger.Charged, maxSpend, err)
	}
	if view.Spent > limit || view.Spent+view.Held < ledger.Charged {
		t.Errorf("the summary says $%s spent and $%s held of $%s, the service charged $%s", view.Spent, view.Held, maxSpend, ledger.Charged)
	}
	checkOutput(t, p, ledger)
	checkValues(t, readRows(t, p.output()), undisturbed(t, seed, 200))
}

// killAt starts the program and kills it at its nth request, before the service
// sees the request or before the program sees the response. It returns -1 when it
// was killed, or else the exit code.
func killAt(p *program, tap *tap, nth int64, before bool) int {
	return p.killOn(tap.atRequest(nth, before))
}

// atRequest returns a channel that tells when the nth request has come: before the
// service sees it, or else when it was answered. Either way its client hears nothing.
func (tap *tap) atRequest(nth int64, before bool) <-chan struct{} {
	came := make(chan struct{})
	var requests atomic.Int64
	watch := watcher(func(r *http.Request, pass func()) {
		hold := func() {
			close(came)
			<-r.Context().Done() // the client is dead
		}
		switch now := requests.Add(1) == nth; {
		case now && before:
			hold()
			return
		case now:
			defer hold() // deferred, because a fault of the service ends in a panic
		}
		pass()
	})
	tap.watch.Store(&watch)
	return came
}

// killOn starts the program and kills it when the moment has come. It returns -1
// when it was killed, or else the exit code.
func (p *program) killOn(moment <-chan struct{}) int { return p.endOn(moment, killProcess) }

func killProcess(run *process) { run.Process.Kill() }

// endOn is killOn with another way to kill.
func (p *program) endOn(moment <-chan struct{}, kill func(*process)) int {
	run := p.start()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run.end()
	}()
	select {
	case <-moment:
		kill(run)
		<-ended
	case <-ended:
	}
	return run.ProcessState.ExitCode()
}

// checkValues checks that every answer is the one of an undisturbed run, but for
// the persons whose answers were lost or never bought.
func checkValues(t *testing.T, got, want []listRow) {
	t.Helper()
	lost := lostPersons(got)
	for i, row := range got {
		id := row.identity()
		if slices.Contains(lost, id) || row["enrich_status"] == "not_attempted" {
			continue
		}
		for _, column := range []string{"email", "phone", "full_name", "phone_type", "enrich_status", "enrich_reason"} {
			if row["enrich_status"] == "duplicate" && row[column] == "" {
				continue // its first occurrence may never have been bought
			}
			if diff := cmp.Diff(want[i][column], row[column]); diff != "" {
				t.Errorf("row %d, %s (-undisturbed +killed):\n%s", i+1, column, diff)
			}
		}
	}
}

// undisturbed returns what the program writes when nothing happens to it.
func undisturbed(t *testing.T, seed uint64, rows int) []listRow {
	t.Helper()
	_, tap := newService(t, seed)
	p := newProgram(t, rows, tap.listen(t), "--max-spend", "900.00")
	p.runToEnd(exitDone)
	return readRows(t, p.output())
}

// serviceProcess is "batch sandbox" as a separate process, behind a tap.
type serviceProcess struct {
	tap
	process *exec.Cmd
	seed    uint64
	ledger  string
	admin   string // the address of its admin interface, of a service with the flag for one
}

// adminToken is the key of the admin interface of a service.
const adminToken = "owner"

// startService starts a sandbox with the flags, such as its faults.
func startService(t *testing.T, seed uint64, flags ...string) *serviceProcess {
	t.Helper()
	s := &serviceProcess{seed: seed, ledger: filepath.Join(t.TempDir(), "books.jsonl")}
	s.process = exec.Command(*programPath, append([]string{
		"sandbox", "--listen", "127.0.0.1:0", "--books", s.ledger,
		"--rate", "100000/1s", "--latency", "1ms-5ms", "--seed", fmt.Sprint(seed),
	}, flags...)...)
	s.process.Env = append(os.Environ(), "SANDBOX_ADMIN_TOKEN="+adminToken)
	names := []string{"SERVICE_BASE_URL"}
	if slices.Contains(flags, "--admin") {
		names = append(names, "SANDBOX_ADMIN_URL")
	}
	vars, err := startAndRead(s.process, names...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.process.Process.Kill() })
	s.admin = vars["SANDBOX_ADMIN_URL"]
	baseURL := vars["SERVICE_BASE_URL"]
	target, err := url.Parse(strings.TrimSuffix(baseURL, "/api/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // it tells of every killed client
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {
		panic(http.ErrAbortHandler) // a response that the service drops is dropped here too
	}
	s.service = proxy
	return s
}

// startAndRead starts a sandbox and returns variables that it prints, the base URL first.
func startAndRead(sandbox *exec.Cmd, names ...string) (vars map[string]string, err error) {
	stdout, err := sandbox.StdoutPipe()
	if err = errors.Join(err, sandbox.Start()); err != nil {
		return nil, err
	}
	vars = map[string]string{}
	for lines := bufio.NewReader(stdout); len(vars) < len(names); {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the sandbox printed %q: %w", line, err)
		}
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "sandbox: "), "=")
		if slices.Contains(names, name) {
			vars[name] = value
		}
	}
	return vars, nil
}

// end ends the process and returns its ledger, read from its file.
func (s *serviceProcess) end(t *testing.T) sandbox.Snapshot {
	t.Helper()
	s.process.Process.Kill()
	s.process.Wait() // it was killed
	config := sandbox.DefaultConfig()
	config.Seed, config.LedgerPath = s.seed, s.ledger
	ledger, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ledger.Audit(), ledger.Close()); err != nil {
		t.Error(err)
	}
	return ledger.Ledger()
}
