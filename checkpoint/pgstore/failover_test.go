package pgstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

// machine returns options of the processes of a machine, which keeps the last commit in a file.
func machine(t *testing.T, server *iotest.PostgresServer) Options {
	t.Helper()
	o := options(server.URL())
	o.CommitFiles = []string{filepath.Join(t.TempDir(), "workspace", "COMMIT")}
	return o
}

// during opens a journal, which end closes while its server still runs.
func during(t *testing.T, o Options) (s *Store, end func()) {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() { _ = s.Close() } // after a failover it has no row to end
}

// mustRefuse opens a journal, which has to be refused because of a failover.
func mustRefuse(t *testing.T, o Options, why string) {
	t.Helper()
	s, err := Open(o)
	if err == nil {
		_ = s.Close()
	}
	if !errors.Is(err, ErrFailedOver) || !strings.Contains(err.Error(), why) {
		t.Errorf("opening: %v; want %q", err, why)
	}
}

// accept accepts the failover of a machine. Until then it cannot send and can write.
func accept(t *testing.T, o Options) {
	t.Helper()
	o.AfterFailover = true
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MaySend(); !errors.Is(err, ErrFailedOver) || !errors.Is(s.FailedOver(), ErrFailedOver) {
		t.Errorf("before it was accepted a request may be sent: %v", err)
	}
	if turn, err := s.Begin(); !errors.Is(turn.Refused, ErrFailedOver) || err != nil {
		t.Errorf("a turn may begin calls: %v, %v", turn.Refused, err)
	}
	if err := s.Commit([]record.Write{set("compared", "yes")}); err != nil {
		t.Error(err)
	}
	if err := s.AcceptFailover(); err != nil {
		t.Fatal(err)
	}
	if turn, err := s.Begin(); turn.Refused != nil || err != nil || s.MaySend() != nil {
		t.Errorf("afterwards: %v, %v, %v", turn.Refused, err, s.MaySend())
	}
	if err := errors.Join(s.Commit([]record.Write{set("a", "after")}), s.Close()); err != nil {
		t.Error(err)
	}
}

