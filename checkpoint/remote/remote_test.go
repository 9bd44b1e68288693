package remote

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
)

// served is a store that is served to readers.
type served struct {
	*badgerstore.Store
	server *Server
	dir    string
}

// serveIn serves a store in a directory with n records.
func serveIn(t *testing.T, dir string, n int, options Options) *served {
	t.Helper()
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := &served{Store: s, dir: dir}
	var writes []record.Write
	for i := range n {
		writes = append(writes, record.Write{Key: fmt.Appendf(nil, "x%06d", i*2), Value: fmt.Appendf(nil, "value %d", i)})
		if len(writes) == 1000 || i == n-1 {
			all.commit(t, writes...)
			writes = nil
		}
	}
	if options.Owner == nil {
		options.Owner = func() []byte { return nil }
	}
	all.server, err = Serve(dir, func() Snapshot { return s.Snapshot() }, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(all.server.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return all
}

func (s *served) commit(t *testing.T, writes ...record.Write) {
	t.Helper()
	if err := s.Commit(writes); err != nil {
		t.Fatal(err)
	}
}

// read opens a snapshot.
func (s *served) read(t *testing.T) *Store {
	t.Helper()
	reader, err := Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	return reader
}

// visited returns what a Seek visits that goes on by the steps, as keys and values.
func visited(s record.Store, prefix, from string, steps []int) (found []string, err error) {
	err = record.Seek(s, []byte(prefix), []byte(from), func(key, value []byte) (bool, []byte, error) {
		found = append(found, string(key)+"="+string(value))
		if len(found) > len(steps) {
			return true, nil, nil
		}
		step := steps[len(found)-1]
		if step == 0 {
			return true, nil, nil
		}
		var number int
		if _, err := fmt.Sscanf(string(key), "x%d", &number); err != nil {
			return false, nil, err
		}
		return true, fmt.Appendf(nil, "x%06d", number+step), nil
	})
	return found, err
}

// A reader sees what the owner's store has, wherever it starts and however it skips.
func TestAReaderVisitsTheRecordsOfTheStore(t *testing.T) {
	all := serveIn(t, t.TempDir(), 3000, Options{})
	reader := all.read(t)
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "x", "x0012", "x001234", "y"}).Draw(t, "prefix")
		from := fmt.Sprintf("x%06d", rapid.IntRange(0, 6100).Draw(t, "from"))
		steps := rapid.SliceOf(rapid.IntRange(0, 900)).Draw(t, "steps")
		want, err := visited(all.Store, prefix, from, steps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := visited(reader, prefix, from, steps)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("error %v, records (-store +reader):\n%s", err, diff)
		}
		key := fmt.Appendf(nil, "x%06d", rapid.IntRange(0, 6100).Draw(t, "key"))
		inStore, err := all.Get(key)
		inReader, readErr := reader.Get(key)
		if diff := cmp.Diff(inStore, inReader); diff != "" || err != nil || readErr != nil {
			t.Fatalf("%s: errors %v and %v (-store +reader):\n%s", key, err, readErr, diff)
		}
	})
}

func TestLaterCommitsDoNotChangeASnapshot(t *testing.T) {
	all := serveIn(t, t.TempDir(), 5, Options{})
	reader := all.read(t)
	want, err := visited(reader, "", "", nil)
	if err != nil || len(want) != 5 {
		t.Fatalf("%v, error %v", want, err)
	}
	version := reader.Version()
	all.commit(t, record.Write{Key: []byte("x000000"), Value: []byte("another")}, record.Write{Key: []byte("x000002")}, record.Write{Key: []byte("y"), Value: []byte("new")})
	got, err := visited(reader, "", "", nil)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-before +after):\n%s", err, diff)
	}
	if reader.Version() != version || all.Version() == version {
		t.Errorf("versions: %d of the snapshot, which was %d, and %d of the store", reader.Version(), version, all.Version())
	}
	if value, err := all.read(t).Get([]byte("y")); string(value) != "new" || err != nil {
		t.Errorf("a later reader gets %q, error %v", value, err)
	}
	if err := reader.Commit(nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a write: %v", err)
	}
}

