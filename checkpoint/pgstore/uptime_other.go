//go:build !linux

package pgstore

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime returns the time since the system started. On macOS this clock includes the time in which the system was
// suspended.
func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
