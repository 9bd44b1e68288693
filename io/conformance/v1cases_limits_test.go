package conformance

import (
	"net/http"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// answered is a lookup that is let in and answered for free.
func answered(number int) Step {
	return Find{Who: someone(number), Want: matched(email), Charge: Charged{Free: email}}
}

// tooFast is a lookup that the rate limit refuses.
func tooFast(wait time.Duration) Step {
	return Find{Who: someone(99), Want: refusal(sandbox.RateLimited).after(wait)}
}

// windowCases hold the rolling window.
func windowCases() []Case {
	thirty := []Step{}
	for number := range 30 {
		thirty = append(thirty, Find{Who: someone(number), Want: notFound()})
	}
	return []Case{
		{
			Rule: ruleOf("limit/thirty-a-minute"), Begin: knowsNobody,
			Steps: append(thirty, tooFast(time.Minute), Pass(time.Minute), Find{Want: notFound()}),
		},
		{Rule: ruleOf("limit/rolling"), Begin: window(3), Steps: []Step{
			answered(1), Pass(20 * time.Second),
			answered(2), Pass(20 * time.Second),
			answered(3), Pass(19 * time.Second),
			tooFast(time.Second), Pass(time.Second),
			answered(4),
			tooFast(20 * time.Second), Pass(20 * time.Second),
			answered(5), tooFast(20 * time.Second),
		}},
		{Rule: ruleOf("limit/refused-takes-no-place"), Begin: window(1), Steps: []Step{
			answered(1), Pass(30 * time.Second),
			tooFast(30 * time.Second), Pass(29 * time.Second),
			tooFast(time.Second), Pass(time.Second),
			answered(2),
		}},
	}
}

// limitCasesV1 hold what counts towards the limits, and the attempt limit.
func limitCasesV1() []Case {
	return []Case{
		{Rule: ruleOf("limit/status-is-free"), Begin: window(2), Steps: []Step{
			Status{},
			Status{},
			Status{},
			answered(1),
			Status{},
			answered(2),
			tooFast(time.Minute),
			Status{Shows: members{"key_valid": true}},
		}},
		{Rule: ruleOf("limit/discovery-is-free"), Begin: window(1), Steps: []Step{
			Publishes{Want: anythingV1},
			Publishes{Tools: true, Want: anythingV1},
			Publishes{Want: anythingV1},
			answered(1),
			tooFast(time.Minute),
			Publishes{Tools: true, Want: anythingV1},
		}},
		{Rule: ruleOf("limit/shared"), Begin: window(2), Steps: []Step{
			Find{Over: v1.REST, Who: someone(1), Want: matched(email), Charge: Charged{Free: email}},
			Find{Over: v1.MCP, Who: someone(2), Want: matched(email), Charge: Charged{Free: email}},
			Find{Over: v1.REST, Who: someone(3), Want: refusal(sandbox.RateLimited).after(time.Minute)},
			Find{Over: v1.MCP, Who: someone(3), Want: refusal(sandbox.RateLimited).after(time.Minute)},
		}},
		{Rule: ruleOf("limit/every-lookup"), Begin: begin(window(3), free(0, 0), balance(0, 25)), Steps: []Step{
			Find{Fields: both, Want: refusal(sandbox.CreditsExhausted)},
			Find{Who: enrich.Identity{ProfileURL: "ftp://pro-network.example/"}, Want: refusal(sandbox.InvalidIdentifiers)},
			Find{Fields: phone, Want: matched(phone), Charge: Charged{Paid: paid(0, 25), Prepaid: 250000}},
			tooFast(time.Minute),
		}},
		{Rule: ruleOf("limit/attempts"), Begin: func(c *sandbox.Config) { c.AttemptLimit = 2 }, Steps: []Step{
			answered(1), answered(2),
			Find{Who: someone(3), Want: refusal(sandbox.AttemptLimitReached)},
			Status{Shows: members{"key_valid": true}},
			Pass(time.Hour),
			Find{Who: someone(3), Want: refusal(sandbox.AttemptLimitReached)},
			Reach(time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)),
			answered(3),
		}},
		{Rule: ruleOf("limit/door"), Begin: window(1), Steps: []Step{
			Find{As: unknownKey, Who: someone(1), Want: refusal(sandbox.InvalidAPIKey)},
			answered(1),
		}},
	}
}

func anythingV1(v1.Description) error { return nil }

// lossCasesV1 hold that a response that is lost is never asked for again by itself:
// the lookup arrived once, and was charged or not (specification v1, "Limits").
func lossCasesV1() []Case {
	var cases []Case
	for _, loss := range []struct {
		name  string
		fault sandbox.Fault
	}{
		{"dropped", sandbox.Fault{Answer: sandbox.Dropped}},
		{"truncated", sandbox.Fault{Answer: sandbox.Truncated}},
		{"garbage", sandbox.Fault{Answer: sandbox.Garbage}},
		{"hanging", sandbox.Fault{Answer: sandbox.Hanging}},
		{"proxy-page", sandbox.Fault{Answer: sandbox.ProxyPage, Status: http.StatusBadGateway}},
		{"no-body", sandbox.Fault{Answer: sandbox.Bodyless, Status: http.StatusGatewayTimeout}},
	} {
		for _, happened := range []bool{false, true} {
			name, charge := "loss/"+loss.name, Charged{}
			loss.fault.Happened = happened
			if happened {
				name, charge = name+"-charged", Charged{Free: both}
			}
			ordinary := func(number int) Step {
				return Find{Who: someone(number), Want: matched(email), Charge: Charged{Free: email}}
			}
			cases = append(cases, Case{Rule: ruleOf(name), Steps: []Step{
				ordinary(1),
				Faulty(loss.fault),
				Find{Fields: both, Want: Lost{}, Charge: charge},
				Faulty{},
				ordinary(2),
			}})
		}
	}
	return cases
}
