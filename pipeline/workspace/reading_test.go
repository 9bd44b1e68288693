package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/remote"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
)

// closing ends a session now rather than with the test.
func closing(t *testing.T, s *Session) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// owning returns a session that owns the journal.
func owning(t *testing.T, state string) *Session {
	t.Helper()
	s := sessionIn(t, state)
	if err := s.OpenJournal(t.Context(), "run leads"); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAJournalIsReadBesideItsOwner(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	owner := owning(t, state)
	if err := owner.Journal.SaveRun(checkpoint.Run{Name: "leads"}); err != nil {
		t.Fatal(err)
	}
	reader := sessionIn(t, state)
	if err := reader.Read(t.Context(), "runs"); err != nil {
		t.Fatal(err)
	}
	if runs, err := reader.Journal.Runs(); err != nil || len(runs) != 1 || !reader.Snapshot() {
		t.Errorf("%v, error %v, snapshot %t", runs, err, reader.Snapshot())
	}
	closing(t, owner)
	_, err := reader.Journal.Runs()
	found, _ := errors.AsType[*problem.Error](ReadError(err))
	if found == nil || found.Code != "journal_owner_ended" {
		t.Errorf("after the owner's end: %v", err)
	}
	closing(t, reader)
	if err := reader.Read(t.Context(), "runs"); err != nil || reader.Snapshot() {
		t.Errorf("without another owner: %v, snapshot %t", err, reader.Snapshot())
	}
}

// TestAReaderIsRefusedWhileTheJournalIsBeingOpened asks for a snapshot while the owner recovers the journal.
func TestAReaderIsRefusedWhileTheJournalIsBeingOpened(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	var during []error
	options := Opening{Journal: checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1, Window: time.Second},
		Now: func() time.Time {
			snapshot, err := remote.Open(dir, nil)
			if err == nil {
				err = snapshot.Close()
			}
			during = append(during, err)
			return time.Now()
		},
	}}
	for name, open := range map[string]func() (*checkpoint.Journal, error){
		"to own": func() (*checkpoint.Journal, error) { return OpenJournal(t.Context(), dir, options) },
		"to read": func() (*checkpoint.Journal, error) {
			j, _, err := readJournal(t.Context(), dir, options, doing{})
			return j, err
		},
	} {
		during = nil
		j, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if len(during) == 0 || !errors.Is(during[0], remote.ErrOpening) {
			t.Errorf("%s: a reader got %v during the recovery", name, during)
		}
		snapshot, err := remote.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(snapshot.Close(), j.Close()); err != nil {
			t.Error(err)
		}
	}
}

// The process that owns the journal of a sandbox runs the sandbox.
func TestAReaderUsesTheOwnersEmbeddedService(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	closing(t, owning(t, state)) // so that the sandbox keeps its ledger there
	owner := owning(t, state)
	want, err := owner.Endpoint(owner.Options.Services[0])
	if err != nil {
		t.Fatal(err)
	}
	reader := sessionIn(t, state)
	got, err := reader.Endpoint(reader.Options.Services[0])
	if err != nil || got.BaseURL != want.BaseURL {
		t.Errorf("%s, want %s, error %v", got.BaseURL, want.BaseURL, err)
	}
}

func TestAReaderNeedsTheJournalsKey(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	owner := sessionIn(t, state)
	owner.Options.Journal.Key = Key{"THE_KEY", strings.Repeat("0a", keyLength)}
	if err := owner.OpenJournal(t.Context(), "run leads"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", strings.Repeat("0b", keyLength)} {
		reader := sessionIn(t, state)
		reader.Options.Journal.Key = Key{"THE_KEY", text}
		err := reader.Read(t.Context(), "runs")
		found, _ := errors.AsType[*problem.Error](err)
		if found == nil || found.Code != "encryption_key" {
			t.Errorf("with the key %q: %v", text, err)
		}
	}
}

// A command that only reads never makes a run fail: the run waits for it.
func TestARunWaitsForAReader(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	closing(t, owning(t, state))
	reader := sessionIn(t, state)
	if err := reader.Read(t.Context(), "runs"); err != nil || reader.Snapshot() {
		t.Fatalf("error %v, snapshot %t", err, reader.Snapshot())
	}
	opened := make(chan error, 1)
	run := sessionIn(t, state)
	go func() { opened <- run.OpenJournal(context.WithoutCancel(t.Context()), "run leads") }()
	awaited(t, state)
	closing(t, reader)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// awaited waits until a process waits for the journal.
func awaited(t *testing.T, state string) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !badgerstore.Awaited(filepath.Join(state, "sandbox", "default")) {
		select {
		case <-t.Context().Done():
			t.Fatal("nobody waits")
		case <-look.C:
		}
	}
}

func TestAWaitingCommandOpensTheJournalWhenTheOwnerEnds(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	owner := owning(t, state)
	opened := make(chan error, 1)
	next := sessionIn(t, state)
	next.Options.Journal.Wait = time.Hour
	go func() { opened <- next.OpenJournal(context.WithoutCancel(t.Context()), "run others") }()
	awaited(t, state)
	reader := sessionIn(t, state)
	if err := reader.Read(t.Context(), "runs"); err != nil || !reader.Snapshot() {
		t.Errorf("beside the two: error %v, snapshot %t", err, reader.Snapshot())
	}
	closing(t, reader)
	closing(t, owner)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestAnInterruptEndsTheWait(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	owning(t, state)
	next := sessionIn(t, state)
	next.Options.Journal.Wait = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- next.OpenJournal(ctx, "run others") }()
	awaited(t, state)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestAReaderIsRefusedUntilTheCallsOfAKilledProcessAreInDoubt: until the journal is opened they count as in flight.
// Commands that work on its store do not open it.
func TestAReaderIsRefusedUntilTheCallsOfAKilledProcessAreInDoubt(t *testing.T) {
	t.Parallel()
	dir, options := filepath.Join(t.TempDir(), "journal"), Opening{}
	write := func(state record.State) func(record.Store) error {
		return func(s record.Store) error {
			return s.Commit([]record.Write{{Key: record.StateKey, Value: record.Encode(&state)}})
		}
	}
	look := func(record.Store) error {
		snapshot, err := remote.Open(dir, nil)
		if err == nil {
			err = snapshot.Close()
		}
		return err
	}
	for name, use := range map[string]func(context.Context, string, Opening, func(record.Store) error) error{
		"to write": WithStore, "to read": ReadStore,
	} {
		if err := WithStore(t.Context(), dir, options, write(record.State{Progress: record.Progress{NextID: 2, InFlight: []attempt.ID{1}}})); err != nil {
			t.Fatal(err)
		}
		if err := use(t.Context(), dir, options, look); !errors.Is(err, remote.ErrOpening) {
			t.Errorf("%s, after a crash: a reader got %v", name, err)
		}
		if err := WithStore(t.Context(), dir, options, write(record.State{Progress: record.Progress{NextID: 2}})); err != nil {
			t.Fatal(err)
		}
		if err := use(t.Context(), dir, options, look); err != nil {
			t.Errorf("%s: a reader got %v", name, err)
		}
	}
}
