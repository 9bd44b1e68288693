package main

import (
	"os"
	"os/exec"
	"testing"

	"payonce/io/sandbox"
)

// A run goes on when nobody reads what it writes any more: in "2>&1 | tee log" Ctrl-C ends
// tee as well, and the lookups in flight are paid for.
func TestARunFinishesWhenItsStderrPipeIsClosed(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 7)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "40")
	reached, release := tap.hold(t, 1)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(*programPath, p.args...)
	command.Stderr = writer
	run := p.startAs(command)
	writer.Close()
	receive(t, reached, "no lookup")
	reader.Close() // the pipe took the plan
	fault, err := sandbox.ParseFault("lost-before:max=1")
	if err != nil {
		t.Fatal(err)
	}
	service.AddFault(fault) // of which the program tells at once
	close(release)
	if code := run.end(); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	if view := decodeSummary(t, run); view.InDoubt != 0 || view.Rows["not_attempted"] != 0 {
		t.Errorf("summary: %s", run.stdout.String())
	}
	checkOutput(t, p, service.Ledger())
}

// How a command ended is told by its exit code, also to a script that reads nothing else.
func TestTheExitCodeIsRightWhenOutputPipesAreClosed(t *testing.T) {
	t.Parallel()
	_, tap := newService(t, 7)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "1")
	unread := func(code int, args ...string) {
		t.Helper()
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		defer writer.Close()
		command := exec.Command(*programPath, args...)
		command.Stdout = writer
		run := p.startAs(command)
		if got := run.end(); got != code {
			t.Errorf("%s: exit code %d, not %d\n%s", args[0], got, code, run.stderr)
		}
	}
	unread(exitCeiling, p.args...)
	if rows := readRows(t, p.output()); len(rows) != 60 {
		t.Errorf("the output has %d rows", len(rows))
	}
	unread(exitDone, "write", "list", "-o", p.output(), "--state", p.state())
	unread(exitDone, "reconcile", "--state", p.state())
}
