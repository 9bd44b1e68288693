package ledgertest

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// scenario is what happens to a ledger, and what it must decide.
type scenario struct {
	rate decide.Rate
	play func(r *rig)
}

// rates returns the rate of the scenario for each account, by default one that no scenario reaches.
func (s scenario) rates() (rates [accounts]decide.Rate) {
	for n := range rates {
		rates[n] = s.rate
		if s.rate.Slots == 0 {
			rates[n] = decide.Rate{Slots: 1000, Window: time.Minute}
		}
	}
	return rates
}

// The fields and prices of the scenarios.
const (
	emailField = enrich.Field(0)
	phoneField = enrich.Field(1)
	email      = enrich.Fields(1) << emailField
	phone      = enrich.Fields(1) << phoneField
	emailPrice = 15 * cost.Cent
	phonePrice = 25 * cost.Cent
)

func ask(who int, fields enrich.Fields, ceilings ...cost.Ceiling) attempt.Request {
	return attempt.Request{
		Lookup: enrich.Lookup{Identity: person(who), Fields: fields}, Run: "run",
		Rates: Tariff().At(cost.Prices{emailField: emailPrice, phoneField: phonePrice}), Ceilings: ceilings,
	}
}

// paid is the charge of fields that cost money.
func paid(fields enrich.Fields, amount cost.Money) cost.Charge {
	return cost.Charge{Paid: fields, Amounts: cost.OfMoney(amount)}
}

// free is the charge of fields that the free allowance paid for.
func free(fields enrich.Fields) cost.Charge {
	charge := cost.Charge{Free: fields}
	for f := range fields.Each() {
		charge.Amounts[Tariff().Rates[f].Allowance]++
	}
	return charge
}

// Tariff is the tariff of the ledgers: money, a free allowance for each field, and units.
func Tariff() cost.Tariff {
	t := cost.AllowancePerField(enrich.Named("email", "phone"))
	t.Meters = append(t.Meters, cost.MeterInfo{Name: "units"})
	return t
}

// units is the last meter of the tariff.
const units cost.Meter = 3

// askUnits asks for an email that holds two units and no money.
func askUnits(who int, ceilings ...cost.Ceiling) attempt.Request {
	req := ask(who, email, ceilings...)
	req.Rates = cost.Rates{emailField: {Uses: cost.Amounts{units: 2}, Varies: cost.MetersOf(units)}}
	return req
}

// reported is an answer with an email for which the interface reports the consumed units.
func reported(consumed int64) enrich.Answered {
	found := answer(email)
	found.Consumed = []int64{units: consumed}
	return found
}

// account is a snapshot of an account with free units, and with a balance unless it is 0.
func account(emails, phones int64, balance cost.Money) cost.Account {
	a := cost.Account{ReadAt: time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)}
	a.Free[emailField], a.Free[phoneField] = cost.Known(emails), cost.Known(phones)
	a.Balance.Available = cost.Optional[cost.Money]{Value: balance, Known: balance > 0}
	return a
}

func spend(scope string, period cost.Period, limit cost.Money) cost.Ceiling {
	return cost.Ceiling{Name: "spend", Scope: scope, Period: period, Limit: int64(limit)}
}

func calls(scope string, limit int64) cost.Ceiling {
	return cost.Ceiling{Name: "calls", Scope: scope, Meter: cost.Lookups, Limit: limit}
}

