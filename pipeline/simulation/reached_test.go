package simulation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// countUnits makes the account of a rig count emails and phones, as an interface counts the units of its
// modules. It returns their meters.
func countUnits(r *rig) (emails, phones cost.Meter) {
	r.t.Helper()
	r.tariff = v1.Tariff()
	emails, phones = cost.Meter(len(r.tariff.Meters)), cost.Meter(len(r.tariff.Meters)+1)
	r.tariff.Meters = append(r.tariff.Meters, cost.MeterInfo{Name: "emails"}, cost.MeterInfo{Name: "phones"})
	r.tariff.Rates[v1.WorkEmail].Uses[emails] = 1
	r.tariff.Rates[v1.BusinessPhone].Uses[phones] = 1
	r.disk = newDisk()
	r.open()
	if err := r.journal.Rebase(r.service.account); err != nil {
		r.t.Fatal(err)
	}
	return emails, phones
}

// mixed returns lookups of p1, p2, …: of emails and of phones by turns.
func mixed(n int) []enrich.Lookup {
	lookups := people(n, email)
	for i := 1; i < n; i += 2 {
		lookups[i].Fields = phone
	}
	return lookups
}

// sentCalls returns the calls that the service got, in the order of their arrival.
func sentCalls(r *rig) (sent []string) {
	for _, c := range r.service.calls {
		sent = append(sent, fmt.Sprintf("%s %s", c.who, v1.Catalogue().Words(c.fields)))
	}
	return sent
}

// limitReached refuses a call because the limit of emails is reached for an hour.
func limitReached(took time.Duration, until time.Time) reply {
	return reply{took: took, verdict: enrich.Refused{
		Class: enrich.StopRun, Code: "limits.daily", Message: "no more", Limit: enrich.Limit{Meter: "emails", Module: "mail", Until: until},
	}}
}

// TestALimitStopsOnlyTheLookupsThatUseIt: the others of the step go on. A start before the limit ends sends
// nothing that uses it, and one after it sends the rest.
func TestALimitStopsOnlyTheLookupsThatUseIt(t *testing.T) {
	var until time.Time
	limited := func(c call) bool { return c.fields == email && c.n > 2 && time.Now().Before(until) }
	script := func(c call) reply {
		if limited(c) {
			return limitReached(time.Second, until)
		}
		return answers(time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		until = time.Now().Add(time.Hour)
		countUnits(r)
		check := func(when string, o outcome, left int64, sent ...string) {
			t.Helper()
			stop, is := o.stop.(dispatch.ServiceRefused)
			if !is || stop.Module != "mail" || !stop.Until.Equal(until) {
				t.Errorf("%s: stopped by %+v, want the limit of mail", when, o.stop)
			}
			if diff := cmp.Diff(sent, sentCalls(r)); diff != "" {
				t.Errorf("%s: calls (-want +got):\n%s", when, diff)
			}
			if diff := cmp.Diff(map[string]int64{"service:limits.daily": left}, r.left); diff != "" || o.tally.NotSent != left {
				t.Errorf("%s: %d left, by reasons (-want +got):\n%s", when, o.tally.NotSent, diff)
			}
		}
		sent := []string{"p1 email", "p2 phone", "p3 email", "p4 phone", "p6 phone", "p8 phone"}
		check("the first start", r.run(mixed(8)), 3, sent...)
		check("the second start", r.run(mixed(10)), 4, append(sent, "p10 phone")...)
		<-time.After(time.Until(until))
		if o := r.run(mixed(10)); o.stop != nil || o.tally.Answered != 4 || len(r.left) > 0 {
			t.Errorf("after its end: stopped by %v, tally %+v, left %v", o.stop, o.tally, r.left)
		}
	})
}

// TestGrantedCallsAreNotSentAfterTheirLimitIsReached has the refusal of p1 come while the intents of p2, p3 and p4 are
// on their way to the disk. Those that use what is limited are not sent any more.
func TestGrantedCallsAreNotSentAfterTheirLimitIsReached(t *testing.T) {
	script := func(c call) reply {
		if c.n == 1 {
			return limitReached(5*time.Millisecond, time.Time{})
		}
		return answers(time.Millisecond)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		countUnits(r)
		holdTheSecondTicketBack(r)
		r.concurrency = 4
		lookups := people(6, email)
		lookups[2].Fields, lookups[4].Fields = phone, phone
		o := r.run(lookups)
		if diff := cmp.Diff([]string{"p1 email", "p3 phone", "p5 phone"}, sentCalls(r)); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if o.word() != "service:limits.daily" || o.tally.NotSent != 4 || o.tally.Posts != 3 {
			t.Errorf("stopped by %v, tally %+v", o.stop, o.tally)
		}
		if totals := r.journal.Totals(checkpoint.RunScope("run")); totals.Open != 0 {
			t.Errorf("%d attempts stay open", totals.Open)
		}
	})
}

