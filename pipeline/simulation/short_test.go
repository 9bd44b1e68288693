package simulation_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
)

// fieldsOf returns the fields that were asked for, by person.
func (s *scripted) fieldsOf() map[string][]enrich.Fields {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := map[string][]enrich.Fields{}
	for _, c := range s.calls {
		asked[c.who] = append(asked[c.who], c.fields)
	}
	return asked
}

func TestPhonesAreDroppedWhenTheBudgetIsShort(t *testing.T) {
	tests := map[string]struct {
		limit   cost.Money
		asked   []enrich.Fields // of p1, p2, … , 0 for nobody
		dropped int64
	}{
		"enough for all":                   {200 * cost.Cent, []enrich.Fields{3, 3, 3, 3, 3}, 0},
		"a phone does not fit any more":    {110 * cost.Cent, []enrich.Fields{3, 3, 1, 1, 0}, 2},
		"enough for a phone alone by then": {70 * cost.Cent, []enrich.Fields{3, 1, 1, 0, 0}, 3},
		"emails from the start":            {35 * cost.Cent, []enrich.Fields{1, 1, 0, 0, 0}, 3},
		"not even an email":                {14 * cost.Cent, []enrich.Fields{0, 0, 0, 0, 0}, 1},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
				r.concurrency, r.expendable = 3, enrich.FieldsOf(v1.BusinessPhone)
				r.maxSpend(test.limit)
				o := r.run(people(5, v1.AllFields))
				want := map[string][]enrich.Fields{}
				for i, fields := range test.asked {
					if fields != 0 {
						want[name(i+1)] = []enrich.Fields{fields}
					}
				}
				if diff := cmp.Diff(want, r.service.fieldsOf()); diff != "" {
					t.Errorf("fields asked for (-want +got):\n%s", diff)
				}
				if stopped := o.word() == "ceiling:max-spend"; o.tally.Dropped < test.dropped-1 || stopped != (test.dropped > 0) || r.service.charged > test.limit {
					t.Errorf("%d phones dropped, stop %q, charged %s of %s", o.tally.Dropped, o.word(), r.service.charged, test.limit)
				}
			})
		})
	}
}

// TestDroppedPhonesLeaveTheCeilingAsTheStop ends at the list's end: the ceiling is still
// why the run is not done.
func TestDroppedPhonesLeaveTheCeilingAsTheStop(t *testing.T) {
	script := func(c call) reply { return answersWith(time.Second, phone) }
	withRig(t, script, func(t *testing.T, r *rig) {
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(60 * cost.Cent) // for one phone and then 0.35
		lookups := append(people(3, v1.AllFields), lookupsOf(phone, "p4", "p5")...)
		o := r.run(lookups)
		want := map[string][]enrich.Fields{"p1": {v1.AllFields}, "p2": {email}, "p3": {email}}
		if diff := cmp.Diff(want, r.service.fieldsOf()); diff != "" {
			t.Errorf("fields asked for (-want +got):\n%s", diff)
		}
		stop, ok := o.stop.(dispatch.CeilingReached)
		if !ok || stop.Ceiling.Name != "max-spend" || stop.Need != int64(40*cost.Cent) || stop.Left != int64(35*cost.Cent) {
			t.Errorf("stop %+v; want the ceiling that a phone did not fit under", o.stop)
		}
		if o.tally.Dropped != 4 || o.tally.Lookups != 3 || len(r.notes) != 1 {
			t.Errorf("tally %+v, notes %q; want 4 phones dropped, 3 lookups and one note", o.tally, r.notes)
		}
		r.maxSpend(2 * cost.Dollar) // the same command with more money asks for the rest
		if o := r.run(lookups); o.stop != nil || len(r.service.calls) != 7 || o.tally.Dropped != 0 {
			t.Errorf("stop %v after %d calls; want 7: four phones more", o.stop, len(r.service.calls))
		}
	})
}

func TestDroppedPhonesTakeNoTime(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.expendable, r.pacer = enrich.FieldsOf(v1.BusinessPhone), every(time.Hour)
		r.maxSpend(15 * cost.Cent)
		start := time.Now()
		o := r.run(append(people(500, phone), lookupsOf(email, "x")...))
		if took := time.Since(start); took != time.Hour || o.tally.Answered != 1 || o.tally.Dropped != 500 {
			t.Errorf("after %s: tally %+v; want one hour: nothing was sent for a phone", took, o.tally)
		}
	})
}

func TestACeilingOnLookupsDropsNothing(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.ceilings = []cost.Ceiling{{Name: "max-lookups", Scope: checkpoint.RunScope("run"), Meter: cost.Lookups, Limit: 2}}
		o := r.run(people(4, v1.AllFields))
		if o.word() != "ceiling:max-lookups" || o.tally.Dropped != 0 || len(r.service.calls) != 2 {
			t.Errorf("stop %q after %d calls, %d dropped; want ceiling:max-lookups after 2", o.word(), len(r.service.calls), o.tally.Dropped)
		}
	})
}

func TestAShortBudgetStopsTheRunUnlessPhonesMayBeDropped(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.maxSpend(50 * cost.Cent)
		if o := r.run(people(4, v1.AllFields)); o.word() != "ceiling:max-spend" || len(r.service.calls) != 1 || o.tally.Dropped != 0 {
			t.Errorf("stop %q after %d calls; want the ceiling after 1", o.word(), len(r.service.calls))
		}
	})
}

