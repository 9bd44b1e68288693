package badgerstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/record"
)

// TestTheNamesOfANewJournalAreSynced: of all directories above it, as far as they may be
// read.
func TestTheNamesOfANewJournalAreSynced(t *testing.T) {
	dir := filepath.FromSlash("/state/host/workspace")
	broken := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		answer map[string]error
		want   []string
		err    error
	}{
		"all":        {nil, []string{"/state/host", "/state", "/"}, nil},
		"not a home": {map[string]error{"/state": fs.ErrPermission}, []string{"/state/host", "/state", "/"}, nil},
		"no disk":    {map[string]error{"/state": syscall.EINVAL, "/": syscall.EROFS, "/state/host": syscall.EOPNOTSUPP}, []string{"/state/host", "/state", "/"}, nil},
		"broken":     {map[string]error{"/state": broken}, []string{"/state/host", "/state"}, broken},
	} {
		var synced []string
		err := syncNames(dir, func(dir string) error {
			synced = append(synced, filepath.ToSlash(dir))
			return c.answer[filepath.ToSlash(dir)]
		})
		if diff := cmp.Diff(c.want, synced); diff != "" || !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: error %v, synced (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestAMarkerOfGarbageIsShownInPrintableCharacters, for it goes to a terminal.
func TestAMarkerOfGarbageIsShownInPrintableCharacters(t *testing.T) {
	dir := t.TempDir()
	j, err := openJournal(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Close(), os.WriteFile(filepath.Join(dir, markerName), []byte("\x1b[2J\xff\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = openJournal(dir, Options{})
	if !errors.Is(err, record.ErrCorrupt) || strings.ContainsFunc(err.Error(), func(r rune) bool { return !strconv.IsPrint(r) }) {
		t.Errorf("error %q, want one that says that the journal is damaged", err)
	}
}
