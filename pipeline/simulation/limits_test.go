package simulation

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// drawDawn returns how long after midnight the world begins: often so that a day or
// a month ends while the list is worked on.
func drawDawn(r *rand.Rand, budget bool) time.Duration {
	soon := span{0, 5 * time.Minute}.draw(r)
	switch r.IntN(4) {
	case 0:
		return 24*time.Hour - soon
	case 1:
		if !budget { // a new month has a new budget, and the account tells another story
			return 31*24*time.Hour - soon
		}
	}
	return 10 * 24 * time.Hour // far from the ends of months
}

// drawLimits returns the ceilings that a user sets beside the run's.
func drawLimits(r *rand.Rand) []cost.Ceiling {
	menu := []cost.Ceiling{
		{Name: "job's day", Scope: checkpoint.JobScope(jobName), Period: cost.Day, Limit: int64(cost.Cents(r.Int64N(400)))},
		{Name: "job's month", Scope: checkpoint.JobScope(jobName), Period: cost.Month, Limit: int64(cost.Cents(r.Int64N(600)))},
		{Name: "workspace's month", Scope: checkpoint.WorkspaceScope, Period: cost.Month, Limit: int64(cost.Cents(r.Int64N(600)))},
		{Name: "lookups of the run", Scope: checkpoint.RunScope(runName), Meter: cost.Lookups, Limit: r.Int64N(40)},
		{Name: "lookups of a day", Scope: checkpoint.WorkspaceScope, Period: cost.Day, Meter: cost.Lookups, Limit: r.Int64N(30)},
	}
	var limits []cost.Ceiling
	for _, ceiling := range menu {
		if r.IntN(3) == 0 {
			limits = append(limits, ceiling)
		}
	}
	return limits
}

// ceilings returns those that a start runs under.
func (s start) ceilings() []cost.Ceiling {
	return append([]cost.Ceiling{cost.SpendCeiling("max-spend", checkpoint.RunScope(runName), s.MaxSpend)}, s.Limits...)
}

// ceiling checks that what the running start holds fits under its ceilings.
func (c *checker) ceiling(agent string, in intent) {
	p := c.world.running()
	if p == nil || agent != fmt.Sprint("start ", p.number) {
		return
	}
	for _, ceiling := range p.start.ceilings() {
		ceiling = ceiling.At(in.At)
		if totals := c.totals(ceiling.Scope); ceiling.Need(in.Hold.Amounts()) > 0 && ceiling.Left(totals) < 0 {
			c.broken("P2: %s is settled and held in %s, the ceiling %q is %s",
				ceiling.Format(ceiling.Used(totals)), ceiling.Scope, ceiling.Name, ceiling.Format(ceiling.Limit))
		}
	}
}

// committed checks after each commit that it has brought nothing over a ceiling of
// its process: what was over it before, because the ceiling was set since, may stay.
func (c *checker) committed(p *process, before map[string]cost.Totals, writes []checkpoint.Write) {
	for _, write := range writes {
		scope, isTotals := scopeOf(write)
		if !isTotals {
			continue
		}
		for _, ceiling := range p.start.ceilings() {
			if p.counts(ceiling, scope) {
				used, was := ceiling.Used(c.totals(scope)), ceiling.Used(before[scope])
				if used > ceiling.Limit && used > was {
					c.broken("P2: a commit brings %s from %s to %s, the ceiling %q is %s",
						scope, ceiling.Format(was), ceiling.Format(used), ceiling.Name, ceiling.Format(ceiling.Limit))
				}
			}
		}
	}
}

// counts reports whether a ceiling bounds a scope now or did an hour ago.
func (p *process) counts(ceiling cost.Ceiling, scope string) bool {
	return ceiling.At(p.now()).Scope == scope || ceiling.Scope+"/"+ceiling.Period.Of(p.now().Add(-time.Hour)) == scope
}

// totalsOf returns the sums under a ceiling of the process that writes are about to
// replace.
func (c *checker) totalsOf(p *process, writes []checkpoint.Write) map[string]cost.Totals {
	before := map[string]cost.Totals{}
	for _, write := range writes {
		scope, isTotals := scopeOf(write)
		if isTotals && slices.ContainsFunc(p.start.ceilings(), func(ceiling cost.Ceiling) bool { return p.counts(ceiling, scope) }) {
			before[scope] = c.totals(scope)
		}
	}
	return before
}

// scopeOf returns the scope whose sums a write sets.
func scopeOf(write checkpoint.Write) (string, bool) {
	return string(write.Key[1:]), write.Key[0] == 'c'
}

// sums checks that the journal's counters are the sums of its records, in every
// scope that an attempt counts in.
func (c *checker) sums() {
	want := map[string]cost.Totals{}
	doubts := c.closedDoubts()
	for _, in := range c.intents(false) {
		res, resolved := c.resolution(in.ID)
		if !resolved {
			doubts.add(in)
		}
		for _, scope := range in.scopes() {
			if scope == checkpoint.ScopeAccount {
				continue // it begins at a base
			}
			totals := want[scope]
			totals.Hold(in.Hold.Amounts())
			if resolved {
				exceeded := totals.Exceeded
				totals.Release(in.Hold.Amounts(), res.Charge)
				if res.Answered() { // a unit that a correction found later is not beyond the hold
					totals.Exceeded = exceeded
				}
				switch {
				case res.Answered():
					totals.Count(in.Hold.Fields, res.Returned)
				case res.Charge != (cost.Charge{}):
					totals.Forfeited++
				case res.Sent:
					totals.Uncharged++
				}
			}
			want[scope] = totals
		}
	}
	for scope, totals := range want {
		totals.Held = totals.Held.Minus(doubts.tooMuch(scope))
		want[scope] = totals
	}
	for _, write := range c.world.disk.scan("c", "") {
		scope, _ := scopeOf(write)
		if got := c.totals(scope); scope != checkpoint.ScopeAccount && got != want[scope] {
			c.broken("P2: the records of %s sum up to %+v, the counters say %+v", scope, want[scope], got)
		}
		delete(want, scope)
	}
	for scope := range want {
		c.broken("P2: the counters of %s are missing", scope)
	}
}

// closedDoubts are the calls in doubt of the periods that the account has compared. Together
// they hold no more than they can have been charged.
type closedDoubts struct {
	periods []record.ClosedPeriod
	held    []map[string]cost.Amounts // of each period, by scope
}

func (c *checker) closedDoubts() closedDoubts {
	state, err := read[record.State](c.world.disk, string(record.StateKey))
	if err != nil && !errors.Is(err, errNoRecord) {
		c.broken("P3: the ledger state cannot be read: %v", err)
	}
	doubts := closedDoubts{periods: state.Closed}
	for range state.Closed {
		doubts.held = append(doubts.held, map[string]cost.Amounts{})
	}
	return doubts
}

func (d closedDoubts) add(in intent) {
	for i, period := range d.periods {
		if period.Holds(in.ID) {
			for _, scope := range in.scopes() {
				d.held[i][scope] = d.held[i][scope].Plus(in.Hold.Amounts())
			}
		}
	}
}

// tooMuch returns by how much the holds of a scope exceed what its calls can have been charged.
func (d closedDoubts) tooMuch(scope string) (excess cost.Amounts) {
	for i, period := range d.periods {
		most := d.held[i][checkpoint.ScopeAll].Minus(period.Excess)
		excess = excess.Plus(d.held[i][scope].Minus(most).Most(cost.Amounts{}))
	}
	return excess
}