// TestACeilingOnUnitsStopsOnlyTheLookupsThatUseThem has two ceilings. The run says the one that ends first,
// and what was left because of each.
func TestACeilingOnUnitsStopsOnlyTheLookupsThatUseThem(t *testing.T) {
	for _, concurrency := range []int{1, 4} {
		withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
			emails, phones := countUnits(r)
			r.concurrency = concurrency
			scope := checkpoint.RunScope("run")
			r.ceilings = []cost.Ceiling{
				{Name: "max-units emails", Scope: scope, Meter: emails, Limit: 1},
				{Name: "daily-units phones", Scope: scope, Meter: phones, Limit: 3, Period: cost.Day},
			}
			r.ceilings[1].Scope = checkpoint.WorkspaceScope
			o := r.run(append(mixed(12), enrich.Lookup{Identity: identity("both"), Fields: v1.AllFields}))
			sent := sentCalls(r)
			slices.Sort(sent) // calls that are in flight together arrive in any order
			if diff := cmp.Diff([]string{"p1 email", "p2 phone", "p4 phone", "p6 phone"}, sent); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			want := map[string]int64{"ceiling:max-units emails": 6, "ceiling:daily-units phones": 3}
			if diff := cmp.Diff(want, r.left); diff != "" || o.tally.NotSent != 9 {
				t.Errorf("%d left, by reasons (-want +got):\n%s", o.tally.NotSent, diff)
			}
			if o.word() != "ceiling:daily-units phones" {
				t.Errorf("stopped by %v, want the ceiling that renews", o.stop)
			}
		})
	}
}

// TestALostCallIsReconciledBeforeACeilingOnUnitsStops: what a lost call holds may come back. The second loss waits for
// more of them, until p5 does not fit beside it.
func TestALostCallIsReconciledBeforeACeilingOnUnitsStops(t *testing.T) {
	withRig(t, losesFirst(0, "p1", "p3"), func(t *testing.T, r *rig) {
		emails, _ := countUnits(r)
		r.shared = true
		r.ceilings = []cost.Ceiling{{Name: "max-units emails", Scope: checkpoint.RunScope("run"), Meter: emails, Limit: 2}}
		o := r.run(mixed(5))
		if diff := cmp.Diff([]string{"p1 email", "p1 email", "p2 phone", "p3 email", "p4 phone", "p3 email"}, sentCalls(r)); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if o.tally.NotSent != 1 || o.tally.Answered != 4 {
			t.Errorf("stopped by %v, tally %+v", o.stop, o.tally)
		}
	})
}

// TestLookupsGoOnWhenALimitEndsDuringTheStep has a limit of an hour, in which lookups of 20 minutes go on. The
// emails of the hour are left, and the later ones are sent.
func TestLookupsGoOnWhenALimitEndsDuringTheStep(t *testing.T) {
	for _, concurrency := range []int{1, 3} {
		var until time.Time
		script := func(c call) reply {
			if c.fields == email && time.Now().Before(until) {
				return limitReached(time.Second, until)
			}
			return answers(20 * time.Minute)
		}
		withRig(t, script, func(t *testing.T, r *rig) {
			until = time.Now().Add(time.Hour)
			r.concurrency = concurrency
			countUnits(r)
			o := r.run(mixed(40))
			stop, is := o.stop.(dispatch.ServiceRefused)
			if !is || !stop.Until.Equal(until) || o.tally.NotSent == 0 || o.tally.NotSent != r.left["service:limits.daily"] {
				t.Errorf("stopped by %v, %d left, by reasons %v", o.stop, o.tally.NotSent, r.left)
			}
			if o.tally.NotSent > int64(4*concurrency+2) || o.tally.Answered+o.tally.NotSent != 40 {
				t.Errorf("%d lookups in flight: %+v, but the limit ended early", concurrency, o.tally)
			}
			if next := r.run(mixed(40)); next.stop != nil || next.tally.Answered != o.tally.NotSent {
				t.Errorf("the next start: stopped by %v, tally %+v", next.stop, next.tally)
			}
		})
	}
}

