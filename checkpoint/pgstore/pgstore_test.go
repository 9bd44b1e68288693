package pgstore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

func options(url string) Options {
	return Options{URL: url, Workspace: "main", Holder: "a test", Lease: time.Minute, CallTime: time.Minute}
}

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the proxy of a test may be closed by then
	return s
}

func set(key, value string) record.Write { return record.Write{Key: []byte(key), Value: []byte(value)} }

// TestALostReplyToCommitIsLookedUp breaks the connection at a commit, before and after the server has done it.
func TestALostReplyToCommitIsLookedUp(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for _, f := range []iotest.CommitFault{iotest.CommitUnsent, iotest.CommitCut, iotest.CommitUnheard} {
		for _, otherWrites := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, another process writes %t", f, otherWrites), func(t *testing.T) {
				var next atomic.Value
				next.Store(iotest.CommitPasses)
				p, through := iotest.StartPostgresProxy(t, server.URL(), 0, func() iotest.CommitFault {
					return next.Swap(iotest.CommitPasses).(iotest.CommitFault)
				})
				o := options(through)
				o.Workspace = t.Name()
				s := open(t, o)
				o.URL = server.URL()
				other := open(t, o)
				if _, err := s.Begin(); err != nil {
					t.Fatal(err)
				}
				wrote := make(chan error, 1)
				if otherWrites { // it waits for the turn, and gets it when the connection breaks
					waiting := make(chan struct{})
					go func() {
						close(waiting)
						wrote <- other.Commit([]record.Write{set("b", "other")})
					}()
					<-waiting
					server.AwaitLock()
				}
				next.Store(f)
				err := s.Commit([]record.Write{set("a", "value")})
				if otherWrites {
					if err := <-wrote; err != nil {
						t.Fatal(err)
					}
				}
				if p.Hit() != 1 {
					t.Fatalf("%d connections were broken", p.Hit())
				}
				value, getErr := other.Get([]byte("a"))
				if getErr != nil {
					t.Fatal(getErr)
				}
				committed := string(value) == "value"
				if committed != (err == nil) {
					t.Errorf("the commit returned %v, and the record is %q", err, value)
				}
				if err != nil && (f == iotest.CommitUnheard || !otherWrites || !errors.Is(err, record.ErrFailed)) {
					t.Errorf("the commit failed: %v", err)
				}
				if err := s.Commit([]record.Write{set("a", "later")}); err != nil {
					t.Errorf("the next commit: %v", err)
				}
			})
		}
	}
}

// TestReadsGoOnOverAnotherConnection ends the connection of a process between its statements, also in a turn.
func TestReadsGoOnOverAnotherConnection(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	s := open(t, options(server.URL()))
	if err := s.Commit([]record.Write{set("a", "1"), set("b", "2")}); err != nil {
		t.Fatal(err)
	}
	kill := func() {
		server.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
	}
	kill()
	if value, err := s.Get([]byte("a")); string(value) != "1" || err != nil {
		t.Errorf("read %q, %v", value, err)
	}
	if _, err := s.Begin(); err != nil {
		t.Fatal(err)
	}
	kill()
	if value, err := s.Get([]byte("b")); string(value) != "2" || err != nil {
		t.Errorf("read %q, %v", value, err)
	}
	if err := s.Commit([]record.Write{set("c", "3")}); err != nil {
		t.Errorf("the commit of a turn whose connection broke: %v", err)
	}
	if value, err := s.Get([]byte("c")); string(value) != "3" || err != nil {
		t.Errorf("read %q, %v", value, err)
	}
}

// TestAnUnsafeServerIsRefused has servers that could lose what they have confirmed.
func TestAnUnsafeServerIsRefused(t *testing.T) {
	server := iotest.StartPostgres(t) // fsync=off
	_, err := Open(options(server.URL()))
	if !errors.Is(err, ErrConnection) || !strings.Contains(err.Error(), "fsync") {
		t.Errorf("a server without fsync: %v", err)
	}
}

