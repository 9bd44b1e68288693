package conformance

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// change changes the workspace that a case begins with.
type change = func(*sandbox.Config)

// begin joins changes.
func begin(changes ...change) change {
	return func(c *sandbox.Config) {
		for _, change := range changes {
			change(c)
		}
	}
}

// knows says which fields are known of everybody.
func knows(fields enrich.Fields) change {
	return func(c *sandbox.Config) {
		for f := range c.MatchRates {
			c.MatchRates[f] = 0
		}
		for f := range fields.Each() {
			c.MatchRates[f] = 1
		}
	}
}

// knowsNobody leaves nobody known.
func knowsNobody(c *sandbox.Config) { c.UnknownRate = 1 }

// free sets the free allowance.
func free(emails, phones int64) change {
	return func(c *sandbox.Config) {
		c.Free = enrich.ByField[int64]{v1.WorkEmail: emails, v1.BusinessPhone: phones}
	}
}

// balance sets the balance, in cents.
func balance(included, prepaid int64) change {
	return func(c *sandbox.Config) { c.IncludedCents, c.PrepaidCents = included, prepaid }
}

// plan sets the option of the rate card.
func plan(name string) change { return func(c *sandbox.Config) { c.Plan = name } }

// budget sets the monthly cap, in cents.
func budget(cents int64) change { return func(c *sandbox.Config) { c.BudgetCapCents = &cents } }

// uncapped takes the monthly cap away.
func uncapped(c *sandbox.Config) { c.BudgetCapCents = nil }

// window allows limit lookups a minute.
func window(limit int) change {
	return func(c *sandbox.Config) { c.Window = sandbox.Window{Limit: limit, Per: time.Minute} }
}

// The answers that cases want.
func matched(fields enrich.Fields) Answered {
	return Answered{Status: enrich.Matched, Returned: fields}
}

func partial(returned enrich.Fields, unresolved ...string) Answered {
	return Answered{Status: enrich.Partial, Returned: returned, Unresolved: unresolved}
}

func notFound() Answered { return Answered{Status: enrich.NotFound, Unresolved: []string{"person"}} }

// paid are the prices of returned fields, in cents; zero for a field that costs no
// money.
func paid(emailCents, phoneCents int64) cost.Prices {
	prices := cost.Prices{}
	if emailCents > 0 {
		prices[v1.WorkEmail] = cost.Cents(emailCents)
	}
	if phoneCents > 0 {
		prices[v1.BusinessPhone] = cost.Cents(phoneCents)
	}
	return prices
}

// refusals are the rows of the error table (specification v1, "Errors"); the codes
// that it leaves open are assumed.
func refusal(code sandbox.ErrorCode) Refused {
	row, found := map[sandbox.ErrorCode]Refused{
		sandbox.InvalidIdentifiers:     {HTTP: 400, Class: enrich.InvalidInput},
		sandbox.PricingUnavailable:     {HTTP: 400, Class: enrich.StopRun},
		sandbox.InvalidAPIKey:          {HTTP: 401, Class: enrich.StopRun, AtDoor: true},
		sandbox.FreeAllowanceExhausted: {HTTP: 402, Class: enrich.StopRun},
		sandbox.CreditsExhausted:       {HTTP: 402, Class: enrich.StopRun},
		sandbox.UsageBudgetReached:     {HTTP: 402, Class: enrich.StopRun},
		sandbox.WorkspaceInactive:      {HTTP: 403, Class: enrich.StopRun},
		sandbox.AccessRestricted:       {HTTP: 403, Class: enrich.StopRun},
		sandbox.ReservationConflict:    {HTTP: 409, Class: enrich.TryAgain, Retryable: true},
		sandbox.RateLimited:            {HTTP: 429, Class: enrich.SlowDown, Retryable: true},
		sandbox.AttemptLimitReached:    {HTTP: 429, Class: enrich.StopRun},
		sandbox.TemporarilyUnavailable: {HTTP: 503, Class: enrich.TryAgain, Retryable: true},
		sandbox.ServiceMisconfigured:   {HTTP: 500, Class: enrich.StopRun},
	}[code]
	if !found {
		panic("no row of the error table has the code " + code)
	}
	row.Code = string(code)
	return row
}

// after is the refusal with a wait.
func (w Refused) after(wait time.Duration) Refused {
	w.RetryAfter = wait
	return w
}
