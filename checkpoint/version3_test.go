package checkpoint

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// version3 reads a journal of the version whose records were all in JSON. Attempt 1 was
// forfeited and 4 bought its phone again; 2 has an answer with everything that an answer
// can have, by name, for the job "crm"; 3 was rejected; 5 found nobody; 6 is forgotten; 7
// has an email; 8 was refused with a pause; 9 is in doubt; 10 was in flight when the
// process ended. The account's base came after attempt 1.
func version3(t *testing.T) *memStore { return recordsIn(t, "testdata/journal-v3.tsv", 3) }

// repacked reads every record of a store and writes it again, as this version does.
func repacked(t *testing.T, store *memStore) *memStore {
	t.Helper()
	fresh := newMemStore()
	kinds := packedKinds()
	for key, value := range store.records {
		name := kindOf(key[0])
		switch {
		case key == string(booksKey):
			name = "books"
		case key[0] == openPrefix:
			name = "open mark"
		case key[0] == dayPrefix:
			name = "span"
		}
		fresh.records[key] = append([]byte{recordVersion}, value[1:]...) // in JSON as well
		if kind, packed := kinds[name]; packed {
			var err error
			if fresh.records[key], err = kind.again(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fresh
}

// TestTheDumpIsTheSameInEveryForm compares it with what version 3 wrote itself.
func TestTheDumpIsTheSameInEveryForm(t *testing.T) {
	want, err := os.ReadFile("testdata/journal-v3.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	old := version3(t)
	for name, store := range map[string]*memStore{"in JSON": old, "packed": repacked(t, old)} {
		var got bytes.Buffer
		if err := Dump(store, nil, &got, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-version 3 +now):\n%s", name, diff)
		}
	}
}

// TestAJournalOfVersion3GoesOn opens it in its own form and in that of today, and does
// with both what a journal does: they tell the same at every step.
func TestAJournalOfVersion3GoesOn(t *testing.T) {
	old := version3(t)
	rigs := []*rig{openOld(t, repacked(t, old)), openOld(t, old)}
	steps := []struct {
		name string
		do   func(*rig)
	}{
		{"opened", func(*rig) {}},
		{"resolved", func(r *rig) {
			r.check(r.Assume(9, false))
			r.check(r.Assume(10, true))
			r.settle(r.grant(request(person(9), email)), found)
		}},
		{"bought again", func(r *rig) {
			again := request(person(10), phone)
			again.Reask.Forfeited = true
			r.settle(r.grant(again), found)
		}},
		{"forgotten", func(r *rig) { mustErase(t)(r.Forget(Person{Email: "seven@b.example"})) }},
		{"pruned", func(r *rig) { mustErase(t)(r.Prune(r.clock.at.Add(-24 * time.Hour))) }},
		{"opened again", func(r *rig) { r.reopen() }},
	}
	for _, step := range steps {
		var told [2]knowledge
		for i, r := range rigs {
			step.do(r)
			wantSound(t, r.store)
			told[i] = r.tell()
		}
		if diff := cmp.Diff(told[0], told[1], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-packed +in JSON):\n%s", step.name, diff)
		}
	}
	r := rigs[1]
	r.want(r.begin(request(enrich.Identity{FirstName: "Ånn", LastName: "Lee \"<&>", CompanyName: "Acme"}, email|phone)), attempt.Known{Fields: email | phone})
	r.want(r.begin(request(person(7), email)), attempt.Known{Fields: email})
	if got := r.Totals(RunScope("run")); got.Settled != 145*cost.Cent || got.Forfeited != 2 || got.Open != 0 {
		t.Errorf("sums of the run: %+v", got)
	}
}

func mustErase(t *testing.T) func(Erasure, error) {
	return func(erased Erasure, err error) {
		t.Helper()
		if err != nil || erased.Answers == 0 {
			t.Fatalf("erased %+v, error %v", erased, err)
		}
	}
}

// knowledge is what a journal tells about everything in it.
type knowledge struct {
	Outcomes []attempt.Outcome
	Records  map[enrich.Key]attempt.Record
	Ledger   []attempt.Entry
	Totals   map[string]cost.Totals
	Doubts   []attempt.Doubt
	Base     cost.Account
	Runs     []Run
}

func (r *rig) tell() knowledge {
	r.t.Helper()
	told := knowledge{Records: map[enrich.Key]attempt.Record{}, Totals: map[string]cost.Totals{}, Doubts: r.Doubts(), Base: r.Base()}
	told.Ledger = r.ledgerOf(time.Time{}, time.Time{})
	var ids []attempt.ID
	for _, entry := range told.Ledger {
		ids = append(ids, entry.ID)
	}
	var err error
	told.Outcomes, err = r.Recall(0, true)(ids, nil)
	r.check(err)
	for first := range 256 {
		r.check(r.Journal.Records(enrich.Key{byte(first)}, lastOf(byte(first)), func(key enrich.Key, recordOf func() (attempt.Record, error)) (err error) {
			told.Records[key], err = recordOf()
			return err
		}))
	}
	for scope, sum := range r.books.sums.scopes {
		told.Totals[scope] = sum.totals
	}
	told.Runs, err = r.Runs()
	r.check(err)
	return told
}
