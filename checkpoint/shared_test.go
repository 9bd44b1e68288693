package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// sharedRig has journals on one database, as several processes have them.
type sharedRig struct {
	t         *testing.T
	server    *iotest.PostgresServer
	workspace string
	options   Options
	key       []byte // that encrypts the values; nil for none
}

func newSharedRig(t *testing.T, server *iotest.PostgresServer) *sharedRig {
	return &sharedRig{t, server, fmt.Sprint("w", workspaces.Add(1)), Options{Rate: Rate{Slots: 1000, Window: time.Minute}, Catalogue: v1.Catalogue()}, nil}
}

// open opens the journal for one more process, which ends with the test.
func (s *sharedRig) open() *rig {
	s.t.Helper()
	r := s.openToClose()
	s.t.Cleanup(func() { _ = r.Close() }) // an error of a journal that failed is known
	return r
}

// openToClose opens the journal for a process that the test ends.
func (s *sharedRig) openToClose() *rig {
	s.t.Helper()
	j, err := New(openPostgresWith(s.t, s.server, s.workspace, s.key), s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	return &rig{Journal: j, t: s.t}
}

// silent makes it seem that a process gave its last sign of life some time ago.
func (s *sharedRig) silent(r *rig, since time.Duration) {
	s.t.Helper()
	s.server.Exec(fmt.Sprintf("UPDATE payonce_process SET started = started - interval '1 day', seen = seen - interval '%d seconds' "+
		"WHERE workspace = '%s' AND epoch = %d", int(since.Seconds()), s.workspace, r.shared.turn.Epoch))
}

// isBlocked reports whether a decision waits for a call of another process.
func isBlocked(decision attempt.Decision) bool {
	blocked, is := decision.(attempt.Blocked)
	return is && !blocked.Until.IsZero()
}

func TestSharedJournals(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for name, test := range map[string]func(*testing.T, *sharedRig){
		"two deciders give one ticket for a subject":                oneTicket,
		"two deciders never exceed a ceiling":                       sharedCeiling,
		"two deciders share one window":                             sharedWindow,
		"a pause of one holds for both":                             sharedPause,
		"an answer of one is known to the other":                    sharedAnswer,
		"a call that begins after another one is seen with its end": sharedRetry,
		"both register an account under one number":                 sharedRegistration,
		"a reading during a call of another process proves nothing": noisyReading,
		"calls of a process that died are in doubt once":            deadProcess,
		"an account opens in the turn that doubts calls":            doubtsAtOpening,
		"a process without a lease sends nothing and may record":    expiredLease,
		"a process that was given up records nothing":               fencedProcess,
		"calls of a process that closed the journal are in doubt":   closedProcess,
		"the unique index refuses what a wrong decision grants":     secondDefence,
		"an opening keeps the slots of calls of others":             slotsAtOpening,
		"a person who was forgotten by one is forgotten for both":   sharedForgetting,
	} {
		t.Run(name, func(t *testing.T) { test(t, newSharedRig(t, server)) })
	}
}

// race lets goroutines of two journals begin lookups, and returns the decisions.
func race(t *testing.T, journals []*rig, each int, ask func(n int) attempt.Request) (decisions []attempt.Decision) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, j := range journals {
		for n := range each {
			all.Go(func() {
				decision, err := j.Begin(ask(n))
				if granted, is := decision.(attempt.Granted); is && err == nil {
					_, err = granted.Ticket()
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				decisions = append(decisions, decision)
			})
		}
	}
	all.Wait()
	return decisions
}

func granted(decisions []attempt.Decision) (count int) {
	for _, d := range decisions {
		if _, is := d.(attempt.Granted); is {
			count++
		}
	}
	return count
}

func oneTicket(t *testing.T, s *sharedRig) {
	journals := []*rig{s.open(), s.open(), s.open()}
	decisions := race(t, journals, 30, func(n int) attempt.Request { return request(person(n%10), email) })
	if got := granted(decisions); got != 10 {
		t.Errorf("%d tickets for 10 subjects", got)
	}
	for _, d := range decisions {
		_, isGranted := d.(attempt.Granted)
		_, isBlocked := d.(attempt.Blocked)
		if !isGranted && !isBlocked {
			t.Errorf("decision %#v, want Granted or Blocked", d)
		}
	}
}

func sharedCeiling(t *testing.T, s *sharedRig) {
	journals := []*rig{s.open(), s.open()}
	ceiling := cost.Ceiling{Name: "max-spend", Scope: RunScope("run"), Limit: int64(7*15*cost.Cent + 14*cost.Cent)}
	decisions := race(t, journals, 20, func(n int) attempt.Request { return request(person(n), email, ceiling) })
	// The same 20 subjects are asked for twice: some are blocked by the other journal's call.
	if got := granted(decisions); got != 7 {
		t.Errorf("%d calls under a ceiling of 7", got)
	}
	for _, j := range journals {
		if held := j.Totals(RunScope("run")).Held.Money(); held != 7*15*cost.Cent {
			t.Errorf("held $%s, want $1.05", held)
		}
	}
}

func sharedWindow(t *testing.T, s *sharedRig) {
	s.options.Rate = Rate{Slots: 5, Window: time.Hour}
	a, b := s.open(), s.open()
	decisions := race(t, []*rig{a, b}, 10, func(n int) attempt.Request { return request(person(n), email) })
	if got := granted(decisions); got != 5 {
		t.Errorf("%d calls in a window of 5", got)
	}
	c := s.open()
	if got := c.begin(request(person(100), email)); !isBlocked(got) {
		t.Errorf("a third process: %#v, want Blocked until others end", got)
	}
}

func sharedPause(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	ticket := a.grant(request(person(1), email))
	until := a.Now().Add(time.Hour)
	a.check(a.Release(ticket.ID, attempt.Release{Reason: "slow down", Sent: true, PauseUntil: until}))
	later, is := b.begin(request(person(2), email)).(attempt.Later)
	if !is || !later.Asked || !later.Until.Equal(until) {
		t.Errorf("decision %#v, want Later until %s", later, until)
	}
	if !later.AskAgain.After(b.Now()) || !later.AskAgain.Before(b.Now().Add(2*pausePoll)) {
		t.Errorf("it asks again at %s, and it is %s", later.AskAgain, b.Now())
	}
	if !b.PausedUntil().Equal(until) {
		t.Errorf("paused until %s", b.PausedUntil())
	}
	if _, err := b.EndPause(); err != nil {
		t.Fatal(err)
	}
	a.grant(request(person(2), email))
}

func sharedAnswer(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	version := b.Version()
	ticket := a.grant(request(person(1), email|phone))
	if got := b.begin(request(person(1), email)); !isBlocked(got) {
		t.Errorf("while the call is in flight elsewhere: %#v", got)
	}
	if !b.InFlight(ticket.ID) || a.InFlight(ticket.ID) {
		t.Error("a call in flight is one of another process for its own process, or is not for the other one")
	}
	if _, err := b.Settle(ticket.ID, v1.EncodeAnswer(found)); err == nil {
		t.Error("a process recorded the end of a call of another one")
	}
	a.settle(ticket, found)
	b.want(b.begin(request(person(1), email)), attempt.Known{Fields: email})
	if b.InFlight(ticket.ID) {
		t.Error("a call that has ended is in flight")
	}
	if b.Version() == version {
		t.Error("the version is the same after an answer of another process")
	}
	known, err := b.Record(person(1))
	if err != nil || known.States[v1.WorkEmail] != attempt.Found {
		t.Errorf("record %v, %v", known.States, err)
	}
	outcomes, err := b.Recall(0, true)([]attempt.ID{ticket.ID}, nil)
	if err != nil || len(outcomes) != 1 || outcomes[0].Who != person(1) || outcomes[0].Ended.State != attempt.Settled {
		t.Errorf("recalled %v, %v", outcomes, err)
	}
	if a.Totals(ScopeAll) != b.Totals(ScopeAll) {
		t.Errorf("totals %v and %v", a.Totals(ScopeAll), b.Totals(ScopeAll))
	}
}

// sharedRetry has a process that sees, at the same time, the end of one call and the start of the next one for the same
// person.
func sharedRetry(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	refused := a.grant(request(person(1), email))
	if got := b.begin(request(person(1), email)); !isBlocked(got) {
		t.Errorf("while the call is in flight elsewhere: %#v", got)
	}
	if err := a.Release(refused.ID, attempt.Release{Reason: "busy", Sent: true}); err != nil {
		t.Fatal(err)
	}
	again := a.grant(request(person(1), email))
	if got := b.begin(request(person(1), email)); !isBlocked(got) {
		t.Errorf("while the next call is in flight elsewhere: %#v", got)
	}
	a.settle(again, found)
	b.want(b.begin(request(person(1), email)), attempt.Known{Fields: email})
}

func sharedRegistration(t *testing.T, s *sharedRig) {
	journals, late := []*rig{s.open(), s.open(), s.open()}, s.open()
	var all sync.WaitGroup
	numbers := make([]attempt.Account, len(journals))
	for i, j := range journals {
		all.Go(func() {
			var err error
			if numbers[i], err = j.Account(secondID, AccountOptions{Catalogue: v1.Catalogue(), Rate: j.first.Rate}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if want := []attempt.Account{1, 1, 1}; !slices.Equal(numbers, want) {
		t.Errorf("numbers %v, want %v", numbers, want)
	}
	number, found, err := late.AccountAt(secondID.Interface, secondID.Service)
	if err != nil || !found {
		t.Fatalf("found %t, %v", found, err)
	}
	if _, err := late.For(number); err != nil {
		t.Errorf("an account that another process registered: %v", err)
	}
	if got := journals[0].Accounts(); got != 2 {
		t.Errorf("%d accounts, want 2", got)
	}
}

// noisyReading reads the account while another process calls: whether the snapshot has that charge, nobody knows.
func noisyReading(t *testing.T, s *sharedRig) {
	snapshot := func(balance cost.Money) cost.Account {
		return cost.Account{ReadAt: start, Balance: cost.Balance{Available: cost.Known(balance)}}
	}
	for name, during := range map[string]func(a *rig, n int) (before, after func()){
		"a call that goes on": func(a *rig, n int) (func(), func()) {
			return func() { a.grant(request(person(n), email)) }, func() {}
		},
		"a call that ends": func(a *rig, n int) (func(), func()) {
			var ticket attempt.Ticket
			return func() { ticket = a.grant(request(person(n), email)) }, func() { a.settle(ticket, found) }
		},
		"a call within": func(a *rig, n int) (func(), func()) {
			return func() {}, func() { a.settle(a.grant(request(person(n), email)), found) }
		},
	} {
		s := newSharedRig(t, s.server)
		a, b := s.open(), s.open()
		b.BeginReading()
		b.check(b.Rebase(snapshot(10 * cost.Dollar)))
		lost := b.grant(request(person(1), email))
		b.check(b.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
		before, after := during(a, 2)
		before()
		b.BeginReading()
		after()
		reconciled, err := b.Reconcile(snapshot(10*cost.Dollar), true)
		if err != nil || len(reconciled.Cases) > 0 || reconciled.Why == "" {
			t.Errorf("%s: reconciled %+v, %v; want nothing, and why", name, reconciled, err)
		}
		b.check(b.Rebase(snapshot(cost.Dollar)))
		if base := b.Base().Balance.Available.Value; base != 10*cost.Dollar {
			t.Errorf("%s: the base is $%s", name, base)
		}
		if len(b.Doubts()) != 1 {
			t.Errorf("%s: %d doubts", name, len(b.Doubts()))
		}
	}
}

func deadProcess(t *testing.T, s *sharedRig) {
	a, b, c := s.open(), s.open(), s.open()
	ticket := a.grant(request(person(1), email))
	s.silent(a, 90*time.Second) // its lease has ended, and its call may still go on
	if got := b.begin(request(person(1), email)); !isBlocked(got) || len(b.DoubtsOfAll()) != 0 {
		t.Fatalf("decision %#v before the call has timed out", got)
	}
	s.silent(a, 90*time.Second)
	for _, j := range []*rig{b, c} {
		j.want(j.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
		doubts := j.DoubtsOfAll()
		if len(doubts) != 1 || doubts[0].ID != ticket.ID {
			t.Fatalf("doubts %v", doubts)
		}
		if held := j.Totals(ScopeAll); held.Held.Money() != 15*cost.Cent || held.Open != 1 {
			t.Errorf("totals %v", held)
		}
		if got := j.state.accounts[0].Window; got.inFlight != 0 || len(got.Cooling) != 1 {
			t.Errorf("window %+v", got)
		}
	}
	if !b.DoubtsOfAll()[0].Since.Equal(c.DoubtsOfAll()[0].Since) {
		t.Error("the call came into doubt twice")
	}
}

// doubtsAtOpening opens a second account in the turn that puts the call of a dead process in doubt, so that the store does
// not have this doubt yet.
func doubtsAtOpening(t *testing.T, s *sharedRig) {
	a, b, c := s.open(), s.open(), s.open()
	terms := AccountOptions{Catalogue: v1.Catalogue(), Rate: s.options.Rate}
	if _, err := b.Account(secondID, terms); err != nil {
		t.Fatal(err)
	}
	c.Totals(ScopeAll) // it knows of the account
	onSecond, err := a.Account(secondID, terms)
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.For(onSecond)
	if err != nil {
		t.Fatal(err)
	}
	a.grant(request(person(1), email))
	(&rig{Journal: second, t: t}).grant(request(person(2), email))
	s.silent(a, 3*time.Minute)
	if _, err := c.Account(secondID, terms); err != nil {
		t.Fatal(err)
	}
	if doubts := c.DoubtsOfAll(); len(doubts) != 2 {
		t.Errorf("doubts %v", doubts)
	}
	if got := c.state.accounts[1].Window; got.inFlight != 0 || len(got.Cooling) != 1 {
		t.Errorf("window %+v", got)
	}
}

func expiredLease(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	ticket, other := a.grant(request(person(1), email)), a.grant(request(person(2), email))
	s.silent(a, 90*time.Second)
	if _, err := a.Begin(request(person(3), email)); !errors.Is(err, record.ErrFenced) {
		t.Errorf("a call after the lease: %v", err)
	}
	a.settle(ticket, found)
	b.want(b.begin(request(person(1), email)), attempt.Known{Fields: email})
	s.silent(a, 90*time.Second)
	b.want(b.begin(request(person(2), email)), attempt.Unsettled{Fields: email})
	if _, err := a.Settle(other.ID, v1.EncodeAnswer(found)); !errors.Is(err, record.ErrFenced) || !errors.Is(err, ErrFailed) {
		t.Errorf("the answer to a call in doubt: %v", err)
	}
}

func fencedProcess(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	decision := a.begin(request(person(1), email))
	ticket, err := decision.(attempt.Granted).Ticket()
	if err != nil {
		t.Fatal(err)
	}
	if err := ticket.MaySend(); err != nil {
		t.Errorf("within the lease: %v", err)
	}
	s.silent(a, 3*time.Minute)
	b.want(b.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
	if _, err := a.Begin(request(person(2), email)); !errors.Is(err, record.ErrFenced) {
		t.Errorf("a process that was given up begins a call: %v", err)
	}
	if err := ticket.MaySend(); !errors.Is(err, record.ErrFenced) {
		t.Errorf("a process that was given up may send: %v", err)
	}
	if _, err := a.Settle(ticket.ID, v1.EncodeAnswer(found)); err == nil {
		t.Error("a process that was given up recorded an answer")
	}
	b.check(b.Assume(false, ticket.ID))
	b.grant(request(person(1), email))
}

func closedProcess(t *testing.T, s *sharedRig) {
	j, err := New(openPostgres(t, s.server, s.workspace), s.options)
	if err != nil {
		t.Fatal(err)
	}
	a, b := &rig{Journal: j, t: t}, s.open()
	a.grant(request(person(1), email))
	a.check(a.Close())
	b.want(b.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
}

func secondDefence(t *testing.T, s *sharedRig) {
	a := s.open()
	a.settle(a.grant(request(person(1), email)), found)
	store := openPostgres(t, s.server, s.workspace)
	defer store.Close()
	in := record.Intent{At: start, Key: a.Key(person(1)), Identity: person(1), Hold: cost.Hold{Fields: email, Rates: rates}, Run: "run"}
	err := store.Commit([]Write{{Key: record.IDKey(record.IntentPrefix, 99), Value: record.Encode(&in)}})
	if err == nil {
		t.Fatal("a second intent for an answered field was committed")
	}
	in.Hold.Fields = phone
	a.check(store.Commit([]Write{{Key: record.IDKey(record.IntentPrefix, 99), Value: record.Encode(&in)}}))
}

func slotsAtOpening(t *testing.T, s *sharedRig) {
	s.options.Rate = Rate{Slots: 2, Window: time.Hour}
	a := s.open()
	a.settle(a.grant(request(person(1), email)), found)
	b := s.open()
	b.grant(request(person(2), email))
	for _, j := range []*rig{a, b, s.open()} {
		later, is := j.begin(request(person(3), email)).(attempt.Later)
		if !is || later.Until.Sub(j.Now()) < 50*time.Minute {
			t.Errorf("decision %#v, want Later", later)
		}
	}
}

func sharedForgetting(t *testing.T, s *sharedRig) {
	a, b := s.open(), s.open()
	a.settle(a.grant(request(person(1), email)), found)
	facts := func(string, enrich.Answered) (PersonFacts, error) { return PersonFacts{}, nil }
	matched, err := b.Find(Person{Identity: person(1)}, facts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Forget(matched); err != nil {
		t.Fatal(err)
	}
	a.want(a.begin(request(person(1), email|phone)), attempt.Known{Fields: email | phone})
	if known, err := a.Record(person(1)); err != nil || known.States[v1.WorkEmail] != attempt.Forgotten {
		t.Errorf("record %v, %v", known.States, err)
	}
}
