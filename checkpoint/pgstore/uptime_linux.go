package pgstore

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime returns the time since the system started. It includes the time in which the system was suspended.
func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // Linux has it since 2.6.39
	return time.Duration(t.Nano())
}
