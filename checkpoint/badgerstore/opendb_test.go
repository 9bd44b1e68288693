package badgerstore

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4/y"

	"payonce/checkpoint/record"
)

// TestALimitOfTheSystemIsNotReportedAsDamage wraps errors as Badger does, which keeps nothing but
// the text. Somebody who took such an error for damage and restored an old backup would pay
// again for what it lacks.
func TestALimitOfTheSystemIsNotReportedAsDamage(t *testing.T) {
	_, missing := os.Open(filepath.Join(t.TempDir(), "000001.sst"))
	for err, want := range map[error]bool{
		&fs.PathError{Op: "open", Path: "KEYREGISTRY", Err: syscall.EMFILE}: true,
		&fs.PathError{Op: "open", Path: "MANIFEST", Err: fs.ErrPermission}:  true,
		os.NewSyscallError("mmap", syscall.ENOMEM):                          true,
		missing:                              false,
		errors.New("manifest has bad magic"): false,
	} {
		for _, err := range []error{err, y.Wrapf(err, "while opening memtables")} {
			if got := isSystemError(err); got != want {
				t.Errorf("an error of the system %t, want %t: %v", got, want, err)
			}
		}
	}
}

// TestAStoreThatIsReadInOrderWritesWithoutMerges writes more tables than Badger keeps unmerged. The store merges none.
func TestAStoreThatIsReadInOrderWritesWithoutMerges(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	s, err := openEngineFor(t.TempDir(), Options{InOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stall := settingsFor("", Options{}).NumLevelZeroTablesStall
	value := make([]byte, 900<<10)
	for len(s.db.Tables()) <= stall+1 {
		rand.Read(value) // never fails
		if err := s.Commit([]record.Write{{Key: []byte("z"), Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	if read, err := s.Get([]byte("z")); err != nil || string(read) != string(value) {
		t.Errorf("the last of %d tables is not read: %v", len(s.db.Tables()), err)
	}
}
