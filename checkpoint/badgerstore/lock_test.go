package badgerstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
)

// A store that a program has opened without the journal's lock, as a tool for Badger's
// files does, is in use and not damaged: nobody is to restore it from a backup.
func TestStoreHeldByAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]int{"writes": syscall.LOCK_EX, "reads": syscall.LOCK_SH} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := openDir(t, dir).Close(); err != nil {
				t.Fatal(err)
			}
			s, err := os.Open(filepath.Join(dir, engineName))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := syscall.Flock(int(s.Fd()), how); err != nil {
				t.Fatal(err)
			}
			_, opened := Open(dir, Options{})
			_, checked := checkJournal(dir, Options{}, nil)
			for _, err := range []error{opened, checked, rewriteJournal(dir, Options{}, nil)} {
				locked, held := errors.AsType[*LockedError](err)
				if !held || locked.Dir != dir || errors.Is(err, record.ErrCorrupt) {
					t.Errorf("not told as held: %v", err)
				}
			}
			s.Close()
			if err := openDir(t, dir).Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func openIn(dir, holder string) (*checkpoint.Journal, error) {
	return openJournal(dir, Options{Holder: holder})
}

// TestWithoutItsLockFileAJournalIsStillHeld: somebody took it for one that was left over.
func TestWithoutItsLockFileAJournalIsStillHeld(t *testing.T) {
	dir := t.TempDir()
	j, err := openIn(dir, "the first")
	if err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func() error{
		"with its file": func() error { return nil },
		"without it":    func() error { return os.Remove(filepath.Join(dir, "LOCK")) },
		"with another":  func() error { return os.WriteFile(filepath.Join(dir, "LOCK"), nil, 0o600) },
	} {
		if err := prepare(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		var locked *LockedError
		if _, err := openIn(dir, "the second"); !errors.As(err, &locked) {
			t.Errorf("%s it is opened a second time, error %v", name, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = openIn(dir, "the third"); err != nil {
		t.Fatalf("it stays locked: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsSentWhenTheJournalDirectoryWasReplaced: the journal of an open process is moved
// away, and another one begins in its place.
func TestNothingIsSentWhenTheJournalDirectoryWasReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	away := dir + ".away"
	first, err := openIn(dir, "the first")
	if err != nil {
		t.Fatal(err)
	}
	begin := func(j *checkpoint.Journal, n int) error {
		_, _, err := begin(j, person(n))
		return err
	}
	if err := begin(first, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	second, err := openIn(dir, "the second")
	if err != nil {
		t.Fatal(err)
	}
	if err := begin(first, 2); err == nil || !strings.Contains(err.Error(), "was replaced by another directory") {
		t.Errorf("a lookup may be sent: %v", err)
	}
	if err := begin(second, 2); err != nil {
		t.Errorf("the other journal: %v", err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	left := dir + ".left" // as the first process leaves it when it ends
	if err := os.CopyFS(left, os.DirFS(away)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{left, dir} {
		_, err := checkJournal(dir, Options{}, func(p verify.Problem) { t.Errorf("%s: %v", dir, p) })
		if err != nil {
			t.Errorf("the journals have got in each other's way: %v", err)
		}
	}
}
