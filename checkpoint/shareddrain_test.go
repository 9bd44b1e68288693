package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

func TestDrains(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for name, test := range map[string]func(*testing.T, *sharedRig){
		"a drain waits for calls of others, and holds one account until it ends": drainOfOne,
		"a drain ends with its process":                                          drainOfEnded,
		"a drain ends with the lease of its process, which then erases nothing":  drainOfKilled,
		"a drain does not wait for a process that stopped":                       drainOfStopped,
		"an account that is registered during an erasure is drained":             drainOfNew,
		"one process drains at a time":                                           drainOfTwo,
		"a lost call is decided while others want to send":                       drainedReconciliation,
		"a call that its process may still send is not proved uncharged":         lateCall,
		"a person is erased while others want to send":                           drainedForgetting,
		"a change that two observe at the same time allows one call":             observedByTwo,
		"a limit that one reaches holds for both":                                sharedLimit,
	} {
		t.Run(name, func(t *testing.T) { test(t, newSharedRig(t, server)) })
	}
}

// drain drains the account of a journal in the background. The channel gets the end of the drain.
func drain(t *testing.T, r *rig) <-chan func() error {
	t.Helper()
	drained := make(chan func() error, 1)
	go func() {
		end, why, err := r.Drain(t.Context())
		if why != "" || err != nil {
			t.Errorf("not drained: %q, %v", why, err)
		}
		drained <- end
	}()
	return drained
}

// awaitDrain waits until a journal knows that another process drains the account.
func awaitDrain(t *testing.T, r *rig) {
	t.Helper()
	for {
		r.look()
		by := r.own().DrainedBy
		r.mu.Unlock()
		if by != 0 {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended")
		case <-time.After(time.Millisecond):
		}
	}
}

// isDrained reports whether a decision waits for a drain of another process, and asks again before the lease of that
// process ends.
func isDrained(decision attempt.Decision) bool {
	blocked, is := decision.(attempt.Blocked)
	return is && blocked.Drained && !blocked.Until.IsZero() && blocked.LeaseEnds.After(blocked.Until)
}