// TestWhatALostCallHoldsIsWaitedForBeforePhonesAreDropped has a lost call hold the
// money that the next lookup needs.
func TestWhatALostCallHoldsIsWaitedForBeforePhonesAreDropped(t *testing.T) {
	withRig(t, losesFirst(0, "p1"), func(t *testing.T, r *rig) {
		r.expendable, r.concurrency = enrich.FieldsOf(v1.BusinessPhone), 1
		r.maxSpend(80 * cost.Cent)
		o := r.run(people(2, v1.AllFields))
		if o.stop != nil || o.tally.Dropped != 0 || o.tally.Answered != 2 {
			t.Errorf("stop %v, tally %+v; want both phones: the lost call was not charged", o.stop, o.tally)
		}
	})
}

// TestARetryDropsThePhoneWhenTheBudgetIsShort has a lookup fail while there was money for its
// phone, and come again when there is none.
func TestARetryDropsThePhoneWhenTheBudgetIsShort(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" && c.try == 1 {
			return refuses(0, enrich.TryAgain, "temporarily_unavailable")
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(95 * cost.Cent)
		o := r.run(people(3, v1.AllFields))
		asked := r.service.fieldsOf()
		if !slices.Equal(asked["p1"], []enrich.Fields{v1.AllFields, email}) || o.word() != "ceiling:max-spend" || o.tally.Dropped != 1 {
			t.Errorf("asked %v, stop %q, tally %+v; want p1's email without its phone", asked, o.word(), o.tally)
		}
	})
}

func TestAnInterruptIsTheStopOfARunThatDroppedPhones(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(95 * cost.Cent)
		if o := r.runWith(ctx, people(9, v1.AllFields)); o.word() != "interrupted" || o.tally.Dropped != 1 {
			t.Errorf("stop %q, tally %+v; want interrupted", o.word(), o.tally)
		}
	})
}

func TestRowsSayThatThePhoneWasNotAskedFor(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p3" {
			return answersWith(0, 0)
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(70 * cost.Cent)
		o := r.run(people(5, v1.AllFields))
		list := profileList(names(5)...)
		output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, v1.AllFields), Run: "run", Stopped: o.word()}
		w := r.writeAs(list, output, r.journal)
		w.want(t, "enrich_status", "matched", "partial", "not_found", "partial", "not_attempted")
		w.want(t, "enrich_reason", "",
			"business_phone not asked for: ceiling:max-spend",
			"work_email not found, business_phone not asked for: ceiling:max-spend",
			"business_phone not asked for: ceiling:max-spend",
			"ceiling:max-spend")
		w.want(t, "enrich_charge_usd", "0.40", "0.15", "0.00", "0.15", "")
		w.want(t, "work_email", "ada@co.example", "ada@co.example", "", "ada@co.example", "")
		again := r.writeAs(list, output, r.journal)
		if diff := cmp.Diff(w.text, again.text); diff != "" {
			t.Errorf("the output again (-first +second):\n%s", diff)
		}
	})
}

// TestFreePhonesAreNotDropped has phones that are free and emails that are
// not: a short budget costs no phone that costs nothing.
func TestFreePhonesAreNotDropped(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.service.account.Free[v1.BusinessPhone] = cost.Known(int64(3))
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(35 * cost.Cent)
		// Three free phones, then one that does not fit with its email, and one alone.
		o := r.run(append(people(4, v1.AllFields), lookupsOf(phone, "p5")...))
		want := map[string][]enrich.Fields{"p1": {v1.AllFields}, "p2": {v1.AllFields}}
		if diff := cmp.Diff(want, r.service.fieldsOf()); diff != "" {
			t.Errorf("fields asked for (-want +got):\n%s", diff)
		}
		stop, ok := o.stop.(dispatch.CeilingReached)
		if !ok || stop.Need != int64(15*cost.Cent) || stop.Left != int64(5*cost.Cent) || o.tally.Dropped != 0 {
			t.Errorf("stop %+v, %d dropped; want an email that does not fit", o.stop, o.tally.Dropped)
		}
	})
}

// TestAFreePhoneIsAskedForOnceMoneyIsShort has one free phone when no other fits.
func TestAFreePhoneIsAskedForOnceMoneyIsShort(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" {
			return answersWith(10*time.Second, email) // no phone: its unit comes back
		}
		return answers(time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.expendable = enrich.FieldsOf(v1.BusinessPhone)
		r.maxSpend(60 * cost.Cent)
		base := r.service.account
		base.Free[v1.BusinessPhone] = cost.Known(int64(1))
		lookups := append(people(2, v1.AllFields), lookupsOf(phone, "p3", "p4")...)
		r.run(lookups[:1]) // 0.15, without its phone
		r.run(lookups[1:2])
		if err := r.journal.Rebase(base); err != nil {
			t.Fatal(err)
		}
		o := r.run(lookups[2:])
		if asked := r.service.fieldsOf(); len(asked["p3"]) != 1 || len(asked["p4"]) != 0 || o.tally.Dropped != 1 {
			t.Errorf("asked %v, %d dropped; want the free phone of p3 and not that of p4", asked, o.tally.Dropped)
		}
	})
}
