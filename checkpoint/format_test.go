package checkpoint

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/attempt"
	"payonce/checkpoint/verify"
	"payonce/enrich"
)

// version5 reads a journal of version 5 of the records: each line of the file has a key and a
// value, in hexadecimal. The file never changes, so that journals stay readable.
//
// Attempt 1 was forfeited and 4 bought its phone again; 2 has an answer with everything that
// an answer can have, by name, for the job "crm"; 3 was rejected; 5 found nobody; 6 is
// forgotten; 7 has an email; 8 was refused with a pause; 9 is in doubt; 10 was in flight when
// the process ended. The account's base came after attempt 1.
func version5(t *testing.T) *memStore {
	t.Helper()
	text, err := os.ReadFile("testdata/journal-v5.tsv")
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

// version5Rig opens the journal of version 5.
func version5Rig(t *testing.T) *rig {
	r := &rig{t: t, store: version5(t), clock: &clock{start.AddDate(0, 0, 2)}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	t.Cleanup(func() { r.Close() })
	return r
}

func TestAJournalOfVersion5IsReadAsItWasWritten(t *testing.T) {
	want, err := os.ReadFile("testdata/journal-v5.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := version5(t)
	var got bytes.Buffer
	if err := verify.Dump(s, nil, &got, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("the dump (-want +got):\n%s", diff)
	}
	wantOnlyMadeUp(t, s)
}

// wantOnlyMadeUp fails when the check finds more than the lists of provisional charges and of
// closed periods, which were made up for the file.
func wantOnlyMadeUp(t *testing.T, s Store) {
	t.Helper()
	want := []string{
		"the ledger state has a period of attempts 2 to 3, which is empty or not in its order",
		"the ledger state lists a provisional charge of attempt 2 twice, for no field or in a period that is not its own",
		`the ledger state lists a provisional charge of attempt 2 for "work_email", which it did not pay`,
	}
	if diff := cmp.Diff(want, problemsOf(t, s)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestAJournalOfVersion5GoesOn(t *testing.T) {
	r := version5Rig(t)
	wantOnlyMadeUp(t, r.store)
	if doubts := r.Doubts(); len(doubts) != 2 || doubts[0].ID != 9 || doubts[1].ID != 10 {
		t.Errorf("in doubt are %+v, want attempts 9 and 10", doubts)
	}
	r.want(r.begin(request(enrich.Identity{ProfileURL: "https://pro.example/in/p7"}, email)), attempt.Known{Fields: email})
	if ticket := r.grant(request(person(100), email)); ticket.ID != 11 {
		t.Errorf("the next attempt is %d, want 11", ticket.ID)
	}
	wantOnlyMadeUp(t, r.store)
}
