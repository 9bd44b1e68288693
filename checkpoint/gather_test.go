package checkpoint

import (
	"runtime"
	"sync"
	"testing"

	"payonce/attempt"
)

// TestACommitLetsThoseGoFirstWhoAreAboutToDecide: on one core, what many goroutines decide
// at the same time goes into few commits, though none of them waits for another and the
// store takes no time.
func TestACommitLetsThoseGoFirstWhoAreAboutToDecide(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that nobody decides unless the committer lets them
	r := newRig(t)
	before := r.store.commits
	const lookups = 64
	var begun sync.WaitGroup
	for n := range lookups {
		begun.Go(func() {
			decision, err := r.Begin(request(person(n), email))
			granted, ok := decision.(attempt.Granted)
			if !ok || err != nil {
				t.Errorf("decision %#v, error %v", decision, err)
				return
			}
			if _, err := granted.Ticket(); err != nil {
				t.Error(err)
			}
		})
	}
	begun.Wait()
	// The scheduler may call the committer back early now and then.
	if commits := r.store.commits - before; commits > lookups/4 {
		t.Errorf("%d commits for %d lookups that were decided at the same time", commits, lookups)
	}
}

// TestACommitWaitsForThoseWhoGoOnDecidingAndNotForEver has somebody who decides one thing
// after another and lets others go first in between.
func TestACommitWaitsForThoseWhoGoOnDecidingAndNotForEver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const decisions = 1000
	most := 0
	for range 20 { // the scheduler may call back early
		journal := &Journal{wake: make(chan struct{}, 1)}
		var deciding sync.WaitGroup
		deciding.Go(func() {
			for range decisions {
				journal.mu.Lock()
				journal.enqueue(nil)
				journal.mu.Unlock()
				runtime.Gosched()
			}
		})
		journal.gather()
		journal.mu.Lock()
		waiting := len(journal.queue)
		journal.mu.Unlock()
		if waiting == decisions {
			t.Fatalf("the commit waited for all of %d decisions", decisions)
		}
		most = max(most, waiting)
		deciding.Wait()
	}
	if most < mostYields/2 {
		t.Errorf("a commit waited for %d decisions at most", most)
	}
}
