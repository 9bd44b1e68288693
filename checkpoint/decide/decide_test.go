package decide_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var now = time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)

// drawView draws a view of the scopes "run" and "workspace/2026-11" in which every combination
// of holds, doubts, slots and pauses may occur.
func drawView(t *rapid.T) decide.View {
	view := decide.View{Now: now, Subject: drawSubject(t)}
	for number := range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "other identities") {
		view.Same = append(view.Same, decide.Other{Key: enrich.Key{1 + byte(number)}, Subject: drawSubject(t)})
	}
	for _, name := range []string{"run", "workspace/2026-11"} {
		view.Scopes = append(view.Scopes, drawScope(t, name))
	}
	view.Account = decide.Account{
		Ceilings: drawCeilings(t, "run"),
		Window:   drawWindow(t),
	}
	for m := range freeMeters.Each() {
		view.Account.Allowance.Left[m] = rapid.Int64Range(-1, 3).Draw(t, "free units left")
		view.Account.Allowance.Held[m] = rapid.Int64Range(0, 2).Draw(t, "free units held")
		view.Account.Allowance.Doubted[m] = rapid.Int64Range(0, 2).Draw(t, "free units in doubt")
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "limits") {
		limit := attempt.Limit{Meters: cost.Meters(rapid.Uint16Range(1, 1<<4-1).Draw(t, "limited"))}
		if rapid.Bool().Draw(t, "ends") {
			limit.Until = now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "end")) * time.Minute)
		}
		view.Account.Limits = append(view.Account.Limits, limit)
	}
	if rapid.IntRange(0, 3).Draw(t, "pause") == 0 {
		view.Account.PausedUntil = now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "until")) * time.Minute)
	}
	return view
}

// drawSubject draws what is known under one identity.
func drawSubject(t *rapid.T) (s decide.Subject) {
	for f := range v1.AllFields.Each() {
		state := rapid.SampledFrom([]attempt.FieldState{
			attempt.Unasked, attempt.Unasked, attempt.Unasked, attempt.Unasked, attempt.Found, attempt.Missing,
			attempt.Rejected, attempt.OutcomeUnknown, attempt.PaidAndGone, attempt.Forgotten,
		}).Draw(t, "state")
		if state == attempt.Unasked {
			continue
		}
		s.States[f] = state
		s.Attempts[f] = attempt.ID(rapid.IntRange(1, 5).Draw(t, "attempt"))
		s.At[f] = now.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "hours")) * time.Hour)
		if state == attempt.OutcomeUnknown && rapid.Bool().Draw(t, "in flight") {
			s.InFlight = s.InFlight.With(f)
		}
	}
	return s
}

// under returns what is known under the identity that a refusal names, zero for that of the request.
func under(t *rapid.T, view decide.View, key enrich.Key) decide.Subject {
	if key == (enrich.Key{}) {
		return view.Subject
	}
	i := slices.IndexFunc(view.Same, func(o decide.Other) bool { return o.Key == key })
	if i < 0 {
		t.Fatalf("the refusal names the identity %v, which is not of the subject", key)
	}
	return view.Same[i].Subject
}

func drawScope(t *rapid.T, name string) *decide.Scope {
	scope := &decide.Scope{Name: name}
	scope.InFlight.Open = rapid.Int64Range(0, 3).Draw(t, "in flight")
	scope.InFlight.Held = cost.OfMoney(10 * cost.Cent).Times(scope.InFlight.Open)
	scope.Totals.Lookups = rapid.Int64Range(0, 3).Draw(t, "lookups")
	scope.Totals.Open = scope.InFlight.Open + rapid.Int64Range(0, 2).Draw(t, "in doubt")
	scope.Totals.Held = cost.OfMoney(10 * cost.Cent).Times(scope.Totals.Open)
	scope.Totals.Settled = cost.OfMoney(10 * cost.Cent).Times(rapid.Int64Range(0, 5).Draw(t, "settled"))
	return scope
}

func drawCeilings(t *rapid.T, scope string) (ceilings []cost.Ceiling) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "ceilings") {
		ceiling := cost.Ceiling{Name: scope, Scope: scope}
		if scope == "workspace" {
			ceiling.Period = cost.Month
		}
		ceiling.Limit = rapid.Int64Range(0, 30).Draw(t, "limit") * int64(10*cost.Cent)
		if rapid.Bool().Draw(t, "of lookups") {
			ceiling.Meter, ceiling.Limit = cost.Lookups, rapid.Int64Range(0, 20).Draw(t, "limit")
		}
		ceilings = append(ceilings, ceiling)
	}
	return ceilings
}

