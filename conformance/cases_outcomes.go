package conformance

import (
	"payonce/enrich"
)

// outcome is a row of "Outcome rules" as one operation has it.
type outcome struct {
	name, text string
	asked      enrich.Fields
	begin      change
	want       Answered
}

// outcomes lists what can become of a lookup that completes.
func outcomes() []outcome {
	return []outcome{
		{"both-found", "both requested fields come back: matched, and each is charged", both, knows(both), matched(both)},
		{"only-email", "the email of both comes back: partial, and only the email is charged", both, knows(email), partial(email, "business_phone")},
		{"only-phone", "the phone of both comes back: partial, and only the phone is charged", both, knows(phone), partial(phone, "work_email")},
		{"person-only", "the person is identified and nothing requested comes back: partial with the name alone, and nothing is charged", both, knows(0), partial(0, "work_email", "business_phone")},
		{"nobody", "no person is found: not_found without data, and nothing is charged", both, knowsNobody, notFound()},

		{"email-found", "the work email comes back: matched, and it is charged", email, knows(both), matched(email)},
		{"email-missing", "the person is identified without a work email: partial, and nothing is charged", email, knows(phone), partial(0, "work_email")},
		{"email-nobody", "no person is found by find-work-email: nothing is charged", email, knowsNobody, notFound()},

		{"phone-found", "the business phone comes back with its type: matched, and it is charged", phone, knows(both), matched(phone)},
		{"phone-missing", "the person is identified without a business phone: partial, and nothing is charged", phone, knows(email), partial(0, "business_phone")},
		{"phone-nobody", "no person is found by find-phone: nothing is charged", phone, knowsNobody, notFound()},
	}
}

// outcomeCases hold every outcome, paid by the free allowance and paid with money.
func outcomeCases() []Case {
	var cases []Case
	for _, o := range outcomes() {
		prices := map[enrich.Field]int64{}
		for f := range o.want.Returned.Each() {
			prices[f] = map[enrich.Field]int64{enrich.WorkEmail: 15, enrich.BusinessPhone: 25}[f]
		}
		cases = append(cases,
			Case{
				Rule:  Rule{"outcome/" + o.name, "Outcome rules", o.text + "; by the free allowance while there is some"},
				Begin: o.begin,
				Steps: []Step{Find{Fields: o.asked, Want: o.want, Charge: Charged{Free: o.want.Returned}}},
			},
			Case{
				Rule:  Rule{"outcome/" + o.name + "-paid", "Outcome rules", o.text + "; at the plan's rate when the allowance is used up"},
				Begin: begin(o.begin, free(0, 0)),
				Steps: []Step{Find{
					Fields: o.asked, Want: o.want,
					Charge: Charged{Paid: paid(prices[enrich.WorkEmail], prices[enrich.BusinessPhone])},
				}},
			})
	}
	return cases
}
