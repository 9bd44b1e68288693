package checkpoint

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// versions checks that every change of a journal gives it a version that it never had. Nothing else changes the version.
type versions struct {
	t    *testing.T
	seen map[uint64]string // what came to it
}

func newVersions(t *testing.T) *versions { return &versions{t, map[uint64]string{}} }

func (v *versions) isNew(j *Journal, after string) {
	v.t.Helper()
	if before, seen := v.seen[j.Version()]; seen {
		v.t.Errorf("the version after %s is the one after %s", after, before)
	}
	v.seen[j.Version()] = after
}

func (v *versions) isThatAfter(j *Journal, want string) {
	v.t.Helper()
	if got := v.seen[j.Version()]; got != want {
		v.t.Errorf("the version is the one after %q, want that after %q", got, want)
	}
}

// TestEveryChangeGivesTheJournalANewVersion closes and opens the journal after each.
func TestEveryChangeGivesTheJournalANewVersion(t *testing.T) {
	memory := newRig(t)
	dir := filepath.Join(t.TempDir(), "journal")
	onDisk := &rig{Journal: openDir(t, dir), t: t}
	defer func() { _ = onDisk.Close() }()
	t.Run("memory", func(t *testing.T) { testVersions(t, memory, memory.reopen) })
	t.Run("badger", func(t *testing.T) {
		testVersions(t, onDisk, func() {
			onDisk.check(onDisk.Close())
			onDisk.Journal = openDir(t, dir)
		})
	})
}

func testVersions(t *testing.T, r *rig, reopen func()) {
	seen := newVersions(t)
	seen.isNew(r.Journal, "the beginning")
	var tickets []attempt.Ticket
	for _, change := range []struct {
		name string
		make func()
	}{
		{"Begin", func() { tickets = append(tickets, r.grant(request(person(1), email))) }},
		{"Settle", func() { r.settle(tickets[0], found) }},
		{"another Begin", func() { tickets = append(tickets, r.grant(request(person(2), email))) }},
		{"MarkInDoubt", func() { r.check(r.MarkInDoubt(tickets[1].ID, attempt.LostCall{Cause: "connection reset"})) }},
		{"Assume", func() { r.check(r.Assume(false, tickets[1].ID)) }},
		{"Prune", func() { _, err := r.Prune(start.Add(time.Hour)); r.check(err) }},
		{"Forget", func() { _, err := r.erase(Person{Identity: person(1)}); r.check(err) }},
		{"Forget of somebody unknown", func() { _, err := r.erase(Person{Identity: person(9)}); r.check(err) }},
	} {
		change.make()
		seen.isNew(r.Journal, change.name)
		if change.name == "Begin" || change.name == "another Begin" {
			continue // what is in flight when a journal is closed is in doubt then
		}
		for range 2 {
			reopen()
			seen.isThatAfter(r.Journal, change.name)
		}
	}
	if len(seen.seen) != 9 {
		t.Errorf("%d versions, want 9", len(seen.seen))
	}
	for name, note := range map[string]func() error{
		"SaveRun":      func() error { return r.SaveRun(record.Run{Name: "run", List: "list.csv"}) },
		"SaveFile":     func() error { return r.SaveFile(record.File{Path: "/list.csv", Size: 1}) },
		"RecordAPIKey": func() error { return r.RecordAPIKey("another key") },
		"Rebase":       func() error { return r.Rebase(freeAndPaid(1, cost.Dollar)) },
		"EndPause":     func() error { _, err := r.EndPause(); return err },
	} {
		r.check(note())
		if got := seen.seen[r.Version()]; got != "Forget of somebody unknown" {
			t.Errorf("%s changed the version", name)
		}
	}
	reopen()
	seen.isThatAfter(r.Journal, "Forget of somebody unknown")
}