func drawWindow(t *rapid.T) decide.Window {
	w := decide.Window{
		Slots:    rapid.IntRange(1, 9).Draw(t, "slots"),
		InFlight: rapid.IntRange(0, 3).Draw(t, "slots of calls in flight"),
		Cooling:  rapid.IntRange(0, 2).Draw(t, "slots of calls that ended"),
	}
	if w.Cooling > 0 {
		w.NextFree = now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "next free")) * time.Second)
	}
	return w
}

func drawRequest(t *rapid.T) attempt.Request {
	fields := rapid.Custom(func(t *rapid.T) enrich.Fields {
		return enrich.Fields(rapid.Uint8Range(0, uint8(v1.AllFields)).Draw(t, "fields"))
	})
	onlyFree := rapid.OneOf(rapid.Just(enrich.Fields(0)), fields)
	return attempt.Request{
		Lookup: enrich.Lookup{Fields: fields.Filter(func(f enrich.Fields) bool { return f != 0 }).Draw(t, "asked")},
		Run:    "run", Rates: rates,
		Ceilings: append(drawCeilings(t, "run"), drawCeilings(t, "workspace")...),
		Strict:   rapid.Bool().Draw(t, "strict"), OnlyFree: onlyFree.Draw(t, "only free"),
		Reask: attempt.Reask{
			Before:    now.Add(-time.Duration(rapid.IntRange(0, 4).Draw(t, "reask")) * 90 * time.Minute),
			Forfeited: rapid.Bool().Draw(t, "reask forfeited"),
			UpTo:      attempt.ID(max(0, rapid.IntRange(-3, 5).Draw(t, "reask up to"))),
		},
	}
}

var (
	tariff = cost.AllowancePerField(enrich.Named("work_email", "business_phone"))
	rates  = tariff.At(cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent})

	freeMeters = cost.MetersOf(tariff.Rates[v1.WorkEmail].Allowance, tariff.Rates[v1.BusinessPhone].Allowance)
)

// TestDecisionsAgreeWithEveryLimit checks every decision against the limits, each computed here from
// the view in the simplest way.
func TestDecisionsAgreeWithEveryLimit(t *testing.T) {
	kinds := map[string]int{}
	check := func(t *rapid.T) {
		view, req := drawView(t), drawRequest(t)
		decision, changes, err := decide.Decide(view, req)
		if err != nil {
			t.Fatal(err)
		}
		kinds[fmt.Sprintf("%T", decision)]++
		if _, ok := decision.(attempt.Granted); ok != (changes != nil) {
			t.Fatalf("decision %#v with changes %+v", decision, changes)
		}
		if changes != nil {
			checkSubject(t, view, req)
			checkHold(t, view, req, changes)
			checkCeilings(t, view, req, changes.Hold)
			checkWindow(t, view)
			checkLimits(t, view, changes.Hold)
			return
		}
		checkRefusal(t, view, req, decision)
	}
	for range 10 {
		if rapid.Check(t, check); len(kinds) == 8 {
			return
		}
	}
	t.Errorf("only these decisions were checked: %v", kinds)
}

// checkSubject fails when a field was granted that may have been paid for.
func checkSubject(t *rapid.T, view decide.View, req attempt.Request) {
	for f := range req.Lookup.Fields.Each() {
		at := view.Subject.At[f]
		changed := view.Subject.Attempts[f] <= req.Reask.UpTo // an observed change is later than the answer
		switch state := view.Subject.States[f]; state {
		case attempt.OutcomeUnknown, attempt.Forgotten:
			t.Errorf("%s in state %d was granted", f, state)
		case attempt.Found:
			if !changed {
				t.Errorf("%s of attempt %d was found and granted up to %d", f, view.Subject.Attempts[f], req.Reask.UpTo)
			}
		case attempt.Missing, attempt.Rejected:
			if !at.Before(req.Reask.Before) && !(changed && state == attempt.Missing) {
				t.Errorf("%s came back empty at %s and was granted", f, at)
			}
		case attempt.PaidAndGone:
			if !req.Reask.Forfeited {
				t.Errorf("%s was forfeited and granted", f)
			}
		}
		for _, other := range view.Same {
			switch state := other.States[f]; state {
			case attempt.OutcomeUnknown, attempt.Forgotten:
				t.Errorf("%s in state %d under another identity was granted", f, state)
			case attempt.Found:
				if other.Attempts[f] > req.Reask.UpTo {
					t.Errorf("%s of attempt %d was found under another identity and granted up to %d", f, other.Attempts[f], req.Reask.UpTo)
				}
			case attempt.PaidAndGone:
				if !req.Reask.Forfeited {
					t.Errorf("%s was forfeited under another identity and granted", f)
				}
			}
		}
	}
}

