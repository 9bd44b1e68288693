package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

var programPath = flag.String("program", "batch", "the program that the tests of real processes start; by default this test itself")

// skipIfShort leaves out a test that starts many processes, takes much disk, or works for long in one goroutine. The run
// with the race detector does without it; "make test" runs it.
func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long; not run with -short")
	}
}

// program is "batch run" as a separate process on its own list.
type program struct {
	t       *testing.T
	dir     string
	baseURL string
	v2Key   string // "" for none
	args    []string
	environ []string // variables of its environment besides
}

// newProgram writes a list with that number of rows and returns the command that enriches it.
func newProgram(t *testing.T, rows int, baseURL string, flags ...string) *program {
	t.Helper()
	return newProgramIn(t, t.TempDir(), rows, baseURL, flags...)
}

// newProgramIn is newProgram with the list, the output and the journal in a directory.
func newProgramIn(t *testing.T, dir string, rows int, baseURL string, flags ...string) *program {
	t.Helper()
	p := &program{t: t, dir: dir, baseURL: baseURL}
	p.writeList(rows)
	p.args = append([]string{
		"run", p.list(), "-o", p.output(), "--yes", "--json", "--name", "list", "--fields", "email,phone", "--rate", "100000/1s",
		"--settle-delay", "100ms", "--state", p.state(),
	}, flags...)
	return p
}

// overEachTransport runs a test over REST and over MCP.
func overEachTransport(t *testing.T, test func(t *testing.T, transport v1.Transport)) {
	for _, transport := range []v1.Transport{v1.REST, v1.MCP} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			test(t, transport)
		})
	}
}

// over lets the program call the service over a transport.
func (p *program) over(transport v1.Transport) *program {
	p.args = append(p.args, "--transport", string(transport))
	return p
}

// longestList is how many rows a program's list can have.
const longestList = 8192

// writeList writes the program's list: the first rows of one long list, so that a
// longer one begins with a shorter one.
func (p *program) writeList(rows int) {
	p.t.Helper()
	spec := world.DefaultList(11, longestList)
	spec.QuotedNewlineShare = 0.1
	var text bytes.Buffer
	if err := world.WriteListCSV(&text, spec); err != nil {
		p.t.Fatal(err)
	}
	records := csv.NewReader(bytes.NewReader(text.Bytes()))
	for range rows + 1 { // and the header
		if _, err := records.Read(); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.WriteFile(p.list(), text.Bytes()[:records.InputOffset()], 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) list() string   { return filepath.Join(p.dir, "list.csv") }
func (p *program) output() string { return filepath.Join(p.dir, "out.csv") }
func (p *program) state() string  { return filepath.Join(p.dir, "state") }

// process is a program that was started.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr *announcer
}

// start starts the program.
func (p *program) start() *process { return p.startAs(exec.Command(*programPath, p.args...)) }

// startAs starts the program as a command says, which may have its own outputs.
func (p *program) startAs(command *exec.Cmd) *process {
	p.t.Helper()
	run := &process{Cmd: command, stderr: &announcer{}}
	keys := []string{"SERVICE_API_KEY=" + sandbox.DefaultKey}
	if p.v2Key != "" {
		keys = append(keys, "SERVICE_V2_API_KEY="+p.v2Key)
	}
	run.Env = slices.Concat(os.Environ(), []string{"SERVICE_BASE_URL=" + p.baseURL}, keys, p.environ, zohoVariables(strings.TrimSuffix(p.baseURL, "/api/v1")), command.Env)
	if run.Stdout == nil {
		run.Stdout = &run.stdout
	}
	if run.Stderr == nil {
		run.Stderr = run.stderr
	}
	if err := run.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { run.Process.Kill() }) // fails when it has ended, as it should
	return run
}

// end waits for the process and returns its exit code, -1 when it was killed.
func (r *process) end() int {
	r.Wait() // the exit code says it all
	return r.ProcessState.ExitCode()
}

// runToEnd starts the program and fails the test unless it ends with one of the
// exit codes.
func (p *program) runToEnd(codes ...int) *process {
	p.t.Helper()
	run := p.start()
	got := run.end()
	if slices.Contains(codes, got) {
		return run
	}
	p.t.Fatalf("exit code %d, not of %v\n%s%s", got, codes, run.stdout.String(), run.stderr.String())
	return nil
}

// announcer keeps what a process writes and tells when a text has come.
type announcer struct {
	mu     sync.Mutex
	text   bytes.Buffer
	waited []byte
	came   chan struct{}
}

func (a *announcer) Write(text []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Write(text)
	a.announce()
	return len(text), nil
}

func (a *announcer) announce() {
	if a.came != nil && bytes.Contains(a.text.Bytes(), a.waited) {
		close(a.came)
		a.came = nil
	}
}

func (a *announcer) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

// await waits until the process has written the text.
func (a *announcer) await(t *testing.T, text string) {
	t.Helper()
	came := make(chan struct{})
	a.mu.Lock()
	a.waited, a.came = []byte(text), came
	a.announce()
	a.mu.Unlock()
	receive(t, came, fmt.Sprintf("the program never wrote %q", text))
}

// receive waits for a channel, and fails the test when that takes too long.
func receive[T any](t *testing.T, from <-chan T, otherwise string) (value T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a busy machine starts a process in seconds
	defer cancel()
	select {
	case value = <-from:
	case <-ctx.Done():
		t.Fatal(otherwise)
	}
	return value
}
