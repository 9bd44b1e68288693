package ledgertest

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// of returns the request for another account.
func of(account attempt.Account, req attempt.Request) attempt.Request {
	req.Account = account
	return req
}

func ownAnswers(r *rig) {
	r.settle(r.grant(ask(1, email)), email, paid(email, emailPrice))
	ticket := r.grant(of(second, ask(1, email)))
	r.want(of(second, ask(1, email)), attempt.Blocked{})
	r.want(ask(1, email), attempt.Known{Fields: email})
	r.settle(ticket, 0, cost.Charge{})
	lost := r.grant(of(second, ask(2, email)))
	r.lose(lost)
	for range 2 {
		r.want(of(second, ask(1, email)), attempt.Known{Fields: email})
		r.want(of(second, ask(2, email)), attempt.Unsettled{Fields: email})
		r.spent(record.ScopeAll, emailPrice, emailPrice)
		r.spent(second.Scope(record.ScopeAll), 0, emailPrice)
		r.crash()
	}
	r.grant(ask(2, email))
}

func commonCeilings(r *rig) {
	limit := spend(record.RunScope("run"), cost.Ever, 2*emailPrice)
	two := calls(record.JobScope("run")+"/2026-11", 2)
	first := r.grant(ask(1, email, limit, two))
	r.grant(of(second, ask(1, email, limit, two)))
	for account := range attempt.Account(accounts) {
		r.want(of(account, ask(2, email, limit)), attempt.Blocked{})
		r.want(of(account, ask(2, email, two)), attempt.Blocked{})
	}
	r.settle(first, email, paid(email, emailPrice))
	r.crash()
	for account := range attempt.Account(accounts) {
		r.want(of(account, ask(2, email, limit)), attempt.Over{Ceiling: limit, Need: int64(emailPrice)})
		r.want(of(account, ask(2, email, two)), attempt.Over{Ceiling: two, Need: 1})
	}
}

func ownCeilings(r *rig) {
	r.check(r.Rebase(account(1, 0, emailPrice)))
	r.check(r.RebaseAccount(second, account(0, 0, 2*emailPrice)))
	r.settle(r.grant(ask(1, email)), email, free(email))
	r.settle(r.grant(of(second, ask(1, email))), email, paid(email, emailPrice))
	r.settle(r.grant(ask(2, email)), email, paid(email, emailPrice))
	r.settle(r.grant(of(second, ask(2, email))), email, paid(email, emailPrice))
	for range 2 {
		for number, limit := range []cost.Money{emailPrice, 2 * emailPrice} {
			account := attempt.Account(number)
			ceiling := cost.SpendCeiling(cost.AccountBalance, account.Scope(record.ScopeAccount), limit)
			r.want(of(account, ask(3, email)), attempt.Over{Ceiling: ceiling, Need: int64(emailPrice)})
		}
		r.crash()
	}
	limit := cost.Ceiling{Name: "units", Scope: record.RunScope("run"), Meter: units, Limit: 2}
	for account := range attempt.Account(accounts) { // the units of one account are not those of the other
		r.lose(r.grant(of(account, askUnits(4, limit))))
		r.want(of(account, askUnits(5, limit)), attempt.Over{Ceiling: limit, Need: 2})
	}
}

func ownWindows(r *rig) {
	first := r.grant(ask(1, email))
	other := r.grant(of(second, ask(1, email)))
	r.want(ask(2, email), attempt.Blocked{})
	r.want(of(second, ask(2, email)), attempt.Blocked{})
	r.settle(first, 0, cost.Charge{})
	firstFree := r.At.Add(time.Minute)
	r.pass(20 * time.Second)
	r.settle(other, 0, cost.Charge{})
	for range 2 {
		r.want(ask(2, email), attempt.Later{Until: firstFree})
		r.want(of(second, ask(2, email)), attempt.Later{Until: firstFree.Add(20 * time.Second)})
		r.crash()
	}
	r.pass(time.Minute)
	until := r.At.Add(time.Hour)
	r.release(r.grant(of(second, ask(2, email))), attempt.Release{Reason: "slow down", PauseUntil: until})
	for range 2 {
		r.want(of(second, ask(2, email)), attempt.Later{Until: until, Asked: true})
		r.release(r.grant(ask(2, email)), attempt.Release{Reason: "not sent"})
		r.crash()
	}
}

func crashedAccounts(r *rig) {
	mine, other := r.grant(ask(1, email)), r.grant(of(second, ask(1, email)))
	if err := r.RebaseAccount(second, account(0, 0, cost.Dollar)); err == nil {
		r.T.Error("a snapshot became the base while a call of its account was in flight")
	}
	r.crash()
	r.check(r.RebaseAccount(second, account(0, 0, cost.Dollar)))
	third := r.grant(of(second, ask(2, email)))
	r.check(r.Rebase(account(0, 0, cost.Dollar))) // the call in flight is one of the other account
	r.spent(record.ScopeAll, 0, 3*emailPrice)
	r.spent(second.Scope(record.ScopeAccount), 0, emailPrice)
	r.check(r.Assume(true, mine.ID))
	r.check(r.Assume(false, other.ID))
	r.settle(third, email, paid(email, emailPrice))
	r.crash()
	r.want(ask(1, email), attempt.Known{Fields: email})
	r.grant(of(second, ask(1, email)))
	r.spent(second.Scope(record.ScopeAccount), emailPrice, emailPrice)
	r.spent(record.ScopeAll, 2*emailPrice, emailPrice)
}
