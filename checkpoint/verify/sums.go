package verify

import (
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// recount adds attempts up one by one, as the journal does when they end.
type recount struct {
	accounts []accountTerms
	totals   map[string]*cost.Totals
	days     map[string]record.Span
	resolved int64
	// kinds has the scopes that attempts of one kind count in. So their names are not made for
	// every attempt.
	kinds map[kind][]scope
	// lastDay is the day of the last attempt, with its name.
	lastDay calendarDay
	dayName string
}

// accountTerms are what the sums of an account's attempts depend on.
type accountTerms struct {
	catalogue enrich.Catalogue
	baseFirst attempt.ID // the first attempt after the account's base
}

// kind is what the scopes of an attempt follow from.
type kind struct {
	account           attempt.Account
	run, job, pattern string
	fields            enrich.Fields
	day               calendarDay
}

type calendarDay struct{ year, day int }

func dayOf(t time.Time) calendarDay { return calendarDay{t.UTC().Year(), t.UTC().YearDay()} }

// maxKinds limits how many kinds are remembered at a time.
const maxKinds = 1024

// scope is a scope with its totals.
type scope struct {
	as     record.Scope
	totals *cost.Totals
}

func newRecount(accounts []accountTerms) *recount {
	return &recount{
		accounts: accounts, totals: map[string]*cost.Totals{}, days: map[string]record.Span{},
		kinds: map[kind][]scope{},
	}
}

// add enters an attempt. The account's sums begin at the base: earlier attempts do not
// count in them.
func (r *recount) add(id attempt.ID, in *record.Intent, res *attempt.Resolution, resolved bool) {
	if resolved {
		r.resolved++
		if day := dayOf(res.At); day != r.lastDay || r.dayName == "" {
			r.lastDay, r.dayName = day, record.DayOf(res.At)
		}
		r.days[r.dayName] = r.days[r.dayName].With(id)
	}
	held := in.Hold.Amounts()
	for _, scope := range r.scopesOf(in) {
		if scope.as.SinceBase && id < r.accounts[in.Account].baseFirst {
			continue
		}
		scope.totals.Hold(scope.as.Of(held))
		if resolved {
			scope.as.Release(scope.totals, in.Hold, held, res)
		}
	}
}

// scopesOf returns the scopes that an attempt counts in.
func (r *recount) scopesOf(in *record.Intent) []scope {
	kind := kind{in.Account, in.Run, in.Job, in.Pattern, in.Hold.Fields, dayOf(in.At)}
	if known := r.kinds[kind]; known != nil {
		return known
	}
	var scopes []scope
	for _, as := range in.Counts(r.accounts[in.Account].catalogue) {
		if r.totals[as.Name] == nil {
			r.totals[as.Name] = &cost.Totals{}
		}
		scopes = append(scopes, scope{as, r.totals[as.Name]})
	}
	if len(r.kinds) >= maxKinds {
		clear(r.kinds)
	}
	kind.run, kind.job, kind.pattern = strings.Clone(kind.run), strings.Clone(kind.job), strings.Clone(kind.pattern)
	r.kinds[kind] = scopes
	return scopes
}

// totalsOf returns the totals of a scope. They are zero when no attempt counts in it.
func (r *recount) totalsOf(scope string) cost.Totals {
	if totals := r.totals[scope]; totals != nil {
		return *totals
	}
	return cost.Totals{}
}
