package checkpoint

import (
	"slices"
	"testing"

	"github.com/dchest/siphash"
	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestKeysAreTheHashOfTheCanonicalForm holds the keys of journals that exist.
func TestKeysAreTheHashOfTheCanonicalForm(t *testing.T) {
	r := newRig(t)
	for n := range 20 {
		canonical := []byte(person(n).Canonical())
		hash := siphash.New128(r.secret)
		hash.Write(canonical)
		want := enrich.Key(hash.Sum(nil))
		if got := r.Key(person(n)); got != want || r.KeyOf(canonical) != want {
			t.Errorf("person %d: keys %s and %s, want %s", n, got, r.KeyOf(canonical), want)
		}
	}
	if allocated := testing.AllocsPerRun(100, func() { r.KeyOf([]byte("name\x1fada\x1fbyron")) }); allocated > 0 {
		t.Errorf("a key takes %v allocations", allocated)
	}
}

func TestRecordsReturnsEveryKnownPerson(t *testing.T) {
	r := newRig(t)
	if r.People() != 0 {
		t.Errorf("%d people in an empty journal", r.People())
	}
	want := map[enrich.Key]bool{}
	for n := range 40 {
		ticket := r.grant(request(person(n), v1.AllFields))
		want[r.Key(person(n))] = true
		if n%4 == 0 {
			continue // stays open
		}
		if _, err := r.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Partial, WorkEmail: "ada@co.example"})); err != nil {
			t.Fatal(err)
		}
	}
	got := map[enrich.Key]bool{}
	for first := range 256 {
		err := r.Records(enrich.Key{byte(first)}, lastOf(byte(first)), func(key enrich.Key, record func() (attempt.Record, error)) error {
			if int(key[0]) != first {
				t.Errorf("key %s among those that begin with %02x", key, first)
			}
			got[key] = true
			told, err := record()
			if err != nil {
				return err
			}
			want, err := r.RecordOf(key, enrich.PossibleFields)
			if diff := cmp.Diff(want, told); diff != "" {
				t.Errorf("record of %s (-asked for +told):\n%s", key, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || r.People() < int64(len(want)) {
		t.Errorf("%d people, keys (-want +got):\n%s", r.People(), diff)
	}
	for key := range want { // a range of one key
		var alone []enrich.Key
		err := r.Records(key, key, func(key enrich.Key, _ func() (attempt.Record, error)) error {
			alone = append(alone, key)
			return nil
		})
		if diff := cmp.Diff([]enrich.Key{key}, slices.Compact(alone)); diff != "" || err != nil {
			t.Errorf("the range of %s alone: %v, keys (-want +got):\n%s", key, err, diff)
		}
	}
	all := map[enrich.Key]bool{}
	err := r.Records(enrich.Key{}, lastOf(0xff), func(key enrich.Key, _ func() (attempt.Record, error)) error {
		all[key] = true
		return nil
	})
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Errorf("the range of all keys: %v, keys (-want +got):\n%s", err, diff)
	}
	for n := range 41 {
		byKey, err := r.RecordOf(r.Key(person(n)), enrich.PossibleFields)
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Record(person(n))
		if diff := cmp.Diff(record, byKey); diff != "" || err != nil {
			t.Errorf("person %d: %v, by key (-identity +key):\n%s", n, err, diff)
		}
		known := record.States != (enrich.ByField[attempt.FieldState]{})
		if known != want[r.Key(person(n))] {
			t.Errorf("person %d: known %v", n, known)
		}
	}
}

// TestAPersonForgottenBeforeAnyAttemptIsKnown has a journal that knows nothing but
// that somebody must not be asked for.
func TestAPersonForgottenBeforeAnyAttemptIsKnown(t *testing.T) {
	r := newRig(t)
	_, err := r.erase(Person{Identity: person(1)})
	r.check(err)
	for range 2 {
		if r.People() != 1 {
			t.Errorf("%d people, want one", r.People())
		}
		record, err := r.RecordOf(r.Key(person(1)), enrich.PossibleFields)
		r.check(err)
		if record.States[v1.WorkEmail] != attempt.Forgotten {
			t.Errorf("state %v, want forgotten", record.States)
		}
		r.reopen()
	}
}

// lastOf returns the last key that begins with a byte.
func lastOf(first byte) (last enrich.Key) {
	for i := range last {
		last[i] = 0xff
	}
	last[0] = first
	return last
}
