package pipeline

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/attempt"
	"payonce/enrich"
)

// drawKey returns a key as a keyed hash makes them.
func drawKey(random *rand.Rand) (key enrich.Key) {
	binary.LittleEndian.PutUint64(key[:], random.Uint64())
	binary.LittleEndian.PutUint64(key[8:], random.Uint64())
	return key
}

// TestACensusIsAMap enters persons in any order and compares the tables, from logs in
// memory and from a temporary file, with a map.
func TestACensusIsAMap(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		persons, rows := rapid.IntRange(1, 9000).Draw(t, "persons"), rapid.IntRange(0, 20_000).Draw(t, "rows")
		keys := make([]enrich.Key, persons)
		for i := range keys {
			keys[i] = drawKey(random)
			keys[i][0] %= 3 // few shards, so that they grow
		}
		c := newCensus(Scope{Memory: rapid.SampledFrom([]int64{0, 1, 30_000}).Draw(t, "ceiling"), TempDir: dir})
		want, order := map[enrich.Key]entry{}, random.Perm(rows)
		var entries batch
		for n, row := range order {
			e := newEntry(keys[random.IntN(persons)], int64(row+1), random.Uint64N(1<<13))
			if old, found := want[e.key()]; found {
				want[e.key()] = newEntry(e.key(), min(old.row(), e.row()), old.marks()|e.marks())
			} else {
				want[e.key()] = e
			}
			entries.add(e)
			if n%100 == 99 || n == rows-1 {
				if err := c.add(&entries); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.ceiling == 1 && rows > 0 && c.spill == nil {
			t.Error("all is in memory, in spite of the ceiling")
		}
		found := make([]int, numShards)
		err := c.eachShard(func(number int, persons *distinct) error {
			found[number] = len(persons.entries)
			for _, e := range persons.entries {
				if e != want[e.key()] || *persons.find(e.key()) != e || e.shardOf() != number {
					return errors.New("another entry than was put in")
				}
			}
			return nil
		})
		total := 0
		for _, n := range found {
			total += n
		}
		if err := errors.Join(err, c.close()); err != nil || total != len(want) {
			t.Fatalf("error %v, %d persons, want %d", err, total, len(want))
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("left behind: %v, %v", left, err)
		}
		if c.bytes.Load() != 0 {
			t.Fatalf("%d bytes are in use in the end", c.bytes.Load())
		}
	})
}

func TestATableFindsNobodyWhoIsNotThere(t *testing.T) {
	var s shard
	random := rand.New(rand.NewPCG(1, 1))
	if s.find(drawKey(random)) != nil {
		t.Error("an empty table found somebody")
	}
	for row := range int64(500) {
		s.put(newEntry(drawKey(random), row+1, 0))
	}
	for range 500 {
		if e := s.find(drawKey(random)); e != nil {
			t.Errorf("found row %d", e.row())
		}
	}
}

// TestAPersonTakesAtMostFortyBytes looks at the logs and the tables as they grow, with
// any share of duplicates.
func TestAPersonTakesAtMostFortyBytes(t *testing.T) {
	for _, rowsOfAPerson := range []int{1, 2, 20} {
		random, again := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
		c, entries, l := newCensus(Scope{}), &batch{}, &leads{}
		var claims []entry
		rows, persons := int64(0), int64(0)
		for persons < 400_000 {
			persons++
			key := drawKey(random)
			for n := range rowsOfAPerson {
				rows++
				if n > 0 && n == rowsOfAPerson-1 {
					key = drawKey(again) // somebody from long ago
				}
				entries.add(newEntry(key, rows, 0))
				claims = append(claims, newEntry(key, rows, 0))
			}
			if persons%10_000 > 0 {
				continue
			}
			if err := c.add(entries); err != nil {
				t.Fatal(err)
			}
			l.claim(claims, func(int64, int64) {})
			claims = claims[:0]
			for name, bytes := range map[string]int64{"log": c.bytes.Load(), "table": l.bytes} {
				if each := float64(bytes) / float64(persons); persons > 300_000 && each > 40 || each > 2048*entryBytes*numShards/10_000 {
					t.Errorf("%d persons in %d rows take %.1f bytes each in a %s", persons, rows, each, name)
				}
			}
		}
	}
}

