package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
)

const (
	addressV1 = "https://api.example/api/v1"
	addressV2 = "https://data.example/v2"
)

// withServices returns a session on a workspace with the addresses, "" for none.
func withServices(t *testing.T, state, first, second string) *Session {
	t.Helper()
	rate := checkpoint.Rate{Slots: 10, Window: time.Minute}
	s := &Session{
		Options: Options{
			Journal: Journal{State: state, Name: "default"},
			Services: []provider.Service{
				{Provider: providerv1.Provider{}, BaseURL: first, Key: "key-of-v1", Kept: rate},
				{Provider: providerv2.Provider{}, BaseURL: second, Key: "key-of-v2", Kept: rate},
			},
		},
		Env: Environment{Now: time.Now, Program: "batch"},
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// registerSecond registers the account of the second service, whose key was accepted.
func registerSecond(s *Session) (*checkpoint.Journal, error) {
	return s.Register(s.Options.Services[1], func() error { return nil })
}

// openSecond returns a client of the second service for an account whose key is its own.
func openSecond(s *Session) (*v2.Client, error) {
	of := s.Options.Services[1]
	at, err := s.Endpoint(of)
	if err != nil {
		return nil, err
	}
	client, err := v2.NewClient(providerv2.Provider{}.Config(at))
	return client, errors.Join(err, s.CheckKey(of, accepts))
}

// accepts is a service that accepts a key.
func accepts() error { return nil }

// startRun opens the journal of a workspace as a run does, registers what it has, and returns its directory.
func startRun(t *testing.T, s *Session) string {
	t.Helper()
	if err := s.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	if s.Options.Services[1].BaseURL != "" {
		if _, err := registerSecond(s); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := s.Options.Dir()
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func codeOf(err error) string {
	if found, ok := errors.AsType[*problem.Error](err); ok {
		return found.Code
	}
	return ""
}

// Whichever interface a workspace begins with, and however its commands name the two later, it has one
// journal, so one budget bounds both and nothing is bought twice.
func TestAWorkspaceHasOneJournalWhicheverInterfaceComesFirst(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][][2]string{
		"v1, then both, then each alone": {{addressV1, ""}, {addressV1, addressV2}, {"", addressV2}, {addressV1, ""}},
		"v2, then both, then each alone": {{"", addressV2}, {addressV1, addressV2}, {addressV1, ""}, {"", addressV2}},
		"both, then each alone":          {{addressV1, addressV2}, {"", addressV2}, {addressV1, ""}},
		"written in other ways": {
			{"https://API.example:443/api/v1/", ""}, {addressV1, "HTTPS://Data.Example/v2/"}, {"", "https://data.example:443/v2"}, {addressV1, addressV2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			var first string
			for n, services := range order {
				dir := startRun(t, withServices(t, state, services[0], services[1]))
				if n == 0 {
					first = dir
				} else if dir != first {
					t.Errorf("start %d with %q uses %s and not %s", n, services, dir, first)
				}
			}
			last := withServices(t, state, addressV1, addressV2)
			if err := last.OpenJournal(t.Context(), "run"); err != nil {
				t.Fatal(err)
			}
			if accounts := last.Journal.Accounts(); accounts != 2 {
				t.Errorf("the journal has %d accounts, want those of v1 and v2", accounts)
			}
		})
	}
}

// Nobody can tell which of two journals knows what was bought.
func TestTwoJournalsOfOneWorkspaceAreRefused(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	first := startRun(t, withServices(t, state, addressV1, ""))
	second := startRun(t, withServices(t, state, "", addressV2))
	both := withServices(t, state, addressV1, addressV2)
	for what, err := range map[string]error{
		"run":  both.OpenJournal(t.Context(), "run"),
		"read": both.Read(t.Context(), "runs"),
	} {
		if codeOf(err) != "two_journals" || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), second) {
			t.Errorf("%s: %v", what, err)
		}
	}
	both.Options.Journal.Name = "another"
	startRun(t, both)
}

// Earlier programs named a directory after the address as it was written.
func TestAJournalOfAnEarlierProgramIsFoundByItsAddress(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	const address = "https://API.example:443/api/v1"
	earlier := filepath.Join(state, directoryName("API.example", "https://api.example:443/api/v1"), "default")
	made := withServices(t, state, address, "")
	if err := os.MkdirAll(filepath.Dir(earlier), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(startRun(t, made), earlier); err != nil {
		t.Fatal(err)
	}
	if dir, exists, err := made.Options.Find(); dir != earlier || !exists || err != nil {
		t.Errorf("%s, %t, %v; want %s", dir, exists, err, earlier)
	}
}

// A journal that was removed begins again where its links lead.
func TestALinkToARemovedJournalIsFollowed(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	dir := startRun(t, withServices(t, state, addressV1, addressV2))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	alone := withServices(t, state, "", addressV2)
	if _, exists, err := alone.Options.Find(); exists || err != nil {
		t.Errorf("a removed journal exists: %t, %v", exists, err)
	}
	if again := startRun(t, alone); again != dir {
		t.Errorf("it begins in %s and not in %s", again, dir)
	}
}

func TestAnEmptyDirectoryMakesRoomForALinkAndAnotherDoesNot(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	names, ok := namesOf(addressV2)
	if !ok {
		t.Fatal("no names")
	}
	inTheWay := filepath.Join(state, names[0], "default")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	s := withServices(t, state, addressV1, addressV2)
	dir := startRun(t, s)
	if followed(inTheWay) != dir {
		t.Errorf("%s does not lead to %s", inTheWay, dir)
	}
	s.Options.Journal.Name = "full"
	if err := os.MkdirAll(filepath.Join(state, names[0], "full", "something"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenJournal(t.Context(), "run"); codeOf(err) != "state_not_writable" {
		t.Errorf("a directory with something in it: %v", err)
	}
}

// Looking at a workspace makes nothing in it, also with two interfaces.
func TestReadingAWorkspaceCreatesNoLink(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	startRun(t, withServices(t, state, addressV1, ""))
	if err := withServices(t, state, addressV1, addressV2).Read(t.Context(), "runs"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(state); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Each account has a key of its own, and another key of one is refused without the other's.
func TestAnotherKeyOfTheSecondInterfaceNeedsTheSameWord(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	const local = "http://127.0.0.1:1/v2"
	startRun(t, withServices(t, state, addressV1, local))
	s := withServices(t, state, addressV1, local)
	if err := s.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	s.Options.Services[0].Key = "another-key-of-v1"
	s.Options.Services[1].Key = "rotated"
	if _, err := openSecond(s); codeOf(err) != "other_key" || !strings.HasPrefix(err.Error(), "the v2 interface: ") {
		t.Errorf("a client with another key: %v", err)
	}
	if _, err := registerSecond(s); codeOf(err) != "other_key" {
		t.Errorf("registered with another key: %v", err)
	}
	s.Options.SameWorkspace = true
	journal, err := registerSecond(s)
	if err != nil || journal.Number() != 1 || s.Journal.Accounts() != 2 {
		t.Errorf("account %d of %d, %v", journal.Number(), s.Journal.Accounts(), err)
	}
	s.Options.SameWorkspace = false
	if _, err := openSecond(s); err != nil {
		t.Errorf("the key that was accepted: %v", err)
	}
	s.Options.Services[1].Key = "key-of-v2"
	if _, err := openSecond(s); codeOf(err) != "other_key" {
		t.Errorf("the key before it: %v", err)
	}
}

// What was bought at one address of the second interface would be bought again at another.
func TestAnotherAddressOfTheSecondInterfaceIsRefused(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	startRun(t, withServices(t, state, addressV1, "http://127.0.0.1:1/v2"))
	s := withServices(t, state, addressV1, "http://127.0.0.1:2/v2")
	if err := s.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	if _, err := openSecond(s); codeOf(err) != "other_service_v2" {
		t.Errorf("a client of another address: %v", err)
	}
	if _, err := registerSecond(s); codeOf(err) != "other_service_v2" || s.Journal.Accounts() != 2 {
		t.Errorf("registered at another address: %v, %d accounts", err, s.Journal.Accounts())
	}
	s.Options.Services[1].BaseURL = "http://127.0.0.1:1/v2/" // the same one, written in another way
	if _, err := registerSecond(s); err != nil {
		t.Error(err)
	}
}

// The embedded service has another port with every start, and its account stays the same.
func TestTheEmbeddedServiceKeepsItsAccount(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for range 2 {
		s := sessionIn(t, state)
		s.Options.Services[0].BaseURL, s.Options.Services[1].BaseURL = addressV1, addressV2 // the sandbox replaces both
		if err := s.OpenJournal(t.Context(), "run"); err != nil {
			t.Fatal(err)
		}
		client, err := openSecond(s)
		if err != nil {
			t.Fatal(err)
		}
		usage, err := client.Usage(t.Context())
		if err != nil || len(usage.Modules) == 0 {
			t.Fatalf("%+v, %v", usage, err)
		}
		journal, err := registerSecond(s)
		if err != nil || journal.Number() != 1 {
			t.Errorf("%v", err)
		}
		if catalogue := s.Journal.Catalogues()[1]; catalogue.Interface != v2.Catalogue().Interface {
			t.Errorf("account 1 has the interface %q", catalogue.Interface)
		}
		if seen, err := s.AccountOf(s.Options.Services[1]); err != nil || seen == nil || seen.Number() != 1 {
			t.Errorf("%v, %v", seen, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that reads sees the addresses of both interfaces of the process that owns the journal.
func TestAReaderUsesBothInterfacesOfTheOwnersSandbox(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	owner := sessionIn(t, state)
	if err := owner.OpenJournal(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	config, err := owner.Endpoint(owner.Options.Services[1])
	if err != nil {
		t.Fatal(err)
	}
	reader := sessionIn(t, state)
	if err := reader.Read(t.Context(), "account"); err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Endpoint(reader.Options.Services[1]); err != nil || got.BaseURL != config.BaseURL {
		t.Errorf("%s, %v; want %s", got.BaseURL, err, config.BaseURL)
	}
	if found, err := reader.AccountOf(reader.Options.Services[1]); found != nil || err != nil {
		t.Errorf("an account that is not registered: %v, %v", found, err)
	}
}