func drainOfOne(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	number, err := b.Account(secondID, AccountOptions{Rate: s.options.Rate, Catalogue: v1.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	flying := b.grant(request(person(1), email))
	drained := drain(t, a)
	awaitDrain(t, b)
	if got := b.begin(request(person(2), email)); !isDrained(got) {
		t.Errorf("while the account is drained: %#v, want Blocked", got)
	}
	select {
	case <-drained:
		t.Fatal("drained while a call is in flight")
	default:
	}
	b.settle(flying, found) // it may be recorded meanwhile
	end := <-drained
	if got := b.begin(request(person(2), email)); !isDrained(got) {
		t.Errorf("after the last call: %#v, want Blocked", got)
	}
	b.want(b.begin(request(person(1), email)), attempt.Known{Fields: email}) // nothing is sent for it
	other := request(person(2), email)
	other.Account = number
	b.grant(other)
	b.check(end())
	b.grant(request(person(2), email))
}

func drainOfEnded(t *testing.T, s *sharedRig) {
	a, b, c := s.openToClose(), s.open(), s.open()
	<-drain(t, a)
	if got := b.begin(request(person(1), email)); !isDrained(got) {
		t.Fatalf("while another process drains: %#v", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b.settle(b.grant(request(person(1), email)), found)
	<-drain(t, b)
	s.silent(b, time.Hour) // it is given up
	c.grant(request(person(2), email))
}

func drainOfKilled(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	b.settle(b.grant(request(person(1), email)), found)
	a.check(a.DrainAll(t.Context()))
	erased, err := a.Find(Person{Identity: person(1)}, func(string, enrich.Answered) (PersonFacts, error) { return PersonFacts{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	s.silent(a, 70*time.Second) // its lease has ended, and a call of it could still be recorded
	ticket := b.grant(request(person(2), email))
	if _, err := a.Forget(erased); !errors.Is(err, record.ErrFenced) {
		t.Errorf("erasing after the end of the lease: %v", err)
	}
	b.settle(ticket, found)
	<-drain(t, b)
}

// drainOfNew registers an account while another process erases, and while one compares an account.
func drainOfNew(t *testing.T, s *sharedRig) {
	a, b := s.openToClose(), s.open()
	b.settle(b.grant(request(person(1), email)), found)
	a.check(a.DrainAll(t.Context()))
	b.rate = Rate{Slots: 1000, Window: time.Minute}
	second := b.account(secondID)
	if got := second.begin(request(person(1), email)); !isDrained(got) {
		t.Errorf("a call of an account that was registered while another process erases: %#v", got)
	}
	a.check(a.Close())
	second.settle(second.grant(request(person(1), email)), found)

	s = newSharedRig(t, s.server)
	a, b = s.open(), s.open()
	end := <-drain(t, a)
	b.rate = Rate{Slots: 1000, Window: time.Minute}
	second = b.account(secondID)
	a.check(end())
	second.settle(second.grant(request(person(1), email)), found)
}

func drainOfStopped(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	b.grant(request(person(1), email))
	s.silent(b, 70*time.Second) // its lease has ended, and its call may still be recorded
	if end, why, err := a.Drain(t.Context()); end != nil || why == "" || err != nil {
		t.Errorf("%q, %v, want why it is not drained", why, err)
	}
	a.grant(request(person(2), email)) // nothing stops for it
}

func drainOfTwo(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	first := <-drain(t, a)
	second := drain(t, b)
	ctx, cancel := context.WithTimeout(t.Context(), 2*drainPoll)
	defer cancel()
	if _, _, err := s.open().Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third drain: %v", err)
	}
	select {
	case <-second:
		t.Fatal("two processes drain one account")
	default:
	}
	if err := first(); err != nil {
		t.Fatal(err)
	}
	if err := (<-second)(); err != nil {
		t.Fatal(err)
	}
}

func drainedReconciliation(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	base := paidAccount(100 * cost.Dollar)
	base.ReadAt = a.Now()
	a.BeginReading()
	if err := a.Rebase(base); err != nil {
		t.Fatal(err)
	}
	lost := a.grant(request(person(1), email))
	a.check(a.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "reset"}))
	flying := b.grant(request(person(2), email))
	drained := drain(t, a)
	awaitDrain(t, b)
	if got := b.begin(request(person(3), email)); !isDrained(got) {
		t.Errorf("while the account is drained: %#v, want Blocked", got)
	}
	b.settle(flying, found)
	end := <-drained
	a.LastEnded()
	now := paidAccount(100*cost.Dollar - 15*cost.Cent) // the answer of b
	now.ReadAt = a.Now()
	result, err := a.Reconcile(now, true)
	if err != nil || len(result.Cases) != 1 || result.Cases[0].Result != cost.NotCharged {
		t.Errorf("reconciled %+v, %v", result, err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	b.grant(request(person(1), email)) // it may be asked again, by everybody
}

// lateCall compares the account while nobody knows whether a stopped process sends its call, then when that is known,
// and at last when the call has had time to arrive.
func lateCall(t *testing.T, s *sharedRig) {
	stopped, a := s.open(), s.open()
	compare := func() attempt.ReconcileResult {
		t.Helper()
		a.LastEnded()
		now := paidAccount(100 * cost.Dollar)
		now.ReadAt = a.Now()
		result, err := a.Reconcile(now, true)
		if err != nil || len(result.Cases) == 0 {
			t.Fatalf("reconciled %+v, %v", result, err)
		}
		return result
	}
	base := paidAccount(100 * cost.Dollar)
	base.ReadAt = a.Now()
	a.BeginReading()
	a.check(a.Rebase(base))
	late := stopped.grant(request(person(1), email))
	own := a.grant(request(person(2), email))
	a.check(a.MarkInDoubt(own.ID, attempt.LostCall{Cause: "reset"}))
	s.silent(stopped, time.Hour)
	a.want(a.begin(request(person(1), email)), attempt.Unsettled{Fields: email})

	result := compare()
	if len(result.Cases) != 2 || result.Cases[0].Result != cost.Undecided || result.Cases[1].Result != cost.NotCharged || result.Why == "" {
		t.Errorf("while the process may send its call: %+v", result)
	}
	if doubts := a.Doubts(); len(doubts) != 1 || doubts[0].Sender == "" || !doubts[0].Arrived.IsZero() || a.Doubt(late.ID) == doubts[0].Cause {
		t.Errorf("doubts %+v, %q", doubts, a.Doubt(late.ID))
	}
	if held := a.Totals(ScopeAll).Held.Money(); held != 15*cost.Cent {
		t.Errorf("held $%s", held)
	}
	a.want(a.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
	again := a.grant(request(person(2), email)) // of its own call the process knows that it was sent
	a.check(a.Release(again.ID, attempt.Release{Reason: "refused", Sent: true}))

	over := func(when string) {
		s.server.Exec(fmt.Sprintf("UPDATE payonce_process SET arrived = clock_timestamp() + interval '%s' WHERE workspace = '%s' AND epoch = %d",
			when, s.workspace, stopped.shared.turn.Epoch))
	}
	over("1 minute")
	if result := compare(); result.Cases[0].Result != cost.Undecided || result.Cases[0].Arrived.IsZero() {
		t.Errorf("before its call has had time to arrive: %+v", result)
	}
	a.LastEnded() // the reading is of a time in which the call could arrive
	over("-1 second")
	now := paidAccount(100 * cost.Dollar)
	now.ReadAt = a.Now()
	if result, err := a.Reconcile(now, true); err != nil || result.Cases[0].Result != cost.Undecided {
		t.Errorf("by a reading from before: %+v, %v", result, err)
	}
	if result := compare(); result.Cases[0].Result != cost.NotCharged || result.Why != "" {
		t.Errorf("then: %+v", result)
	}
	a.grant(request(person(1), email))
}

func drainedForgetting(t *testing.T, s *sharedRig) {
	a, b := s.openToClose(), s.open()
	flying := b.grant(request(person(1), email))
	erased := make(chan error, 1)
	go func() {
		err := a.DrainAll(t.Context())
		if err == nil {
			var found Found
			if found, err = a.Find(Person{Identity: person(1)}, func(string, enrich.Answered) (PersonFacts, error) { return PersonFacts{}, nil }); err == nil {
				_, err = a.Forget(found)
			}
		}
		erased <- errors.Join(err, a.Close())
	}()
	awaitDrain(t, b)
	if got := b.begin(request(person(2), email)); !isDrained(got) {
		t.Errorf("while the account is drained: %#v, want Blocked", got)
	}
	b.settle(flying, found)
	if err := <-erased; err != nil {
		t.Fatal(err)
	}
	b.grant(request(person(2), email))
	if got := b.begin(request(person(1), email)); isBlocked(got) || granted([]attempt.Decision{got}) > 0 {
		t.Errorf("a person who was forgotten: %#v", got)
	}
	outcomes, err := b.Recall(0, true)([]attempt.ID{flying.ID}, nil)
	if err != nil || len(outcomes) != 1 || outcomes[0].Who != (enrich.Identity{}) || outcomes[0].Ended.Data != "" {
		t.Errorf("recalled %v, %v", outcomes, err)
	}
}

func observedByTwo(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	added := make(chan int, 2)
	for _, j := range []*rig{a, b} {
		go func() {
			n, err := j.Observe([]Observed{{Company: "7", Content: []byte(`{"field":"name"}`)}})
			if err != nil {
				t.Error(err)
			}
			added <- n
		}()
	}
	if sum := <-added + <-added; sum != 1 {
		t.Errorf("%d new changes of 1", sum)
	}
	first, err := a.Observations("7")
	a.grant(request(person(1), email)) // a later attempt
	if n, again := b.Observe([]Observed{{Company: "7", Content: []byte(`{"field":"name"}`)}}); n != 0 || again != nil {
		t.Errorf("observed again: %d, %v", n, again)
	}
	second, again := b.Observations("7")
	if err := errors.Join(err, again); err != nil || len(first) != 1 || len(second) != 1 || first[0].After != second[0].After {
		t.Errorf("observed after %v, then %v, %v", first, second, err)
	}
}

func sharedLimit(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	a.BeginReading()
	a.check(a.Rebase(cost.Account{Free: enrich.ByField[cost.Optional[int64]]{cost.Known[int64](5), cost.Known[int64](5)}}))
	ticket := a.grant(request(person(1), email))
	a.check(a.Release(ticket.ID, attempt.Release{Reason: "limit", Sent: true, Limit: enrich.Limit{Module: "all"}}))
	if got, is := b.begin(request(person(2), email)).(attempt.Limited); !is || got.Module != "all" {
		t.Errorf("decision %#v, want Limited", got)
	}
	if ended, err := b.EndLimits(); err != nil || len(ended) != 1 {
		t.Errorf("ended %v, %v", ended, err)
	}
	a.grant(request(person(2), email))
}