func TestAReaderNeedsTheEncryptionKey(t *testing.T) {
	all := serveIn(t, t.TempDir(), 1, Options{Key: []byte("the key")})
	for _, key := range []string{"", "another"} {
		if _, err := Open(all.dir, []byte(key)); !errors.Is(err, ErrKey) {
			t.Errorf("with the key %q: %v", key, err)
		}
	}
	reader, err := Open(all.dir, []byte("the key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
}

// Requests that were not allowed to open a snapshot get nothing.
func TestNothingIsReadBeforeTheKeyIsProved(t *testing.T) {
	all := serveIn(t, t.TempDir(), 1, Options{Key: []byte("the key")})
	for _, op := range []int{opGet, opScan} {
		s, err := connect(all.dir)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.ask(&request{Op: op, Key: []byte("x000000"), Count: 10})
		if err == nil || answer.Value != nil || answer.Keys != nil {
			t.Errorf("operation %d: %+v, error %v", op, answer, err)
		}
		s.disconnect()
	}
}

func TestOnlyTheUserMayConnect(t *testing.T) {
	all := serveIn(t, t.TempDir(), 0, Options{})
	info, err := os.Stat(filepath.Join(all.dir, socketName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", info.Mode(), err)
	}
}

// The system limits the path of a socket to about 100 bytes.
func TestADirectoryMayHaveALongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	all := serveIn(t, dir, 1, Options{})
	if value, err := all.read(t).Get([]byte("x000000")); string(value) != "value 0" || err != nil {
		t.Errorf("%q, error %v", value, err)
	}
	if err := all.server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, socketName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestAReaderGetsTheProgressOfTheOwner(t *testing.T) {
	all := serveIn(t, t.TempDir(), 0, Options{Key: []byte("the key"), Owner: func() []byte { return []byte("40 %") }})
	if text, err := Owner(all.dir); string(text) != "40 %" || err != nil {
		t.Errorf("%q, error %v", text, err)
	}
}

// A process that was killed leaves its socket.
func TestTheSocketOfAKilledOwnerIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, nil); !errors.Is(err, ErrNoOwner) {
		t.Errorf("without a socket: %v", err)
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if _, err := Open(dir, nil); !errors.Is(err, ErrNoOwner) {
		t.Errorf("with a socket that was left: %v", err)
	}
	serveIn(t, dir, 1, Options{}).read(t)
}

func TestMoreReadersThanTheLimitAreRefused(t *testing.T) {
	all := serveIn(t, t.TempDir(), 1, Options{})
	var readers []*Store
	for range maxReaders {
		readers = append(readers, all.read(t))
	}
	if _, err := Open(all.dir, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if _, err := readers[0].Get([]byte("x000000")); err != nil {
		t.Error(err)
	}
}

// TestNothingIsReadWhileTheOwnerOpensTheJournal: what a crash left is not recovered yet.
func TestNothingIsReadWhileTheOwnerOpensTheJournal(t *testing.T) {
	all := serveIn(t, t.TempDir(), 1, Options{Opening: true, Owner: func() []byte { return []byte("run") }})
	for range 2 {
		if _, err := Open(all.dir, nil); !errors.Is(err, ErrOpening) {
			t.Errorf("error %v, want that the journal is being opened", err)
		}
	}
	if owner, err := Owner(all.dir); err != nil || string(owner) != "run" {
		t.Errorf("the owner says %q, error %v", owner, err)
	}
	all.server.Ready()
	if value, err := all.read(t).Get([]byte("x000000")); err != nil || value == nil {
		t.Errorf("%q, error %v", value, err)
	}
}

// The owner goes on beside a reader that takes no response, and ends although it is connected.
func TestAHungReaderDoesNotBlockTheOwnerOrOtherReaders(t *testing.T) {
	dir := t.TempDir()
	all := serveIn(t, dir, 20_000, Options{})
	hung, err := connect(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer hung.disconnect()
	if _, err := hung.ask(&request{Op: opOpen, Proof: proofOf(nil, hung.nonce)}); err != nil {
		t.Fatal(err)
	}
	for range 64 { // more than the socket holds of responses
		if err := hung.link.send(&request{Op: opScan, Count: batchSize}, time.Second); err != nil {
			break
		}
	}
	all.commit(t, record.Write{Key: []byte("y"), Value: []byte("new")})
	if value, err := all.read(t).Get([]byte("y")); string(value) != "new" || err != nil {
		t.Errorf("another reader gets %q, error %v", value, err)
	}
}

// A reader that stopped gives its place back.
func TestASilentReaderIsDisconnected(t *testing.T) {
	dir := t.TempDir()
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server, err := serve(dir, func() Snapshot { return s.Snapshot() }, Options{}, 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	silent, err := connect(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.disconnect()
	var none response
	if err := silent.link.receive(&none, time.Minute); err == nil {
		t.Errorf("the owner sent %+v", none)
	}
}

func TestAnInvalidRequestEndsTheConnection(t *testing.T) {
	all := serveIn(t, t.TempDir(), 1, Options{})
	for name, text := range map[string]string{
		"text": "GET / HTTP/1.1\r\n\r\n", "a request without an end": strings.Repeat("\xfc\x7f\xff\xff\xff", 1), "nothing": "",
	} {
		s, err := connect(all.dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.link.conn.Write([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.link.conn.(*net.UnixConn).CloseWrite()
		var none response
		if err := s.link.receive(&none, time.Minute); err == nil {
			t.Errorf("%s: the owner answered %+v", name, none)
		}
		s.disconnect()
	}
	if _, err := all.read(t).Get([]byte("x000000")); err != nil {
		t.Error(err)
	}
}

// panicking is a snapshot with a mistake in it.
type panicking struct{ Snapshot }

func (panicking) Get([]byte) ([]byte, error) { panic("a mistake") }
func (panicking) Version() uint64            { return 1 }
func (panicking) Close()                     {}

func TestAPanicDuringARequestDoesNotEndTheOwner(t *testing.T) {
	dir := t.TempDir()
	server, err := Serve(dir, func() Snapshot { return panicking{} }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	reader, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for range 2 {
		if _, err := reader.Get([]byte("x")); err == nil || errors.Is(err, ErrLost) {
			t.Errorf("%v", err)
		}
	}
}

// When the owner ends, its readers learn of it and do not take what they have read for everything.
func TestAScanFailsWhenTheOwnerEnds(t *testing.T) {
	all := serveIn(t, t.TempDir(), 5000, Options{})
	reader := all.read(t)
	seen := 0
	err := reader.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		if seen++; seen == 1 {
			return true, all.server.Close()
		}
		return true, nil
	})
	if !errors.Is(err, ErrLost) || seen == 5000 {
		t.Errorf("%d records, error %v", seen, err)
	}
	if _, err := reader.Get([]byte("x000000")); !errors.Is(err, ErrLost) {
		t.Errorf("a later request: %v", err)
	}
}

// corruptStore is a snapshot that cannot be read.
type corruptStore struct{ panicking }

func (corruptStore) Seek([]byte, []byte, record.Visit) error {
	return fmt.Errorf("%w: a table", record.ErrCorrupt)
}

func TestAReaderGetsCorruptionOfTheStoreAsErrCorrupt(t *testing.T) {
	dir := t.TempDir()
	server, err := Serve(dir, func() Snapshot { return corruptStore{} }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	reader, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	_, err = visited(reader, "", "", nil)
	if !errors.Is(err, record.ErrCorrupt) || strings.Count(err.Error(), record.ErrCorrupt.Error()) != 1 {
		t.Errorf("%v", err)
	}
}
