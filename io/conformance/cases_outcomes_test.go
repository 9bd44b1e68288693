package conformance

import (
	"payonce/enrich"
	"payonce/io/service/v1"
)

// outcome is a row of "Outcome rules" as one operation has it.
type outcome struct {
	name  string
	asked enrich.Fields
	begin change
	want  Answered
}

// outcomes lists what can become of a lookup that completes.
func outcomes() []outcome {
	return []outcome{
		{"both-found", both, knows(both), matched(both)},
		{"only-email", both, knows(email), partial(email, "business_phone")},
		{"only-phone", both, knows(phone), partial(phone, "work_email")},
		{"person-only", both, knows(0), partial(0, "work_email", "business_phone")},
		{"nobody", both, knowsNobody, notFound()},

		{"email-found", email, knows(both), matched(email)},
		{"email-missing", email, knows(phone), partial(0, "work_email")},
		{"email-nobody", email, knowsNobody, notFound()},

		{"phone-found", phone, knows(both), matched(phone)},
		{"phone-missing", phone, knows(email), partial(0, "business_phone")},
		{"phone-nobody", phone, knowsNobody, notFound()},
	}
}

// outcomeCases hold every outcome, paid by the free allowance and paid with money.
func outcomeCases() []Case {
	var cases []Case
	for _, o := range outcomes() {
		prices := map[enrich.Field]int64{}
		for f := range o.want.Returned.Each() {
			prices[f] = map[enrich.Field]int64{v1.WorkEmail: 15, v1.BusinessPhone: 25}[f]
		}
		cases = append(cases,
			Case{
				Rule:  ruleOf("outcome/" + o.name),
				Begin: o.begin,
				Steps: []Step{Find{Fields: o.asked, Want: o.want, Charge: Charged{Free: o.want.Returned}}},
			},
			Case{
				Rule:  ruleOf("outcome/" + o.name + "-paid"),
				Begin: begin(o.begin, free(0, 0)),
				Steps: []Step{Find{
					Fields: o.asked, Want: o.want,
					Charge: Charged{Paid: paid(prices[v1.WorkEmail], prices[v1.BusinessPhone])},
				}},
			})
	}
	return cases
}
