package badgerstore

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4"
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

// TestALogOfAnEarlierVersionIsReadAfterACrash has a log that fills the larger memory table of an earlier version. Into
// the memory table of this version it would not fit.
func TestALogOfAnEarlierVersionIsReadAfterACrash(t *testing.T) {
	dir, killed := t.TempDir(), t.TempDir()
	earlier := settingsFor(dir, Options{}).WithMemTableSize(earlierMemTableSize).WithValueLogFileSize(1 << 20)
	db, err := badger.OpenManaged(earlier)
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 900<<10)
	const values = earlierMemTableSize/(900<<10) + 1 // the last one begins before the memory table is full
	for n := range uint64(values) {
		rand.Read(value) // never fails
		txn := db.NewTransactionAt(n, true)
		if err := errors.Join(txn.Set(fmt.Appendf(nil, "z%d", n), value), txn.CommitAt(n+1, nil), db.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	if tables := len(db.Tables()); tables > 0 {
		t.Fatalf("the log was written to %d tables already", tables)
	}
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first opening writes the log to a table
		db, err := openDB(killed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		item, err := db.NewTransactionAt(db.MaxVersion(), false).Get(fmt.Appendf(nil, "z%d", values-1))
		if err != nil {
			t.Fatal(err)
		}
		if read, err := item.ValueCopy(nil); err != nil || string(read) != string(value) {
			t.Errorf("the last record of the log is not read: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if size := memTableSizeFor(killed); size != memTableSize {
		t.Errorf("when there is no earlier log any more, memory tables have %d bytes, want %d", size, memTableSize)
	}
}

// TestACommitHasRoomForAGatheredQueueAndALongAnswer commits as much as the journal gathers for one commit: writes of
// record.CommitSize, the longest answer besides, and the sums and names that follow from them. None of it can be
// compressed.
func TestACommitHasRoomForAGatheredQueueAndALongAnswer(t *testing.T) {
	const longestAnswer, others = 768 << 10, 192 << 10
	dir := t.TempDir()
	s, err := openEngine(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var writes []record.Write
	for size, n := 0, 0; size < record.CommitSize+others; n++ {
		write := record.Write{Key: fmt.Appendf(nil, "s%06d", n), Value: []byte(randomText(200))}
		writes, size = append(writes, write), size+write.Size()
	}
	writes = append(writes, record.Write{Key: []byte("r"), Value: []byte(randomText(longestAnswer))},
		record.Write{Key: []byte("q"), Value: []byte(randomText(longestPart))})
	if err := s.Commit(writes); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = openEngine(dir, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, write := range writes {
		if value, err := s.Get(write.Key); err != nil || !bytes.Equal(value, write.Value) {
			t.Errorf("%s has %d bytes of %d, error %v", write.Key, len(value), len(write.Value), err)
		}
	}
}
