package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// Where somebody can be asked, a run asks before it spends.
func TestRunAsksForApprovalBeforeItSpends(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		code         int
	}{
		{"y", "y\n", exitDone},
		{"yes in capitals", " YES \n", exitDone},
		{"no", "n\n", exitApproval},
		{"only Enter", "\n", exitApproval},
		{"something else", "yesterday\n", exitApproval},
		{"end of input", "", exitApproval},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := askedRun(t, t.Context(), strings.NewReader(test.answer))
			if code != test.code {
				t.Fatalf("exit code %d, not %d\n%s", code, test.code, stderr)
			}
			if !strings.Contains(stderr, "Send 2 lookups and spend at most $0.00? [y/N] ") {
				t.Errorf("the question: %q", stderr)
			}
			if refused := strings.Contains(stderr, "not confirmed; nothing was sent"); refused != (code == exitApproval) {
				t.Errorf("refused: %t\n%s", refused, stderr)
			}
			if sent := strings.Contains(stdout, "2 (2 requests)"); sent != (code == exitDone) {
				t.Errorf("sent: %t\n%s", sent, stdout)
			}
		})
	}
}

// Above the approval threshold --yes is not an answer; --approve is one when it covers
// what the run can spend.
func TestRunAsksAboveTheThreshold(t *testing.T) {
	t.Parallel()
	const threshold = "This is more than the approval threshold of $0.20.\nSend 2 lookups and spend at most $0.30? [y/N] "
	for _, test := range []struct {
		name, answer string
		flags        []string
		asks         bool
		code         int
	}{
		{"yes to the question", "y\n", []string{"--yes"}, true, exitDone},
		{"no to the question", "n\n", []string{"--yes"}, true, exitApproval},
		{"approved too little", "n\n", []string{"--yes", "--approve", "0.29"}, true, exitApproval},
		{"approved", "", []string{"--yes", "--approve", "0.30"}, false, exitDone},
		{"approved, and the usual question", "n\n", []string{"--approve", "0.30"}, false, exitApproval},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			flags := append([]string{"--strict", "--approval-threshold", "0.20"}, test.flags...)
			stdout, _, code := askedRunTo(t, t.Context(), strings.NewReader(test.answer), &stderr, flags...)
			if code != test.code {
				t.Fatalf("exit code %d, not %d\n%s", code, test.code, &stderr)
			}
			if asked := strings.Contains(stderr.String(), threshold); asked != test.asks {
				t.Errorf("asked: %t\n%s", asked, &stderr)
			}
			if sent := strings.Contains(stdout, "2 (2 requests)"); sent != (code == exitDone) {
				t.Errorf("sent: %t\n%s", sent, stdout)
			}
		})
	}
}

// The approved amount also holds when a ceiling that the question counted on renews meanwhile.
func TestTheApprovedAmountHoldsWhenACeilingRenews(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), &setClock{at: time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)}
	env := askedEnvironment(strings.NewReader("y\n"))
	env.now = clock.now
	args := append(askedList(t, dir), "--strict", "--daily", "0.15")
	if stdout, stderr, code := executeIn(t.Context(), env, args...); code != exitCeiling {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	env.stdin = onRead{strings.NewReader("y\n"), func() { clock.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) }}
	stdout, stderr, code := executeIn(t.Context(), env, args...)
	if !strings.Contains(stderr, "Send up to 1 lookup and spend at most $0.00, enough for at least 0 of them? [y/N] ") {
		t.Errorf("the question: %q", stderr)
	}
	if code != exitCeiling || !strings.Contains(stdout, "Stopped at the ceiling approval: ") || !strings.Contains(stdout, "0 (0 requests)") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestRunChecksPricesAndAccountAgainAfterApproval has somebody else use the workspace, and the price of
// an email rise, while somebody is asked.
func TestRunChecksPricesAndAccountAgainAfterApproval(t *testing.T) {
	t.Parallel()
	higher := 16 * cost.Cent
	for _, test := range []struct {
		name      string
		free      int64
		meanwhile func(*sandbox.Ledger) error
		charged   cost.Money
		code      int
		says      string
	}{
		{"nothing", 20, func(*sandbox.Ledger) error { return nil }, 0, exitDone, "at most $0.00? [y/N] "},
		{"free emails go", 20, func(w *sandbox.Ledger) error {
			_, err := w.UseElsewhere(sandbox.FieldUnits{v1.WorkEmail: 20})
			return err
		}, 0, exitCeiling, "at most $0.00? [y/N] "},
		{"the price of an email rises", 0, func(w *sandbox.Ledger) error {
			return w.SetPrice(v1.WorkEmail, &higher)
		}, 0, exitUsage, "the account shows $0.16 for a work_email by now, and the plan counted with $0.15; nothing was sent"},
		{"access is restricted", 20, func(w *sandbox.Ledger) error {
			return w.SetState(sandbox.Restricted)
		}, 0, exitRefused, "account status: HTTP 403 access_restricted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := sandbox.DefaultConfig()
			config.Free[v1.WorkEmail] = test.free
			config.UnknownRate, config.MatchRates[v1.WorkEmail] = 0, 1
			b := newWorkbench(t, config, world.DefaultList(5, 12))
			env := askedEnvironment(onRead{strings.NewReader("y\n"), func() {
				if err := test.meanwhile(b.service.Workspace()); err != nil {
					t.Error(err)
				}
			}})
			env.getenv = quietEnvironment(b.vars()).getenv
			stdout, stderr, code := executeIn(t.Context(), env, "run", b.path("list.csv"), "--max-spend", "3")
			if charged := b.service.Ledger().Charged; code != test.code || charged != test.charged || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, charged %s\n%s%s", code, charged, stdout, stderr)
			}
		})
	}
}

