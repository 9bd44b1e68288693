package cost_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// ledger is the least that a journal does: it counts every call in the scopes of the
// time at which it begins, and lets it go only when it fits under every ceiling.
type ledger struct {
	now      time.Time
	ceilings []cost.Ceiling
	totals   map[string]cost.Totals
	open     []entry
	// highest is the most that a ceiling ever came to, by its scope and name.
	highest map[cost.Ceiling]int64
}

// entry is a call without an outcome.
type entry struct {
	hold   cost.Hold
	scopes []string
}

// freeEmails is the meter of the free emails.
var freeEmails = tariff.Rates[email].Allowance

var jobs = []string{"job/a", "job/b"}

func newLedger(t *rapid.T) *ledger {
	l := &ledger{
		now: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC), totals: map[string]cost.Totals{}, highest: map[cost.Ceiling]int64{},
	}
	for _, scope := range append([]string{"run/a", "run/b", "workspace"}, jobs...) {
		for _, period := range []cost.Period{cost.Ever, cost.Day, cost.Month} {
			for _, meter := range []cost.Meter{cost.USD, freeEmails, cost.Lookups} {
				if !rapid.Bool().Draw(t, "a ceiling") {
					continue
				}
				limit := rapid.Int64Range(-1, 6).Draw(t, "limit")
				if meter == cost.USD {
					limit = rapid.Int64Range(-1, int64(2*cost.Dollar)).Draw(t, "limit")
				}
				l.ceilings = append(l.ceilings, cost.Ceiling{Name: scope, Scope: scope, Period: period, Meter: meter, Limit: limit})
			}
		}
	}
	return l
}

// of returns the ceilings that bound a call of a run and a job, as they are now, and
// every scope that it counts in.
func (l *ledger) of(run, job string) (ceilings []cost.Ceiling, scopes []string) {
	bases := []string{run, job, "workspace"}
	for _, base := range bases {
		for _, period := range []cost.Period{cost.Ever, cost.Day, cost.Month} {
			scopes = append(scopes, cost.Ceiling{Scope: base, Period: period}.At(l.now).Scope)
		}
	}
	for _, ceiling := range l.ceilings {
		for _, base := range bases {
			if ceiling.Scope == base {
				ceilings = append(ceilings, ceiling.At(l.now))
			}
		}
	}
	return ceilings, scopes
}

func (l *ledger) totalsOf(scope string) cost.Totals { return l.totals[scope] }

// begin lets a call go when it fits, or says which ceiling it does not fit under.
func (l *ledger) begin(t *rapid.T) {
	run := rapid.SampledFrom([]string{"run/a", "run/b"}).Draw(t, "run")
	ceilings, scopes := l.of(run, rapid.SampledFrom(jobs).Draw(t, "job"))
	hold := cost.Hold{Fields: enrich.Fields(rapid.Uint8Range(1, uint8(allFields)).Draw(t, "fields")), Rates: tariff.At(odd(t))}
	hold.Free = hold.Fields & fieldSets().Draw(t, "free")
	if refusing, refused := cost.Refusing(ceilings, hold.Amounts(), l.totalsOf); refused {
		if refusing.Need(hold.Amounts()) <= refusing.Left(l.totals[refusing.Scope]) {
			t.Errorf("%+v refuses what fits under it", refusing)
		}
		return
	}
	for _, scope := range scopes {
		totals := l.totals[scope]
		totals.Hold(hold.Amounts())
		l.totals[scope] = totals
	}
	l.open = append(l.open, entry{hold, scopes})
	for _, ceiling := range ceilings {
		l.highest[ceiling] = max(l.highest[ceiling], ceiling.Used(l.totals[ceiling.Scope]))
	}
}

// end gives one call an outcome: an answer, a refusal or a charge without an answer.
func (l *ledger) end(t *rapid.T) {
	if len(l.open) == 0 {
		t.Skip("nothing is open")
	}
	i := rapid.IntRange(0, len(l.open)-1).Draw(t, "call to end")
	call := l.open[i]
	l.open = append(l.open[:i:i], l.open[i+1:]...)
	returned := call.hold.Fields & fieldSets().Draw(t, "returned")
	outcome := rapid.SampledFrom([]string{"answered", "released", "forfeited"}).Draw(t, "outcome")
	if outcome == "released" {
		returned = 0
	}
	for _, scope := range call.scopes {
		totals := l.totals[scope]
		totals.Release(call.hold.Amounts(), call.hold.Settle(returned))
		switch outcome {
		case "answered":
			totals.Count(call.hold.Fields, returned)
		case "forfeited":
			totals.Forfeited++
		}
		l.totals[scope] = totals
	}
}

// check fails when one of the ceilings of now is broken, or one of a period that is
// over was.
func (l *ledger) check(t *rapid.T) {
	for _, ceiling := range l.ceilings {
		at := ceiling.At(l.now)
		if used := at.Used(l.totals[at.Scope]); used > max(at.Limit, 0) {
			t.Errorf("%+v has come to %d", at, used)
		}
	}
	for ceiling, highest := range l.highest {
		if used := ceiling.Used(l.totals[ceiling.Scope]); highest > max(ceiling.Limit, 0) || used > max(ceiling.Limit, 0) {
			t.Errorf("%+v came to %d, and is at %d", ceiling, highest, used)
		}
	}
}

// TestCeilingsHold shows that every ceiling holds at every moment, for every order in
// which lookups of several runs and jobs begin and end, over the ends of days and
// months.
func TestCeilingsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLedger(t)
		t.Repeat(map[string]func(*rapid.T){
			"begin": l.begin,
			"end":   l.end,
			"wait": func(t *rapid.T) {
				l.now = l.now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "hours")) * time.Hour)
			},
			"": l.check,
		})
	})
}
