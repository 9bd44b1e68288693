package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
			store, err := os.Open(filepath.Join(dir, storeName))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if err := syscall.Flock(int(store.Fd()), how); err != nil {
				t.Fatal(err)
			}
			_, opened := Open(dir, dirOptions)
			_, checked := CheckDir(dir, dirOptions, nil)
			for _, err := range []error{opened, checked, Rewrite(dir, dirOptions, nil)} {
				locked, held := errors.AsType[*LockedError](err)
				if !held || locked.Dir != dir || errors.Is(err, ErrCorrupt) {
					t.Errorf("not told as held: %v", err)
				}
			}
			store.Close()
			if err := openDir(t, dir).Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
