package badgerstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4/y"
)

// TestALimitOfTheSystemIsNotToldAsDamage wraps errors as Badger does, which keeps nothing but
// the text. Somebody who took such an error for damage and restored an old backup would pay
// again for what it lacks.
func TestALimitOfTheSystemIsNotToldAsDamage(t *testing.T) {
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