// checkHold fails when the hold does not cover what the call can cost.
func checkHold(t *rapid.T, view decide.View, req attempt.Request, changes *decide.Changes) {
	hold := changes.Hold
	if hold.Fields != req.Lookup.Fields || !cmp.Equal(hold.Rates, rates) || changes.Strict != req.Strict {
		t.Errorf("the changes are %+v", changes)
	}
	if req.Strict && hold.Free != 0 {
		t.Errorf("a strict request holds free units of %s", hold.Free)
	}
	if paid := req.OnlyFree & hold.Fields.Without(hold.Free); paid != 0 {
		t.Errorf("%s hold money and must be free", paid)
	}
	for f := range hold.Free.Each() {
		a, m := view.Account.Allowance, rates[f].Allowance
		if a.Left[m]-a.Held[m]-a.Doubted[m] < 1 {
			t.Errorf("%s holds a free unit of %+v", f, a)
		}
	}
	for f := range hold.Fields.Each() {
		wantEarlier := view.Subject.States[f] == attempt.PaidAndGone
		if got := slices.Contains(changes.Earlier[f], view.Subject.Attempts[f]); got != wantEarlier {
			t.Errorf("%s in state %d: earlier attempts %d", f, view.Subject.States[f], changes.Earlier[f])
		}
		var before []attempt.ID
		if id := view.Subject.Attempts[f]; id != 0 {
			before = []attempt.ID{id}
		}
		if !slices.Equal(changes.Before[f], before) {
			t.Errorf("%s was decided by %d, and the intent says %d", f, before, changes.Before[f])
		}
		isRenewed := view.Subject.States[f] == attempt.Found && view.Subject.Attempts[f] <= req.Reask.UpTo
		if isRenewed && changes.UpTo != req.Reask.UpTo {
			t.Errorf("%s is asked for again up to %d, and the intent says %d", f, req.Reask.UpTo, changes.UpTo)
		}
	}
}

func totalsIn(view decide.View, name string) *decide.Scope {
	i := slices.IndexFunc(view.Scopes, func(s *decide.Scope) bool { return s.Name == name })
	return view.Scopes[i]
}

func limits(view decide.View, req attempt.Request) []cost.Ceiling {
	var all []cost.Ceiling
	for _, ceiling := range slices.Concat(view.Account.Ceilings, req.Ceilings) {
		if ceiling.Period == cost.Month {
			ceiling.Scope, ceiling.Period = ceiling.Scope+"/2026-11", cost.Ever
		}
		all = append(all, ceiling)
	}
	return all
}

// after returns what a ceiling counts once the call holds its money.
func after(ceiling cost.Ceiling, totals cost.Totals, hold cost.Hold) (used int64, adds bool) {
	if ceiling.Meter == cost.Lookups {
		return totals.Lookups + totals.Forfeited + totals.Uncharged + totals.Open + 1, true
	}
	held := hold.Amounts()[ceiling.Meter]
	return totals.Settled[ceiling.Meter] + totals.Held[ceiling.Meter] + held, held > 0
}

func checkCeilings(t *rapid.T, view decide.View, req attempt.Request, hold cost.Hold) {
	for _, ceiling := range limits(view, req) {
		if used, adds := after(ceiling, totalsIn(view, ceiling.Scope).Totals, hold); adds && used > ceiling.Limit {
			t.Errorf("%+v comes to %d", ceiling, used)
		}
	}
}

func checkWindow(t *rapid.T, view decide.View) {
	w := view.Account.Window
	if w.InFlight+w.Cooling+1 > w.Slots {
		t.Errorf("a window of %+v gets one more call", w)
	}
	if view.Account.PausedUntil.After(view.Now) {
		t.Errorf("a call is granted during the pause until %s", view.Account.PausedUntil)
	}
}

// checkLimits fails when a call was granted that can consume something of which the account's limit is reached.
func checkLimits(t *rapid.T, view decide.View, hold cost.Hold) {
	for _, limit := range view.Account.Limits {
		if limit.Until.IsZero() || limit.Until.After(view.Now) {
			for m, amount := range hold.Amounts() {
				if amount > 0 && limit.Meters.Has(cost.Meter(m)) {
					t.Errorf("a call that needs meter %d is granted under %+v", m, limit)
				}
			}
		}
	}
}

