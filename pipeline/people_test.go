package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// drawKey returns a key as a keyed hash makes them.
func drawKey(random *rand.Rand) (key enrich.Key) {
	binary.LittleEndian.PutUint64(key[:], random.Uint64())
	binary.LittleEndian.PutUint64(key[8:], random.Uint64())
	return key
}

// TestACensusIsAMap enters persons in any order and compares the tables, from logs in
// memory and from a temporary file, with a map, and the rows that come again with the others.
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
		c.again = newSpill(dir, numShards, 2)
		want, order := map[enrich.Key]entry{}, random.Perm(rows)
		keyOf := make([]enrich.Key, rows+1) // by row
		var entries batch
		for n, row := range order {
			e := newEntry(keys[random.IntN(persons)], int64(row+1), random.Uint64N(1<<13))
			keyOf[e.row()] = e.key()
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
		if c.spill != nil && c.bytes.Load() != 0 {
			t.Errorf("%d bytes are in memory and in the file", c.bytes.Load())
		}
		found, led := make([]int, numShards), make([]int, numShards)
		err := c.eachShard(func(number int, persons *distinct) error {
			found[number] = len(persons.entries)
			err := c.eachDuplicate(number, persons, func(row int64, person int) error {
				led[number]++
				if e := persons.entries[person]; e.key() != keyOf[row] || row <= e.row() {
					return fmt.Errorf("row %d is led by row %d", row, e.row())
				}
				keyOf[row] = enrich.Key{} // it may come once
				return nil
			})
			if err != nil {
				return err
			}
			for _, e := range persons.entries {
				person, found := persons.find(e.key())
				if e != want[e.key()] || !found || persons.entries[person] != e || e.shardOf() != number {
					return errors.New("another entry than was put in")
				}
			}
			return nil
		})
		total, duplicates := 0, 0
		for number, n := range found {
			total += n
			duplicates += led[number]
		}
		if err := errors.Join(err, c.close()); err != nil || total != len(want) || duplicates != rows-total {
			t.Fatalf("error %v, %d persons, want %d; %d rows come again of %d", err, total, len(want), duplicates, rows)
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
	var d distinct
	random := rand.New(rand.NewPCG(1, 1))
	if _, found := d.find(drawKey(random)); found {
		t.Error("an empty table found somebody")
	}
	d.reset(0)
	for row := range int64(500) {
		d.put(newEntry(drawKey(random), row+1, 0))
	}
	for range 500 {
		if person, found := d.find(drawKey(random)); found {
			t.Errorf("found person %d", person)
		}
	}
}

// TestAPersonTakesAtMostFortyBytes looks at the logs as they grow, with any share of
// duplicates.
func TestAPersonTakesAtMostFortyBytes(t *testing.T) {
	for _, rowsOfAPerson := range []int{1, 2, 20} {
		random, again := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
		c, entries := newCensus(Scope{}), &batch{}
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
			}
			if persons%10_000 > 0 {
				continue
			}
			if err := c.add(entries); err != nil {
				t.Fatal(err)
			}
			each := float64(c.bytes.Load()) / float64(persons)
			if persons > 300_000 && each > 40 || each > 2048*entryBytes*numShards/10_000 {
				t.Errorf("%d persons in %d rows take %.1f bytes each", persons, rows, each)
			}
		}
	}
}

// TestSomebodyWhoComesVeryOftenTakesLittleMemory has more rows of one person than a table
// may gather.
func TestSomebodyWhoComesVeryOftenTakesLittleMemory(t *testing.T) {
	const rows = 5 * againTogether / 2
	c := newCensus(Scope{Memory: 1, TempDir: t.TempDir()})
	c.again = newSpill(c.dir, numShards, 2)
	for row := range int64(rows) {
		entries := &batch{}
		entries.add(newEntry(enrich.Key{1}, row+1, 0))
		if err := c.add(entries); err != nil {
			t.Fatal(err)
		}
	}
	duplicates := 0
	err := c.eachShard(func(number int, persons *distinct) error {
		if len(persons.again) >= againTogether {
			t.Errorf("%d rows that come again are in memory", len(persons.again))
		}
		return c.eachDuplicate(number, persons, func(int64, int) error {
			duplicates++
			return nil
		})
	})
	if err := errors.Join(err, c.close()); err != nil || duplicates != rows-1 {
		t.Errorf("error %v, %d rows come again of %d", err, duplicates, rows)
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

// TestATemporaryFileHasNoName holds that nothing is left of a process that is killed.
func TestATemporaryFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	s := newSpill(dir, 1, 1)
	if _, err := s.opened(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has %v, error %v", left, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

func TestATemporaryFileThatCannotBeWritten(t *testing.T) {
	s := newSpill(t.TempDir(), 1, 3)
	file, err := s.opened()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
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

// A file that cannot be had is told once, and not of every shard.
func TestAFileThatCannotBeMadeIsToldOnce(t *testing.T) {
	entries := &batch{}
	for number := range entries {
		entries[number] = make([]entry, chunkRecords)
	}
	c := newCensus(Scope{Memory: 1})
	c.spill = newSpill(filepath.Join(t.TempDir(), "nowhere"), numShards, entryBytes/8)
	if _, err := c.enter(entries); err == nil || strings.Count(err.Error(), "nowhere") != 1 {
		t.Errorf("error %v", err)
	}
}

// TestWhatCannotBePutIntoAFileStaysInMemory has logs that may take so many chunks of
// memory, and a directory for their file that is there only after some chunks.
func TestWhatCannotBePutIntoAFileStaysInMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	s := newSpill(dir, 1, 1)
	s.spare.Store(int64(2 * s.chunkBytes()))
	add := func(chunks int) (err error) {
		for range chunks * chunkRecords {
			err = errors.Join(err, s.add(0, 7))
		}
		return err
	}
	if err := add(2); err != nil {
		t.Fatal(err)
	}
	if err := add(1); err == nil || !strings.Contains(err.Error(), "no temporary file can be made") {
		t.Errorf("error %v when the memory is used up", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := add(2); err != nil {
		t.Fatal(err)
	}
	records := 0
	err := s.each(0, func(record []uint64) { records += int(record[0]) / 7 })
	if err := errors.Join(err, s.close()); err != nil || records != 5*chunkRecords || len(s.logs[0].buffer) > 0 {
		t.Errorf("%d records, %d bytes in memory, error %v", records, len(s.logs[0].buffer), err)
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
// a block, and makes tables of them.
func BenchmarkPeople(b *testing.B) {
	const rows, ofABatch = 8_000_000, 2048
	for b.Loop() {
		c, entries := newCensus(Scope{}), &batch{}
		random, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for row := int64(1); row <= rows; {
			for range ofABatch {
				key := drawKey(random)
				if row%6 == 0 {
					key = drawKey(again)
				}
				entries.add(newEntry(key, row, 1))
				row++
			}
			if err := c.add(entries); err != nil {
				b.Fatal(err)
			}
		}
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
}
