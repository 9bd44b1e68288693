package spool

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func opened(t *testing.T, dir string) *Spool {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func waiting(t *testing.T, s *Spool) (all []Entry) {
	t.Helper()
	if err := s.Each(func(e Entry) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func idsOf(entries []Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.CompanyID)
	}
	return ids
}

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestEntriesOfACompanyCollapseAndSurviveReopening(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b", "spool")
	s := opened(t, dir)
	// Out of order, repeated, and with letters that a file name cannot have.
	for i, id := range []string{"7", "a/../B", "7", "\x00", "9", "7"} {
		if err := s.Add(id, start.Add(time.Duration(10-i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Renewed() != 2 {
		t.Errorf("renewed %d entries, want 2", s.Renewed())
	}
	for name, s := range map[string]*Spool{"the same": s, "opened again": opened(t, dir)} {
		got := waiting(t, s)
		if diff := cmp.Diff([]string{"7", "9", "\x00", "a/../B"}, idsOf(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if n, err := Waiting(dir); n != 4 || err != nil {
			t.Errorf("%d wait, %v", n, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAnEntryThatWasRenewedStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	receiver, poller := opened(t, dir), opened(t, dir)
	for _, id := range []string{"1", "2"} {
		if err := receiver.Add(id, start); err != nil {
			t.Fatal(err)
		}
	}
	read := waiting(t, poller)
	// At the same time as before, so that only the file's name can tell the two apart.
	if err := receiver.Add("1", start); err != nil {
		t.Fatal(err)
	}
	if err := poller.Done(read...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1"}, idsOf(waiting(t, poller))); diff != "" {
		t.Errorf("after Done (-want +got):\n%s", diff)
	}
	if err := poller.Done(waiting(t, poller)...); err != nil || len(waiting(t, poller)) > 0 {
		t.Errorf("still there: %v, error %v", waiting(t, poller), err)
	}
	// The receiver does not rely on a file that the poller has removed.
	if err := receiver.Add("1", start); err != nil || len(waiting(t, poller)) != 1 {
		t.Errorf("%v, error %v", waiting(t, poller), err)
	}
}

func TestAFullSpoolRefusesOtherCompaniesUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, dir)
	s.Limit = 2
	for _, id := range []string{"1", "2", "1"} {
		if err := s.Add(id, start); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add("3", start); !errors.Is(err, ErrFull) {
		t.Errorf("beyond the limit: %v", err)
	}
	poller := opened(t, dir)
	if err := poller.Done(waiting(t, poller)[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("3", start.Add(lookAgain/2)); !errors.Is(err, ErrFull) {
		t.Errorf("the directory was read again at once: %v", err)
	}
	if err := s.Add("3", start.Add(lookAgain)); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := s.Add("4", start.Add(-time.Hour)); !errors.Is(err, ErrFull) {
		t.Errorf("full again, with a clock that went back: %v", err)
	}
	for _, id := range []string{"", strings.Repeat("x", MaxID+1)} {
		if err := s.Add(id, start); !errors.Is(err, ErrID) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Every step of Add can fail. What it refused may be there or not; what it accepted is there, and so is what was
// accepted before.
func TestAFailedAddLosesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("no")
	dir := t.TempDir()
	s := opened(t, dir)
	if err := s.Add("1", start); err != nil {
		t.Fatal(err)
	}
	s.sync = func(string) error { return broken }
	for _, id := range []string{"1", "2"} {
		if err := s.Add(id, start); !errors.Is(err, broken) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if got := idsOf(waiting(t, s)); got[0] != "1" {
		t.Errorf("%q wait; the first was accepted", got)
	}
	s.sync = func(string) error { return nil }
	for _, id := range []string{"1", "2"} {
		if err := s.Add(id, start); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(dir); len(files) != 2 || err != nil {
		t.Errorf("%d files of two companies, %v", len(files), err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("1", start); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

func TestFilesOfOthersAreNoEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, dir)
	for _, name := range []string{"x", "31-5-zz", "31-x-0000000000000000", "-5-0000000000000000", "31-5-00", ".31-5-0000000000000000"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := waiting(t, s); len(got) > 0 {
		t.Errorf("%v", got)
	}
	if n, err := Waiting(filepath.Join(dir, "none")); n != 0 || err != nil {
		t.Errorf("%d wait in no directory, %v", n, err)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("31-5-0000000000000000")
	f.Fuzz(func(t *testing.T, name string) {
		id, at, ok := parseName(name)
		if !ok {
			return
		}
		again, atAgain, ok := parseName(nameOf(id, at))
		if !ok || again != id || at.UnixNano() >= 0 && !atAgain.Equal(at) {
			t.Errorf("%q: %q %v, again %q %v %t", name, id, at, again, atAgain, ok)
		}
	})
}

// A receiver adds while a poller reads and removes. Each notification is seen by the poller after it was accepted.
func TestNoNotificationIsLostBetweenReceiverAndPoller(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	receiver, poller := opened(t, dir), opened(t, dir)
	receiver.sync = func(string) error { return nil } // no crash here
	const companies, each = 5, 300
	last := make([]time.Time, companies) // that was accepted
	var adding sync.WaitGroup
	ended := make(chan struct{})
	for c := range companies {
		adding.Go(func() {
			for i := range each {
				at := start.Add(time.Duration(i) * time.Millisecond)
				if err := receiver.Add(strconv.Itoa(c), at); err != nil {
					t.Error(err)
				}
				last[c] = at
			}
		})
	}
	go func() { adding.Wait(); close(ended) }()
	seen := map[string]time.Time{}
	for over := false; !over; {
		select {
		case <-ended:
			over = true // and one more round
		default:
		}
		for _, e := range waiting(t, poller) {
			if e.ReceivedAt.After(seen[e.CompanyID]) {
				seen[e.CompanyID] = e.ReceivedAt
			}
			if err := poller.Done(e); err != nil {
				t.Error(err)
			}
		}
	}
	for c, at := range last {
		if got := seen[strconv.Itoa(c)]; !got.Equal(at) {
			t.Errorf("company %d: the poller last saw %v, want %v", c, got, at)
		}
	}
	if left := waiting(t, poller); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// killVariable makes the test's program a process that adds to a spool until it is killed.
const killVariable = "SPOOL_TEST_ADD_TO"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killVariable); dir != "" {
		s, err := Open(dir)
		for i := 0; err == nil; i++ {
			id := strconv.Itoa(i % 7)
			if err = s.Add(id, start.Add(time.Duration(i))); err == nil {
				fmt.Println(id, i) // accepted
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestAKilledReceiverLosesNothingThatItAccepted(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, seed := t.TempDir(), rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		process := exec.Command(program)
		process.Env = append(os.Environ(), killVariable+"="+dir)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		accepted := map[string]int{}
		lines := bufio.NewScanner(out)
		for kill := 1 + random.IntN(60); lines.Scan(); kill-- {
			var id string
			var number int
			if _, err := fmt.Sscan(lines.Text(), &id, &number); err != nil {
				t.Fatal(err)
			}
			accepted[id] = number
			if kill == 0 {
				_ = process.Process.Kill()
			}
		}
		_ = process.Wait() // killed
		s := opened(t, dir)
		found := map[string]time.Time{}
		for _, e := range waiting(t, s) {
			found[e.CompanyID] = e.ReceivedAt
		}
		for id, number := range accepted {
			if at := start.Add(time.Duration(number)); found[id].Before(at) {
				t.Errorf("company %s: found %v, accepted %v", id, found[id], at)
			}
		}
		if err := s.Done(waiting(t, s)...); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%d files left, %v", len(files), err)
		}
	}
}