// Where somebody can be asked, the callback of an account is replaced only after a yes.
func TestAnotherCallbackIsReplacedAfterAYes(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(5, 1))
	set := func(answer, address string) (stdout, stderr string, code int) {
		env := askedEnvironment(strings.NewReader(answer))
		env.getenv = quietEnvironment(b.vars()).getenv
		v2URL := strings.TrimSuffix(env.getenv("SERVICE_BASE_URL"), "/api/v1") + "/v2"
		key := v2.DefaultKey
		getenv := env.getenv
		env.getenv = func(name string) string {
			return map[string]string{"SERVICE_V2_API_KEY": key, "SERVICE_V2_BASE_URL": v2URL}[name] + getenv(name)
		}
		return executeIn(t.Context(), env, "watch", "callback", "set", address)
	}
	if _, stderr, code := set("", "https://first.example/x"); code != exitDone || strings.Contains(stderr, "[y/N]") {
		t.Errorf("without another one: exit code %d\n%s", code, stderr)
	}
	const question = "The service sends notifications to https://first.example/x. Replace it? [y/N] "
	if _, stderr, code := set("n\n", "https://second.example/x"); code != exitApproval || !strings.Contains(stderr, question) || !strings.Contains(stderr, "was not changed") {
		t.Errorf("after no: exit code %d\n%s", code, stderr)
	}
	stdout, stderr, code := set("y\n", "https://second.example/x")
	if code != exitDone || !strings.Contains(stderr, question) || !strings.Contains(stdout, "https://second.example/x (set, and read back") {
		t.Errorf("after yes: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// setClock is a clock that stands still until it is set.
type setClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *setClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *setClock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// onRead does something before each read.
type onRead struct {
	io.Reader
	do func()
}

func (r onRead) Read(data []byte) (int, error) {
	r.do()
	return r.Reader.Read(data)
}

// An interrupt is an answer too.
func TestInterruptedQuestionSendsNothing(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	stdin, keyboard := io.Pipe() // nobody types
	defer keyboard.Close()
	asked := &announcer{}
	go func() {
		asked.await(t, "[y/N] ")
		interrupt()
	}()
	_, _, code := askedRunTo(t, ctx, stdin, asked)
	if code == exitDone || strings.Contains(asked.String(), "requests") {
		t.Errorf("exit code %d\n%s", code, asked)
	}
}

// TestPruneAndForgetEraseOnlyAfterAYes: prune and forget erase only after a yes.
func TestPruneAndForgetEraseOnlyAfterAYes(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"journal prune --keep-answers 0h", "forget --first-name Ann --last-name Lee --company-name Acme"} {
		for _, test := range []struct {
			answer string
			code   int
			told   string
		}{
			{"n\n", exitApproval, "batch: not confirmed; nothing was erased\n"},
			{"", exitApproval, "batch: not confirmed; nothing was erased\n"},
			{"y\n", exitDone, ""},
		} {
			t.Run(fmt.Sprintf("%.7s, %q", command, test.answer), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				enrichedList(t, dir)
				_, stderr, code := executeIn(t.Context(), askedEnvironment(strings.NewReader(test.answer)), erasing(dir, command)...)
				if code != test.code || !strings.Contains(stderr, "? [y/N] ") || !strings.HasSuffix(stderr, test.told) {
					t.Errorf("exit code %d, not %d\n%s", code, test.code, stderr)
				}
				if held := strings.Contains(dumped(t, dir), `"Ann"`); held != (code != exitDone) {
					t.Errorf("the journal still has the person: %t", held)
				}
			})
		}
	}
}

