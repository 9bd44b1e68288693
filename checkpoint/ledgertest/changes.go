package ledgertest

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// upTo asks again for what an attempt up to the given one has answered.
func upTo(req attempt.Request, last attempt.ID) attempt.Request {
	req.Reask.UpTo = last
	return req
}

// changedOnce asks again for a field that has changed. A change that is observed again, before or after the answer, and
// a crash at any step, change nothing: there is one answer for it. The clock stands still.
func changedOnce(r *rig) {
	first := r.grant(ask(1, email))
	r.settle(first, email, paid(email, emailPrice))
	r.settle(r.grant(ask(2, email)), email, paid(email, emailPrice))
	r.want(upTo(ask(1, email), first.ID-1), attempt.Known{Fields: email}) // a change before the first answer
	change := upTo(ask(1, email), first.ID+1)
	r.want(ask(1, email), attempt.Known{Fields: email}) // nobody asks for changes
	second := r.grant(change)
	r.want(change, attempt.Blocked{})
	r.settle(second, email, paid(email, emailPrice))
	for range 2 {
		r.want(change, attempt.Known{Fields: email})
		r.want(upTo(ask(1, email), second.ID-1), attempt.Known{Fields: email})
		r.crash()
	}
	third := r.grant(upTo(ask(1, email), second.ID)) // a second change
	r.settle(third, 0, cost.Charge{})
	r.want(upTo(ask(1, email), second.ID), attempt.Known{Fields: email}) // it is gone, and that was the answer
	r.settle(r.grant(upTo(ask(1, email), third.ID)), email, paid(email, emailPrice))
	r.spent("workspace/2026-11", 4*emailPrice, 0)
}

// changeLost loses the calls for a change. One that may have been charged is not repeated. One that was not is asked for
// again, and so is one that is lost and bought again on demand.
func changeLost(r *rig) {
	first := r.grant(ask(1, email))
	r.settle(first, email, paid(email, emailPrice))
	change := upTo(ask(1, email), first.ID)
	r.release(r.grant(change), attempt.Release{Reason: "busy", Sent: true})
	lost := r.grant(change)
	r.lose(lost)
	for range 2 {
		r.want(change, attempt.Unsettled{Fields: email})
		r.want(upTo(ask(1, email), lost.ID+10), attempt.Unsettled{Fields: email})
		r.crash()
	}
	r.check(r.Assume(false, lost.ID))
	r.want(ask(1, email), attempt.Known{Fields: email}) // it has its first answer again
	charged := r.grant(change)
	r.crash()
	r.want(change, attempt.Unsettled{Fields: email})
	r.check(r.Assume(true, charged.ID))
	r.want(change, attempt.Known{Fields: email}) // it was paid for
	r.want(upTo(ask(1, email), charged.ID+10), attempt.Known{Fields: email})
	change.Reask.Forfeited = true
	bought := r.grant(change)
	r.settle(bought, email, paid(email, emailPrice))
	r.want(change, attempt.Known{Fields: email})
	r.spent("workspace/2026-11", 3*emailPrice, 0)
	// A later change has its own call, and what it loses is bought again also by a run, which knows of no change.
	lost = r.grant(upTo(ask(1, email), bought.ID))
	r.lose(lost)
	r.check(r.Assume(true, lost.ID))
	again := ask(1, email)
	r.want(again, attempt.Known{Fields: email})
	again.Reask.Forfeited = true
	r.settle(r.grant(again), email, paid(email, emailPrice))
	r.want(again, attempt.Known{Fields: email})
	r.spent("workspace/2026-11", 5*emailPrice, 0)
}

// answerKept asks again for a field. While the outcome is unknown, and while the new answer is lost, the earlier answer
// has the value. A call that found nothing, or that was rejected, leaves no value to keep.
func answerKept(r *rig) {
	const unknown, gone = attempt.OutcomeUnknown, attempt.PaidAndGone
	first := r.grant(ask(1, email|phone))
	r.foundBy(1, 0, unknown, 0)
	r.settle(first, email, paid(email, emailPrice))
	r.foundBy(1, 0, attempt.Found, first.ID)
	r.foundBy(1, 1, attempt.Missing, 0)
	change := upTo(ask(1, email|phone), first.ID)
	released := r.grant(change)
	r.foundBy(1, 0, unknown, first.ID)
	r.foundBy(1, 1, unknown, 0)
	r.release(released, attempt.Release{Reason: "busy"})
	r.foundBy(1, 0, attempt.Found, first.ID)
	lost := r.grant(change)
	for range 2 {
		r.crash()
		r.foundBy(1, 0, unknown, first.ID)
		r.foundBy(1, 1, unknown, 0)
	}
	r.check(r.Assume(true, lost.ID))
	change.Reask.Forfeited = true
	for range 3 { // it is bought again, and lost again
		r.foundBy(1, 0, gone, first.ID)
		r.foundBy(1, 1, gone, 0)
		r.crash()
		lost = r.grant(change)
		r.foundBy(1, 0, unknown, first.ID)
		r.lose(lost)
		r.foundBy(1, 0, unknown, first.ID)
		r.check(r.Assume(true, lost.ID))
	}
	second := r.grant(change)
	r.settle(second, email|phone, paid(email|phone, emailPrice+phonePrice))
	r.foundBy(1, 0, attempt.Found, second.ID)
	r.foundBy(1, 1, attempt.Found, second.ID)

	for name, end := range map[string]func(attempt.Ticket){
		"nothing found": func(t attempt.Ticket) { r.settle(t, 0, cost.Charge{}) },
		"rejected":      func(t attempt.Ticket) { r.release(t, attempt.Release{Reason: "invalid", Reject: true, Sent: true}) },
	} {
		n := len(name)
		r.settle(r.grant(ask(n, email)), email, paid(email, emailPrice))
		later := r.grant(upTo(ask(n, email), second.ID+100))
		end(later)
		r.pass(time.Second)
		again := ask(n, email)
		again.Reask.Before = r.At
		r.lose(r.grant(again))
		r.foundBy(n, 0, unknown, 0)
		r.crash()
		r.foundBy(n, 0, unknown, 0)
	}
}

// changeOfCompany asks again for a company by one of the identities that answers have named. Then no other identity of
// the company is asked for the same change.
func changeOfCompany(r *rig) {
	for _, asked := range []enrich.Identity{byID(acme()), byNumber(acme()), byVAT(acme())} {
		one := r.again()
		bought := one.grant(askFor(byWebsite(acme()), email))
		one.settleAs(bought, email, acme())
		change := upTo(askFor(asked, email), bought.ID)
		one.want(upTo(askFor(asked, email), bought.ID-1), attempt.Known{Fields: email, Under: elsewhere})
		again := one.grant(upTo(askFor(byWebsite(acme()), email), bought.ID))
		one.want(change, attempt.Blocked{})
		one.settleAs(again, email, acme())
		one.want(change, attempt.Known{Fields: email, Under: elsewhere})
		one.crash()
		one.want(change, attempt.Known{Fields: email, Under: elsewhere})
		one.settleAs(one.grant(upTo(askFor(asked, email), again.ID)), email, acme())
		one.spent("workspace/2026-11", 3*emailPrice, 0)
	}
}