func TestATemporaryFileThatCannotBeMade(t *testing.T) {
	entries := &batch{}
	entries.add(newEntry(enrich.Key{1}, 1, 0))
	c := newCensus(Scope{Memory: 1, TempDir: filepath.Join(t.TempDir(), "nowhere")})
	err := c.add(entries)
	if err == nil || !strings.Contains(err.Error(), "no temporary file can be made") || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v; want one that names the directory", err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestATemporaryFileThatCannotBeWritten(t *testing.T) {
	s, err := newSpill(t.TempDir(), 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.file.Close(); err != nil {
		t.Fatal(err)
	}
	err = s.appendEntries(0, make([]entry, chunkRecords))
	if err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("error %v, want one of writing", err)
	}
	s.logs[0].chunks = []int64{0}
	if err := s.each(0, func([]uint64) {}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("error %v, want one of reading", err)
	}
}

func TestMarksHoldAPerson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.Custom(func(t *rapid.T) enrich.Fields { return enrich.Fields(rapid.IntRange(0, 3).Draw(t, "fields")) })
		p := person{
			wants: fields.Draw(t, "wants"), known: fields.Draw(t, "known"), rejected: fields.Draw(t, "rejected"), doubted: fields.Draw(t, "doubted"),
			forfeited: fields.Draw(t, "forfeited"), forgotten: fields.Draw(t, "forgotten"), pattern: enrich.Pattern(rapid.IntRange(0, 1).Draw(t, "pattern")),
		}
		if got := personOf(p.marks()); got != p || p.marks() >= 1<<markBits {
			t.Fatalf("%+v became %+v", p, got)
		}
		e := newEntry(enrich.Key{9}, 1<<39, p.marks())
		if e.row() != 1<<39 || e.marks() != p.marks() || e.key() != (enrich.Key{9}) {
			t.Fatalf("entry %+v of row %d", e, e.row())
		}
	})
}

// longJournal knows so many people, and counts how it is asked.
type longJournal struct {
	keys         map[enrich.Key]bool
	walks, asked int
}

func (j *longJournal) KeyOf([]byte) enrich.Key { return enrich.Key{} }
func (j *longJournal) People() int64           { return int64(len(j.keys)) }

