// Package units says what the operations of the v2 interface use up: which meters there are, what
// a call can use at most, and what an answer used. The service counts units of modules, and the
// emails and phones that it returned. It never speaks of money.
package units

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v2/v2fields"
)

// The meters of the interface besides money, which it does not take. Journals have their numbers,
// so these never change.
const (
	Companies cost.Meter = iota + 1
	Contacts
	Financials
	DigitalInsights
	Ownership
	Watch
	Emails // returned by calls about contacts
	Phones
	meterCount
)

// Meters returns the meters that are units of modules.
func Meters() []cost.Meter {
	return []cost.Meter{Companies, Contacts, Financials, DigitalInsights, Ownership, Watch}
}

// infos describes the meters. The names of modules are the assumed codenames of the service.
func infos() []cost.MeterInfo {
	return []cost.MeterInfo{
		cost.USD:        {Name: "usd", Unit: "micro-USD", Hidden: true},
		Companies:       {Name: "companies", Unit: "answered call", Counting: cost.CountsPeriod},
		Contacts:        {Name: "contacts", Unit: "answered call", Counting: cost.CountsPeriod},
		Financials:      {Name: "financials", Unit: "answered call", Counting: cost.CountsPeriod},
		DigitalInsights: {Name: "digital_insights", Unit: "answered call", Counting: cost.CountsPeriod},
		Ownership:       {Name: "ownership", Unit: "answered call", Counting: cost.CountsPeriod},
		Watch:           {Name: "watch", Unit: "watched company", Counting: cost.CountsNow},
		// The account shows how many were returned in a time span, and not how many are left.
		Emails: {Name: "email_count", Unit: "returned email", Counting: cost.CountsSpan},
		Phones: {Name: "phone_count", Unit: "returned phone", Counting: cost.CountsSpan},
	}
}

// KeyPace is the rate limit of one key that is assumed of the service. Its specification names none.
func KeyPace() cost.Pace { return cost.Pace{Calls: 60, Window: time.Minute} }

// Name returns the name of a meter.
func Name(m cost.Meter) string {
	if m < meterCount {
		return infos()[m].Name
	}
	return "unknown meter"
}

// named returns the meter of a module by its name.
func named(name string) (cost.Meter, bool) {
	for _, m := range Meters() {
		if Name(m) == name {
			return m, true
		}
	}
	return 0, false
}

// Reveal says which contact data a call asks for. Both are paid for when they are returned.
type Reveal struct{ Email, Phone bool }

// Everything reveals all contact data, as the service does when it is not told.
func Everything() Reveal { return Reveal{Email: true, Phone: true} }

// revealed returns what a call of an operation can return of contact data. An operation that
// cannot be told to leave something out may return it.
func revealed(o v2fields.Operation, r Reveal) Reveal {
	switch o {
	case v2fields.GetEmployee:
		return Everything()
	case v2fields.EnrichEmail:
		return Reveal{Email: true, Phone: r.Phone}
	case v2fields.EnrichEmployeeProfile, v2fields.EnrichEmployee:
		return r
	}
	return Reveal{}
}

// Hold returns the most that a call can use up.
func (m Modules) Hold(o v2fields.Operation, reveal Reveal) (held cost.Amounts) {
	if meter, counts := m.Meter(o); counts {
		held[meter]++
	}
	can := revealed(o, reveal)
	return held.Plus(contactData(can.Email, can.Phone))
}

// Charge returns what an answered call used up: one unit of its module, and the contact data that
// the answer has.
func (m Modules) Charge(o v2fields.Operation, has Reveal) cost.Amounts {
	return m.Hold(o, Reveal{}).Only(cost.MetersOf(Meters()...)).Plus(contactData(has.Email, has.Phone))
}

// Nothing is what a refused call uses up, and one that found nothing.
func Nothing() cost.Amounts { return cost.Amounts{} }

// Consumed returns amounts as an answer reports them.
func Consumed(amounts cost.Amounts) []int64 { return amounts[:meterCount:meterCount] }

func contactData(email, phone bool) (amounts cost.Amounts) {
	if email {
		amounts[Emails]++
	}
	if phone {
		amounts[Phones]++
	}
	return amounts
}

// Tariff returns what the interface charges for. A call uses a unit of its module once, whatever it returns, so
// counters can prove that a lost call was not counted. An email and a phone use one more when they are returned.
// Each answer reports what it used.
func (m Modules) Tariff() cost.Tariff {
	t := cost.Tariff{Meters: infos(), Others: KeyPace()}
	var alike enrich.Fields // fields of which an operation was seen
	for _, o := range v2fields.Operations() {
		unit := m.Hold(o, Reveal{}).Only(cost.MetersOf(Meters()...))
		for f := range o.Asked().Each() {
			r := &t.Rates[f]
			if !alike.Has(f) {
				alike, r.Call = alike.With(f), unit
				continue
			}
			// Operations that the configuration counts on another module use either.
			common := r.Call.Least(unit)
			r.Uses = r.Uses.Most(r.Call.Minus(common)).Most(unit.Minus(common))
			r.Call = common
		}
	}
	t.Rates[v2fields.Email].Uses = t.Rates[v2fields.Email].Uses.Plus(contactData(true, false))
	t.Rates[v2fields.Phone].Uses = t.Rates[v2fields.Phone].Uses.Plus(contactData(false, true))
	for f := range v2fields.AllFields.Each() {
		for meter, uses := range t.Rates[f].Uses {
			if uses > 0 {
				t.Rates[f].Varies |= cost.MetersOf(cost.Meter(meter))
			}
		}
	}
	return t
}

// RevealOf returns the contact data that a call for some fields reveals.
func RevealOf(fields enrich.Fields) Reveal {
	return Reveal{Email: fields.Has(v2fields.Email), Phone: fields.Has(v2fields.Phone)}
}