func scenarios() map[string]scenario {
	minute := decide.Rate{Slots: 1, Window: time.Minute}
	return map[string]scenario{
		"an answered field is never bought again":     {play: answered},
		"an empty answer is asked again by its age":   {play: empty},
		"a rejected identity is not asked again":      {play: rejected},
		"a lost call keeps its hold after a crash":    {play: lost},
		"a forfeited field is bought again on demand": {play: forfeited},
		"a released call returns all that it held":    {play: released},
		"an attempt ends once":                        {play: once},
		"ceilings count what is held":                 {play: ceilings},
		"ceilings renew with their period":            {play: periods},
		"a ceiling of calls counts what was sent":     {play: callCeilings},
		"free units are used before money":            {play: allowance},
		"a doubted free unit is not counted on":       {play: doubtedUnit},
		"strict holds the full price":                 {play: strict},
		"fields that must be free are not paid for":   {play: onlyFree},
		"the account's balance is a ceiling":          {play: balance},
		"a slot is free one window after the answer":  {rate: minute, play: window},
		"an unsent call gives its slot back":          {rate: minute, play: unsent},
		"a crash keeps the slot of a call":            {rate: minute, play: crashedSlot},
		"a ceiling limits one meter":                  {play: unitCeiling},
		"the account's units are a ceiling":           {play: accountUnits},
		"a pause holds every call":                    {play: pause},
		"a reached limit stops what it is on":         {play: reachedLimit},
		"a limit without an end lasts until more":     {play: endlessLimit},
		"a limit of something unknown stops the call": {play: unknownLimit},
		"a ceiling that bounds nothing is an error":   {play: looseCeiling},
		"an answer is that of one account":            {play: ownAnswers},
		"a company is bought under one identity":      {play: oneCompany},
		"a doubt counts for every identity":           {play: doubtOfCompany},
		"a name or a website may be that of several":  {play: sharedNames},
		"a number may be that of several companies":   {play: sharedNumber},
		"an observed change is asked for once":        {play: changedOnce},
		"a lost call for a change is asked for once":  {play: changeLost},
		"a lost call for a change keeps the answer":   {play: answerKept},
		"a change counts for every identity":          {play: changeOfCompany},
		"common ceilings count every account":         {play: commonCeilings},
		"an account's own ceilings count it alone":    {play: ownCeilings},
		"accounts have their own windows and pauses":  {rate: minute, play: ownWindows},
		"a crash leaves calls of every account":       {play: crashedAccounts},
	}
}

func answered(r *rig) {
	ticket := r.grant(ask(1, email))
	r.want(ask(1, email), attempt.Blocked{})
	r.want(ask(1, email|phone), attempt.Blocked{})
	r.settle(ticket, email, paid(email, emailPrice))
	for range 2 {
		r.want(ask(1, email), attempt.Known{Fields: email})
		r.want(ask(1, email|phone), attempt.Known{Fields: email})
		r.spent(record.ScopeAll, emailPrice, 0)
		r.crash()
	}
	r.settle(r.grant(ask(1, phone)), 0, cost.Charge{})
	r.want(ask(1, email|phone), attempt.Known{Fields: email | phone})
}

func empty(r *rig) {
	r.settle(r.grant(ask(1, email)), 0, cost.Charge{})
	again := ask(1, email)
	again.Reask.Before = r.At
	r.want(again, attempt.Known{Fields: email})
	again.Reask.Before = r.At.Add(time.Second)
	r.grant(again)
}

func rejected(r *rig) {
	r.release(r.grant(ask(1, email)), attempt.Release{Reason: "invalid", Reject: true, Sent: true})
	r.want(ask(1, email), attempt.Known{Fields: email})
	r.crash()
	r.want(ask(1, email), attempt.Known{Fields: email})
	r.spent(record.ScopeAll, 0, 0)
	r.grant(ask(1, phone)) // the other field was not asked for
}

func lost(r *rig) {
	r.lose(r.grant(ask(1, email)))
	r.grant(ask(2, phone)) // in flight at the crash
	for range 2 {
		r.crash()
		r.want(ask(1, email|phone), attempt.Unsettled{Fields: email})
		r.want(ask(2, phone), attempt.Unsettled{Fields: phone})
		r.spent(record.RunScope("run"), 0, emailPrice+phonePrice)
	}
}

func forfeited(r *rig) {
	ticket := r.grant(ask(1, email|phone))
	r.lose(ticket)
	r.check(r.Assume(true, ticket.ID))
	r.spent(record.ScopeAll, emailPrice+phonePrice, 0)
	r.want(ask(1, email), attempt.Known{Fields: email})
	r.crash()
	again := ask(1, email)
	again.Reask.Forfeited = true
	r.settle(r.grant(again), email, paid(email, emailPrice))
	r.want(again, attempt.Known{Fields: email})
	r.spent(record.ScopeAll, 2*emailPrice+phonePrice, 0)
}

func released(r *rig) {
	sent := attempt.Release{Reason: "refused", Sent: true}
	r.release(r.grant(ask(1, email)), sent)
	ticket := r.grant(ask(1, email))
	r.lose(ticket)
	r.spent(record.ScopeAll, 0, emailPrice)
	r.check(r.Assume(false, ticket.ID))
	r.crash()
	r.spent(record.ScopeAll, 0, 0)
	r.grant(ask(1, email))
}

