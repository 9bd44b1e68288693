package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Where somebody can be asked, a run asks before it spends.
func TestRunAsks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		code         int
	}{
		{"y", "y\n", exitDone},
		{"yes in capitals", " YES \n", exitDone},
		{"no", "n\n", exitUsage},
		{"only Enter", "\n", exitUsage},
		{"something else", "yesterday\n", exitUsage},
		{"end of input", "", exitUsage},
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
			if refused := strings.Contains(stderr, "not confirmed; nothing was sent"); refused != (code == exitUsage) {
				t.Errorf("refused: %t\n%s", refused, stderr)
			}
			if sent := strings.Contains(stdout, "2 (2 requests)"); sent != (code == exitDone) {
				t.Errorf("sent: %t\n%s", sent, stdout)
			}
		})
	}
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

func askedRun(t *testing.T, ctx context.Context, stdin io.Reader) (stdout, stderr string, code int) {
	var errs bytes.Buffer
	stdout, _, code = askedRunTo(t, ctx, stdin, &errs)
	return stdout, errs.String(), code
}

// askedRunTo runs a list of two persons in this process, with somebody to ask.
func askedRunTo(t *testing.T, ctx context.Context, stdin io.Reader, stderr io.Writer) (stdout, output string, code int) {
	t.Helper()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Beta\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	env := environment{
		stdin: stdin, stdout: &out, stderr: stderr, now: time.Now, canAsk: true, showsProgress: true,
		getenv: func(string) string { return "" },
	}
	code = execute(ctx, env, []string{"run", list, "--sandbox", "--rate", "1000/1s", "--max-spend", "3", "--state", filepath.Join(dir, "state")})
	return out.String(), filepath.Join(dir, "list.enriched.csv"), code
}
