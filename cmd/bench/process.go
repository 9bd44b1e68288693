package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// usage is what one process took, from its start to its end.
type usage struct {
	wall time.Duration
	cpu  time.Duration // of the process and the system for it, in all threads
	peak int64         // the most memory that was resident, in bytes
}

// command is a program with its arguments.
type command []string

// run runs the command and returns what it took and what it wrote to standard output.
// Go programs use the given number of threads. The environment's settings for the service,
// the journals and the journal key are left out.
func (c command) run(ctx context.Context, threads int) (usage, []byte, error) {
	var stdout, stderr bytes.Buffer
	process := exec.CommandContext(ctx, c[0], c[1:]...)
	process.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", threads), "SERVICE_BASE_URL=", "BATCH_STATE=", "BATCH_JOURNAL_KEY=")
	process.Stdout, process.Stderr = &stdout, &stderr
	begun := time.Now()
	err := process.Run()
	wall := time.Since(begun)
	if err != nil {
		return usage{}, nil, fmt.Errorf("%s: %w: %s", strings.Join(c, " "), err, strings.TrimSpace(stderr.String()))
	}
	return usageOf(process.ProcessState, wall), stdout.Bytes(), nil
}

// usageOf reads what the system counted for a process that has ended. Linux begins the
// peak of a new program with that of the one that started it, which is why this one
// stays small.
func usageOf(ended *os.ProcessState, wall time.Duration) usage {
	u := usage{wall: wall, cpu: ended.UserTime() + ended.SystemTime()}
	if resources, ok := ended.SysUsage().(*syscall.Rusage); ok {
		u.peak = peakBytes(int64(resources.Maxrss), runtime.GOOS)
	}
	return u
}

// peakBytes turns what a system counts the peak in into bytes.
func peakBytes(maxrss int64, system string) int64 {
	if system == "darwin" || system == "ios" {
		return maxrss
	}
	return maxrss << 10
}
