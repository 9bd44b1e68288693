package record

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/numbered"
)

// The members of the records of attempts. What says who a person is stands in the member
// identity of an intent and in the member data of a resolution, and nowhere else: erasing
// these two erases the person, also in a record of a later program.

func intentMembers(m *numbered.Members, in *Intent) {
	numbered.Time(m, 1, &in.At)
	who := About{in.Key, in.Identity, in.Erased}
	aboutMembers(m, &who)
	in.Key, in.Identity, in.Erased = who.Key, who.Identity, who.Erased
	numbered.Text(m, 5, &in.Pattern)
	numbered.Text(m, 6, &in.Run)
	numbered.Text(m, 7, &in.Job)
	numbered.Shared(m, 8, &in.Hold, holdMembers) // nobody changes the rates of a hold
	numbered.Value(m, 9, &in.Earlier, earlierMembers)
	accountMember(m, &in.Account)
	numbered.Value(m, 11, &in.Before, earlierMembers)
	numbered.Uint(m, 12, &in.UpTo)
	numbered.Uint(m, 13, &in.Epoch)
}

// Payer is the part of an intent that says which account it is for.
type Payer struct {
	Account attempt.Account
}

func payerMembers(m *numbered.Members, p *Payer) { accountMember(m, &p.Account) }

func accountMember(m *numbered.Members, a *attempt.Account) { numbered.Uint(m, 10, a) }

// Subject is the part of an intent that says who it is about, and which account it is for.
type Subject struct {
	About
	Account attempt.Account
}

func subjectMembers(m *numbered.Members, s *Subject) {
	aboutMembers(m, &s.About)
	accountMember(m, &s.Account)
}

// About is the part of an intent that says who it is about.
type About struct {
	Key      enrich.Key      `json:"key"`
	Identity enrich.Identity `json:"identity"`
	Erased   bool            `json:"erased"`
}

func aboutMembers(m *numbered.Members, a *About) {
	numbered.Array(m, 2, a.Key[:])
	if m.Writing() && a.Erased {
		numbered.Omit(m, 3)
	} else {
		numbered.Value(m, 3, &a.Identity, identityMembers)
	}
	numbered.Flag(m, 4, &a.Erased)
}

func identityMembers(m *numbered.Members, id *enrich.Identity) {
	numbered.Text(m, 1, &id.ProfileURL)
	numbered.Text(m, 2, &id.FirstName)
	numbered.Text(m, 3, &id.LastName)
	numbered.Text(m, 4, &id.CompanyDomain)
	numbered.Text(m, 5, &id.CompanyName)
	numbered.Value(m, 6, &id.Company, companyMembers)
	numbered.Text(m, 7, &id.Email)
	numbered.Text(m, 8, &id.Search)
	numbered.Text(m, 9, &id.ContactID)
}

func companyMembers(m *numbered.Members, c *enrich.Company) {
	numbered.Text(m, 1, &c.ID)
	numbered.Text(m, 2, &c.Country)
	numbered.Text(m, 3, &c.State)
	numbered.Text(m, 4, &c.RegistrationNumber)
	numbered.Text(m, 5, &c.VATNumber)
	numbered.Text(m, 6, &c.Website)
	numbered.Text(m, 7, &c.ProfileURL)
	numbered.Text(m, 8, &c.Name)
}

func holdMembers(m *numbered.Members, h *cost.Hold) {
	fields(m, 1, &h.Fields)
	fields(m, 2, &h.Free)
	numbered.Value(m, 3, &h.Rates, ratesMembers)
}

// ratesMembers describes rates: that of a field has the number of the field plus one.
func ratesMembers(m *numbered.Members, rates *cost.Rates) {
	if !m.Writing() {
		*rates = cost.Rates{}
	}
	for f := range enrich.PossibleFields.Each() {
		r := rate{}
		r.Rate, r.known = (*rates)[f]
		if numbered.Value(m, int(f)+1, &r, rateMembers); r.known && !m.Writing() {
			(*rates)[f] = r.Rate
		}
	}
}