// TestTheEndOfAProvisionalChargeChangesTheVersion: the output says which charges are provisional.
func TestTheEndOfAProvisionalChargeChangesTheVersion(t *testing.T) {
	r := newRig(t)
	seen := newVersions(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.lose(1, email, "run") // holds the free unit
	r.settle(r.grant(request(person(2), email)), found)
	if len(r.Provisional()) != 1 {
		t.Fatalf("provisional are %v, want one charge", r.Provisional())
	}
	seen.isNew(r.Journal, "a provisional charge")
	r.reopen()
	seen.isThatAfter(r.Journal, "a provisional charge")
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	if len(r.Provisional()) != 0 {
		t.Fatalf("provisional are %v, want none", r.Provisional())
	}
	seen.isNew(r.Journal, "a new base")
}

// TestRecordsOfNewKindsChangeTheVersion: only the kinds that are listed here do not change it.
func TestRecordsOfNewKindsChangeTheVersion(t *testing.T) {
	listed := []string{"totals", "day", "run", "file", "account", "job", "occurrence", "alert", "event", "meta"}
	for prefix := range 256 {
		kind := record.KindOf(byte(prefix))
		if about := record.IsAboutSubjects([]byte{byte(prefix)}); about == slices.Contains(listed, kind) {
			t.Errorf("records of the kind %q are about subjects: %t", kind, about)
		}
	}
}

// TestReadingDoesNotChangeTheJournalVersion has a journal that is asked for all that can be asked for.
func TestReadingDoesNotChangeTheJournalVersion(t *testing.T) {
	r := newRig(t)
	all := outcomesOfAllKinds(r, 20)
	before := r.Version()
	_, err := r.Recall(0, true)(all, nil)
	r.check(err)
	_, err = r.Record(person(1))
	r.check(err)
	r.Doubts()
	if r.Version() != before {
		t.Error("the version has changed")
	}
}

// TestARewriteRepeatsNoJournalVersion changes a journal, rewrites it, which leaves fewer
// commits behind and the same records, and changes it again as many times.
func TestARewriteRepeatsNoJournalVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	seen := newVersions(t)
	key := make([]byte, 32)
	for round := range 3 {
		j := openDir(t, dir)
		for n := range 10 {
			answer(t, j, 10*round+n, 10*round+n+1)
			seen.isNew(j, fmt.Sprintf("change %d", 10*round+n))
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if err := rewrite(dir, nil); err != nil {
			t.Fatal(err)
		}
		j = openDir(t, dir)
		seen.isThatAfter(j, fmt.Sprintf("change %d", 10*round+9))
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	as := badgerstore.Copy{EncryptionKey: key, Verify: record.VerifyWhole}
	if err := badgerstore.Rewrite(dir, badgerstore.Options{}, as); err != nil {
		t.Fatal(err)
	}
	encrypted, err := badgerstore.Open(dir, badgerstore.Options{EncryptionKey: key})
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(encrypted, dirOptions)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	seen.isThatAfter(j, "change 29")
	answer(t, j, 100, 101)
	seen.isNew(j, "a change of the encrypted journal")
}

// TestARestoredBackupRepeatsNoVersionOfTheOriginal lets two copies of a journal go on, by
// as many commits, of which every one has the same number, and at the same times.
func TestARestoredBackupRepeatsNoVersionOfTheOriginal(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	j := openDir(t, first)
	answer(t, j, 0, 3)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	seen := newVersions(t)
	for n, dir := range []string{first, second} {
		j := openDir(t, dir)
		r := &rig{Journal: j, t: t}
		_, err := r.erase(Person{Identity: person(n)}) // which leaves the ledger state as it is
		r.check(err)
		seen.isNew(j, dir)
		for n := range 5 {
			r.settle(r.grant(request(person(3+n), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "p@b.example"})
			seen.isNew(j, dir)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestABackupWithACallInFlightRepeatsNoVersionOfTheOriginal has a copy of a journal that was in the
// middle of a lookup. To open it takes as many commits as the answer took in the other one.
func TestABackupWithACallInFlightRepeatsNoVersionOfTheOriginal(t *testing.T) {
	r := newRig(t)
	seen := newVersions(t)
	ticket := r.grant(request(person(1), email))
	seen.isNew(r.Journal, "Begin")
	restored := newMemStore()
	restored.records, restored.commits = maps.Clone(r.store.records), r.store.commits
	r.settle(ticket, found)
	seen.isNew(r.Journal, "Settle")
	j, err := New(restored, Options{Catalogue: v1.Catalogue(), Rate: r.rate, Now: r.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	if restored.commits != r.store.commits {
		t.Errorf("%d commits in the one, %d in the other", r.store.commits, restored.commits)
	}
	seen.isNew(j, "being opened in the middle of a lookup")
	r.check(j.Close())
}
