package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/verify"
	"payonce/io/service/v1"
)

// counting counts the records that are read.
type counting struct {
	*memory
	read int
}

func (c *counting) Get(key []byte) ([]byte, error) {
	c.read++
	return c.memory.Get(key)
}

func (c *counting) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return c.memory.Scan(prefix, from, func(key, value []byte) (bool, error) {
		c.read++
		return visit(key, value)
	})
}

// TestCheckInPartsFindsTheSameProblems takes away one record after the other, and each time checks with all
// facts in memory and with a few.
func TestCheckInPartsFindsTheSameProblems(t *testing.T) {
	m := journal(t)
	for key := range m.records {
		damaged := m.without(key)
		found := map[uint64][]verify.Problem{}
		for _, atOnce := range []uint64{1 << 20, 3, 1} {
			summary, err := verify.CheckInParts(damaged, v1.Catalogue(), func(p verify.Problem) { found[atOnce] = append(found[atOnce], p) }, atOnce)
			if err != nil {
				break // it is not a journal without this record
			}
			whole, _ := verify.Check(damaged, v1.Catalogue(), nil, func(verify.Problem) {})
			if diff := cmp.Diff(whole, summary); diff != "" {
				t.Errorf("without %q, %d at once (-whole +parts):\n%s", key, atOnce, diff)
			}
		}
		byText := func(a, b verify.Problem) int { return strings.Compare(a.Record+a.Text, b.Record+b.Text) }
		for _, problems := range found {
			slices.SortFunc(problems, byText)
		}
		for atOnce := range found {
			if diff := cmp.Diff(found[1<<20], found[atOnce]); diff != "" {
				t.Errorf("without %q, %d at once (-whole +parts):\n%s", key, atOnce, diff)
			}
		}
	}
}

// TestCheckReadsEachRecordOnce: looking up the records of an attempt takes many times as long as
// reading them in their order.
func TestCheckReadsEachRecordOnce(t *testing.T) {
	c := &counting{memory: journal(t)}
	if _, err := verify.Check(c, v1.Catalogue(), nil, func(p verify.Problem) { t.Error(p) }); err != nil {
		t.Fatal(err)
	}
	// The records of the journal itself are looked up, and the first one of each kind is read to
	// find out its kind.
	if most := len(c.records) + 20; c.read > most {
		t.Errorf("%d records were read of %d, want %d at most", c.read, len(c.records), most)
	}
}
