package simulation_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/scan"
)

// changing is a journal that changes between a scan and its index.
type changing struct {
	drawnJournal
	people int64
	twice  bool // every key comes twice
}

func (c changing) People() int64 { return c.people }

func (c changing) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	if c.twice {
		if err := c.drawnJournal.Records(first, last, visit); err != nil {
			return err
		}
	}
	return c.drawnJournal.Records(first, last, visit)
}

// otherKeys is a journal with other keys.
type otherKeys struct{ changing }

func (o otherKeys) KeyOf(canonical []byte) enrich.Key {
	return o.changing.KeyOf(append([]byte("other"), canonical...))
}

// drawChanging draws such a journal. It has few people, which are read in order, or many, which are found by key.
func drawChanging(t *rapid.T) changing {
	c := changing{
		drawJournal(t), rapid.SampledFrom([]int64{1, 1 << 20}).Draw(t, "people"), rapid.Bool().Draw(t, "twice"),
	}
	for key, record := range c.records {
		switch rapid.IntRange(0, 2).Draw(t, "known") {
		case 0:
			delete(c.records, key)
		case 1:
			c.records[key] = numberAttempts(t, record)
		}
	}
	return c
}

// numberAttempts gives the fields of a record attempts, and some of them earlier ones.
func numberAttempts(t *rapid.T, record attempt.Record) attempt.Record {
	for f := range record.States {
		record.Attempts[f] = attempt.ID(rapid.IntRange(1, 9).Draw(t, "attempt"))
		if rapid.IntRange(0, 4).Draw(t, "again") == 0 {
			record.Earlier[f] = []attempt.ID{1}
		}
	}
	return record
}

