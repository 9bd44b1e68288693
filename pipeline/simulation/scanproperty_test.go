package simulation_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// TestEveryRowIsCountedOnce holds for any list and journal.
func TestEveryRowIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, scope := drawPeople(t)
		journal := drawJournal(t)
		taken, err := scan.New(t.Context(), scope, list, journal)
		if err != nil {
			t.Fatal(err)
		}
		c := taken.Count()
		sum := c.Filled + c.Duplicates + c.Answered + c.Rejected + c.InDoubt + c.Forfeited + c.Forgotten + c.Skipped + c.Lookup
		for _, n := range c.Unidentifiable {
			sum += n
		}
		var operations int64
		for _, n := range c.Lookups {
			operations += n
		}
		rows := int64(strings.Count(string(list), "\n") - 1)
		if c.Rows != rows || sum != c.Rows || operations != c.Lookup {
			t.Fatalf("%d rows, %d counted, %d lookups of %d: %+v\n%s", rows, sum, operations, c.Lookup, c, list)
		}
		if scope.Limit > 0 && c.Lookup > scope.Limit {
			t.Fatalf("%d lookups under a limit of %d", c.Lookup, scope.Limit)
		}
	})
}

// TestAScanFindsTheSameInBothOrders reads the records of a journal in the order of their keys, and one person at a time.
// Calls may return a whole record.
func TestAScanFindsTheSameInBothOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, scope := drawPeople(t)
		if rapid.Bool().Draw(t, "whole") {
			scope.Whole = map[enrich.Pattern]enrich.Fields{enrich.ByProfile: 3}
		}
		journal := drawJournal(t)
		var counts []scan.Counts
		for _, known := range []scan.Recorder{journal, manyPeople{journal}} {
			taken, err := scan.New(t.Context(), scope, list, known)
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, taken.Count())
		}
		if diff := cmp.Diff(counts[0], counts[1]); diff != "" {
			t.Fatalf("in order and one at a time (-in order +one at a time):\n%s\n%s", diff, list)
		}
	})
}

// manyPeople is a journal with so many people that a scan reads the record of one person at a time.
type manyPeople struct{ drawnJournal }

func (manyPeople) People() int64 { return 1 << 40 }

// drawPeople draws a list and what is wanted of it.
func drawPeople(t *rapid.T) (csvList, scan.Scope) {
	var text strings.Builder
	text.WriteString("profile url,first name,email,phone\n")
	cell := rapid.SampledFrom([]string{"", "x"})
	for range rapid.IntRange(0, 30).Draw(t, "rows") {
		profile := rapid.SampledFrom([]string{"", profiles + "p1", profiles + "p2", profiles + "p2/?trk=a", profiles + "p3", "no url"}).Draw(t, "profile")
		fmt.Fprintf(&text, "%s,Ada,%s,%s\n", profile, cell.Draw(t, "email"), cell.Draw(t, "phone"))
	}
	list := csvList(text.String())
	reader, err := list.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	reading, err := columns.Recognise(reader.Schema(), nil, columns.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return list, scan.Scope{
		Catalogue: v1.Catalogue(), Mapping: reading.Mapping, Wanted: enrich.Fields(rapid.IntRange(1, 3).Draw(t, "wanted")),
		Limit: rapid.Int64Range(0, 3).Draw(t, "limit"),
	}
}

// drawnJournal knows of everybody what was drawn.
type drawnJournal struct {
	blank
	records map[enrich.Key]attempt.Record
}

func (d drawnJournal) People() int64 { return int64(len(d.records)) }

func (d drawnJournal) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	for key, record := range d.records {
		if bytes.Compare(first[:], key[:]) <= 0 && bytes.Compare(key[:], last[:]) <= 0 {
			if err := visit(key, func() (attempt.Record, error) { return record, nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d drawnJournal) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	return only(d.records[key], fields), nil
}

// only returns what a record says of some fields.
func only(record attempt.Record, fields enrich.Fields) (of attempt.Record) {
	for f := range fields.Each() {
		of.States[f], of.Attempts[f], of.At[f] = record.States[f], record.Attempts[f], record.At[f]
		of.Earlier[f], of.Kept[f] = record.Earlier[f], record.Kept[f]
	}
	return of
}

func drawJournal(t *rapid.T) drawnJournal {
	journal := drawnJournal{blank{}, map[enrich.Key]attempt.Record{}}
	for _, who := range names(3) {
		journal.records[keyOf(identity(who))] = drawRecord(t)
	}
	return journal
}

func drawRecord(t *rapid.T) (record attempt.Record) {
	for f := range record.States {
		record.States[f] = attempt.FieldState(rapid.IntRange(int(attempt.Unasked), int(attempt.Forgotten)).Draw(t, "state"))
	}
	return record
}

// keyOf returns the key that blank has for an identity.
func keyOf(id enrich.Identity) enrich.Key { return blank{}.KeyOf([]byte(id.Canonical())) }
