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
		for part := range 4 {
			mark := fmt.Appendf(nil, "<part %d of commit %d>", part, n)
			writes = append(writes, Write{fmt.Appendf(nil, "z%d/%d", n, part), bytes.Repeat(mark, (500<<10)/len(mark))})
		}
		if err := store.Commit(writes); err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(store.log.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, write := range writes {
			if !bytes.Contains(log, write.Value) {
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

// TestWhatWasReplacedIsDropped replaces a value again and again: Badger may drop all but
// the last one when it merges its tables.
func TestWhatWasReplacedIsDropped(t *testing.T) {
	store, err := openBadger(t.TempDir(), nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	value := make([]byte, 500<<10)
	for range 200 {
		rand.Read(value) // never fails
		if err := store.Commit([]Write{{[]byte("z"), value}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.db.Flatten(1); err != nil {
		t.Fatal(err)
	}
	var size uint64
	for _, table := range store.db.Tables() {
		size += uint64(table.UncompressedSize)
	}
	if most := uint64(200 * len(value) / 2); size > most {
		t.Errorf("%d bytes in tables for a value of %d", size, len(value))
	}
}
