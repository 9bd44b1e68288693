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

// ShellCommand returns a command that the shell runs. When the context ends first, the command is killed with all
// processes that it started, unless they moved to another process group.
func ShellCommand(ctx context.Context, line string) *exec.Cmd {
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
