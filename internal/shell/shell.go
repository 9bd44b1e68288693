// Package shell starts commands of the shell that end with everything that they started.
package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command returns a command that the shell reads. When the context ends before the command does, all its
// processes are killed: those that it started too, unless they moved to another process group.
func Command(ctx context.Context, line string) *exec.Cmd {
	run := exec.CommandContext(ctx, "/bin/sh", "-c", line)
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
