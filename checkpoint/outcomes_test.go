package checkpoint

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/attempt"
	"payonce/enrich"
)

// TestOutcomesTellsWhatTheirRecordsTell asks for attempts that lie together, apart and
// far apart, on a store that leaps and on one that cannot.
func TestOutcomesTellsWhatTheirRecordsTell(t *testing.T) {
	t.Run("memory", func(t *testing.T) { testOutcomes(t, newRig(t)) })
	t.Run("badger", func(t *testing.T) {
		journal := openDir(t, filepath.Join(t.TempDir(), "journal"))
		defer journal.Close()
		testOutcomes(t, &rig{Journal: journal, t: t})
	})
}

func testOutcomes(t *testing.T, r *rig) {
	all := outcomesOfAllKinds(r, 300)
	rapid.Check(t, func(t *rapid.T) {
		var ids []attempt.ID
		share := rapid.IntRange(1, 100).Draw(t, "one in")
		for _, id := range all {
			if rapid.IntRange(1, share).Draw(t, "asked") == 1 {
				ids = append(ids, id)
			}
		}
		var got []attempt.ID
		err := r.Outcomes(ids, func(id attempt.ID, who enrich.Identity, ended attempt.Resolution, doubt string) error {
			got = append(got, id)
			want, _, err := r.Resolution(id)
			if diff := cmp.Diff(want, ended); diff != "" || who != person(int(id-all[0])) || doubt != r.Doubt(id) {
				t.Errorf("attempt %d: %v, doubt %q, resolution (-want +got):\n%s", id, who, doubt, diff)
			}
			return err
		})
		if diff := cmp.Diff(ids, got); diff != "" || err != nil {
			t.Fatalf("error %v, attempts (-want +got):\n%s", err, diff)
		}
	})
	stop := errors.New("stop")
	if err := r.Outcomes(all, func(attempt.ID, enrich.Identity, attempt.Resolution, string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a visit's error comes back as %v", err)
	}
}

// outcomesOfAllKinds makes attempts, for person 0 and on, of which some are open, in
// doubt or answered with nothing.
func outcomesOfAllKinds(r *rig, attempts int) (all []attempt.ID) {
	for n := range attempts {
		ticket := r.grant(request(person(n), enrich.AllFields))
		all = append(all, ticket.ID)
		switch n % 7 {
		case 0: // stays open
		case 1:
			r.check(r.Park(ticket.ID, "connection reset"))
		case 2:
			_, err := r.Settle(ticket.ID, enrich.Answer{Status: enrich.NotFound, Unresolved: []string{"person"}})
			r.check(err)
		default:
			_, err := r.Settle(ticket.ID, enrich.Answer{Status: enrich.Partial, WorkEmail: "ada@co.example", RequestID: fmt.Sprint("req-", ticket.ID)})
			r.check(err)
		}
	}
	return all
}

func TestOutcomesOfRecordsThatAreNotThereAreErrors(t *testing.T) {
	r := newRig(t)
	all := outcomesOfAllKinds(r, 60)
	none := func(attempt.ID, enrich.Identity, attempt.Resolution, string) error { return nil }
	for name, c := range map[string]struct {
		ids  []attempt.ID
		lose []Write
	}{
		"behind the last":          {ids: []attempt.ID{all[0], 9999}},
		"no intent, by itself":     {ids: []attempt.ID{all[30]}, lose: []Write{{Key: idKey(intentPrefix, all[30])}}},
		"no intent, among many":    {ids: all, lose: []Write{{Key: idKey(intentPrefix, all[30])}}},
		"no intent, far apart":     {ids: []attempt.ID{all[0], all[30], all[59]}, lose: []Write{{Key: idKey(intentPrefix, all[30])}}},
		"an empty intent":          {ids: all, lose: []Write{{idKey(intentPrefix, all[30]), []byte{}}}},
		"an empty resolution":      {ids: all, lose: []Write{{idKey(resolutionPrefix, all[30]), []byte{}}}},
		"half an intent":           {ids: all, lose: []Write{{idKey(intentPrefix, all[30]), []byte{recordVersion, 0, 1}}}},
		"of an unknown version":    {ids: all, lose: []Write{{idKey(resolutionPrefix, all[30]), []byte{recordVersion + 1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lost := range c.lose {
				kept, err := r.store.Get(lost.Key)
				r.check(err)
				r.check(r.store.Commit([]Write{lost}))
				defer func() { r.check(r.store.Commit([]Write{{lost.Key, kept}})) }()
			}
			if err := r.Outcomes(c.ids, none); !errors.Is(err, ErrCorrupt) {
				t.Errorf("error %v, want %v", err, ErrCorrupt)
			}
		})
	}
	if err := r.Outcomes(all, none); err != nil {
		t.Errorf("with all records back: %v", err)
	}
	if err := r.Outcomes(nil, none); err != nil {
		t.Errorf("of no attempts: %v", err)
	}
}
