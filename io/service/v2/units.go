// This file says what the operations of the v2 interface use up: which meters there are, what
// a call can use at most, and what an answer used. The service counts units of modules, and the
// emails and phones that it returned. It shows no money.

package v2

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// The meters of the interface besides money, which it does not take. Journals have their numbers,
// so these never change.
const (
	MeterCompanies cost.Meter = iota + 1
	MeterContacts
	MeterFinancials
	MeterDigitalInsights
	MeterOwnership
	MeterWatch
	MeterEmails // returned by calls about contacts
	MeterPhones
	meterCount
)

// Meters returns the meters that are units of modules.
func Meters() []cost.Meter {
	return []cost.Meter{MeterCompanies, MeterContacts, MeterFinancials, MeterDigitalInsights, MeterOwnership, MeterWatch}
}

// infos describes the meters. The names of modules are the assumed codenames of the service.
func infos() []cost.MeterInfo {
	return []cost.MeterInfo{
		cost.USD:             {Name: "usd", Hidden: true},
		MeterCompanies:       {Name: "companies", Counting: cost.CountsPeriod},
		MeterContacts:        {Name: "contacts", Counting: cost.CountsPeriod},
		MeterFinancials:      {Name: "financials", Counting: cost.CountsPeriod},
		MeterDigitalInsights: {Name: "digital_insights", Counting: cost.CountsPeriod},
		MeterOwnership:       {Name: "ownership", Counting: cost.CountsPeriod},
		MeterWatch:           {Name: "watch", Counting: cost.CountsNow},
		// The account shows how many were returned in a time span, and not how many are left.
		MeterEmails: {Name: "email_count", Counting: cost.CountsSpan},
		MeterPhones: {Name: "phone_count", Counting: cost.CountsSpan},
	}
}

// KeyPace is the rate limit of one key that is assumed of the service. Its specification names none.
func KeyPace() cost.Pace { return cost.Pace{Calls: 60, Window: time.Minute} }

// MeterName returns the name of a meter.
func MeterName(m cost.Meter) string {
	if m < meterCount {
		return infos()[m].Name
	}
	return "unknown meter"
}

// named returns the meter of a module by its name.
func named(name string) (cost.Meter, bool) {
	for _, m := range Meters() {
		if MeterName(m) == name {
			return m, true
		}
	}
	return 0, false
}

// Reveal says which contact data a call asks for. Both are paid for when they are returned.
type Reveal struct{ Email, Phone bool }

// RevealEverything reveals all contact data, as the service does when it is not told.
func RevealEverything() Reveal { return Reveal{Email: true, Phone: true} }

// revealed returns what a call of an operation can return of contact data. An operation that
// cannot be told to leave something out may return it.
func revealed(o Operation, r Reveal) Reveal {
	switch o {
	case OpGetEmployee:
		return RevealEverything()
	case OpEnrichEmail:
		return Reveal{Email: true, Phone: r.Phone}
	case OpEnrichEmployeeProfile, OpEnrichEmployee:
		return r
	}
	return Reveal{}
}

// Hold returns the most that a call can use up.
func (m Modules) Hold(o Operation, reveal Reveal) (held cost.Amounts) {
	if meter, counts := m.Meter(o); counts {
		held[meter]++
	}
	can := revealed(o, reveal)
	return held.Plus(contactData(can.Email, can.Phone))
}

// Charge returns what an answered call used up: one unit of its module, and the contact data that
// the answer has.
func (m Modules) Charge(o Operation, has Reveal) cost.Amounts {
	return m.Hold(o, Reveal{}).Only(cost.MetersOf(Meters()...)).Plus(contactData(has.Email, has.Phone))
}

// consumedNothing is what a refused call uses up, and one that found nothing.
func consumedNothing() cost.Amounts { return cost.Amounts{} }

// Consumed returns amounts as an answer reports them.
func Consumed(amounts cost.Amounts) []int64 { return amounts[:meterCount:meterCount] }

func contactData(email, phone bool) (amounts cost.Amounts) {
	if email {
		amounts[MeterEmails]++
	}
	if phone {
		amounts[MeterPhones]++
	}
	return amounts
}

// Tariff returns what the interface charges for. A call uses a unit of its module once, whatever it returns, so
// counters can prove that a lost call was not counted. An email and a phone use one more when they are returned.
// Each answer reports what it used.
func (m Modules) Tariff() cost.Tariff {
	t := cost.Tariff{Meters: infos(), Others: KeyPace()}
	var alike enrich.Fields // fields of which an operation was seen
	for _, o := range Operations() {
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
	t.Rates[FieldEmail].Uses = t.Rates[FieldEmail].Uses.Plus(contactData(true, false))
	t.Rates[FieldPhone].Uses = t.Rates[FieldPhone].Uses.Plus(contactData(false, true))
	for f := range AllFields.Each() {
		for meter, uses := range t.Rates[f].Uses {
			if uses > 0 {
				t.Rates[f].Varies |= cost.MetersOf(cost.Meter(meter))
			}
		}
	}
	return t
}

// revealOf returns the contact data that a call for some fields reveals.
func revealOf(fields enrich.Fields) Reveal {
	return Reveal{Email: fields.Has(FieldEmail), Phone: fields.Has(FieldPhone)}
}