func once(r *rig) {
	ticket := r.grant(ask(1, email))
	r.settle(ticket, email, paid(email, emailPrice))
	if err := r.Release(ticket.ID, attempt.Release{Reason: "refused"}); err == nil {
		r.T.Error("a settled attempt was released")
	}
	if err := r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}); err == nil {
		r.T.Error("a settled attempt came into doubt")
	}
	if _, err := r.Settle(ticket.ID+1, answer(email)); err == nil {
		r.T.Error("an attempt that never began was settled")
	}
	r.spent(record.ScopeAll, emailPrice, 0)
}

func ceilings(r *rig) {
	limit := spend(record.RunScope("run"), cost.Ever, emailPrice+phonePrice)
	first, second := r.grant(ask(1, email, limit)), r.grant(ask(2, phone, limit))
	r.want(ask(3, email, limit), attempt.Blocked{}) // the calls in flight may cost less
	r.settle(first, email, paid(email, emailPrice))
	r.want(ask(3, phone, limit), attempt.Blocked{})
	r.lose(second) // what is in doubt stays held
	r.want(ask(3, email, limit), attempt.Over{Ceiling: limit, Need: int64(emailPrice)})
	r.crash()
	r.want(ask(3, email, limit), attempt.Over{Ceiling: limit, Need: int64(emailPrice)})
	r.check(r.Assume(false, second.ID))
	r.grant(ask(3, phone, limit))
}

func periods(r *rig) {
	r.At = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	day := spend(record.JobScope("run"), cost.Day, emailPrice)
	month := spend(record.WorkspaceScope, cost.Month, 2*emailPrice)
	r.settle(r.grant(ask(1, email, day, month)), email, paid(email, emailPrice))
	r.want(ask(2, email, day, month), attempt.Over{Ceiling: day, Need: int64(emailPrice)})
	r.pass(time.Second)
	r.settle(r.grant(ask(2, email, day, month)), email, paid(email, emailPrice))
	r.spent(record.WorkspaceScope+"/2026-11", emailPrice, 0)
	r.spent(record.WorkspaceScope+"/2026-12", emailPrice, 0)
	r.crash()
	r.want(ask(3, email, day, month), attempt.Over{Ceiling: day, Need: int64(emailPrice)})
	r.pass(24 * time.Hour)
	r.want(ask(3, phone, month), attempt.Over{Ceiling: month, Need: int64(phonePrice), Left: int64(emailPrice)})
}

func callCeilings(r *rig) {
	two := calls(record.RunScope("run"), 2)
	r.release(r.grant(ask(1, email, two)), attempt.Release{Reason: "not sent"})
	r.settle(r.grant(ask(2, email, two)), 0, cost.Charge{})
	r.release(r.grant(ask(3, email, two)), attempt.Release{Reason: "refused", Sent: true})
	r.want(ask(4, email, two), attempt.Over{Ceiling: two, Need: 1})
	r.crash()
	r.want(ask(4, email, two), attempt.Over{Ceiling: two, Need: 1})
}

func allowance(r *rig) {
	r.check(r.Rebase(account(1, 0, 0)))
	first := r.grant(ask(1, email|phone))
	r.spent(record.ScopeAccount, 0, phonePrice)
	r.want(ask(2, email), attempt.Blocked{}) // whether it is free depends on the first
	r.settle(first, phone, paid(phone, phonePrice))
	second := r.grant(ask(2, email))
	r.settle(second, email, free(email))
	third := r.grant(ask(3, email))
	r.settle(third, email, paid(email, emailPrice))
	r.check(r.Rebase(account(1, 1, 0))) // units beyond the last ones
	r.settle(r.grant(ask(4, email|phone)), email|phone, free(email|phone))
}

func doubtedUnit(r *rig) {
	r.check(r.Rebase(account(1, 0, 0)))
	first := r.grant(ask(1, email))
	r.lose(first)
	r.spent(record.ScopeAll, 0, 0)
	r.settle(r.grant(ask(2, email)), email, paid(email, emailPrice))
	r.check(r.Assume(false, first.ID))
	r.settle(r.grant(ask(1, email)), email, free(email))
}

func strict(r *rig) {
	r.check(r.Rebase(account(5, 5, 0)))
	req := ask(1, email)
	req.Strict = true
	r.settle(r.grant(req), email, paid(email, emailPrice))
}

func onlyFree(r *rig) {
	r.check(r.Rebase(account(1, 0, 0)))
	req := ask(1, email|phone)
	req.OnlyFree = email | phone
	r.want(req, attempt.Paid{Fields: phone})
	req.OnlyFree = email
	r.settle(r.grant(req), email, free(email))
	next := ask(2, email)
	next.OnlyFree = email
	r.want(next, attempt.Paid{Fields: email})
}