// TestSynchronousCommitIsOnWhateverTheRoleSays has a role whose commits would not wait for the disk.
func TestSynchronousCommitIsOnWhateverTheRoleSays(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on", "synchronous_commit=off")
	s := open(t, options(server.URL()))
	if _, err := s.Begin(); err != nil {
		t.Fatal(err)
	}
	var value string
	if err := s.conn.QueryRow(t.Context(), "SELECT current_setting('synchronous_commit')").Scan(&value); err != nil || value != "on" {
		t.Errorf("in a turn synchronous_commit is %q, %v", value, err)
	}
	if err := s.Commit(nil); err != nil {
		t.Fatal(err)
	}
}

// TestErrorsDoNotShowThePassword has addresses that cannot be read or reached, and a password that is wrong.
func TestErrorsDoNotShowThePassword(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for _, address := range []string{
		strings.Replace(server.URL(), iotest.PostgresPassword, iotest.PostgresPassword+"x", 1),
		"postgres://tester:" + iotest.PostgresPassword + "@127.0.0.1:1/db?connect_timeout=1",
		"postgres://tester:" + iotest.PostgresPassword + "@host:port/db",
		"postgres://tester:" + iotest.PostgresPassword + "@[::1/db",
		"host=/nowhere password=" + iotest.PostgresPassword,
		strings.Replace(server.URL(), "/postgres", "/none", 1),
	} {
		_, err := Open(options(address))
		if err == nil || strings.Contains(err.Error(), iotest.PostgresPassword) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v", err)
		}
	}
}

// TestErrorsOfConnectingSayWhy has addresses that cannot be reached for different reasons. pgx tries each of them
// several times.
func TestErrorsOfConnectingSayWhy(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for address, want := range map[string]string{
		strings.Replace(server.URL(), iotest.PostgresPassword, "wrong", 1): "the server refuses the user or the password",
		strings.Replace(server.URL(), "/postgres?", "/none?", 1):           "the server has no such database",
		"postgres://tester@127.0.0.1:1,[::1]:1/db":                         "no server listens there",
		"postgres://tester@/db?host=" + t.TempDir():                        "no server listens there",
		"postgres://tester@host.invalid/db":                                "its host is not known",
	} {
		_, err := Read(address, "main", nil)
		if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\t") {
			t.Errorf("%s: %v", address, err)
			continue
		}
		t.Log(err)
		_, causes, _ := strings.Cut(err.Error(), want)
		for i, cause := range strings.Split(causes, "; ") {
			if strings.Contains(strings.Join(strings.Split(causes, "; ")[:i], "; "), cause) {
				t.Errorf("%q is there twice: %v", cause, err)
			}
		}
	}
}

// TestTheShownAddressCanBeUsed connects to it, with the password from elsewhere.
func TestTheShownAddressCanBeUsed(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on").NewDatabase("a name")
	for address, want := range map[string]string{
		server.URL(): "",
		"postgres://ann:secret@db.example/payonce?sslmode=verify-full":     "postgres://ann@db.example:5432/payonce",
		"postgres://ann:secret@[::1]:5433/payonce":                         "postgres://ann@[::1]:5433/payonce",
		"postgres://ann@/payonce?host=/var/run/postgresql&password=secret": "postgres://ann@/payonce?host=/var/run/postgresql&port=5432",
	} {
		shown := AddressOf(address)
		if want != "" && shown != want || strings.Contains(shown, "secret") || strings.Contains(shown, iotest.PostgresPassword) || AddressOf(shown) != shown {
			t.Errorf("%s is shown as %s", address, shown)
		}
	}
	t.Setenv("PGPASSWORD", iotest.PostgresPassword)
	if err := open(t, options(AddressOf(server.URL()))).Commit([]record.Write{set("a", "1")}); err != nil {
		t.Error(err)
	}
	if exists, err := Exists(server.URL(), "main"); exists || err != nil { // it has no identity
		t.Errorf("%t, %v", exists, err)
	}
}

