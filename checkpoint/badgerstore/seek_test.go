package badgerstore

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/record"
)

// unseeking is a store without a method Seek.
type unseeking struct{ record.Store }

// TestSeekVisitsTheRecordsThatAScanVisits draws where to go on, with and without the method
// Seek of the store, which has records that were replaced or deleted.
func TestSeekVisitsTheRecordsThatAScanVisits(t *testing.T) {
	badger := openFull(t, t.TempDir())
	defer closeStore(t, badger)
	var keys []string
	for n := range 200 {
		key := fmt.Sprintf("x%03d", n*2)
		keys = append(keys, key)
		deleted := fmt.Appendf(nil, "x%03d", n*2+1)
		for _, writes := range [][]record.Write{
			{{Key: []byte(key), Value: []byte("replaced")}, {Key: deleted, Value: []byte("deleted")}},
			{{Key: []byte(key), Value: []byte("value of " + key)}, {Key: deleted}, {Key: fmt.Appendf(nil, "y%03d", n), Value: []byte("y")}},
		} {
			if err := badger.Commit(writes); err != nil {
				t.Fatal(err)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, 410).Draw(t, "from")
		steps := rapid.SliceOf(rapid.IntRange(0, 60)).Draw(t, "steps")
		for name, s := range map[string]record.Store{"with Seek": badger, "without": unseeking{badger}} {
			want, got := seeksOver(keys, from, steps), []string(nil)
			var to []byte
			err := record.Seek(s, []byte("x"), fmt.Appendf(nil, "x%03d", from), func(key, value []byte) (bool, []byte, error) {
				if string(value) != "value of "+string(key) {
					t.Errorf("%s: the value of %s is %q", name, key, value)
				}
				got = append(got, string(key))
				if len(got) > len(steps) {
					return false, nil, nil
				}
				step := steps[len(got)-1]
				if step == 0 {
					return true, nil, nil
				}
				to = fmt.Appendf(to[:0], "x%03d", number(key)+step)
				return true, to, nil
			})
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%s: error %v, keys (-want +got):\n%s", name, err, diff)
			}
		}
	})
	broken := errors.New("broken")
	for _, s := range []record.Store{badger, unseeking{badger}} {
		err := record.Seek(s, []byte("x"), nil, func(_, _ []byte) (bool, []byte, error) { return true, []byte("x100"), broken })
		if !errors.Is(err, broken) {
			t.Errorf("a visit's error comes back as %v", err)
		}
	}
}

func number(key []byte) (n int) {
	_, _ = fmt.Sscanf(string(key), "x%d", &n)
	return n
}

// seeksOver returns the keys that seeking comes to: from the first at or above a number on,
// each a step behind the one before, or the next one for a step of 0.
func seeksOver(keys []string, from int, steps []int) (reached []string) {
	for at := 0; ; at++ {
		i, _ := slices.BinarySearch(keys, fmt.Sprintf("x%03d", from))
		if i == len(keys) {
			return reached
		}
		reached = append(reached, keys[i])
		if at == len(steps) {
			return reached
		}
		from = number([]byte(keys[i])) + max(1, steps[at])
	}
}
