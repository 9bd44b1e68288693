package checkpoint

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// OpenCall is a call without an outcome.
type OpenCall struct {
	ID       attempt.ID
	Account  attempt.Account
	Run, Job string
	Begun    time.Time
	InDoubt  bool         // otherwise it is in flight
	Holds    cost.Amounts // the most that it can be charged
}

// OpenCalls are the calls of a journal without an outcome, in the order of their Begin.
type OpenCalls struct {
	Calls  []OpenCall
	Closed [][]record.ClosedPeriod // periods of each account of which calls are in doubt
}

// OpenCalls returns the calls of all accounts without an outcome.
func (j *Journal) OpenCalls() OpenCalls {
	j.look()
	defer j.mu.Unlock()
	return j.state.openCalls()
}

func (l *ledgerState) openCalls() OpenCalls {
	o := OpenCalls{}
	for _, a := range l.accounts {
		o.Closed = append(o.Closed, slices.Clone(a.Closed))
	}
	for id, a := range l.open {
		if !a.resolving {
			o.Calls = append(o.Calls, OpenCall{
				ID: id, Account: a.Account, Run: a.Run, Job: a.JobName(), Begun: a.At, InDoubt: a.state == attempt.InDoubt, Holds: a.Hold.Amounts(),
			})
		}
	}
	slices.SortFunc(o.Calls, func(a, b OpenCall) int { return cmp.Compare(a.ID, b.ID) })
	return o
}

// InDoubt returns how many of some calls are in doubt, by account.
func (o OpenCalls) InDoubt(counts func(OpenCall) bool) []int64 {
	doubts := make([]int64, len(o.Closed))
	for _, call := range o.Calls {
		if call.InDoubt && counts(call) {
			doubts[call.Account]++
		}
	}
	return doubts
}

// Held returns what some calls hold together of each meter, by account: no more than all of them can be charged. For
// the calls of a scope it is what Totals has as held.
func (o OpenCalls) Held(counts func(OpenCall) bool) []cost.Amounts {
	held := make([]cost.Amounts, len(o.Closed))
	all, own := make([][]cost.Amounts, len(o.Closed)), make([][]cost.Amounts, len(o.Closed)) // by account and closed period
	for account, periods := range o.Closed {
		all[account], own[account] = make([]cost.Amounts, len(periods)), make([]cost.Amounts, len(periods))
	}
	for _, call := range o.Calls {
		isCounted := counts(call)
		if isCounted {
			held[call.Account] = held[call.Account].Plus(call.Holds)
		}
		period, found := slices.BinarySearchFunc(o.Closed[call.Account], call.ID, comparePeriod)
		if !found || !call.InDoubt {
			continue
		}
		all[call.Account][period] = all[call.Account][period].Plus(call.Holds)
		if isCounted {
			own[call.Account][period] = own[call.Account][period].Plus(call.Holds)
		}
	}
	for account, periods := range o.Closed {
		for i, period := range periods {
			held[account] = held[account].Minus(lessTogether(period.Excess, all[account][i], own[account][i]))
		}
	}
	return held
}

// comparePeriod compares a closed period with an attempt that may have begun in it.
func comparePeriod(p record.ClosedPeriod, id attempt.ID) int {
	switch {
	case p.Holds(id):
		return 0
	case p.Next <= id:
		return -1
	}
	return 1
}
