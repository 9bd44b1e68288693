package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// TestTheFirstRowOfAPersonLeads compares the table with a map, over keys of which many
// share a shard, and the half that references hold.
func TestTheFirstRowOfAPersonLeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]byte{0, 1, 0xff})
		keys := rapid.Custom(func(t *rapid.T) (key enrich.Key) {
			for _, at := range []int{0, 7, 8, 11, 12, 15} {
				key[at] = few.Draw(t, "byte")
			}
			return key
		})
		l, first, row := &leads{}, map[enrich.Key]int64{}, int64(0)
		for range rapid.IntRange(1, 5).Draw(t, "blocks") {
			var entries []entry
			var want []int64
			for _, key := range rapid.SliceOfN(keys, 0, 300).Draw(t, "keys") {
				row++
				if first[key] == 0 {
					first[key] = row
				}
				entries = append(entries, newEntry(key, row, 0))
				want = append(want, first[key])
			}
			next := 0
			l.claim(entries, func(row, lead int64) {
				if row != entries[next].row() || lead != want[next] {
					t.Fatalf("row %d is led by %d, want %d by %d", row, lead, entries[next].row(), want[next])
				}
				next++
			})
			if next != len(entries) {
				t.Fatalf("%d rows were named of %d", next, len(entries))
			}
		}
		bytes := int64(len(l.log) * leadChunk * entryBytes)
		for i := range l.shards {
			bytes += int64(len(l.shards[i].places) * referenceBytes)
		}
		if l.bytes != bytes {
			t.Fatalf("counted %d bytes of %d", l.bytes, bytes)
		}
	})
}

// TestAHintIsNeverWrong has hints of shards of any size: whoever is there may be.
func TestAHintIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, persons := &shard{}, rapid.IntRange(0, 2000).Draw(t, "persons")
		entryOf := func(n int) entry {
			return entry{high: uint64(n) * 0x9e3779b97f4a7c15, low: uint64(n) * 0xbf58476d1ce4e5b9, lead: 1 << markBits}
		}
		for n := range persons {
			s.put(entryOf(n))
		}
		h, others := newHint(s), 0
		for n := range persons {
			if !h.mayHold(entryOf(n)) {
				t.Fatalf("person %d of %d is not hinted at", n, persons)
			}
			if h.mayHold(entryOf(persons + n)) {
				others++
			}
		}
		if others > 20+persons/4 {
			t.Fatalf("%d of %d others are hinted at", others, persons)
		}
	})
}