// checkRefusal fails when a refusal has no reason in the view. A Blocked call is tried again
// when a call in flight ends, so there must be one.
func checkRefusal(t *rapid.T, view decide.View, req attempt.Request, decision attempt.Decision) {
	switch d := decision.(type) {
	case attempt.Blocked:
		inFlight := view.Subject.InFlight != 0 || view.Account.Window.InFlight > 0
		for _, other := range view.Same {
			inFlight = inFlight || other.InFlight != 0
		}
		for m := range freeMeters.Each() {
			inFlight = inFlight || view.Account.Allowance.Held[m] > 0
		}
		for _, scope := range view.Scopes {
			inFlight = inFlight || scope.InFlight.Open > 0
		}
		if !inFlight {
			t.Error("the request waits for a call in flight, and there is none")
		}
	case attempt.Later:
		if !d.Until.After(view.Now) {
			t.Errorf("the request waits until %s, which has passed", d.Until)
		}
	case attempt.Limited:
		if !slices.Contains(view.Account.Limits, d.Limit) || !d.Until.IsZero() && !d.Until.After(view.Now) {
			t.Errorf("the request is refused because of %+v, and the limits are %+v", d.Limit, view.Account.Limits)
		}
		for _, other := range view.Account.Limits {
			if other.Meters == d.Meters && other.Outlasts(d.Limit) {
				t.Errorf("%+v lasts longer than %+v", other, d.Limit)
			}
		}
	case attempt.Over:
		if d.Need <= d.Left {
			t.Errorf("%+v refuses what fits", d)
		}
	case attempt.Known:
		known := under(t, view, d.Under)
		for f := range d.Fields.Each() {
			if known.Askable(f, req.Reask) {
				t.Errorf("%s may be asked for and is called known", f)
			}
			if state := known.States[f]; d.Under != (enrich.Key{}) && (state == attempt.Missing || state == attempt.Rejected) {
				t.Errorf("%s in state %d under another identity is called known", f, state)
			}
		}
	case attempt.Unsettled:
		if known := under(t, view, d.Under); d.Fields&known.InFlight != 0 {
			t.Errorf("%s are in flight and called in doubt", d.Fields)
		}
	case attempt.Paid:
		if d.Fields == 0 || d.Fields.Without(req.OnlyFree) != 0 {
			t.Errorf("%s hold money, and %s must be free", d.Fields, req.OnlyFree)
		}
	}
}

// TestDecideDependsOnItsArgumentsAlone decides twice and compares the results, and the view and
// the request with copies of them.
func TestDecideDependsOnItsArgumentsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view, req := drawView(t), drawRequest(t)
		copied := view
		copied.Scopes, copied.Same = nil, slices.Clone(view.Same)
		for _, scope := range view.Scopes {
			s := *scope
			copied.Scopes = append(copied.Scopes, &s)
		}
		copied.Account.Ceilings = slices.Clone(view.Account.Ceilings)
		asked := req
		asked.Ceilings = slices.Clone(req.Ceilings)
		first, firstChanges, _ := decide.Decide(view, req)
		second, secondChanges, _ := decide.Decide(view, req)
		if diff := cmp.Diff(first, second, cmp.Comparer(func(a, b attempt.Granted) bool { return true })); diff != "" {
			t.Errorf("the second decision differs: %s", diff)
		}
		if diff := cmp.Diff(firstChanges, secondChanges); diff != "" {
			t.Errorf("the second changes differ: %s", diff)
		}
		if diff := cmp.Diff(copied, view); diff != "" {
			t.Errorf("the view has changed: %s", diff)
		}
		if diff := cmp.Diff(asked, req); diff != "" {
			t.Errorf("the request has changed: %s", diff)
		}
	})
}

func TestDecideRefusesUnknownPricesAndForeignScopes(t *testing.T) {
	scopes := []*decide.Scope{{Name: "run"}}
	for name, req := range map[string]attempt.Request{
		"a price that is unknown": {Lookup: enrich.Lookup{Fields: v1.AllFields}, Rates: cost.Rates{}},
		"a ceiling on a scope that the call does not count in": {
			Lookup: enrich.Lookup{Fields: v1.AllFields}, Rates: rates,
			Ceilings: []cost.Ceiling{{Name: "loose", Scope: "other", Limit: int64(cost.Dollar)}},
		},
	} {
		view := decide.View{Now: now, Scopes: scopes, Account: decide.Account{Window: decide.Window{Slots: 1}}}
		if decision, changes, err := decide.Decide(view, req); err == nil || changes != nil {
			t.Errorf("%s: decision %#v, changes %+v, error %v", name, decision, changes, err)
		}
	}
}
