package pipeline_test

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
	"payonce/pipeline"
)

// ready returns a readiness that allows calls, or one that gives a reason why not.
func ready(reason string) cost.Readiness {
	return cost.Readiness{CanCall: cost.Known(reason == ""), Reason: reason}
}

func TestPrecheck(t *testing.T) {
	emails := map[enrich.Operation]int64{enrich.FindWorkEmail: 3, enrich.FindPhone: 0}
	tests := map[string]struct {
		account cost.Account
		lookups map[enrich.Operation]int64
		want    string
	}{
		"all is well":                {cost.Account{KeyValid: cost.Known(true), Readiness: map[string]cost.Readiness{"email": ready("")}}, emails, ""},
		"the status tells nothing":   {cost.Account{}, emails, ""},
		"an invalid key":             {cost.Account{KeyValid: cost.Known(false)}, emails, "service:invalid_api_key"},
		"emails are not ready":       {cost.Account{Readiness: map[string]cost.Readiness{"email": ready("credits_exhausted")}}, emails, "service:credits_exhausted"},
		"not ready without a reason": {cost.Account{Readiness: map[string]cost.Readiness{"email": {CanCall: cost.Known(false)}}}, emails, "service:not_ready"},
		"readiness is left out":      {cost.Account{Readiness: map[string]cost.Readiness{"email": {Reason: "unclear"}}}, emails, ""},
		"what is not asked for is not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"phone": ready("no"), "both": ready("no")}}, emails, "",
		},
		"both are not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"email": ready(""), "both": ready("usage_budget_reached")}},
			map[enrich.Operation]int64{enrich.EnrichContact: 1},
			"service:usage_budget_reached",
		},
		"phones are not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"phone": ready("free_allowance_exhausted")}},
			map[enrich.Operation]int64{enrich.FindPhone: 1},
			"service:free_allowance_exhausted",
		},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := outcome{stop: pipeline.Precheck(test.account, pipeline.Counts{Lookups: test.lookups})}
			if got.word() != test.want {
				t.Errorf("stop %q, want %q", got.word(), test.want)
			}
		})
	}
}

// charging returns an account that says what an email may cost at most.
func charging(most cost.Money, freeLeft int64) cost.Account {
	return cost.Account{
		Free:      [enrich.NumFields]cost.Optional[int64]{enrich.WorkEmail: cost.Known(freeLeft)},
		Readiness: map[string]cost.Readiness{"email": {MaximumCharge: cost.Known(most)}},
	}
}

func TestCheckPrices(t *testing.T) {
	tests := map[string]struct {
		account cost.Account
		prices  cost.Prices
		wanted  enrich.Fields
		want    []string // parts of the error; none for no error
	}{
		"as the rate card says":      {charging(15*cost.Cent, 0), prices, email, nil},
		"still free":                 {charging(0, 5), prices, email, nil},
		"the status tells nothing":   {cost.Account{}, prices, email, nil},
		"a field that is not wanted": {charging(cost.Dollar, 0), prices, phone, nil},
		"dearer than the rate card":  {charging(16*cost.Cent, 0), prices, enrich.AllFields, []string{"$0.16", "work_email", "$0.15", "--rate-option"}},
		"an unknown price":           {cost.Account{}, cost.Prices{enrich.WorkEmail: cost.Cent}, enrich.AllFields, []string{"business_phone is unknown"}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			err := pipeline.CheckPrices(test.account, test.prices, test.wanted)
			if test.want == nil && err != nil {
				t.Errorf("error %v, want none", err)
			}
			if test.want != nil {
				wantError(t, err, test.want...)
			}
		})
	}
}

func TestCheaperPrices(t *testing.T) {
	tests := map[string]struct {
		account cost.Account
		notes   int
	}{
		"as the rate card says":      {charging(15*cost.Cent, 0), 0},
		"cheaper":                    {charging(12*cost.Cent, 0), 1},
		"cheaper while still free":   {charging(12*cost.Cent, 5), 0},
		"zero, which tells no price": {charging(0, 0), 0},
		"the status tells nothing":   {cost.Account{}, 0},
	}
	for title, test := range tests {
		if got := pipeline.CheaperPrices(test.account, prices, enrich.AllFields); len(got) != test.notes {
			t.Errorf("%s: notes %q, want %d", title, got, test.notes)
		}
	}
}

func (r *rig) monitor() *pipeline.Monitor {
	return &pipeline.Monitor{Status: r.service, Accountant: r.journal, Scope: checkpoint.ScopeAccount}
}

// spendElsewhere is another user of the workspace.
func (s *scripted) spendElsewhere(amount cost.Money, freeEmails int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account.Balance.Available.Value -= amount
	s.account.Free[enrich.WorkEmail].Value -= freeEmails
}

func TestTheMonitorShowsWhatAnotherUserSpent(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(4, email))
		for _, spent := range []cost.Money{0, 30 * cost.Cent} {
			r.service.spendElsewhere(spent, 0)
			drift, err := r.monitor().Read(t.Context())
			if diff := cmp.Diff(cost.Drift{Money: spent}, drift); diff != "" || err != nil {
				t.Errorf("error %v, drift (-want +got):\n%s", err, diff)
			}
		}
	})
}

func TestFreeUnitsTakenByOthersAreNotCountedOn(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.service.account.Free[enrich.WorkEmail] = cost.Known(int64(5))
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.run(people(1, email))
		r.service.spendElsewhere(0, 3)
		for range 2 { // looking again changes nothing
			drift, err := r.monitor().Read(t.Context())
			if err != nil || drift.Free[enrich.WorkEmail] != 3 {
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

// TestTheMonitorTakesNoCallUnderWayForDrift reads while calls are in flight that
// the account is ahead of.
func TestTheMonitorTakesNoCallUnderWayForDrift(t *testing.T) {
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
		want := []cost.Drift{{Money: cost.Dollar}, {Money: 2 * cost.Dollar}}
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

// TestANewBaseInBetweenIsNoDrift has a reconciliation come between the monitor's
// look at the journal and the account's answer.
func TestANewBaseInBetweenIsNoDrift(t *testing.T) {
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