// TestLookupsGoOnWhenADailyCeilingOnUnitsRenewsDuringTheStep has 2 emails a day, in a step of several days.
func TestLookupsGoOnWhenADailyCeilingOnUnitsRenewsDuringTheStep(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Hour) }, func(t *testing.T, r *rig) {
		emails, _ := countUnits(r)
		r.ceilings = []cost.Ceiling{
			{Name: "daily-units emails", Scope: checkpoint.WorkspaceScope, Meter: emails, Limit: 2, Period: cost.Day},
		}
		o := r.run(mixed(120))
		sent := map[string]int{}
		for _, c := range r.service.calls {
			if c.fields == email {
				sent[c.at.UTC().Format(time.DateOnly)]++
			}
		}
		// The clock of the test starts at a midnight. The 60 phones take 60 hours, and the emails 6.
		if diff := cmp.Diff(map[string]int{"2000-01-01": 2, "2000-01-02": 2, "2000-01-03": 2}, sent); diff != "" {
			t.Errorf("emails by day (-want +got):\n%s", diff)
		}
		if o.word() != "ceiling:daily-units emails" || o.tally.NotSent != 54 || r.left[o.word()] != 54 || len(r.left) != 1 {
			t.Errorf("stopped by %v, %d left, by reasons %v", o.stop, o.tally.NotSent, r.left)
		}
	})
}

// TestAStepStopsForTheLastEndOfALimit has two calls in flight refused, of which the second says a later end.
func TestAStepStopsForTheLastEndOfALimit(t *testing.T) {
	var until time.Time
	script := func(c call) reply {
		return limitReached(time.Duration(c.n)*time.Second, until.Add(time.Duration(c.n)*time.Hour))
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		until = time.Now()
		countUnits(r)
		r.concurrency = 2
		o := r.run(people(4, email))
		stop, is := o.stop.(dispatch.ServiceRefused)
		if !is || !stop.Until.Equal(until.Add(2*time.Hour)) || o.tally.NotSent != 4 || o.tally.Posts != 2 {
			t.Errorf("stopped by %+v, tally %+v", o.stop, o.tally)
		}
	})
}

// TestALimitDoesNotHideWhatEndedTheStep has limits on units and a ceiling that ends the step before its last
// lookup, also one that renews later than they do.
func TestALimitDoesNotHideWhatEndedTheStep(t *testing.T) {
	for name, c := range map[string]struct {
		ceiling cost.Ceiling
		halts   bool
	}{
		"max-lookups": {cost.Ceiling{Meter: cost.Lookups, Limit: 3}, true},
		"monthly":     {cost.Ceiling{Period: cost.Month, Meter: cost.USD, Limit: int64(80 * cost.Cent)}, true},
		"no other":    {cost.Ceiling{Meter: cost.Lookups, Limit: 9}, false},
	} {
		withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
			emails, _ := countUnits(r)
			c.ceiling.Name, c.ceiling.Scope = name, checkpoint.RunScope("run")
			if c.ceiling.Period != cost.Ever {
				c.ceiling.Scope = checkpoint.WorkspaceScope
			}
			daily := cost.Ceiling{Name: "daily-units emails", Scope: checkpoint.WorkspaceScope, Meter: emails, Limit: 1, Period: cost.Day}
			r.ceilings = []cost.Ceiling{daily, c.ceiling}
			o := r.run(mixed(8))
			want := "ceiling:daily-units emails"
			if c.halts {
				want = "ceiling:" + name
			}
			if o.word() != want || o.tally.Halted != c.halts || r.left["ceiling:daily-units emails"] < 2 {
				t.Errorf("%s: stopped by %v, left %v, tally %+v", name, o.stop, r.left, o.tally)
			}
		})
	}
}

// TestARunWithoutATariffSendsNothing: nothing would show which lookups a limit of the account stops.
func TestARunWithoutATariffSendsNothing(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		lookups := r.lookups()
		lookups.Tariff = cost.Tariff{}
		next := func() (enrich.Lookup, error) { return people(1, email)[0], nil }
		if _, _, err := lookups.Run(t.Context(), next); err == nil || len(r.service.calls) > 0 {
			t.Errorf("error %v, calls %v", err, sentCalls(r))
		}
	})
}