// rate is a rate that may be unknown.
type rate struct {
	cost.Rate
	known bool
}

func rateMembers(m *numbered.Members, r *rate) {
	amounts(m, 1, &r.Uses)
	numbered.Uint(m, 2, &r.Allowance)
	numbered.Uint(m, 3, &r.Varies)
	nothing := r.known && r.Rate == cost.Rate{} // a value has to have a member
	numbered.Flag(m, 4, &nothing)
	amounts(m, 5, &r.Call)
	r.known = nothing || r.Rate != cost.Rate{}
	if r.Allowance >= cost.MaxMeters {
		m.Fail()
	}
}

// amounts describes amounts by meter, in the order of the meters' numbers.
func amounts(m *numbered.Members, number int, a *cost.Amounts) { numbered.Ints(m, number, a[:]) }

// earlierMembers describes attempts by field, as ratesMembers does.
func earlierMembers(m *numbered.Members, earlier *map[enrich.Field][]attempt.ID) {
	if !m.Writing() {
		*earlier = nil
	}
	for f := range enrich.PossibleFields.Each() {
		ids := (*earlier)[f]
		if numbered.Uints(m, int(f)+1, &ids); len(ids) == 0 || m.Writing() {
			continue
		}
		if *earlier == nil {
			*earlier = map[enrich.Field][]attempt.ID{}
		}
		(*earlier)[f] = ids
	}
}

// fields describes a set of fields as a number, with a bit for each field. The record of the
// fields' names says which bit is which.
func fields(m *numbered.Members, number int, set *enrich.Fields) { numbered.Uint(m, number, set) }

func doubtMembers(m *numbered.Members, d *Doubt) {
	numbered.Time(m, 1, &d.At)
	numbered.Text(m, 2, &d.Cause)
	numbered.Flag(m, 3, &d.Crash)
}

func fieldEntryMembers(m *numbered.Members, f *FieldEntry) {
	numbered.Uint(m, 1, &f.State)
	numbered.Uint(m, 2, &f.Attempt)
	numbered.Time(m, 3, &f.At)
	numbered.Uints(m, 4, &f.Earlier)
	if f.State == attempt.Unasked {
		m.Fail() // such a field has no record
	}
}

// ChargeMember is the number of the only member of a resolution that a correction changes. Migrations have it, too.
const ChargeMember = 7

func resolutionMembers(m *numbered.Members, r *attempt.Resolution) {
	endingMembers(m, (*Ending)(r))
	numbered.Text(m, 6, &r.Run)
	numbered.Value(m, ChargeMember, &r.Charge, chargeMembers)
	numbered.Text(m, 8, &r.Status)
	fields(m, 9, &r.Returned)
	numbered.Text(m, 10, &r.Data)
	numbered.Text(m, 11, &r.Reason)
	numbered.Text(m, 12, &r.RequestID)
}

// Ending is a resolution of which only the state, the flags and the time are read.
type Ending attempt.Resolution

func endingMembers(m *numbered.Members, e *Ending) {
	numbered.Uint(m, 1, &e.State)
	numbered.Time(m, 2, &e.At)
	numbered.Flag(m, 3, &e.Sent)
	numbered.Flag(m, 4, &e.Rejected)
	numbered.Flag(m, 5, &e.Erased)
	if e.State == 0 {
		m.Fail()
	}
}

// Answer is the part of a resolution that says what the service answered.
type Answer attempt.Resolution

func answerMembers(m *numbered.Members, a *Answer) {
	numbered.Text(m, 8, &a.Status)
	fields(m, 9, &a.Returned)
	numbered.Text(m, 10, &a.Data)
	numbered.Text(m, 12, &a.RequestID)
}

func chargeMembers(m *numbered.Members, c *cost.Charge) {
	amounts(m, 1, &c.Amounts)
	fields(m, 2, &c.Free)
	fields(m, 3, &c.Paid)
	numbered.Flag(m, 4, &c.Reported)
}
