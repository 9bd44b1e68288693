package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that looks through the journal ends at an interrupt, however large the
// journal is, and says what that leaves.
func TestAnInterruptEndsEveryCommandThatWalksTheJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, out := filepath.Join(dir, "list.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Acme\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"BATCH_STATE": dir, newJournalKeyVariable: strings.Repeat("0a", 32)}
	env := quietEnvironment(vars)
	do := func(ctx context.Context, code int, line, told string) {
		t.Helper()
		_, stderr, got := executeIn(ctx, env, append(strings.Fields(line), "--sandbox")...)
		if got != code || !strings.Contains(stderr, told) {
			t.Errorf("%s: exit code %d, not %d\n%s", line, got, code, stderr)
		}
	}
	do(t.Context(), exitDone, "run "+list+" -o "+out+" --name trial --max-spend 3 --yes --rate 1000/1s", "")
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	const sound, erasing = "batch: interrupted; nothing was sent\n", "run the same command again"
	for line, told := range map[string]string{
		"journal check": sound, "journal dump": sound, "ledger": sound, "runs": sound, "show trial": sound,
		"journal prune --keep-answers 0h": erasing, "forget --email ann@acme.example": erasing,
		"journal rekey": "keeps the key that it had", "write trial -o " + out: out + " was not written",
	} {
		do(interrupted, exitInterrupted, line, told)
	}
	do(t.Context(), exitDone, "journal check", "")
}

// A list that is still to come from standard input keeps nobody waiting.
func TestAnInterruptEndsReadingFromStandardInput(t *testing.T) {
	t.Parallel()
	silent, end := io.Pipe()
	defer end.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	var stderr bytes.Buffer
	env := quietEnvironment(map[string]string{"BATCH_STATE": t.TempDir()})
	env.stdin, env.stderr = silent, &stderr
	code := make(chan int)
	go func() { code <- executed(ctx, env, []string{"plan", "-", "--sandbox"}) }()
	if _, err := io.WriteString(end, "first_name,last_name,company\n"); err != nil { // it is being read
		t.Fatal(err)
	}
	interrupt()
	if got := receive(t, code, "it still reads"); got != exitInterrupted || stderr.String() != "batch: interrupted; nothing was sent\n" {
		t.Errorf("exit code %d\n%s", got, &stderr)
	}
}
