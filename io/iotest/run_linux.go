package iotest

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// AsUser calls f with the rights of a user who is not root. Only the calls of f itself have
// these rights, not those of other goroutines. f must not end the test.
func AsUser(t testing.TB, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocks it, so that the thread ends with the goroutine
		if err = syscall.Setfsuid(user); err == nil {
			f()
		}
	}()
	if <-done; err != nil {
		t.Fatal(err)
	}
}
