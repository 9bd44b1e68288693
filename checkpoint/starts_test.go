package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"payonce/cost"
)

var startAt = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

func begin(t *testing.T, dir, command string, n int) *StartRecord {
	t.Helper()
	record, err := BeginStart(dir, Start{At: startAt.Add(time.Duration(n) * time.Second), Command: command, Output: "out.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func read(t *testing.T, dir string) []Start {
	t.Helper()
	all, err := ReadStarts(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAStartIsRecordedWithItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, killed := begin(t, dir, "first", 1), begin(t, dir, "killed", 2)
	if err := first.End(StartEnd{At: startAt, Exit: 4, Reason: "credits_exhausted", Lookups: 3, Spent: 45 * cost.Cent}); err != nil {
		t.Fatal(err)
	}
	all := read(t, dir)
	if len(all) != 2 || all[0].Command != "first" || all[1].Command != "killed" || all[1].End != nil || killed == nil {
		t.Fatalf("%+v", all)
	}
	if end := all[0].End; end == nil || end.Exit != 4 || end.Spent != 45*cost.Cent || all[0].User == "" || all[0].Host == "" {
		t.Errorf("%+v, end %+v", all[0], end)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", info, err)
	}
}

// Processes that start at the same time do not damage each other's lines, and a torn line hides no other.
func TestStartsOfConcurrentProcessesAreAllRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var working sync.WaitGroup
	for n := range 20 {
		working.Go(func() {
			if err := begin(t, dir, fmt.Sprint(n), n).End(StartEnd{Exit: n}); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(file, `{"id":"torn","at":"2026`)
	file.Close()
	begin(t, dir, "last", 100)
	all := read(t, dir)
	if len(all) != 21 || all[20].Command != "last" {
		t.Fatalf("%d starts: %+v", len(all), all)
	}
	for _, start := range all[:20] {
		if start.End == nil || fmt.Sprint(start.End.Exit) != start.Command {
			t.Errorf("%+v, end %+v", start, start.End)
		}
	}
}

func TestWithoutAJournalNothingIsRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	if err := begin(t, dir, "first", 1).End(StartEnd{}); err != nil {
		t.Error(err)
	}
	if all := read(t, dir); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

func TestStartStateFollowsFromProcessAndOwner(t *testing.T) {
	t.Parallel()
	host, _ := os.Hostname()
	alive := func(process int) bool { return process != 9 }
	for name, c := range map[string]struct {
		start Start
		owner int
		want  StartState
	}{
		"ended":                       {Start{Host: host, Process: 7, End: &StartEnd{}}, 7, startEnded},
		"the owner of the journal":    {Start{Host: host, Process: 7}, 7, startRunning},
		"beside the owner":            {Start{Host: host, Process: 7}, 8, startUnknown},
		"without an owner":            {Start{Host: host, Process: 7}, 0, startUnknown},
		"its process is gone":         {Start{Host: host, Process: 9}, 8, startKilled},
		"on another host":             {Start{Host: host + "2", Process: 9}, 9, startUnknown},
		"without a process on record": {Start{Host: host}, 0, startUnknown},
	} {
		if got := StartStateOf(c.start, func(process int) bool { return process == c.owner }, alive); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

// The oldest starts are dropped, in whole files, and the newest stay.
func TestTheFileOfStartsIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	const size = 2000
	for n := range 200 {
		if err := rotate(path, size); err != nil {
			t.Fatal(err)
		}
		if err := begin(t, dir, fmt.Sprint(n), n).End(StartEnd{Exit: n}); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	for _, ending := range []string{"", olderEnding} {
		info, err := os.Stat(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	all := read(t, dir)
	if total > 3*size || len(all) < 3 {
		t.Fatalf("%d bytes with %d starts", total, len(all))
	}
	for i, start := range all {
		if want := 200 - len(all) + i; start.Command != fmt.Sprint(want) || start.End == nil || start.End.Exit != want {
			t.Errorf("start %d: %+v", i, start)
		}
	}
}

// A second process does not drop the older starts while another one renames the file.
func TestOnlyOneProcessRotatesTheFileOfStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	begin(t, dir, "first", 1)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := rotate(path, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
