package checkpoint

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// gatedStore lets a commit through when it is told to, and remembers the longest.
type gatedStore struct {
	*memStore
	gate    chan struct{}
	longest int // in bytes, as size counts them
}

func (s *gatedStore) Commit(writes []Write) error {
	<-s.gate
	size := 0
	for _, write := range writes {
		size += write.Size()
	}
	s.longest = max(s.longest, size)
	return s.memStore.Commit(writes)
}

// longPerson has a name that is as long as a cell of a broken list.
func longPerson(n, length int) enrich.Identity {
	id := person(n)
	return enrich.Identity{FirstName: id.ProfileURL, LastName: strings.Repeat("x", length), CompanyName: "Acme"}
}

// TestACommitGathersNoMoreThanATransactionTakes: while one commit waits for the disk, no more gathers
// for the next than a transaction takes, whatever is in the list.
func TestACommitGathersNoMoreThanATransactionTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const most = 2 * record.CommitSize // bytes
	synctest.Test(t, func(t *testing.T) {
		store := &gatedStore{memStore: newMemStore(), gate: make(chan struct{})}
		open := make(chan struct{})
		go func() {
			for {
				select {
				case store.gate <- struct{}{}:
				case <-open:
					return
				}
			}
		}()
		journal, err := New(store, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: 1}, Now: (&clock{start}).now})
		if err != nil {
			t.Fatal(err)
		}
		close(open) // nothing reaches the disk from here on
		var begun sync.WaitGroup
		for n := range 200 {
			begun.Go(func() {
				decision, err := journal.Begin(request(longPerson(n, 50_000), email))
				if _, granted := decision.(attempt.Granted); !granted || err != nil {
					t.Errorf("decision %#v, error %v", decision, err)
				}
			})
		}
		synctest.Wait()
		close(store.gate)
		begun.Wait()
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
		if store.longest > most {
			t.Errorf("a commit had %d bytes, want %d at most", store.longest, most)
		}
	})
}

// TestAnIdentityTooLongForATransactionIsRefused, and the journal goes on.
func TestAnIdentityTooLongForATransactionIsRefused(t *testing.T) {
	journal, err := openIn(t.TempDir(), Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: 1}, Now: (&clock{start}).now})
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	if _, err := journal.Begin(request(longPerson(1, 3<<20), email)); err == nil || !strings.Contains(err.Error(), "is a quote missing in the list?") {
		t.Errorf("error %v, want one that says what is wrong", err)
	}
	for n, length := range []int{maxIdentity - 100, 10} {
		decision, err := journal.Begin(request(longPerson(n, length), email))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decision.(attempt.Granted).Ticket(); err != nil {
			t.Error(err)
		}
	}
}