// mustOpen opens and closes a journal on which requests may be sent.
func mustOpen(t *testing.T, o Options) {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.MaySend(), s.Commit([]record.Write{set("a", "opened")}), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestAPromotedStandbyThatLacksCommitsIsDetected commits what the standby never receives. The process that runs finds
// the standby in place of its server.
func TestAPromotedStandbyThatLacksCommitsIsDetected(t *testing.T) {
	primary := iotest.StartPostgres(t, "fsync=on")
	p, through := iotest.StartPostgresProxy(t, primary.URL(), 0, nil)
	o := machine(t, primary)
	o.URL = through
	running, end := during(t, o)
	defer end()
	if err := running.Commit([]record.Write{set("a", "received"), set(string(record.IdentityKey), "identity")}); err != nil {
		t.Fatal(err)
	}
	standby := primary.Standby()
	primary.AwaitStandby()
	standby.Disconnect()
	if err := running.Commit([]record.Write{set("a", "lost")}); err != nil {
		t.Fatal(err)
	}
	primary.Stop()
	standby.Promote()
	p.MoveTo(t, standby)

	if err := running.Commit([]record.Write{set("b", "more")}); !errors.Is(err, ErrFailedOver) || !errors.Is(err, record.ErrFailed) || !strings.Contains(err.Error(), "lacks commit 2") {
		t.Errorf("the process that runs: %v", err)
	}
	if err := running.MaySend(); !errors.Is(err, ErrFailedOver) {
		t.Errorf("it may send: %v", err)
	}
	mustRefuse(t, o, "timeline 2")
	mustRefuse(t, machine(t, standby), "timeline 2") // a machine that knows nothing
	read, err := Read(standby.URL(), "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	if value, err := read.Get([]byte("a")); string(value) != "received" || err != nil {
		t.Errorf("a reader reads %q, %v", value, err)
	}
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	accept(t, o)
	mustOpen(t, o)
	mustOpen(t, machine(t, standby))
}

// TestAProcessRecordsItsAnswersOnAPromotedStandby has a standby that lacks nothing. The process may begin no calls.
func TestAProcessRecordsItsAnswersOnAPromotedStandby(t *testing.T) {
	primary := iotest.StartPostgres(t, "fsync=on")
	p, through := iotest.StartPostgresProxy(t, primary.URL(), 0, nil)
	o := machine(t, primary)
	o.URL = through
	running, end := during(t, o)
	defer end()
	if err := running.Commit([]record.Write{set("a", "received"), set(string(record.IdentityKey), "identity")}); err != nil {
		t.Fatal(err)
	}
	standby := primary.Standby()
	primary.AwaitStandby()
	primary.Stop()
	standby.Promote()
	p.MoveTo(t, standby)
	turn, err := running.Begin()
	if !errors.Is(turn.Refused, ErrFailedOver) || err != nil {
		t.Errorf("a turn: %v, %v", turn.Refused, err)
	}
	if err := running.Commit([]record.Write{set("answer", "paid")}); err != nil {
		t.Error(err)
	}
	if err := running.MaySend(); !errors.Is(err, ErrFailedOver) {
		t.Errorf("it may send: %v", err)
	}
	accept(t, o)
	if turn, err := running.Begin(); turn.Refused != nil || err != nil {
		t.Errorf("a turn after the failover was accepted: %v, %v", turn.Refused, err)
	}
	if err := errors.Join(running.Commit(nil), running.MaySend()); err != nil {
		t.Error(err)
	}
}

// TestARestoredSnapshotIsDetected puts the files of the server back. Nothing of the server shows that. Another machine
// goes on before the first one sees it.
func TestARestoredSnapshotIsDetected(t *testing.T) {
	for _, others := range []bool{false, true} {
		t.Run(fmt.Sprint("others go on: ", others), func(t *testing.T) {
			server := iotest.StartPostgres(t, "fsync=on")
			o, other := machine(t, server), machine(t, server)
			running, end := during(t, o)
			defer end()
			if err := running.Commit([]record.Write{set("a", "in the snapshot")}); err != nil {
				t.Fatal(err)
			}
			server.Stop()
			server.SaveData()
			server.Start()
			if err := running.Commit([]record.Write{set("a", "lost")}); err != nil {
				t.Fatal(err)
			}
			server.Stop()
			server.RestoreData()
			server.Start()
			if others {
				for range 3 {
					mustOpen(t, other)
				}
			}
			mustRefuse(t, o, "lacks commit 2")
			moved := o // the address of the server has changed
			moved.CommitFiles = []string{filepath.Join(t.TempDir(), "COMMIT"), o.CommitFiles[0]}
			mustRefuse(t, moved, "lacks commit 2")
			if err := running.Commit([]record.Write{set("b", "more")}); !errors.Is(err, ErrFailedOver) {
				t.Errorf("the process that runs: %v", err)
			}
			accept(t, o)
			mustOpen(t, o)
			mustOpen(t, moved)
			mustOpen(t, other)
		})
	}
}

// TestAServerOlderThanAnAcceptedFailoverIsDetected goes back to a snapshot from before a failover was accepted.
func TestAServerOlderThanAnAcceptedFailoverIsDetected(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := machine(t, server)
	mustOpen(t, o)
	server.Stop()
	server.SaveData()
	server.Start()
	server.Exec("UPDATE payonce_workspace SET server = '1 00000001'") // as in a copy that another server restored
	mustRefuse(t, o, "was system 1 on timeline 1")
	accept(t, o)
	server.Stop()
	server.RestoreData()
	server.Start()
	mustRefuse(t, o, "older than a failover")
	accept(t, o)
	mustOpen(t, o)
}

// TestAnEmptiedDatabaseIsNotANewJournal drops the tables.
func TestAnEmptiedDatabaseIsNotANewJournal(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := machine(t, server)
	mustOpen(t, o)
	server.Exec("DROP TABLE payonce_workspace, payonce_record, payonce_process, payonce_paid, payonce_schema")
	if _, err := Open(o); !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), o.CommitFiles[0]) {
		t.Errorf("opening: %v", err)
	}
	if err := os.Remove(o.CommitFiles[0]); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, o)
}

// TestTheCommitFileSurvivesACutWrite cuts each of its places off, as a power failure can.
func TestTheCommitFileSurvivesACutWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "COMMIT")
	file, err := openCommitFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.close()
	if _, found, err := readCommitFile(path); found || err != nil {
		t.Errorf("a new file has a commit: %t, %v", found, err)
	}
	keep := func(k known) {
		t.Helper()
		if err := file.keep(k, true); err != nil {
			t.Fatal(err)
		}
	}
	last := func() known {
		t.Helper()
		k, found, err := readCommitFile(path)
		if !found || err != nil {
			t.Fatalf("found %t, %v", found, err)
		}
		return k
	}
	keep(known{journal: "j", version: 7, epoch: 2, nonce: []byte{1, 2}})
	keep(known{journal: "j", version: 8, epoch: 2, nonce: []byte{1, 2}})
	keep(known{journal: "j", version: 5, epoch: 3, nonce: []byte{3}}) // of a process that is behind
	if k := last(); k.version != 8 || k.epoch != 2 || string(k.nonce) != "\x01\x02" {
		t.Errorf("kept %+v", k)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[int]int64{0: 8, 1: 7} {
		cut := append([]byte{}, whole...)
		copy(cut[place*placeLength+20:], make([]byte, placeLength-20))
		if err := os.WriteFile(path, cut, 0o600); err != nil {
			t.Fatal(err)
		}
		if k := last(); k.version != want {
			t.Errorf("without place %d: %+v", place, k)
		}
	}
	if err := os.WriteFile(path, []byte("no commit"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readCommitFile(path); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	keep(known{journal: "j", failovers: 1, version: 3})
	if k := last(); k.failovers != 1 || k.version != 3 {
		t.Errorf("after a failover: %+v", k)
	}
	keep(known{journal: "another", version: 1})
	if k := last(); k.journal != "another" {
		t.Errorf("after another journal: %+v", k)
	}
}