// TestScansSkipAndTurnPages has more records than fit on a page.
func TestScansSkipAndTurnPages(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	s := open(t, options(server.URL()))
	var writes []record.Write
	for n := range 5000 {
		writes = append(writes, set(fmt.Sprintf("k%05d", n), fmt.Sprint("v", n)))
	}
	writes = append(writes, set("\xff\xff", "last"), set("k00007", "changed"))
	if err := s.Commit(writes); err != nil {
		t.Fatal(err)
	}
	count := 0
	err := s.Scan([]byte("k"), nil, func(key, value []byte) (bool, error) {
		want := fmt.Sprint("v", count)
		if count == 7 {
			want = "changed"
		}
		if string(key) != fmt.Sprintf("k%05d", count) || string(value) != want {
			return false, fmt.Errorf("record %d is %q=%q", count, key, value)
		}
		count++
		return true, nil
	})
	if err != nil || count != 5000 {
		t.Errorf("%d records, %v", count, err)
	}
	var seen []string
	err = s.Seek([]byte("k"), nil, func(key, _ []byte) (bool, []byte, error) {
		seen = append(seen, string(key))
		switch len(seen) {
		case 1:
			return true, []byte("k00003"), nil // on the page
		case 2:
			return true, []byte("k03000"), nil // behind it
		case 3:
			return true, nil, nil
		}
		return false, nil, nil
	})
	if want := "k00000 k00003 k03000 k03001"; strings.Join(seen, " ") != want || err != nil {
		t.Errorf("seek went to %v, %v; want %s", seen, err, want)
	}
	seen = nil
	err = s.Scan([]byte("\xff"), nil, func(key, _ []byte) (bool, error) {
		seen = append(seen, string(key))
		return true, nil
	})
	if len(seen) != 1 || err != nil {
		t.Errorf("behind the last prefix: %q, %v", seen, err)
	}
	count = 0
	err = s.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		count++
		return true, nil
	})
	if count != 5001 || err != nil {
		t.Errorf("all records: %d, %v", count, err)
	}
	values, err := s.GetAll([][]byte{[]byte("k00001"), []byte("none"), []byte("k04999")})
	if err != nil || string(bytes.Join(values, []byte(","))) != "v1,,v4999" {
		t.Errorf("values %q, %v", values, err)
	}
}

// TestAnIdleProcessRenewsItsLease waits for a renewal that no turn makes.
func TestAnIdleProcessRenewsItsLease(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := options(server.URL())
	o.Lease = 8 * time.Second // a renewal is due when a quarter of it has passed
	s := open(t, o)
	before := s.deadline.Load()
	server.Exec(`DO $$ BEGIN
		WHILE NOT EXISTS (SELECT FROM payonce_process WHERE seen > started) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$`)
	s.turns.Lock() // the renewal has ended
	defer s.turns.Unlock()
	if after := s.deadline.Load(); after <= before || s.MaySend() != nil {
		t.Errorf("the deadline moved from %d to %d, %v", before, after, s.MaySend())
	}
}

// TestAnEndedLeaseIsNotRenewed makes it seem that a process was silent for longer than its lease.
func TestAnEndedLeaseIsNotRenewed(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	s := open(t, options(server.URL()))
	server.Exec("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '61 seconds'")
	before := s.deadline.Load()
	s.sign()
	if after := s.deadline.Load(); after != before {
		t.Errorf("the deadline moved from %d to %d", before, after)
	}
	turn, err := s.Begin()
	if err != nil || !errors.Is(turn.Refused, record.ErrFenced) {
		t.Errorf("a turn after the lease: refused %v, %v", turn.Refused, err)
	}
	if err := s.Commit(nil); err != nil {
		t.Error(err)
	}
	s.deadline.Store(int64(uptime()))
	if err := s.MaySend(); !errors.Is(err, record.ErrFenced) {
		t.Errorf("at its deadline the process may send: %v", err)
	}
}

// TestAStoppedTurnDoesNotStopOthers leaves a turn open. The server ends it.
func TestAStoppedTurnDoesNotStopOthers(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := options(server.URL())
	o.Lease = 2 * time.Second // half of it is the time that a turn may be idle
	stopped := open(t, o)
	if _, err := stopped.Begin(); err != nil {
		t.Fatal(err)
	}
	stopped.stop() // its renewals would be statements in the turn
	<-stopped.stopped
	stopped.stopped = make(chan struct{})
	close(stopped.stopped)
	o.Lease = time.Minute
	other := open(t, o)
	if err := other.Commit([]record.Write{set("a", "other")}); err != nil {
		t.Fatal(err)
	}
	if err := stopped.Commit([]record.Write{set("b", "late")}); !errors.Is(err, record.ErrFailed) {
		t.Errorf("the commit of the turn that ended: %v", err)
	}
	if value, err := other.Get([]byte("b")); value != nil || err != nil {
		t.Errorf("the record is %q, %v", value, err)
	}
}
