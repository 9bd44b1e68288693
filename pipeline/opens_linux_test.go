package pipeline

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

// openings returns a function that returns how often a file was opened since its last call. Reads are watched too,
// because the kernel makes one event of two equal ones that follow each other.
func openings(t *testing.T, path string) func() int {
	t.Helper()
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(watch) })
	if _, err := syscall.InotifyAddWatch(watch, path, syscall.IN_OPEN|syscall.IN_ACCESS); err != nil {
		t.Fatal(err)
	}
	return func() (opened int) {
		events := make([]byte, 1<<16)
		for {
			length, err := syscall.Read(watch, events)
			if err == syscall.EAGAIN {
				return opened
			}
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at < length; at += syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[at+12:])) {
				if binary.NativeEndian.Uint32(events[at+4:])&syscall.IN_OPEN != 0 {
					opened++
				}
			}
		}
	}
}

// TestAListIsOpenedOncePerPass counts how often the use cases open a list. Three openings read its beginning: they
// find out that it is text, what its columns mean, and how its output is written. The others read it whole.
func TestAListIsOpenedOncePerPass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, out := filepath.Join(dir, "list.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(list, []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Acme\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := List{Names: []string{list}, Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20}
	plan := func() error {
		_, err := workIn(dir).Plan(t.Context(), PlanOptions{List: asked, Budget: Budget{MaxSpend: new(3 * cost.Dollar)}})
		return err
	}
	run := func() error {
		_, err := workIn(dir).Run(t.Context(), RunOptions{
			List: asked, Budget: Budget{MaxSpend: new(3 * cost.Dollar)}, Pace: Pace{Concurrency: 4}, Output: Output{Path: out}, Yes: true,
		}, silent{})
		return err
	}
	opened := openings(t, list)
	for _, start := range []struct {
		what string
		do   func() error
		want int
	}{
		{"a plan: the format, the columns, the scan", plan, 3},
		{"a run: the same, what the output can hold, the lookups, the output and its rows", run, 7},
		{"the run again, without lookups", run, 6},
	} {
		if err := start.do(); err != nil {
			t.Fatal(err)
		}
		if got := opened(); got != start.want {
			t.Errorf("%s: opened %d times, want %d", start.what, got, start.want)
		}
	}
}
