package simulation_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

func (r *rig) monitor() *dispatch.Monitor {
	return &dispatch.Monitor{Status: r.service, Accountant: r.journal, Scope: checkpoint.ScopeAccount, Tariff: v1.Tariff()}
}

// freeEmails returns the free emails of a drift.
func freeEmails(drift cost.Drift) int64 {
	return v1.Tariff().AllowanceUnits(drift.Lost)[v1.WorkEmail]
}

// spendElsewhere is another user of the workspace.
func (s *scripted) spendElsewhere(amount cost.Money, freeEmails int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account.Balance.Available.Value -= amount
	s.account.Free[v1.WorkEmail].Value -= freeEmails
}

func TestTheMonitorShowsWhatAnotherUserSpent(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(4, email))
		for _, spent := range []cost.Money{0, 30 * cost.Cent} {
			r.service.spendElsewhere(spent, 0)
			drift, err := r.monitor().Read(t.Context())
			if diff := cmp.Diff(cost.Drift{Lost: cost.OfMoney(spent)}, drift); diff != "" || err != nil {
				t.Errorf("error %v, drift (-want +got):\n%s", err, diff)
			}
		}
	})
}

func TestFreeUnitsTakenByOthersAreNotCountedOn(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.service.account.Free[v1.WorkEmail] = cost.Known(int64(5))
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.run(people(1, email))
		r.service.spendElsewhere(0, 3)
		for range 2 { // looking again changes nothing
			drift, err := r.monitor().Read(t.Context())
			if err != nil || freeEmails(drift) != 3 {
				t.Fatalf("drift %+v, error %v; want 3 free emails", drift, err)
			}
		}
		r.maxSpend(15 * cost.Cent)
		o := r.run(people(10, email))
		if o.tally.Answered != 2 || r.service.charged != 15*cost.Cent {
			t.Errorf("%d answers for %s; want the one unit that is left and one for 0.15", o.tally.Answered, r.service.charged)
		}
	})
}

// TestCallsInFlightAreNotReportedAsDrift reads while calls are in flight that
// the account is ahead of.
func TestCallsInFlightAreNotReportedAsDrift(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Minute) }, func(t *testing.T, r *rig) {
		r.concurrency = 5
		done := make(chan outcome)
		go func() { done <- r.runWith(t.Context(), people(5, email)) }()
		<-time.After(time.Second)
		r.service.spendElsewhere(75*cost.Cent, 0) // as if all five were charged already
		drift, err := r.monitor().Read(t.Context())
		if err != nil || !drift.Zero() {
			t.Errorf("drift %+v, error %v; want none", drift, err)
		}
		<-done
	})
}

func TestTheMonitorReportsADriftOnce(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(t.Context())
		var reports []cost.Drift
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			r.monitor().Watch(ctx, func(drift cost.Drift) { reports = append(reports, drift) })
		}()
		for _, spent := range []cost.Money{0, cost.Dollar, 0, 0, cost.Dollar} {
			r.service.spendElsewhere(spent, 0)
			<-time.After(time.Minute)
			synctest.Wait()
		}
		want := []cost.Drift{{Lost: cost.OfMoney(cost.Dollar)}, {Lost: cost.OfMoney(2 * cost.Dollar)}}
		if diff := cmp.Diff(want, reports); diff != "" || len(r.service.reads) != 5 {
			t.Errorf("%d reads in 5 minutes, reports (-want +got):\n%s", len(r.service.reads), diff)
		}
		cancel()
		<-watched
	})
}

func TestAStatusThatCannotBeReadIsSkipped(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		failure := errors.New("HTTP 503")
		r.service.status = func(read int, account cost.Account) (cost.Account, error) {
			if read == 1 {
				return cost.Account{}, failure
			}
			return account, nil
		}
		if drift, err := r.monitor().Read(t.Context()); !errors.Is(err, failure) || !drift.Zero() {
			t.Errorf("drift %+v, error %v; want %v", drift, err, failure)
		}
		r.service.spendElsewhere(cost.Dollar, 0)
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		reports := 0
		r.monitor().Watch(ctx, func(cost.Drift) { reports++ })
		if reports != 1 {
			t.Errorf("%d reports, want 1", reports)
		}
	})
}

