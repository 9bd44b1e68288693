package checkpoint

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"testing"
)

// TestTheLogThatIsSyncedIsTheOneThatWasWrittenTo writes beyond the ends of some logs.
func TestTheLogThatIsSyncedIsTheOneThatWasWrittenTo(t *testing.T) {
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	first := store.log.number
	for n := 0; store.log.number < first+3; n++ {
		var writes []Write
		var marks [][]byte // one for each write, at the end of its value
		for part := range 4 {
			mark := fmt.Appendf(nil, "<part %d of commit %d>", part, n)
			writes = append(writes, Write{fmt.Appendf(nil, "z%d/%d", n, part), append(make([]byte, 500<<10), mark...)})
			marks = append(marks, mark)
		}
		if err := store.Commit(writes); err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(store.log.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range marks {
			if !bytes.Contains(log, mark) {
				t.Fatalf("commit %d is not in %s, which was synced", n, store.log.file.Name())
			}
		}
	}
}

// TestWhatIsNotSyncedIsNotRead lets the sync fail: Badger has the commit by then.
func TestWhatIsNotSyncedIsNotRead(t *testing.T) {
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	old := Write{[]byte("za"), []byte("durable")}
	if err := store.Commit([]Write{old}); err != nil {
		t.Fatal(err)
	}
	if err := store.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := store.Commit([]Write{{old.Key, []byte("not durable")}, {[]byte("zb"), []byte("not durable")}}); err == nil {
			t.Fatal("a commit was acknowledged that was not synced")
		}
		value, err := store.Get(old.Key)
		if err != nil || !bytes.Equal(value, old.Value) {
			t.Errorf("read %q, error %v; want what is durable", value, err)
		}
		err = store.Scan([]byte("z"), nil, func(key, value []byte) (bool, error) {
			if string(key) != string(old.Key) || !bytes.Equal(value, old.Value) {
				t.Errorf("the scan found %q = %q", key, value)
			}
			return true, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if store.head.version != 1 {
		t.Errorf("the head is at commit %d, want the last one that is durable", store.head.version)
	}
}

// TestNothingIsAcknowledgedAfterAFailedSync: the disk says once that it could not write,
// and what it has dropped would hide all that follows it in the log.
func TestNothingIsAcknowledgedAfterAFailedSync(t *testing.T) {
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log := store.log.file
	if store.log.file, err = os.Open(os.DevNull); err != nil { // which cannot be synced
		t.Fatal(err)
	}
	defer store.log.file.Close()
	write := []Write{{[]byte("z"), []byte("value")}}
	if err := store.Commit(write); err == nil {
		t.Fatal("a commit was acknowledged that was not synced")
	}
	store.log.file = log
	if err := store.Commit(write); err == nil {
		t.Error("a commit was acknowledged after one that may be missing before it")
	}
	if store.head.version != 0 {
		t.Errorf("the head is at commit %d, want none", store.head.version)
	}
}

// TestAStoreThatCannotBeOpenedAgainFails: with errors, and not with a panic, whoever uses
// it then.
func TestAStoreThatCannotBeOpenedAgainFails(t *testing.T) {
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	write := []Write{{[]byte("z"), []byte("value")}}
	if err := store.Commit(write); err != nil {
		t.Fatal(err)
	}
	store.key = make([]byte, 32) // of another store
	store.mu.Lock()
	err = store.reopen()
	store.mu.Unlock()
	if err == nil {
		t.Fatal("the store was opened with a key that does not fit")
	}
	store.keep()
	if _, err := store.Get([]byte("z")); err == nil {
		t.Error("a closed store was read")
	}
	if err := store.Scan(nil, nil, func(_, _ []byte) (bool, error) { return true, nil }); err == nil {
		t.Error("a closed store was walked")
	}
	if err := store.Commit(write); err == nil {
		t.Error("a closed store was written to")
	}
	if err := store.Close(); err == nil {
		t.Error("a store was sealed that could not be opened")
	}
}

// TestAValueThatIsTooLongForTheLogIsKept has one that Badger puts into its value log.
func TestAValueThatIsTooLongForTheLogIsKept(t *testing.T) {
	dir := t.TempDir()
	store, err := openBadger(dir, nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte("long"), 300<<10)
	if err := store.Commit([]Write{{[]byte("z"), long}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = openBadger(dir, nil, verifyAtOpen); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if value, err := store.Get([]byte("z")); err != nil || !bytes.Equal(value, long) {
		t.Errorf("read %d bytes of %d, error %v", len(value), len(long), err)
	}
}

// TestWhatWasReplacedIsDropped replaces a value until Badger has merged its tables, which
// it has to do before there are too many: it drops all but the last one then.
func TestWhatWasReplacedIsDropped(t *testing.T) {
	const most = 700 // commits, far more tables than Badger leaves unmerged
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	value := make([]byte, 500<<10)
	for n := 1; ; n++ {
		rand.Read(value) // never fails
		if err := store.Commit([]Write{{[]byte("z"), value}}); err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, table := range store.db.Tables() {
			size += int(table.UncompressedSize)
		}
		written := n * len(value)
		switch {
		case written > 4*memTableSize && size < written/2:
			return
		case n == most:
			t.Fatalf("the tables have %d bytes for a value of %d", size, len(value))
		}
	}
}
