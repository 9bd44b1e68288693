package checkpoint

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/ledgertest"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// journals returns a New of journals on a kind of stores.
func journals(kind func(testing.TB) (open func() Store)) ledgertest.New {
	return func(t testing.TB, options ledgertest.Options) func() ledgertest.Journal {
		store := kind(t)
		var last *Journal
		t.Cleanup(func() {
			if last == nil {
				return
			}
			if err := last.Close(); err != nil {
				t.Error(err)
			}
		})
		return func() ledgertest.Journal {
			if last != nil {
				if err := last.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			if last, err = New(store(), Options{Catalogue: v1.Catalogue(), Tariff: ledgertest.Tariff(), Rate: options.Rates[0], Now: options.Now}); err != nil {
				t.Fatal(err)
			}
			terms := AccountOptions{Catalogue: v1.Catalogue(), Tariff: ledgertest.Tariff(), Rate: options.Rates[1]}
			if number, err := last.Account(secondID, terms); number != 1 || err != nil {
				t.Fatalf("the second account has the number %d, error %v", number, err)
			}
			return ofAccounts{last}
		}
	}
}

// ofAccounts is a journal whose accounts have their bases.
type ofAccounts struct{ *Journal }

func (j ofAccounts) RebaseAccount(account attempt.Account, snapshot cost.Account) error {
	on, err := j.For(account)
	if err != nil {
		return err
	}
	on.BeginReading() // the snapshot was read when no other process had calls in flight
	return on.Rebase(snapshot)
}

func (j ofAccounts) RecordIn(account attempt.Account, who enrich.Identity) (known attempt.Record, err error) {
	return recordIn(j.Journal, account, who)
}

// recordIn returns what is known of an identity in an account, and compares it with what a pass over all records says.
func recordIn(j *Journal, account attempt.Account, who enrich.Identity) (known attempt.Record, err error) {
	on, err := j.For(account)
	if err != nil {
		return known, err
	}
	if known, err = on.Record(who); err != nil {
		return known, err
	}
	key := on.Key(who)
	err = on.Records(key, key, func(_ enrich.Key, recall func() (attempt.Record, error)) error {
		passed, err := recall()
		if diff := cmp.Diff(known, passed, cmpopts.EquateEmpty()); err == nil && diff != "" {
			err = fmt.Errorf("Record and Records differ (-Record +Records):\n%s", diff)
		}
		return err
	})
	return known, err
}

func inMemory(testing.TB) func() Store {
	store := newMemStore()
	return func() Store { return store }
}

func inBadger(t testing.TB) func() Store {
	dir := t.TempDir()
	return func() Store {
		store, err := badgerstore.Open(dir, badgerstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func TestJournalsPassTheLedgerConformanceSuite(t *testing.T) {
	t.Run("memory", func(t *testing.T) { ledgertest.Run(t, journals(inMemory)) })
	t.Run("badger", func(t *testing.T) { ledgertest.Run(t, journals(inBadger)) })
	t.Run("postgres", func(t *testing.T) {
		ledgertest.Run(t, journals(inPostgres(iotest.StartPostgres(t, "fsync=on"))))
	})
}

// TestAJournalDecidesAsALedgerThatLoadsEachView compares a journal, which keeps its view up to date, with a ledger
// that loads each view from the rows of all attempts.
func TestAJournalDecidesAsALedgerThatLoadsEachView(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			ledgertest.Compare(t, seed, journals(inMemory), ledgertest.Rows)
		})
	}
}
