package workspace

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheProcessesOfAMachineSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	processes := filepath.Join(t.TempDir(), processesName)
	about := func(command string, minute int) func() Owner {
		return func() Owner {
			return Owner{Command: command, Process: os.Getpid(), Since: time.Date(2026, 11, 28, 9, minute, 0, 0, time.UTC)}
		}
	}
	if found, err := announced(processes); err != nil || len(found) != 0 {
		t.Errorf("before the first process: %v, error %v", found, err)
	}
	endSecond := announce(processes, about("run second", 2))
	endFirst := announce(processes, about("run first", 1))
	for name, age := range map[string]time.Duration{"killed": 2 * staleTime, "beginning": 0} { // sockets that nobody serves
		dir := filepath.Join(processes, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "SOCKET"), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		listener.SetUnlinkOnClose(false)
		at := time.Now().Add(-age)
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	found, err := announced(processes)
	if err != nil || len(found) != 2 || found[0].Command != "run first" || found[1].Command != "run second" {
		t.Errorf("two processes: %v, error %v", found, err)
	}
	for name, stays := range map[string]bool{"killed": false, "beginning": true} {
		if _, err := os.Stat(filepath.Join(processes, name)); (err == nil) != stays {
			t.Errorf("the socket %q: %v", name, err)
		}
	}
	endFirst()
	endSecond()
	if found, err := announced(processes); err != nil || len(found) != 0 {
		t.Errorf("after their ends: %v, error %v", found, err)
	}
}

func TestTheCommandOfAProcessIsInItsHolder(t *testing.T) {
	t.Parallel()
	options := Options{Journal: Journal{Shared: "postgres://user@host/db", Name: "default", State: t.TempDir()}}
	shared, err := options.sharing(Environment{Program: "batch"}, `run a "b" c`)
	if err != nil {
		t.Fatal(err)
	}
	if got := CommandOf(shared.Holder); got != `run a "b" c` {
		t.Errorf("of %s it is %q", shared.Holder, got)
	}
	for _, other := range []string{"", "batch run x", `"batch"`} {
		if got := CommandOf(other); got != "" {
			t.Errorf("of %q it is %q", other, got)
		}
	}
}