func balance(r *rig) {
	r.check(r.Rebase(account(0, 0, emailPrice)))
	ceiling := cost.SpendCeiling(cost.AccountBalance, record.ScopeAccount, emailPrice)
	r.want(ask(1, phone), attempt.Over{Ceiling: ceiling, Need: int64(phonePrice), Left: int64(emailPrice)})
	r.settle(r.grant(ask(1, email)), email, paid(email, emailPrice))
	r.crash()
	r.want(ask(2, email), attempt.Over{Ceiling: ceiling, Need: int64(emailPrice)})
	r.check(r.Rebase(account(0, 0, emailPrice)))
	r.grant(ask(2, email))
	if err := r.Rebase(account(0, 0, cost.Dollar)); err == nil {
		r.T.Error("a snapshot became the base while a call was in flight")
	}
}

func unitCeiling(r *rig) {
	limit := cost.Ceiling{Name: "units", Scope: record.WorkspaceScope, Period: cost.Month, Meter: units, Limit: 3}
	settle := func(ticket attempt.Ticket, consumed, want int64) {
		charge, err := r.Settle(ticket.ID, reported(consumed))
		r.check(err)
		if want := (cost.Charge{Amounts: cost.Amounts{units: want}, Paid: email, Reported: true}); charge != want {
			r.T.Errorf("%d reported units: charge %+v, want %+v", consumed, charge, want)
		}
	}
	first := r.grant(askUnits(1, limit))
	r.want(askUnits(2, limit), attempt.Blocked{})
	r.grant(ask(4, phone, limit)) // it holds money alone
	settle(first, 1, 1)
	second := r.grant(askUnits(2, limit))
	r.lose(second)
	for range 2 {
		r.want(askUnits(3, limit), attempt.Over{Ceiling: limit, Need: 2})
		r.crash()
	}
	r.check(r.Assume(false, second.ID))
	settle(r.grant(askUnits(3, limit)), 5, 5) // more than the two that it held
	if got := r.Totals(record.ScopeAll); got.Settled != (cost.Amounts{units: 6}) || got.Exceeded != (cost.Amounts{units: 3}) {
		r.T.Errorf("settled are %v, %v of it beyond the holds; want 6 and 3 units", got.Settled, got.Exceeded)
	}
}

func accountUnits(r *rig) {
	snapshot := account(0, 0, 0)
	snapshot.Left[units] = cost.Known[int64](3)
	r.check(r.Rebase(snapshot))
	ceiling := cost.Ceiling{Name: "units", Scope: record.ScopeAccount, Meter: units, Limit: 3}
	r.lose(r.grant(askUnits(1)))
	r.want(askUnits(2), attempt.Over{Ceiling: ceiling, Need: 2, Left: 1})
	r.settle(r.grant(ask(2, email)), email, paid(email, emailPrice)) // money is not units
	r.crash()
	r.want(askUnits(3), attempt.Over{Ceiling: ceiling, Need: 2, Left: 1})
}

func window(r *rig) {
	ticket := r.grant(ask(1, email))
	r.pass(time.Hour)
	r.want(ask(2, email), attempt.Blocked{})
	r.settle(ticket, 0, cost.Charge{})
	free := r.At.Add(time.Minute)
	for range 2 {
		r.pass(30*time.Second - time.Nanosecond)
		r.want(ask(2, email), attempt.Later{Until: free})
		r.crash()
		r.want(ask(2, email), attempt.Later{Until: free})
	}
	r.pass(2 * time.Nanosecond)
	r.lose(r.grant(ask(2, email)))
	r.want(ask(3, email), attempt.Later{Until: r.At.Add(time.Minute)})
}

func unsent(r *rig) {
	r.release(r.grant(ask(1, email)), attempt.Release{Reason: "not sent"})
	r.release(r.grant(ask(1, email)), attempt.Release{Reason: "refused", Sent: true})
	r.want(ask(2, email), attempt.Later{Until: r.At.Add(time.Minute)})
}

func crashedSlot(r *rig) {
	r.grant(ask(1, email))
	r.pass(time.Second)
	r.crash()
	free := r.At.Add(45*time.Second + time.Minute) // its request may still arrive
	r.want(ask(2, email), attempt.Later{Until: free})
	r.pass(time.Minute)
	r.crash()
	r.want(ask(2, email), attempt.Later{Until: free})
	r.pass(45 * time.Second)
	r.grant(ask(2, email))
}