// factsOf returns what an index says of each row.
func factsOf(t testing.TB, index *scan.Index) (all []string) {
	found, err := index.Facts(1, int(index.Rows()), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, of := range found {
		all = append(all, fmt.Sprintf("row %d: %+v", i+1, of))
	}
	return all
}

// TestTheIndexOfAScanEqualsANewIndex changes what is known of persons that the scan asks for and of those in doubt,
// as a run does. Sometimes somebody is forgotten. Sometimes the keys differ, as when an account is recorded only after
// the scan.
func TestTheIndexOfAScanEqualsANewIndex(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, scope := drawPeople(r)
		journal := drawChanging(r)
		passes := 0
		list := counted{text, &passes}
		taken, err := scan.NewWithIndex(t.Context(), scope, list, journal)
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(take(t, scope, list, journal).Count(), taken.Count()); difference != "" {
			t.Fatalf("a scan that keeps an index counts otherwise (-without +with):\n%s", difference)
		}
		for key := range mayChange(t, taken, list, scope, journal) {
			if rapid.Bool().Draw(r, "changes") {
				journal.records[key] = numberAttempts(r, drawRecord(r))
			}
		}
		forgets := rapid.IntRange(0, 4).Draw(r, "forgets") == 0
		if forgets {
			key := keyOf(identity("p1"))
			scope.Forgotten = map[enrich.Key]bool{key: true}
			journal.records[key] = attempt.Record{States: enrich.ByField[attempt.FieldState]{attempt.Forgotten, attempt.Forgotten}}
		}
		var now scan.Recorder = journal
		rekeyed := rapid.IntRange(0, 4).Draw(r, "other keys") == 0
		if rekeyed {
			now = otherKeys{journal}
		}
		passes = 0
		index, err := taken.Index(t.Context(), scope, list, now)
		if err != nil {
			t.Fatal(err)
		}
		if again := passes > 0; again != (forgets || rekeyed) {
			t.Fatalf("the list was read again: %t; forgotten: %t, other keys: %t", again, forgets, rekeyed)
		}
		want := newIndex(t, scope, text, now)
		if difference := cmp.Diff(factsOf(t, want), factsOf(t, index)); difference != "" {
			t.Fatalf("the index of the scan differs (-new +kept):\n%s\n%s", difference, text)
		}
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// mayChange returns the keys of the persons that a scan asks for, and of those in doubt.
func mayChange(
	t *testing.T, taken *scan.Scan, list counted, scope scan.Scope, journal changing,
) map[enrich.Key]bool {
	keys := map[enrich.Key]bool{}
	next, done := taken.Lookups(t.Context(), list)
	defer done()
	for lookup, err := next(); !errors.Is(err, io.EOF); lookup, err = next() {
		if err != nil {
			t.Fatal(err)
		}
		keys[keyOf(lookup.Identity)] = true
	}
	for key, record := range journal.records {
		for f := range scope.Wanted.Each() {
			if record.States[f] == attempt.OutcomeUnknown {
				keys[key] = true
			}
		}
	}
	return keys
}

// TestAScanDropsItsIndexWhenItAsksForMany has more open persons than an index may have. No file is open while their
// lookups are sent.
func TestAScanDropsItsIndexWhenItAsksForMany(t *testing.T) {
	for name, c := range map[string]struct {
		persons int
		again   bool
	}{
		"a few": {persons: 10_000}, "many": {persons: 10_001, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			passes := 0
			text := profileList(names(c.persons)...)
			list := counted{text, &passes}
			scope := text.scope(t, v1.AllFields)
			scope.TempDir, scope.Memory = t.TempDir(), 1
			taken, err := scan.NewWithIndex(t.Context(), scope, list, nobodyKnown)
			if err != nil {
				t.Fatal(err)
			}
			if left := openTemporaries(t, scope.TempDir); c.again && len(left) > 0 {
				t.Errorf("files %v are open", left)
			}
			passes = 0
			index, err := taken.Index(t.Context(), scope, list, nobodyKnown)
			if err != nil {
				t.Fatal(err)
			}
			if again := passes > 0; again != c.again {
				t.Errorf("the list was read again: %t, want %t", again, c.again)
			}
			if difference := cmp.Diff(factsOf(t, newIndex(t, scope, text, nobodyKnown)), factsOf(t, index)); difference != "" {
				t.Errorf("the index of the scan differs (-new +kept):\n%s", difference)
			}
			if err := index.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAScanThatIsClosedLeavesNoFileOpen has duplicates of a person that the journal knows in a temporary file.
func TestAScanThatIsClosedLeavesNoFileOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	list := crowd("p1")
	scope := list.scope(t, email)
	scope.TempDir = t.TempDir()
	var found attempt.Record
	found.States[v1.WorkEmail] = attempt.Found
	journal := changing{drawnJournal{records: map[enrich.Key]attempt.Record{keyOf(identity("p1")): found}}, 1, false}
	taken, err := scan.NewWithIndex(t.Context(), scope, list, journal)
	if err != nil {
		t.Fatal(err)
	}
	if len(openTemporaries(t, scope.TempDir)) == 0 {
		t.Error("nothing is in a temporary file")
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if left := openTemporaries(t, scope.TempDir); len(left) > 0 {
		t.Errorf("files %v are open", left)
	}
}

// TestIndexesOfOneReadingEqualThoseOfReadingsOfTheirOwn makes the indexes of several scopes and journals, with little
// memory too.
func TestIndexesOfOneReadingEqualThoseOfReadingsOfTheirOwn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, scope := drawPeople(r)
		passes := 0
		list := counted{text, &passes}
		var of []scan.Indexed
		for range rapid.IntRange(1, 3).Draw(r, "indexes") {
			one := scope
			one.Wanted = rapid.SampledFrom([]enrich.Fields{v1.AllFields, email}).Draw(r, "wanted") & scope.Wanted
			one.Memory, one.TempDir = rapid.SampledFrom([]int64{0, 1, 1 << 20}).Draw(r, "memory"), t.TempDir()
			of = append(of, scan.Indexed{Scope: one, Journal: drawChanging(r)})
		}
		indexes, err := scan.NewIndexes(t.Context(), list, of...)
		if err != nil {
			t.Fatal(err)
		}
		if passes != 1 {
			t.Errorf("the list was read %d times for %d indexes", passes, len(of))
		}
		for i, one := range of {
			want := newIndex(t, one.Scope, text, one.Journal)
			if difference := cmp.Diff(factsOf(t, want), factsOf(t, indexes[i])); difference != "" {
				t.Fatalf("index %d of %d differs (-own +one reading):\n%s", i+1, len(of), difference)
			}
			if err := indexes[i].Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
