package checkpoint

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// releasedVersions returns the names of the journals in testdata, at least one for each version of the
// records that a released program wrote. The files never change, so that journals stay readable:
// NAME.tsv has a key and a value in each line, in hexadecimal, and NAME.jsonl the dump. Every kind
// of record is in them, and every member, but for the excess of a closed period: that needs a call in
// doubt there.
//
// In that of version 7, attempt 1 was forfeited and 4 bought its phone again; 2 has an answer with
// everything that an answer can have, by name, for the job "crm"; 3 was rejected; 5 found nobody; 6
// is forgotten; 7 has an email; 8 was refused with a pause; 9 is in doubt; 10 was in flight when
// the process ended. The account's base came after attempt 1. The rare parts of the ledger state
// are set.
//
// That of version 7 with accounts went on from there with an account 1: attempt 11 has an answer, 12 is
// in doubt, 13 has a provisional charge and 14 was in flight. Another account has no attempt.
//
// That of version 7 with jobs has a job and its occurrences besides. That with an outbox has also alerts, and the
// members that jobs and occurrences got since. In that with profiles, the former keys of those before are recorded.
// That with record events has an event with two fields, and aliases of an identity that the answer of attempt 7 names.
// That with watches has an observed change of a company between two of its answers, and what was polled. That with
// record writes has an event of which one value was written to a CRM, and one was sent back.
func releasedVersions(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/journal-v*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no journals in testdata, error %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file, ".tsv"))
	}
	return names
}

// readVersion reads one of releasedVersions.
func readVersion(t *testing.T, name string) *memStore {
	t.Helper()
	text, err := os.ReadFile(name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	s := newMemStore()
	for line := range strings.Lines(string(text)) {
		name, record, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		key, keyErr := hex.DecodeString(name)
		value, err := hex.DecodeString(record)
		if err != nil || keyErr != nil {
			t.Fatal(keyErr, err)
		}
		s.records[string(key)] = value
	}
	return s
}

func TestAJournalOfEveryVersionIsReadAsItWasWritten(t *testing.T) {
	for _, name := range releasedVersions(t) {
		want, err := os.ReadFile(name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := verify.Dump(readVersion(t, name), nil, &got, shown); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
			t.Errorf("%s: the dump (-want +got):\n%s", name, diff)
		}
	}
}

// TestTheNewestJournalHasEveryKindOfRecord: a kind that is added gets a record in testdata.
func TestTheNewestJournalHasEveryKindOfRecord(t *testing.T) {
	has := map[string]bool{}
	for key := range readVersion(t, slices.Max(releasedVersions(t))).records {
		has[record.KindOf(key[0])] = true
	}
	for prefix := range 256 {
		if kind := record.KindOf(byte(prefix)); kind != "" && !has[kind] {
			t.Errorf("no record is of the kind %q", kind)
		}
	}
}

func TestAJournalOfEveryVersionGoesOn(t *testing.T) {
	for _, name := range releasedVersions(t) {
		wantSound(t, readVersion(t, name))
		r := versionRig(t, name)
		if doubts := r.Doubts(); len(doubts) != 2 || doubts[0].ID != 9 || doubts[1].ID != 10 {
			t.Errorf("in doubt are %+v, want attempts 9 and 10", doubts)
		}
		r.want(r.begin(request(enrich.Identity{ProfileURL: "https://pro.example/in/p7"}, email)), attempt.Known{Fields: email})
		next := r.state.persisted.NextID
		if ticket := r.grant(request(person(100), email)); ticket.ID != next || next < 11 {
			t.Errorf("the next attempt is %d, want %d", ticket.ID, next)
		}
		wantSound(t, r.store)
	}
}

// versionRig opens one of releasedVersions.
func versionRig(t *testing.T, name string) *rig {
	r := &rig{t: t, store: readVersion(t, name), clock: &clock{start.AddDate(0, 0, 2)}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	t.Cleanup(func() { r.Close() })
	return r
}

// TestAJournalWithOtherFieldsIsRefused: a bit of a set of fields must never be taken for another
// field.
func TestAJournalWithOtherFieldsIsRefused(t *testing.T) {
	for name, names := range map[string][]string{
		"another order": {"business_phone", "work_email"}, "a later field": {"work_email", "business_phone", "fax"},
	} {
		s := readVersion(t, releasedVersions(t)[0])
		s.records[string(record.FieldsKey)] = record.Encode(&record.FieldNames{Names: names})
		if _, err := New(s, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1, Window: time.Minute}, Now: time.Now}); err == nil || !strings.Contains(err.Error(), "which this program does not know") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