// TestInterruptedQuestionErasesNothing: an interrupt at the question ends with its own code.
func TestInterruptedQuestionErasesNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"journal prune --keep-answers 0h", "forget --first-name Ann --last-name Lee --company-name Acme"} {
		t.Run(command[:7], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			enrichedList(t, dir)
			before := dumped(t, dir)
			ctx, interrupt := context.WithCancel(t.Context())
			stdin, keyboard := io.Pipe() // nobody types
			defer keyboard.Close()
			asked := &announcer{}
			go func() {
				asked.await(t, "[y/N] ")
				interrupt()
			}()
			env := askedEnvironment(stdin)
			env.stderr = asked
			if code := executed(ctx, env, erasing(dir, command)); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			if !strings.HasSuffix(asked.String(), "batch: interrupted: nothing was erased\n") {
				t.Errorf("it told:\n%s", asked)
			}
			if diff := cmp.Diff(before, dumped(t, dir)); diff != "" {
				t.Errorf("the journal changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestForgetAsksWhichNamesakesAreThePerson: they are listed with what tells them apart, and those that are chosen by
// their numbers are erased.
func TestForgetAsksWhichNamesakesAreThePerson(t *testing.T) {
	for answers, want := range map[string]struct{ left, code int }{
		"\ny\n": {2, exitDone}, "1\ny\n": {1, exitDone}, "3\nx\n2,1\ny\n": {0, exitDone}, "all\ny\n": {0, exitDone}, "1\nn\n": {3, exitApproval}, "": {3, exitApproval},
	} {
		t.Run(strings.ReplaceAll(answers, "\n", "⏎"), func(t *testing.T) {
			dir := t.TempDir()
			list := filepath.Join(dir, "may.csv")
			rows := "first_name,last_name,company,company_domain\nCy,Dee,Acme,\nCy,Dee,Beta,\nCy,Dee,,gamma.example\n"
			if err := os.WriteFile(list, []byte(rows), 0o600); err != nil {
				t.Fatal(err)
			}
			run := erasing(dir, "run "+list+" --name may --max-spend 3 --concurrency 1 --yes")
			if _, stderr, code := executeIn(t.Context(), quietEnvironment(nil), run...); code != exitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			env := askedEnvironment(strings.NewReader(answers))
			_, stderr, code := executeIn(t.Context(), env, erasing(dir, "forget --first-name Cy --last-name Dee --company-name Acme")...)
			for _, line := range []string{`  1  Cy Dee, Beta; .*; run may; list .*/may\.csv\n`, `  2  Cy Dee, gamma\.example; .*; run may; list .*/may\.csv\n`} {
				if !regexp.MustCompile(line).MatchString(stderr) {
					t.Errorf("there is no line %s in\n%s", line, stderr)
				}
			}
			if left := strings.Count(dumped(t, dir), `"last_name":"Dee"`); code != want.code || left != want.left {
				t.Errorf("exit code %d and %d identities left, want %d and %d\n%s", code, left, want.code, want.left, stderr)
			}
		})
	}
}

// enrichedList runs a list of two persons, with its journal in dir.
func enrichedList(t *testing.T, dir string) {
	t.Helper()
	if _, stderr, code := executeIn(t.Context(), quietEnvironment(nil), append(askedList(t, dir), "--yes")...); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
}

// erasing returns the words of a command on the journal of enrichedList.
func erasing(dir, command string) []string {
	return append(strings.Fields(command), "--sandbox", "--state", filepath.Join(dir, "state"))
}

// dumped returns the records of the journal of enrichedList.
func dumped(t *testing.T, dir string) string {
	t.Helper()
	stdout, stderr, code := executeIn(t.Context(), quietEnvironment(nil), erasing(dir, "journal dump --values")...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	return stdout
}

func askedRun(t *testing.T, ctx context.Context, stdin io.Reader) (stdout, stderr string, code int) {
	var errs bytes.Buffer
	stdout, _, code = askedRunTo(t, ctx, stdin, &errs)
	return stdout, errs.String(), code
}

// askedRunTo runs a list of two persons in this process, with somebody to ask.
func askedRunTo(t *testing.T, ctx context.Context, stdin io.Reader, stderr io.Writer, flags ...string) (stdout, output string, code int) {
	t.Helper()
	dir := t.TempDir()
	var out bytes.Buffer
	env := askedEnvironment(stdin)
	env.stdout, env.stderr, env.showsProgress = &out, stderr, true
	code = executed(ctx, env, append(askedList(t, dir), flags...))
	return out.String(), filepath.Join(dir, "list.enriched.csv"), code
}

// askedList writes the list of two persons and returns the command that runs it.
func askedList(t *testing.T, dir string) []string {
	t.Helper()
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Beta\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"run", list, "--sandbox", "--rate", "1000/1s", "--max-spend", "3", "--state", filepath.Join(dir, "state")}
}

// askedEnvironment is one in which somebody can be asked.
func askedEnvironment(stdin io.Reader) environment {
	env := quietEnvironment(nil)
	env.stdin, env.canAsk = stdin, true
	return env
}
