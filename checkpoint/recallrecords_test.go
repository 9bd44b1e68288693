package checkpoint

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestRecallEqualsTheRecordsOnEveryStore asks for attempts that lie together, apart and far
// apart, on a store that leaps and on one that cannot, with and without room in memory.
func TestRecallEqualsTheRecordsOnEveryStore(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for name, open := range map[string]func(t *testing.T) *rig{"memory": newRig, "badger": newBadgerRig} {
		for _, memory := range []int64{0, 1, 1 << 20} {
			t.Run(fmt.Sprintf("%s/%d", name, memory), func(t *testing.T) { testRecall(t, open(t), memory) })
		}
	}
}

func newBadgerRig(t *testing.T) *rig {
	journal := openDir(t, filepath.Join(t.TempDir(), "journal"))
	t.Cleanup(func() { _ = journal.Close() })
	return &rig{Journal: journal, t: t}
}

func testRecall(t *testing.T, r *rig, memory int64) {
	all := outcomesOfAllKinds(r, 300)
	recall := r.Recall(memory, true)
	rapid.Check(t, func(t *rapid.T) {
		ids := drawIDs(t, all)
		known := []attempt.Outcome{{Doubt: "what was there before"}}
		known, err := recall(ids, known)
		if err != nil || known[0].Doubt != "what was there before" {
			t.Fatalf("error %v, %+v", err, known)
		}
		var got []attempt.ID
		for _, outcome := range known[1:] {
			got = append(got, outcome.ID)
			r.checkOutcome(outcome, person(int(outcome.ID-all[0])))
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Fatalf("attempts (-want +got):\n%s", diff)
		}
	})
}

// drawIDs draws all attempts, or one in a drawn number.
func drawIDs(t *rapid.T, all []attempt.ID) (ids []attempt.ID) {
	share := rapid.IntRange(1, 100).Draw(t, "one in")
	for _, id := range all {
		if rapid.IntRange(1, share).Draw(t, "asked") == 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkOutcome compares what is told of an attempt with its record.
func (r *rig) checkOutcome(outcome attempt.Outcome, who enrich.Identity) {
	r.t.Helper()
	ended, _, err := r.Resolution(outcome.ID)
	r.check(err)
	want := attempt.Outcome{ID: outcome.ID, Who: who, Ended: ended, Doubt: r.Doubt(outcome.ID)}
	if diff := cmp.Diff(want, outcome); diff != "" {
		r.t.Errorf("attempt %d (-want +got):\n%s", outcome.ID, diff)
	}
}

// TestRecallReportsAttemptsThatEndAfterTheRecordsWereCached has attempts that begin and end after the records were
// taken into memory.
func TestRecallReportsAttemptsThatEndAfterTheRecordsWereCached(t *testing.T) {
	r := newRig(t)
	all := outcomesOfAllKinds(r, 60)
	recall := r.Recall(0, true)
	for range 10 {
		_, err := recall(all, nil)
		r.check(err)
	}
	_, err := r.Settle(all[0], v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: "late@co.example"}))
	r.check(err)
	later := r.grant(request(person(60), v1.AllFields))
	known, err := recall([]attempt.ID{all[0], all[3], later.ID}, nil)
	if err != nil || len(known) != 3 || known[0].Ended.State != attempt.Settled {
		t.Fatalf("error %v, outcomes %+v", err, known)
	}
	for i, n := range []int{0, 3, 60} {
		r.checkOutcome(known[i], person(n))
	}
}

// outcomesOfAllKinds makes attempts, for person 0 and on, of which some are open, in
// doubt or answered with nothing.
func outcomesOfAllKinds(r *rig, attempts int) (all []attempt.ID) {
	for n := range attempts {
		ticket := r.grant(request(person(n), v1.AllFields))
		all = append(all, ticket.ID)
		switch n % 7 {
		case 0: // stays open
		case 1:
			r.check(r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "connection reset"}))
		case 2:
			_, err := r.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound, Unresolved: []string{"person"}}))
			r.check(err)
		default:
			_, err := r.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Partial, WorkEmail: "ada@co.example", RequestID: fmt.Sprint("req-", ticket.ID)}))
			r.check(err)
		}
	}
	return all
}

func TestRecallOfMissingRecordsIsAnError(t *testing.T) {
	r := newRig(t)
	all := outcomesOfAllKinds(r, 60)
	for name, c := range map[string]struct {
		ids  []attempt.ID
		lose []Write
		want error // ErrCorrupt when it is nil
	}{
		"behind the last":       {ids: []attempt.ID{all[0], 9999}},
		"no intent, by itself":  {ids: []attempt.ID{all[30]}, lose: []Write{{Key: record.IDKey(record.IntentPrefix, all[30])}}},
		"no intent, among many": {ids: all, lose: []Write{{Key: record.IDKey(record.IntentPrefix, all[30])}}},
		"no intent, far apart":  {ids: []attempt.ID{all[0], all[30], all[59]}, lose: []Write{{Key: record.IDKey(record.IntentPrefix, all[30])}}},
		"an empty intent":       {ids: all, lose: []Write{{Key: record.IDKey(record.IntentPrefix, all[30]), Value: []byte{}}}},
		"an empty resolution":   {ids: all, lose: []Write{{Key: record.IDKey(record.ResolutionPrefix, all[30]), Value: []byte{}}}},
		"half an intent":        {ids: all, lose: []Write{{Key: record.IDKey(record.IntentPrefix, all[30]), Value: []byte{record.Version, 0, 1}}}},
		"of an unknown version": {ids: all, lose: []Write{{Key: record.IDKey(record.ResolutionPrefix, all[30]), Value: []byte{record.Version + 1}}}, want: ErrVersion},
	} {
		t.Run(name, func(t *testing.T) {
			recall := r.Recall(0, true)
			for _, lost := range c.lose {
				kept, err := r.store.Get(lost.Key)
				r.check(err)
				r.check(r.store.Commit([]Write{lost}))
				defer func() { r.check(r.store.Commit([]Write{{Key: lost.Key, Value: kept}})) }()
			}
			want := c.want
			if want == nil {
				want = ErrCorrupt
			}
			for range 40 { // at last from memory
				if _, err := recall(c.ids, nil); !errors.Is(err, want) {
					t.Fatalf("error %v, want %v", err, want)
				}
			}
		})
	}
	for _, ids := range [][]attempt.ID{all, nil} {
		if known, err := r.Recall(0, true)(ids, nil); err != nil || len(known) != len(ids) {
			t.Errorf("of %d attempts, with all records back: %d, %v", len(ids), len(known), err)
		}
	}
}