// TestANewBaseDuringAReadingIsNotReportedAsDrift has a reconciliation come between the monitor's
// look at the journal and the account's answer.
func TestANewBaseDuringAReadingIsNotReportedAsDrift(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.service.spendElsewhere(cost.Dollar, 0)
		r.service.status = func(_ int, account cost.Account) (cost.Account, error) {
			return account, r.journal.Rebase(account)
		}
		if drift, err := r.monitor().Read(t.Context()); err != nil || !drift.Zero() {
			t.Errorf("drift %+v, error %v; want none from a base that is gone", drift, err)
		}
	})
}

// TestAnotherUserTakesTheAllowance has somebody else take free units in the middle
// of a run that counts on them: what is charged beyond the ceiling stays within the
// bound that Monitor documents, and shows as drift.
func TestAnotherUserTakesTheAllowance(t *testing.T) {
	const (
		free  = 20
		price = 15 * cost.Cent
		limit = 10 * price
		took  = 3 * time.Second
	)
	exceeded := false
	for _, taken := range []int64{1, 4, 20} {
		for after := time.Second; after < 50*time.Second; after += 3500 * time.Millisecond {
			withRig(t, func(call) reply { return answers(took) }, func(t *testing.T, r *rig) {
				r.service.account.Free[v1.WorkEmail] = cost.Known(int64(free))
				if err := r.journal.Rebase(r.service.account); err != nil {
					t.Fatal(err)
				}
				r.concurrency, r.pacer = 8, every(1300*time.Millisecond)
				r.maxSpend(limit)
				monitor, watching, endWatch := r.monitor(), context.Background(), context.CancelFunc(nil)
				monitor.Free = email
				watching, endWatch = context.WithCancel(t.Context())
				var drift cost.Drift
				watched := make(chan struct{})
				go func() {
					defer close(watched)
					monitor.Watch(watching, func(d cost.Drift) { drift = d })
				}()
				start := time.Now()
				time.AfterFunc(after, func() { r.service.takeFree(taken) })
				o := r.run(people(60, email))
				took, before := r.service.taken(), r.service.charged
				endWatch()
				<-watched
				if drift, _ = monitor.Read(t.Context()); drift.Zero() != (took == 0) {
					t.Errorf("others took %d units after %s; drift %+v", took, after, drift)
				}
				// Lookups begin every 1.3 s and take 3 s; readings are 10 s apart.
				held := int64(1 + (reading+3*time.Second)/(1300*time.Millisecond))
				bound := price * cost.Money(min(took, held))
				if before > limit+bound || o.tally.Spent > limit {
					t.Errorf("others took %d units after %s: charged %s and booked %s under a ceiling of %s, beyond the bound of %s more",
						took, after, before, o.tally.Spent, limit, bound)
				}
				exceeded = exceeded || before > limit
				if took == taken && after+reading+time.Second < time.Since(start) && drift.Lost.Money()+price*cost.Money(freeEmails(drift)) != price*cost.Money(took) {
					t.Errorf("others took %d units after %s; drift %+v is not as much", took, after, drift)
				}
			})
		}
	}
	if !exceeded {
		t.Error("no ceiling was exceeded: the bound was not put to the test")
	}
}

// reading is the time between two readings while free units are counted on.
const reading = 10 * time.Second

// takeFree is another user of the free allowance, who takes what is there.
func (s *scripted) takeFree(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	units = min(units, max(s.account.Free[v1.WorkEmail].Value, 0))
	s.account.Free[v1.WorkEmail].Value -= units
	s.takenFree += units
}

func (s *scripted) taken() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takenFree
}

