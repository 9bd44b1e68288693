package workspace

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
)

// first returns the services of a workspace of which only the first is configured.
func first(address string) []provider.Service {
	return []provider.Service{{Provider: providerv1.Provider{}, BaseURL: address}}
}

// at returns a workspace at an address.
func at(address string) Options { return Options{Services: first(address)} }

// The answers of one service, workspace or sandbox are never those of another.
func TestEveryServiceAndWorkspaceHasItsOwnDirectory(t *testing.T) {
	t.Parallel()
	dir := func(service Options, name string) string {
		service.Journal = Journal{State: "state", Name: name}
		dir, err := service.Dir()
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	const address = "https://api.example/api/v1"
	real := dir(at(address), "default")
	for _, same := range []string{"https://API.example/api/v1", address + "/"} {
		if got := dir(at(same), "default"); filepath.Base(filepath.Dir(got))[len("api.example"):] != filepath.Base(filepath.Dir(real))[len("api.example"):] {
			t.Errorf("%s: %s is not %s", same, got, real)
		}
	}
	seen := map[string]string{real: "the service"}
	for what, other := range map[string]string{
		"another workspace": dir(at(address), "second"),
		"another path":      dir(at("https://api.example/v1"), "default"),
		"another scheme":    dir(at("http://api.example/api/v1"), "default"),
		"another port":      dir(at("https://api.example:8443/api/v1"), "default"),
		"the sandbox":       dir(Options{Sandbox: true, Services: first(address)}, "default"),
	} {
		if same := seen[other]; same != "" {
			t.Errorf("%s and %s share %s", what, same, other)
		}
		seen[other] = what
	}
	if _, err := at("api.example").Dir(); !problem.IsUsage(err) {
		t.Errorf("an address without a scheme: %v", err)
	}
}

func TestKeysAreHexadecimalOrBase64(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("\x0a", keyLength)
	for _, text := range []string{strings.Repeat("0a", keyLength), base64.StdEncoding.EncodeToString([]byte(whole))} {
		if key, err := (Key{"THE_KEY", text}).Parse(); err != nil || string(key) != whole {
			t.Errorf("%s: %x, %v", text, key, err)
		}
	}
	if key, err := (Key{"THE_KEY", ""}).Parse(); key != nil || err != nil {
		t.Errorf("none: %x, %v", key, err)
	}
	for _, text := range []string{"0a0a", "secret words", strings.Repeat("0a", keyLength+1)} {
		_, err := Key{"THE_KEY", text}.Parse()
		if !problem.IsUsage(err) || !strings.HasPrefix(err.Error(), "THE_KEY is not a key") || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// sessionIn returns a session on a sandbox whose journal is in a directory.
func sessionIn(t *testing.T, state string) *Session {
	rate := checkpoint.Rate{Slots: 100, Window: time.Second}
	s := &Session{
		Options: Options{
			Journal: Journal{State: state, Name: "default"}, Sandbox: true,
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, Timeout: time.Minute, Connections: 1, Rate: rate, Kept: rate},
				{Provider: providerv2.Provider{}},
			},
		},
		Env: Environment{Now: time.Now, Program: "batch", Version: "0"},
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestAJournalInUseNamesItsCommand(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := sessionIn(t, state).OpenJournal(t.Context(), "run leads"); err != nil {
		t.Fatal(err)
	}
	err := sessionIn(t, state).Require(t.Context(), "runs")
	held, isHeld := errors.AsType[*badgerstore.LockedError](err)
	found, _ := errors.AsType[*problem.Error](err)
	if !isHeld || !strings.Contains(held.Holder, `"batch run leads" (process `) || found == nil || found.Code != "journal_held" {
		t.Errorf("%v, code of %+v", err, found)
	}
}

// Looking at a workspace makes nothing in it.
func TestOnlyAnExistingJournalIsRead(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := sessionIn(t, state)
	if err := s.Require(t.Context(), "runs"); !problem.IsUsage(err) || !strings.Contains(err.Error(), `workspace "default"`) {
		t.Errorf("%v", err)
	}
	if exists, err := s.OpenExisting(t.Context(), "plan"); exists || err != nil {
		t.Errorf("%t, %v", exists, err)
	}
	if files, err := os.ReadDir(state); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

// An account's answers are not to be taken for another's.
func TestAnotherKeyNeedsTheSameWorkspaceOption(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := withServices(t, state, addressV1, "")
	of := func() provider.Service { return s.Options.Services[0] }
	if err := s.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	s.Options.Services[0].Key = "the first"
	if err := s.RecordKey(of()); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckKey(of(), accepts); err != nil {
		t.Errorf("the same key: %v", err)
	}
	s.Options.Services[0].Key = "the second"
	err := s.CheckKey(of(), accepts)
	if found, _ := errors.AsType[*problem.Error](err); found == nil || found.Code != "other_key" {
		t.Errorf("another key: %v", err)
	}
	s.Options.SameWorkspace = true
	if err := s.CheckKey(of(), accepts); err != nil {
		t.Errorf("declared to be of the same workspace: %v", err)
	}
}

// A session that was given another key encrypts what it opens with that.
func TestAJournalThatIsEncryptedOpensWithItsKeyAlone(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := sessionIn(t, state)
	s.Options.Journal.Key = Key{"THE_KEY", strings.Repeat("0a", keyLength)}
	if err := errors.Join(s.OpenJournal(t.Context(), "run"), s.Close()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "encryption_key", strings.Repeat("0b", keyLength): "encryption_key"} {
		s := sessionIn(t, state)
		s.Options.Journal.Key.Text = text
		err := s.Require(t.Context(), "runs")
		if found, _ := errors.AsType[*problem.Error](err); found == nil || found.Code != want {
			t.Errorf("key %q: %v, want code %s", text, err, want)
		}
	}
}

// A full disk is not a directory that may not be written: another directory would begin another
// journal.
func TestAFullDiskIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("%w: open LOCK: %w", checkpoint.ErrNotWritable, syscall.ENOSPC)
	if found, _ := errors.AsType[*problem.Error](OpenError(full)); found == nil || found.Code != "disk_full" || found.Kind != 0 {
		t.Errorf("%+v", found)
	}
	denied := fmt.Errorf("%w: open LOCK: %w", checkpoint.ErrNotWritable, syscall.EACCES)
	if found, _ := errors.AsType[*problem.Error](OpenError(denied)); found == nil || found.Code != "state_not_writable" {
		t.Errorf("%+v", found)
	}
}

// TestAJournalOfANewerProgramIsNotCalledDamaged: its backup would not help either.
func TestAJournalOfANewerProgramIsNotCalledDamaged(t *testing.T) {
	t.Parallel()
	newer := fmt.Errorf("opening the journal: %w", checkpoint.ErrNewer)
	if found, _ := errors.AsType[*problem.Error](OpenError(newer)); found == nil || found.Code != "journal_newer" || found.Kind != 0 {
		t.Errorf("%+v", found)
	}
}
