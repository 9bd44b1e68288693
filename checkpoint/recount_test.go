package checkpoint

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// oldRecords reads the records of a journal of the first version. The account's base
// came after attempt 2; attempt 1 was decided after it, 6 is in doubt, 7 is erased, 8
// was in flight when the process ended. One ceiling was on "month/2026-11".
func oldRecords(t *testing.T) *memStore {
	return recordsIn(t, "testdata/journal-v1.tsv", oldestVersion)
}

// recordsIn reads records of a version that are in JSON: each line of the file has the
// kind of a record, its ID, name or key, and the record.
func recordsIn(t *testing.T, file string, version byte) *memStore {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	store := newMemStore()
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		key := nameKey(parts[0][0], parts[1])
		switch key[0] {
		case intentPrefix, resolutionPrefix, doubtPrefix, openPrefix:
			id, err := strconv.ParseUint(parts[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			key = idKey(key[0], attempt.ID(id))
		case fieldPrefix:
			name, err := hex.DecodeString(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			key = nameKey(fieldPrefix, string(name))
		}
		store.records[string(key)] = append([]byte{version}, parts[2]...)
	}
	return store
}

// inJSON puts all records into the form of a version that had them in JSON.
func inJSON(t *testing.T, store *memStore, version byte) {
	t.Helper()
	for key, value := range store.records {
		text := value[1:] // of the meta records, which are in JSON anyway
		if key[0] != metaPrefix || key == string(booksKey) {
			record, err := view([]byte(key), value, true)
			if err == nil {
				text, err = json.Marshal(record)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		store.records[key] = append([]byte{version}, text...)
	}
}

// openOld opens the journal that is in the store.
func openOld(t *testing.T, store *memStore) *rig {
	r := &rig{t: t, store: store, clock: &clock{start.AddDate(0, 0, 2)}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	t.Cleanup(func() { r.Close() })
	return r
}

func wantSound(t *testing.T, store Store) {
	t.Helper()
	if problems := problemsOf(t, store); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}

func TestAnOldJournalIsRebuiltOnceAndGoesOn(t *testing.T) {
	store := oldRecords(t)
	wantSound(t, store) // before
	r := openOld(t, store)
	wantSound(t, store)
	if _, there := store.records["cmonth/2026-11"]; there {
		t.Error("the sums of a scope that nothing counts in are still there")
	}
	for scope, want := range map[string]cost.Totals{
		"job/run/2026-11-01": {
			Settled: 65 * cost.Cent, EverHeld: 65 * cost.Cent, FreeUsed: [2]int64{1, 0}, FreeEverHeld: [2]int64{1, 0},
			Charged: [2]int64{2, 2}, Asked: [2]int64{2, 1}, Returned: [2]int64{2, 1}, Forfeited: 1, Lookups: 2, Whole: 2,
		},
		"job/other/2026-11":               {EverHeld: 15 * cost.Cent, Asked: [2]int64{1, 0}, Lookups: 1},
		"history/find-work-email/name":    {EverHeld: 15 * cost.Cent, Asked: [2]int64{1, 0}, Lookups: 1},
		"history/find-phone/profile":      {Settled: 25 * cost.Cent, Held: 25 * cost.Cent, EverHeld: 50 * cost.Cent, Charged: [2]int64{0, 1}, Forfeited: 1, Open: 1},
		"workspace/2026-11-02":            {Settled: 15 * cost.Cent, Held: 40 * cost.Cent, EverHeld: 85 * cost.Cent, Charged: [2]int64{1, 0}, Asked: [2]int64{2, 0}, Returned: [2]int64{1, 0}, Lookups: 2, Whole: 1, Open: 2},
		"history/find-work-email/profile": {Settled: 15 * cost.Cent, Held: 15 * cost.Cent, EverHeld: 45 * cost.Cent, Charged: [2]int64{1, 0}, Asked: [2]int64{1, 0}, Returned: [2]int64{1, 0}, Lookups: 1, Whole: 1, Open: 1},
	} {
		if got := r.Totals(scope); got != want {
			t.Errorf("sums of %s:\n%+v, want\n%+v", scope, got, want)
		}
	}
	account := r.Totals(ScopeAccount)
	if account.EverHeld != 135*cost.Cent || account.Open != 2 || account.Whole != 2 {
		t.Errorf("sums of the account: %+v; want all that was ever held since the base", account)
	}

	day := cost.Ceiling{Name: "daily", Scope: WorkspaceScope, Period: cost.Day, Measure: cost.Lookups, Limit: 4}
	r.clock.at = start.AddDate(0, 0, 1)
	r.want(r.begin(request(person(7), email, day)), attempt.Over{Ceiling: day, Need: 1, Left: 0})
	r.want(r.begin(request(person(8), email)), attempt.Known{Fields: email})
	r.want(r.begin(request(person(6), email)), attempt.Unsettled{Fields: email})
	r.check(r.Assume(6, true))
	r.check(r.Assume(8, false))
	r.settle(r.grant(request(person(7), email)), found)
	commits := store.commits
	r.reopen()
	if store.commits != commits {
		t.Errorf("opening the journal again took %d commits, want none", store.commits-commits)
	}
	wantSound(t, store)
	if _, err := r.Forget(Person{Identity: person(1)}); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	wantSound(t, store)
	if got := len(r.ledgerOf(time.Time{}, time.Time{})); got != 9 {
		t.Errorf("the ledger has %d entries, want 9", got)
	}
}

// TestARebuildThatIsCutOffBeginsAgain lets each of its commits fail.
func TestARebuildThatIsCutOffBeginsAgain(t *testing.T) {
	for failing := 1; ; failing++ {
		store := oldRecords(t)
		crash := errors.New("crash")
		store.before = func(commit int) (error, bool) {
			if commit == failing {
				return crash, failing%2 == 0
			}
			return nil, true
		}
		_, err := New(store, Options{Rate: Rate{Slots: 9, Window: time.Minute}, Now: (&clock{start}).now})
		if !errors.Is(err, crash) {
			if failing < 3 || err != nil {
				t.Errorf("commit %d: %v; want at least three commits, all of them failing once", failing, err)
			}
			return
		}
		store.before = nil
		r := openOld(t, store)
		wantSound(t, store)
		if got := r.Totals("workspace/2026-11").EverHeld; got != 150*cost.Cent {
			t.Errorf("ever held %s after commit %d failed, want 1.50", got, failing)
		}
	}
}

func TestTheCheckOfAnOldJournalStillFindsWrongSums(t *testing.T) {
	store := oldRecords(t)
	data := store.records[string(nameKey(totalsPrefix, ScopeAll))]
	store.records[string(nameKey(totalsPrefix, ScopeAll))] = []byte(strings.Replace(string(data), `"settled":"0.80"`, `"settled":"0.81"`, 1))
	if problems := problemsOf(t, store); len(problems) != 1 || !strings.Contains(problems[0], `sums of "all" have settled 0.81`) {
		t.Errorf("problems %q", problems)
	}
}

func TestAnErasedPatternOfAnOldJournalIsKeptFromThenOn(t *testing.T) {
	r := openOld(t, oldRecords(t))
	kind := HistoryScope(cost.Kind{Operation: enrich.EnrichContact, Pattern: enrich.ByProfile})
	before := r.Totals(kind)
	r.check(r.Assume(8, false))
	if _, err := r.Forget(Person{Identity: person(1)}); err != nil {
		t.Fatal(err)
	}
	inJSON(t, r.store, oldestVersion) // as if it had not been rebuilt yet
	r.reopen()
	if got := r.Totals(kind); got != before || got.Lookups != 1 {
		t.Errorf("the history is %+v after an erasure, was %+v", got, before)
	}
	wantSound(t, r.store)
}

// TestWhatWasSentAndNotChargedIsCountedInAnOldJournal has a journal of the version whose
// sums did not count that.
func TestWhatWasSentAndNotChargedIsCountedInAnOldJournal(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(accountWith(0, 0)))
	r.check(r.Void(r.grant(request(person(1), email)).ID, attempt.Voiding{Reason: "conflict", Sent: true}))
	r.check(r.Void(r.grant(request(person(2), email)).ID, attempt.Voiding{Reason: "held back"}))
	r.settle(r.grant(request(person(3), email)), found)
	want := map[string]cost.Totals{}
	for _, scope := range []string{RunScope("run"), ScopeAll, ScopeAccount} {
		want[scope] = r.Totals(scope)
		if want[scope].Uncharged != 1 {
			t.Errorf("sums of %s: %+v; want one that was sent and not charged", scope, want[scope])
		}
	}
	inJSON(t, r.store, 2)
	for key, value := range r.store.records {
		r.store.records[key] = []byte(strings.Replace(string(value), `"uncharged":1,`, "", 1))
	}
	wantSound(t, r.store)
	r.reopen()
	for scope, want := range want {
		if got := r.Totals(scope); got != want {
			t.Errorf("sums of %s:\n%+v, want\n%+v", scope, got, want)
		}
	}
	wantSound(t, r.store)
	if r.store.records[string(booksKey)][0] != recordVersion {
		t.Error("the books are still of the old version")
	}
}
