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

// TestAStoreThatIsReadInOrderWritesWithoutCompactions writes more tables than Badger keeps in level 0. The
// store does not compact them.
func TestAStoreThatIsReadInOrderWritesWithoutCompactions(t *testing.T) {
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

// TestALogOfAnEarlierVersionIsReadAfterACrash has logs of the larger memory tables of earlier versions: a full one, and
// one with a part that Badger has cut to its content in an earlier opening. Into the memory table of this version they
// would not fit.
func TestALogOfAnEarlierVersionIsReadAfterACrash(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const length = 900 << 10
	t.Run("full", func(t *testing.T) { // the last value begins before the memory table is full
		testEarlierLog(t, length, earlierMemTableSize/length+1, false)
	})
	t.Run("cut", func(t *testing.T) { testEarlierLog(t, length, 2*memTableSize/length-1, true) })
	t.Run("cut, small values", func(t *testing.T) { testEarlierLog(t, 8, memTableSize/60, true) })
}

// testEarlierLog opens a database with a log of an earlier version that has a number of values, all of one length.
func testEarlierLog(t *testing.T, length, values int, cut bool) {
	dir, killed := t.TempDir(), t.TempDir()
	earlier := settingsFor(dir, Options{}).WithMemTableSize(earlierMemTableSize).WithValueLogFileSize(1 << 20).WithValueThreshold(1 << 20)
	db, err := badger.OpenManaged(earlier)
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, length)
	for n := range values {
		rand.Read(value) // never fails
		txn := db.NewTransactionAt(uint64(n), true)
		if err := errors.Join(txn.Set(fmt.Appendf(nil, "z%d", n), value), txn.CommitAt(uint64(n)+1, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Sync(); err != nil {
		t.Fatal(err)
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
	if cut {
		cutLog(t, killed)
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

// cutLog removes the empty end of the only log in a directory.
func cutLog(t *testing.T, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "*"+logEnding))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v, error %v", logs, err)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	const zeros = 8 // with which the last record may end
	if err := os.Truncate(logs[0], int64(len(bytes.TrimRight(log, "\x00")))+zeros); err != nil {
		t.Fatal(err)
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