func TestTheStatusIsReadMoreOftenWhileFreeUnitsAreCountedOn(t *testing.T) {
	tests := map[string]struct {
		free   int64
		relies enrich.Fields
		want   []int // seconds of the readings within three minutes
	}{
		"nothing is left":             {0, email, []int{60, 120, 180}},
		"nothing is counted on":       {3, 0, []int{60, 120, 180}},
		"another field is counted on": {3, phone, []int{60, 120, 180}},
		"until they are used up":      {3, email, []int{10, 20, 30, 40, 100, 160}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
				r.service.account.Free[v1.WorkEmail] = cost.Known(test.free)
				if err := r.journal.Rebase(r.service.account); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+time.Second)
				defer cancel()
				monitor := r.monitor()
				monitor.Free = test.relies
				time.AfterFunc(5*time.Second, func() { r.run(people(2, email)) })
				time.AfterFunc(35*time.Second, func() { r.service.takeFree(1) })
				monitor.Watch(ctx, func(cost.Drift) {})
				var got []int
				for _, at := range r.service.reads {
					got = append(got, int(at.Sub(start)/time.Second))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("readings (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAHigherPriceSeenDuringARunHaltsIt has a service charge more than the price in use,
// which it shows only once the free units are used up.
func TestAHigherPriceSeenDuringARunHaltsIt(t *testing.T) {
	const (
		free  = 20
		inUse = 9 * cost.Cent // the service charges 0.15
		pace  = 1300 * time.Millisecond
		took  = 3 * time.Second
	)
	withRig(t, func(call) reply { return answers(took) }, func(t *testing.T, r *rig) {
		r.service.account.Free[v1.WorkEmail] = cost.Known(int64(free))
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.service.status = showsPriceOnceUsedUp(prices[v1.WorkEmail])
		r.concurrency, r.pacer = 8, every(pace)
		r.prices = cost.Prices{v1.WorkEmail: inUse}
		r.maxSpend(30 * inUse)
		ctx, halt := dispatch.WithHalt(t.Context())
		defer halt(dispatch.Interrupted{})
		monitor := r.monitor()
		monitor.Free, monitor.Prices, monitor.Halt = email, r.prices, halt
		watching, endWatch := context.WithCancel(t.Context())
		var reported cost.Drift
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			monitor.Watch(watching, func(d cost.Drift) { reported = d })
		}()
		o := r.runWith(ctx, people(100, email))
		endWatch()
		<-watched
		want := dispatch.PriceHigher{Field: v1.WorkEmail, InUse: inUse, Shown: prices[v1.WorkEmail]}
		if o.err != nil || o.stop != want || o.word() != "service:price_higher" {
			t.Fatalf("stop %+v, error %v; want %+v", o.stop, o.err, want)
		}
		paid := int64(len(r.service.calls)) - free
		if most := int64(1 + (reading+took)/pace); paid <= 0 || paid > most {
			t.Errorf("%d lookups were paid at the higher price; want some, and at most the %d that began before a reading", paid, most)
		}
		if o.tally.Answered != free+paid || r.service.inFlight != 0 {
			t.Errorf("tally %+v, %d in flight; want every call that left answered", o.tally, r.service.inFlight)
		}
		if reported.Prices[v1.WorkEmail] != want.Shown {
			t.Errorf("drift %+v; want it to name the price", reported)
		}
		drift, err := monitor.Read(t.Context())
		if more := (want.Shown - inUse) * cost.Money(paid); err != nil || drift.Lost.Money() != more || monitor.StopOf(drift) != want {
			t.Errorf("drift %+v, error %v; want $%s more than was counted", drift, err, more)
		}
		// With the right price the rest is asked for.
		r.prices = prices
		r.maxSpend(100 * cost.Dollar)
		if o := r.run(people(100, email)); o.stop != nil || len(r.service.calls) != 100 {
			t.Errorf("stop %v after %d calls; want 100 in all", o.stop, len(r.service.calls))
		}
	})
}

// showsPriceOnceUsedUp is a status that shows the price of an email when none is free.
func showsPriceOnceUsedUp(price cost.Money) func(int, cost.Account) (cost.Account, error) {
	return func(_ int, account cost.Account) (cost.Account, error) {
		most := price
		if account.Free[v1.WorkEmail].Value > 0 {
			most = 0
		}
		account.Most[v1.WorkEmail] = cost.Known(most)
		return account, nil
	}
}

// TestAHaltEndsARunWithItsReason halts a run twice, for two reasons.
func TestAHaltEndsARunWithItsReason(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Minute) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		ctx, halt := dispatch.WithHalt(t.Context())
		want := dispatch.ServiceRefused{Code: "first"}
		time.AfterFunc(time.Second, func() { halt(want); halt(dispatch.Interrupted{}) })
		if o := r.runWith(ctx, people(9, email)); o.err != nil || o.stop != want || o.tally.Answered != 3 || len(r.service.calls) != 3 {
			t.Errorf("stop %v, error %v, tally %+v; want the first reason and the three in flight", o.stop, o.err, o.tally)
		}
	})
}
