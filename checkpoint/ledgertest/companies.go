package ledgertest

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The companies of the scenarios, as their answers name them.
func acme() enrich.Company {
	return enrich.Company{
		ID: "5", Country: "GB", RegistrationNumber: "01234567", VATNumber: "GB111222333", Website: "acme.example", Name: "Acme Ltd",
	}
}

func acmeUK() enrich.Company {
	return enrich.Company{
		ID: "6", Country: "GB", RegistrationNumber: "07654321", VATNumber: "GB111222333", Website: "acme.example", Name: "Acme Ltd",
	}
}

// by returns the identity of a company by some of its values.
func by(company enrich.Company) enrich.Identity { return company.Names()[0] }

func byID(c enrich.Company) enrich.Identity { return by(enrich.Company{ID: c.ID}) }

func byNumber(c enrich.Company) enrich.Identity {
	return by(enrich.Company{Country: c.Country, RegistrationNumber: c.RegistrationNumber})
}

func byVAT(c enrich.Company) enrich.Identity {
	return by(enrich.Company{Country: c.Country, VATNumber: c.VATNumber})
}

func byWebsite(c enrich.Company) enrich.Identity { return by(enrich.Company{Website: c.Website}) }

func byName(c enrich.Company) enrich.Identity {
	return by(enrich.Company{Country: c.Country, Name: c.Name})
}

func askFor(who enrich.Identity, fields enrich.Fields) attempt.Request {
	req := ask(1, fields)
	req.Lookup.Identity = who
	return req
}

// settleAs records that a call was answered with a company.
func (r *rig) settleAs(ticket attempt.Ticket, returned enrich.Fields, company enrich.Company) {
	r.T.Helper()
	found := answer(returned)
	found.Names = company.Names()
	_, err := r.Settle(ticket.ID, found)
	r.check(err)
}

// elsewhere is any key but that of the request.
var elsewhere = enrich.Key{1}

// oneCompany buys a company by each of its identities, and then asks for it by every exact one. A crash changes nothing.
func oneCompany(r *rig) {
	for _, bought := range []enrich.Identity{byID(acme()), byNumber(acme()), byVAT(acme()), byWebsite(acme()), byName(acme())} {
		one := r.again()
		one.settleAs(one.grant(askFor(bought, email)), email, acme())
		for _, crashed := range []bool{false, true} {
			for _, asked := range []enrich.Identity{byID(acme()), byNumber(acme()), byVAT(acme())} {
				want := attempt.Known{Fields: email}
				if asked != bought {
					want.Under = elsewhere
				}
				one.want(askFor(asked, email), want)
				one.want(askFor(asked, email|phone), want)
			}
			if !crashed {
				one.crash()
			}
		}
		other := askFor(byNumber(acmeUK()), email)
		one.settleAs(one.grant(other), email, acmeUK())
		one.spent("workspace/2026-11", 2*emailPrice, 0)
		req := askFor(byID(acme()), email)
		req.Account = second
		one.grant(req) // each account has its own answers
	}
}

// doubtOfCompany loses a call by number for a company that is known by its website.
func doubtOfCompany(r *rig) {
	r.settleAs(r.grant(askFor(byWebsite(acme()), email)), email, acme())
	r.settle(r.grant(askFor(byWebsite(acme()), phone)), 0, cost.Charge{})
	inFlight := r.grant(askFor(byID(acme()), phone)) // an empty answer to another identity refuses nothing
	r.want(askFor(byNumber(acme()), phone), attempt.Blocked{})
	r.lose(inFlight)
	r.want(askFor(byNumber(acme()), phone), attempt.Unsettled{Fields: phone, Under: elsewhere})
	r.crash()
	r.want(askFor(byVAT(acme()), phone), attempt.Unsettled{Fields: phone, Under: elsewhere})
	r.check(r.Assume(true, inFlight.ID))
	r.want(askFor(byVAT(acme()), phone), attempt.Known{Fields: phone, Under: elsewhere}) // charged, and lost
	again := askFor(byVAT(acme()), phone)
	again.Reask.Forfeited = true
	r.release(r.grant(again), attempt.Release{Reason: "busy"})
}

// sharedNames asks by a website and by a name that an answer has named. Only the rest of a row can decide whether they mean
// that company, so the ledger allows the calls.
func sharedNames(r *rig) {
	r.settleAs(r.grant(askFor(byID(acme()), email)), email, acme())
	r.grant(askFor(byWebsite(acme()), email))
	r.grant(askFor(byName(acme()), email))
}

// sharedNumber asks by a VAT number that two companies of a group have. It does not say which of them is meant.
func sharedNumber(r *rig) {
	r.settleAs(r.grant(askFor(byID(acme()), email)), email, acme())
	r.want(askFor(byVAT(acme()), email), attempt.Known{Fields: email, Under: elsewhere})
	r.settleAs(r.grant(askFor(byID(acmeUK()), email)), email, acmeUK())
	r.settle(r.grant(askFor(byVAT(acme()), email)), email, paid(email, 15*cost.Cent))
	r.want(askFor(byVAT(acme()), email), attempt.Known{Fields: email})
	r.want(askFor(byNumber(acmeUK()), email), attempt.Known{Fields: email, Under: elsewhere})
	r.want(askFor(byNumber(acme()), email), attempt.Known{Fields: email, Under: elsewhere})
}