func (j *longJournal) Records(first byte, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	if first == 0 {
		j.walks++
	}
	for key := range j.keys {
		if key[0] == first {
			if err := visit(key, func() (attempt.Record, error) { return recordOf(key), nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *longJournal) RecordOf(key enrich.Key) (attempt.Record, error) {
	j.asked++
	if !j.keys[key] {
		return attempt.Record{}, nil
	}
	return recordOf(key), nil
}

// recordOf is what a longJournal knows of somebody.
func recordOf(key enrich.Key) (record attempt.Record) {
	record.States[key[1]%2] = attempt.Found
	record.Attempts[key[1]%2] = attempt.ID(binary.LittleEndian.Uint16(key[:])) + 1
	switch key[2] {
	case 0:
		record.Attempts[key[1]%2] += 1 << 40 // more than the index can hold
	case 1:
		record.Earlier[0] = []attempt.ID{7}
	}
	return record
}

func newLongJournal(random *rand.Rand, people int) *longJournal {
	journal := &longJournal{keys: map[enrich.Key]bool{}}
	for range people {
		journal.keys[drawKey(random)] = true
	}
	return journal
}

func TestAnIndexIsMadeForLongListsOnly(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	journal := newLongJournal(random, 8000)
	k := newKnowledge(journal, 0)
	look := func(key enrich.Key) {
		record, err := k.recordOf(key)
		want := attempt.Record{}
		if journal.keys[key] {
			want = recordOf(key)
		}
		if diff := cmp.Diff(want, record); diff != "" || err != nil {
			t.Fatalf("error %v, record of %s (-want +got):\n%s", err, key, diff)
		}
	}
	for range 1000 {
		look(drawKey(random))
	}
	if journal.walks != 0 || journal.asked != 1000 {
		t.Errorf("the journal was gone through %d times and asked %d times for a short list", journal.walks, journal.asked)
	}
	for range 10_000 {
		look(drawKey(random))
	}
	for key := range journal.keys {
		look(key)
	}
	if journal.walks != 1 || journal.asked > 1000+8000/64 {
		t.Errorf("gone through %d times, asked %d times; want once, and 1000 times and for what the index cannot hold", journal.walks, journal.asked)
	}
}

func TestWithoutRoomForAnIndexTheJournalIsAsked(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	journal := newLongJournal(random, 100)
	k := newKnowledge(journal, 100*mostBytes-1)
	for range 5 {
		for key := range journal.keys {
			record, err := k.recordOf(key)
			if diff := cmp.Diff(recordOf(key), record); diff != "" || err != nil {
				t.Fatalf("error %v, record (-want +got):\n%s", err, diff)
			}
		}
	}
	if journal.walks != 0 || journal.asked != 500 {
		t.Errorf("gone through %d times, asked %d times; want never and 500 times", journal.walks, journal.asked)
	}
}

func TestAnEmptyJournalIsNotAsked(t *testing.T) {
	journal := &longJournal{}
	if record, err := newKnowledge(journal, 0).recordOf(enrich.Key{1}); record.States != (attempt.Record{}).States || err != nil || journal.asked > 0 {
		t.Errorf("record %+v, error %v, asked %d times", record, err, journal.asked)
	}
}

func TestParallelReturnsTheErrorOfTheLeastNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 50).Draw(t, "n")
		errs := make([]error, n)
		var want error
		for i := range errs {
			if rapid.IntRange(0, 5).Draw(t, "fails") == 0 {
				errs[i] = errors.New("failed")
				if want == nil {
					want = errs[i]
				}
			}
		}
		if err := parallel(n, func(i int) error { return errs[i] }); err != want {
			t.Fatalf("error %v, want %v", err, want)
		}
	})
}

// BenchmarkPeople enters so many persons, a sixth of them twice, in batches as those of
// a block: in the logs that a survey fills, whose tables are made at the end, and in the
// tables that an output asks at once.
func BenchmarkPeople(b *testing.B) {
	const rows, ofABatch = 8_000_000, 2048
	enter := func(add func(*batch)) {
		random, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		batch := &batch{}
		for row := int64(1); row <= rows; {
			for range ofABatch {
				key := drawKey(random)
				if row%6 == 0 {
					key = drawKey(again)
				}
				batch.add(newEntry(key, row, 1))
				row++
			}
			add(batch)
		}
	}
	b.Run("survey", func(b *testing.B) {
		for b.Loop() {
			c := newCensus(Scope{})
			enter(func(entries *batch) {
				if err := c.add(entries); err != nil {
					b.Fatal(err)
				}
			})
			bytes, persons := c.bytes.Load(), make([]int, numShards)
			err := c.eachShard(func(number int, p *distinct) error {
				persons[number] = len(p.entries)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			total := 0
			for _, n := range persons {
				total += n
			}
			b.ReportMetric(float64(bytes)/float64(total), "B/person")
		}
	})
	b.Run("output", func(b *testing.B) {
		for b.Loop() {
			l := &leads{}
			var claims []entry
			enter(func(entries *batch) {
				for _, of := range entries {
					claims = append(claims, of...)
				}
				entries.clear()
				l.claim(claims, func(int64, int64) {})
				claims = claims[:0]
			})
			b.ReportMetric(float64(l.bytes)/float64(l.count), "B/person")
		}
	})
}
