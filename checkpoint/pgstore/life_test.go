package pgstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

// senders returns the processes whose calls may still arrive, as a turn of a process knows them, and how many of them
// are known to be over.
func senders(t *testing.T, s *Store) (epochs []uint64, known int) {
	t.Helper()
	turn, err := s.Begin()
	if err == nil {
		err = s.Commit(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, sender := range turn.Senders {
		if sender.MaySend(turn.Now) {
			epochs = append(epochs, sender.Epoch)
		}
		if !sender.Arrived.IsZero() {
			known++
		}
	}
	return epochs, known
}

// abandonLife makes a store as that of a process that was killed: it says nothing more, and its locks are free.
func abandonLife(s *Store) {
	s.stop()
	<-s.stopped
	_ = s.life.file.Close()
}

// TestWhoMayStillSend has a process whose lease and time-out have passed. Others learn in several ways that its calls
// can no longer arrive.
func TestWhoMayStillSend(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	const past = "UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '1 hour' WHERE epoch = 1 AND workspace = '%s'"
	for name, c := range map[string]struct {
		happens    func(t *testing.T, workspace string, s *Store)
		may, known bool // what another process knows then
	}{
		"it is stopped": {func(*testing.T, string, *Store) {}, true, false},
		"it is killed":  {func(_ *testing.T, _ string, s *Store) { abandonLife(s) }, true, true},
		"it is killed, and the machine was started again": {func(_ *testing.T, w string, s *Store) {
			abandonLife(s)
			server.Exec("UPDATE payonce_process SET boot = 'an earlier one', machine = 'here' WHERE epoch = 1 AND workspace = '" + w + "'")
		}, true, true},
		"it is killed on another machine that shares the directory": {func(_ *testing.T, w string, s *Store) {
			abandonLife(s)
			server.Exec("UPDATE payonce_process SET boot = 'another', machine = 'there' WHERE epoch = 1 AND workspace = '" + w + "'")
		}, true, false},
		"it is killed in a container with the volume at another path": {func(_ *testing.T, w string, s *Store) {
			abandonLife(s)
			server.Exec("UPDATE payonce_process SET lock_file = '/elsewhere/" + filepath.Base(s.life.path) + "' WHERE epoch = 1 AND workspace = '" + w + "'")
		}, true, true},
		"its file was removed": {func(t *testing.T, _ string, s *Store) {
			abandonLife(s)
			if err := os.Remove(s.life.path); err != nil {
				t.Error(err)
			}
		}, true, false},
		"it goes on": {func(_ *testing.T, _ string, s *Store) { s.sign() }, true, true},
		"it closes the journal": {func(t *testing.T, _ string, s *Store) {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(s.life.path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its file is there: %v", err)
			}
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(server.URL())
			o.Workspace, o.LockDir = fmt.Sprintf("%q", name), t.TempDir()
			stopped := open(t, o)
			server.Exec(fmt.Sprintf(past, o.Workspace))
			other := open(t, o)
			other.life.machine = "here"
			if _, err := other.Begin(); err != nil { // it ends the epoch
				t.Fatal(err)
			}
			if err := other.Commit([]record.Write{set("a", "other")}); err != nil {
				t.Fatal(err)
			}
			c.happens(t, o.Workspace, stopped)
			if err := other.noteDead(); err != nil {
				t.Fatal(err)
			}
			epochs, known := senders(t, other)
			if slices.Contains(epochs, 1) != c.may || known == 1 != c.known {
				t.Errorf("the processes %v may send, and of %d it is known that they send no more", epochs, known)
			}
			server.Exec("UPDATE payonce_process SET arrived = arrived - interval '61 seconds' WHERE workspace = '" + o.Workspace + "'")
			if epochs, _ := senders(t, other); slices.Contains(epochs, 1) == c.known {
				t.Errorf("after the time-out of a call the processes %v may send", epochs)
			}
			server.Exec("UPDATE payonce_process SET arrived = arrived - interval '" + record.SendersKept.String() + "' WHERE workspace = '" + o.Workspace + "'")
			if _, known := senders(t, other); known != 0 {
				t.Error("a turn names a process long after its calls have arrived")
			}
		})
	}
}

// TestALivingProcessIsFoundDeadWhenItDies has a process that watches another one.
func TestALivingProcessIsFoundDeadWhenItDies(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := options(server.URL())
	o.LockDir, o.Lease = t.TempDir(), 2*time.Second
	killed := open(t, o)
	open(t, o)
	abandonLife(killed)
	server.Exec(`DO $$ BEGIN
		WHILE NOT EXISTS (SELECT FROM payonce_process WHERE epoch = 1 AND arrived > seen) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$`)
}
