// This file starts shell commands. A command that is stopped ends with all processes that it started.

package notify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// CommandLine is a command of a jobs file: a line for the shell, or a program with its arguments.
type CommandLine struct {
	Line  string
	Words []string // the program and its arguments; Line does not count then
	Dir   string   // in which it runs; "" for the one of this process
}

// Start returns the command, which the caller runs. When the context ends first, the command is killed with all
// processes that it started, unless they moved to another process group.
func (c CommandLine) Start(ctx context.Context) *exec.Cmd {
	words := c.Words
	if len(words) == 0 {
		words = []string{"/bin/sh", "-c", c.Line}
	}
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.Dir = c.Dir
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error {
		err := syscall.Kill(-run.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	run.WaitDelay = time.Second // for what left the process group and holds the output
	return run
}
