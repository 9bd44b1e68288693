package notify_test

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"payonce/io/notify"
)

// TestACancelledCommandLeavesNoProcess cancels a shell that waits for a process which it started.
func TestACancelledCommandLeavesNoProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	run := notify.CommandLine{Line: "tail -f /dev/null & echo $!; wait"}.Start(ctx)
	run.Stdout = write // a file, which the started process inherits: it is read to its end when both are gone
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	out := bufio.NewReader(read)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	started, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(started, syscall.SIGKILL) })
	cancel()
	if _, err := out.ReadByte(); err == nil {
		t.Error("the command wrote more than the number of its process")
	}
	if err := run.Wait(); err == nil {
		t.Error("a cancelled command ended without an error")
	}
}

func TestACommandReturnsItsOutputAndItsError(t *testing.T) {
	out, err := notify.CommandLine{Line: "echo one; echo two"}.Start(t.Context()).Output()
	if err != nil || string(out) != "one\ntwo\n" {
		t.Errorf("output %q, %v", out, err)
	}
	if err := (notify.CommandLine{Line: "exit 3"}).Start(t.Context()).Run(); err == nil {
		t.Error("a command that failed ended without an error")
	}
}
