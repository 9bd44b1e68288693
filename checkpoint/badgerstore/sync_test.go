package badgerstore

import (
	"bytes"
	"crypto/rand"
	"syscall"
	"testing"

	"payonce/checkpoint/record"
)

// TestWhatIsNotSyncedIsNotRead lets the sync fail: Badger has the commit by then.
func TestWhatIsNotSyncedIsNotRead(t *testing.T) {
	s, err := openEngine(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	old := record.Write{Key: []byte("za"), Value: []byte("durable")}
	if err := s.Commit([]record.Write{old}); err != nil {
		t.Fatal(err)
	}
	s.sync = func() error { return syscall.EIO }
	for range 2 {
		if err := s.Commit([]record.Write{{Key: old.Key, Value: []byte("not durable")}, {Key: []byte("zb"), Value: []byte("not durable")}}); err == nil {
			t.Fatal("a commit was acknowledged that was not synced")
		}
		value, err := s.Get(old.Key)
		if err != nil || !bytes.Equal(value, old.Value) {
			t.Errorf("read %q, error %v; want what is durable", value, err)
		}
		err = s.Scan([]byte("z"), nil, func(key, value []byte) (bool, error) {
			if string(key) != string(old.Key) || !bytes.Equal(value, old.Value) {
				t.Errorf("the scan found %q = %q", key, value)
			}
			return true, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if s.head.version != 1 {
		t.Errorf("the head is at commit %d, want the last one that is durable", s.head.version)
	}
}

// TestNothingIsAcknowledgedAfterAFailedSync: the disk says once that it could not write,
// and what it has dropped would hide all that follows it in the log.
func TestNothingIsAcknowledgedAfterAFailedSync(t *testing.T) {
	s, err := openEngine(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.sync = func() error { return syscall.EIO }
	write := []record.Write{{Key: []byte("z"), Value: []byte("value")}}
	if err := s.Commit(write); err == nil {
		t.Fatal("a commit was acknowledged that was not synced")
	}
	s.sync = s.db.Sync
	if err := s.Commit(write); err == nil {
		t.Error("a commit was acknowledged after one that may be missing before it")
	}
	if s.head.version != 0 {
		t.Errorf("the head is at commit %d, want none", s.head.version)
	}
}

// TestMergedTablesDropReplacedValues replaces a value until Badger has merged its tables, which
// it has to do before there are too many: it drops all but the last one then.
func TestMergedTablesDropReplacedValues(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const most = 3000 // commits, far more tables than Badger leaves unmerged
	s, err := openEngine(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	value := make([]byte, longestPart)
	for n := 1; ; n++ {
		rand.Read(value) // never fails
		if err := s.Commit([]record.Write{{Key: []byte("z"), Value: value}}); err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, table := range s.db.Tables() {
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
