// Package acceptance tests that other programs can use the files of batch: Prometheus, the queries of the dashboard for
// Grafana, and a browser. It is its own module, so that the program does not depend on them.
package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// built has the program, which is built once.
type built struct {
	once sync.Once
	dir  string
	err  error
}

var program built

func TestMain(m *testing.M) {
	code := m.Run()
	if program.dir != "" {
		if err := os.RemoveAll(program.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// path returns the file of the program.
func (b *built) path(t *testing.T) string {
	t.Helper()
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "payonce-acceptance"); b.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", filepath.Join(b.dir, "batch"), "./cmd/batch")
		build.Dir = ".."
		if text, err := build.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w: %s", err, text)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return filepath.Join(b.dir, "batch")
}

// workplace is a directory in which the program runs, with the services of the sandbox.
type workplace struct {
	t       *testing.T
	dir     string
	environ []string // besides what every command gets
}

// environment returns that of a command.
func (w *workplace) environment() []string {
	return append(append(os.Environ(), "BATCH_STATE="+filepath.Join(w.dir, "state"), "TZ=UTC"), w.environ...)
}

// newWorkplace returns a workplace with the lists of the demo and a jobs file.
func newWorkplace(t *testing.T, jobs string) *workplace {
	t.Helper()
	w := &workplace{t: t, dir: t.TempDir()}
	for _, name := range []string{"demo.csv", "companies.csv"} {
		text, err := os.ReadFile(filepath.Join("../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		w.write(name, text)
	}
	w.write("jobs.yaml", []byte(jobs))
	return w
}

func (w *workplace) write(name string, text []byte) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workplace) read(name string) []byte {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// run runs a command, which has to end with an exit code.
func (w *workplace) run(code int, args ...string) string {
	w.t.Helper()
	command := exec.Command(program.path(w.t), args...)
	command.Dir = w.dir
	command.Env = w.environment()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		w.t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("batch %q ended with %d\n%s%s", args, got, &stdout, &stderr)
	}
	return stdout.String()
}

// headOf returns the first lines of a list.
func (w *workplace) headOf(name string, lines int) []byte {
	w.t.Helper()
	all := bytes.SplitAfter(w.read(name), []byte("\n"))
	return bytes.Join(all[:min(len(all), lines)], nil)
}
