package main

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// withJournal opens the journal that was filled, and closes it again.
func withJournal(t *testing.T, state string, look func(*checkpoint.Journal)) {
	t.Helper()
	store, err := badgerstore.Open(filepath.Join(state, "sandbox", "default"), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := checkpoint.New(store, checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1, Window: time.Minute}, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	look(journal)
}

// TestAnswerFillsTheJournalOnceForACopiedList fills a journal from a list and then for a copy of it, which asks
// for nothing again.
func TestAnswerFillsTheJournalOnceForACopiedList(t *testing.T) {
	list, state := makeList(t), t.TempDir()
	again := filepath.Join(t.TempDir(), "again.csv")
	if err := copyList(t.Context(), []string{list, again}, io.Discard); err != nil {
		t.Fatal(err)
	}
	var settled int64
	for i, path := range []string{list, again} {
		if err := answerTenth(t.Context(), []string{path, state}, io.Discard); err != nil {
			t.Fatal(err)
		}
		withJournal(t, state, func(journal *checkpoint.Journal) {
			run, found, err := journal.Run(tenthRun)
			if err != nil || !found || run.List != path {
				t.Errorf("the run's list is %q, found %t, %v; want %s", run.List, found, err, path)
			}
			totals := journal.Totals(checkpoint.RunScope(tenthRun))
			if i == 0 {
				settled = totals.Lookups
			}
			if totals.Lookups != settled || settled < 150 || settled > 200 || totals.Settled.Money() == 0 {
				t.Errorf("%d lookups are settled for $%s after list %d, %d after the first", totals.Lookups, totals.Settled.Money(), i+1, settled)
			}
		})
	}
}

// TestEachTenthYieldsTheLookupOfEveryTenthRow looks at what a row of a generated list asks for.
func TestEachTenthYieldsTheLookupOfEveryTenthRow(t *testing.T) {
	list := makeList(t)
	rows := records(t, list)
	var asked []enrich.Lookup
	err := eachTenth(t.Context(), list, func(lookup enrich.Lookup) error {
		asked = append(asked, lookup)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for number := answeredOne; number < len(rows); number += answeredOne {
		row := rows[number]
		who, reason := enrich.Contact{
			FirstName: row[1], LastName: row[2], ProfileURL: row[3], CompanyName: row[4], CompanyDomain: row[5],
		}.Identify(enrich.ByProfile)
		if reason != "" || row[6] != "" && row[7] != "" {
			continue
		}
		if len(asked) == 0 || asked[0].Identity != who || asked[0].Fields.Has(v1.WorkEmail) != (row[6] == "") || asked[0].Fields.Has(v1.BusinessPhone) != (row[7] == "") {
			t.Fatalf("row %d is not asked for as it should be", number)
		}
		asked = asked[1:]
	}
	if len(asked) > 0 {
		t.Errorf("%d lookups too many", len(asked))
	}
}