func pause(r *rig) {
	until := r.At.Add(time.Hour)
	r.release(r.grant(ask(1, email)), attempt.Release{Reason: "slow down", Sent: true, PauseUntil: until})
	r.want(ask(1, email), attempt.Later{Until: until, Asked: true})
	r.crash()
	r.want(ask(1, email), attempt.Later{Until: until, Asked: true})
	r.pass(time.Hour)
	r.check(r.MarkInDoubt(r.grant(ask(1, email)).ID, attempt.LostCall{Cause: "lost", PauseUntil: r.At.Add(time.Minute)}))
	r.want(ask(2, email), attempt.Later{Until: r.At.Add(time.Minute), Asked: true})
}

func looseCeiling(r *rig) {
	for _, loose := range []cost.Ceiling{
		spend(record.RunScope("other"), cost.Ever, cost.Dollar),
		spend(record.WorkspaceScope, cost.Ever, cost.Dollar),
		calls(record.RunScope("run")+"/2026-11", 1),
	} {
		if decision, err := r.Begin(ask(1, email, loose)); err == nil {
			r.T.Errorf("a ceiling on %q: decision %#v", loose.Scope, decision)
		}
	}
	r.spent(record.ScopeAll, 0, 0)
}

// limitedUnits is the decision about a call that needs units of which the limit is reached.
func limitedUnits(code, module string, at, until time.Time) attempt.Limited {
	return attempt.Limited{Limit: attempt.Limit{Meters: cost.MetersOf(units), Module: module, Code: code, At: at, Until: until}}
}

func reachedLimit(r *rig) {
	at, midnight := r.At, time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	r.release(r.grant(askUnits(1)), attempt.Release{
		Reason: "daily", Sent: true, Limit: enrich.Limit{Meter: "units", Module: "data", Until: midnight},
	})
	for range 2 {
		r.want(askUnits(1), limitedUnits("daily", "data", at, midnight))
		r.release(r.grant(ask(2, email)), attempt.Release{Reason: "not sent"})
		r.release(r.grant(of(second, askUnits(2))), attempt.Release{Reason: "not sent"})
		r.crash()
	}
	r.pass(midnight.Sub(r.At) - time.Nanosecond)
	r.check(r.Rebase(account(0, 0, 0)))
	r.want(askUnits(1), limitedUnits("daily", "data", at, midnight))
	r.pass(time.Nanosecond)
	r.grant(askUnits(1))
}

func endlessLimit(r *rig) {
	used := func(used, total int64) cost.Account {
		snapshot := account(0, 0, 0)
		snapshot.Left[units], snapshot.Used[units] = cost.Known(total-used), cost.Known(used)
		return snapshot
	}
	stop := func() {
		at := r.At
		r.release(r.grant(askUnits(1)), attempt.Release{Reason: "all", Sent: true, Limit: enrich.Limit{Meter: "units", Module: "data"}})
		r.pass(time.Hour)
		r.crash()
		r.want(askUnits(1), limitedUnits("all", "data", at, time.Time{}))
	}
	r.check(r.Rebase(used(90, 100)))
	stop()
	at := r.At.Add(-time.Hour)
	for _, same := range []cost.Account{used(90, 100), used(95, 100), account(0, 0, 0), used(95, 100)} {
		r.check(r.Rebase(same))
		r.pass(400 * 24 * time.Hour)
		r.want(askUnits(1), limitedUnits("all", "data", at, time.Time{}))
	}
	r.check(r.Rebase(used(100, 100)))
	r.want(askUnits(1), limitedUnits("all", "data", at, time.Time{}))
	r.check(r.Rebase(used(92, 100))) // a new period, in which others have used more than when the limit was reached
	stop()
	r.check(r.Rebase(used(95, 200))) // its owner raised the limit
	stop()
	r.check(r.Rebase(used(3, 200))) // a new period of the account
	r.grant(askUnits(1))
}

func unknownLimit(r *rig) {
	midnight := r.At.Add(12 * time.Hour)
	limit := enrich.Limit{Module: "something", Until: midnight}
	r.release(r.grant(askUnits(1)), attempt.Release{Reason: "daily", Limit: limit})
	r.want(askUnits(2), limitedUnits("daily", "something", r.At, midnight))
	r.release(r.grant(ask(3, email)), attempt.Release{Reason: "not sent"})
}
