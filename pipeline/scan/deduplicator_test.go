package scan

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

// TestTheDeduplicatorAgreesWithAMap enters persons in any order and compares the tables, from logs in
// memory and from a temporary file, with a map, and the rows that come again with the others.
func TestTheDeduplicatorAgreesWithAMap(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		persons, rows := rapid.IntRange(1, 9000).Draw(t, "persons"), rapid.IntRange(0, 20_000).Draw(t, "rows")
		keys := make([]enrich.Key, persons)
		for i := range keys {
			keys[i] = drawKey(random)
			keys[i][0] %= 3 // few shards, so that they grow
		}
		c := newDeduplicator(dedupOptions{Memory: rapid.SampledFrom([]int64{0, 1, 30_000}).Draw(t, "memory"), TempDir: dir, Duplicates: true})
		want, order := map[enrich.Key]Entry{}, random.Perm(rows)
		keyOf := make([]enrich.Key, rows+1) // by row
		var entries EntryBatch
		for n, row := range order {
			e := newEntry(keys[random.IntN(persons)], int64(row+1), uint16(random.Uint32()))
			keyOf[e.Row()] = e.Key()
			if old, found := want[e.Key()]; found {
				want[e.Key()] = newEntry(e.Key(), min(old.Row(), e.Row()), old.Marks()|e.Marks())
			} else {
				want[e.Key()] = e
			}
			entries.Add(e)
			if n%100 == 99 || n == rows-1 {
				if err := c.Add(&entries); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.options.Memory == 1 && rows > 0 && c.spilled == nil {
			t.Error("all is in memory, in spite of the limit")
		}
		if c.spilled != nil && c.bytes.Load() != 0 {
			t.Errorf("%d bytes are in memory and in the file", c.bytes.Load())
		}
		found, led := make([]int, numShards), make([]int, numShards)
		err := c.EachShard(func(number int, persons *PersonTable) error {
			found[number] = len(persons.Entries)
			err := c.EachDuplicate(number, persons, func(row int64, person int) error {
				led[number]++
				if e := persons.Entries[person]; e.Key() != keyOf[row] || row <= e.Row() {
					return fmt.Errorf("row %d is led by row %d", row, e.Row())
				}
				keyOf[row] = enrich.Key{} // it may come once
				return nil
			})
			if err != nil {
				return err
			}
			for _, e := range persons.Entries {
				person, found := persons.Find(e.Key())
				if e != want[e.Key()] || !found || persons.Entries[person] != e || e.shardOf() != number {
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
		if err := errors.Join(err, c.Close()); err != nil || total != len(want) || duplicates != rows-total {
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

func TestAPersonTableFindsOnlyItsPersons(t *testing.T) {
	var d PersonTable
	random := rand.New(rand.NewPCG(1, 1))
	if _, found := d.Find(drawKey(random)); found {
		t.Error("an empty table found somebody")
	}
	d.reset(0)
	for row := range int64(500) {
		d.put(newEntry(drawKey(random), row+1, 0))
	}
	for range 500 {
		if person, found := d.Find(drawKey(random)); found {
			t.Errorf("found person %d", person)
		}
	}
}

// TestAPersonTakesAtMostFortyBytes looks at the logs as they grow, with any share of
// duplicates.
func TestAPersonTakesAtMostFortyBytes(t *testing.T) {
	for _, rowsOfAPerson := range []int{1, 2, 20} {
		random, again := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
		c, entries := newDeduplicator(dedupOptions{}), &EntryBatch{}
		rows, persons := int64(0), int64(0)
		for persons < 400_000 {
			persons++
			key := drawKey(random)
			for n := range rowsOfAPerson {
				rows++
				if n > 0 && n == rowsOfAPerson-1 {
					key = drawKey(again) // somebody from long ago
				}
				entries.Add(newEntry(key, rows, 0))
			}
			if persons%10_000 > 0 {
				continue
			}
			if err := c.Add(entries); err != nil {
				t.Fatal(err)
			}
			each := float64(c.bytes.Load()) / float64(persons)
			if persons > 300_000 && each > 40 || each > 2048*entryBytes*numShards/10_000 {
				t.Errorf("%d persons in %d rows take %.1f bytes each", persons, rows, each)
			}
		}
	}
}

// TestManyRowsOfOnePersonTakeLittleMemory has more rows of one person than a table
// may gather.
func TestManyRowsOfOnePersonTakeLittleMemory(t *testing.T) {
	const rows = 5 * againTogether / 2
	c := newDeduplicator(dedupOptions{Memory: 1, TempDir: t.TempDir(), Duplicates: true})
	for row := range int64(rows) {
		entries := &EntryBatch{}
		entries.Add(newEntry(enrich.Key{1}, row+1, 0))
		if err := c.Add(entries); err != nil {
			t.Fatal(err)
		}
	}
	duplicates := 0
	err := c.EachShard(func(number int, persons *PersonTable) error {
		if len(persons.again) >= againTogether {
			t.Errorf("%d rows that come again are in memory", len(persons.again))
		}
		return c.EachDuplicate(number, persons, func(int64, int) error {
			duplicates++
			return nil
		})
	})
	if err := errors.Join(err, c.Close()); err != nil || duplicates != rows-1 {
		t.Errorf("error %v, %d rows come again of %d", err, duplicates, rows)
	}
}

func TestATemporaryFileThatCannotBeMade(t *testing.T) {
	entries := &EntryBatch{}
	entries.Add(newEntry(enrich.Key{1}, 1, 0))
	c := newDeduplicator(dedupOptions{Memory: 1, TempDir: filepath.Join(t.TempDir(), "nowhere")})
	err := c.Add(entries)
	if err == nil || !strings.Contains(err.Error(), "no temporary file can be made") || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v; want one that names the directory", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestATemporaryFileHasNoName holds that nothing is left of a process that is killed.
func TestATemporaryFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	s := newLog(dir, 1, 1)
	if _, err := s.opened(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has %v, error %v", left, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestATemporaryFileThatCannotBeWritten(t *testing.T) {
	s := newLog(t.TempDir(), 1, 3)
	file, err := s.opened()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	err = s.appendEntries(0, make([]Entry, chunkRecords))
	if err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("error %v, want one of writing", err)
	}
	s.logs[0].chunks = []int64{0}
	if err := s.Each(0, func([]uint64) {}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("error %v, want one of reading", err)
	}
}

// A file that cannot be had is told once, and not of every shard.
func TestAFailedTemporaryFileIsReportedOnce(t *testing.T) {
	entries := &EntryBatch{}
	for number := range entries {
		entries[number] = make([]Entry, chunkRecords)
	}
	c := newDeduplicator(dedupOptions{Memory: 1})
	c.spilled = newLog(filepath.Join(t.TempDir(), "nowhere"), numShards, entryBytes/8)
	if _, err := c.enter(entries); err == nil || strings.Count(err.Error(), "nowhere") != 1 {
		t.Errorf("error %v", err)
	}
}

// TestRecordsStayInMemoryWhileTheFileCannotBeWritten has logs that may take a number of chunks of memory,
// and a directory for their file that exists only after some chunks.
func TestRecordsStayInMemoryWhileTheFileCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	s := newLog(dir, 1, 1)
	s.spare.Store(int64(2 * s.chunkBytes()))
	add := func(chunks int) (err error) {
		for range chunks * chunkRecords {
			err = errors.Join(err, s.Add(0, 7))
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
	err := s.Each(0, func(record []uint64) { records += int(record[0]) / 7 })
	if err := errors.Join(err, s.Close()); err != nil || records != 5*chunkRecords || len(s.logs[0].buffer) > 0 {
		t.Errorf("%d records, %d bytes in memory, error %v", records, len(s.logs[0].buffer), err)
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

// benchmarkRows are the rows of the benchmarks below.
const benchmarkRows = 8_000_000

// eachBatch calls add with rows, a sixth of them twice, in batches like those of a block.
func eachBatch(b *testing.B, add func(*EntryBatch) error) {
	const ofABatch = 2048
	entries := &EntryBatch{}
	random, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for row := int64(1); row <= benchmarkRows; {
		for range ofABatch {
			key := drawKey(random)
			if row%6 == 0 {
				key = drawKey(again)
			}
			entries.Add(newEntry(key, row, 1))
			row++
		}
		if err := add(entries); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPeople enters rows and makes tables of them.
func BenchmarkPeople(b *testing.B) {
	for b.Loop() {
		c := newDeduplicator(dedupOptions{})
		eachBatch(b, c.Add)
		bytes, persons := c.bytes.Load(), make([]int, numShards)
		err := c.EachShard(func(number int, p *PersonTable) error {
			persons[number] = len(p.Entries)
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

// BenchmarkPeopleInTables enters the rows of BenchmarkPeople into tables at once, without logs
// of entries. It shows what the logs are for.
func BenchmarkPeopleInTables(b *testing.B) {
	for b.Loop() {
		tables := make([]PersonTable, numShards)
		for i := range tables {
			tables[i].reset(0)
		}
		eachBatch(b, func(entries *EntryBatch) error {
			for number := range entries {
				for _, e := range entries[number] {
					tables[number].put(e)
				}
			}
			entries.clear()
			return nil
		})
		bytes, total := 0, 0
		for i := range tables {
			bytes += cap(tables[i].Entries)*entryBytes + cap(tables[i].places)*4
			total += len(tables[i].Entries)
		}
		b.ReportMetric(float64(bytes)/float64(total), "B/person")
	}
}
