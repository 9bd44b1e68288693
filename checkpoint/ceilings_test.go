package checkpoint

import (
	"cmp"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// onJob returns a request of a run that belongs to a job.
func onJob(who enrich.Identity, fields enrich.Fields, job string, ceilings ...cost.Ceiling) attempt.Request {
	req := request(who, fields, ceilings...)
	req.Job = job
	return req
}

func TestACeilingCountsWhatWasSpentBeforeItWasSet(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(onJob(person(1), email, "nightly")), found)
	r.settle(r.grant(request(person(2), email)), found) // a job of the run's own name
	r.grant(onJob(person(3), phone, "nightly"))
	for _, c := range []struct {
		ceiling cost.Ceiling
		used    int64
	}{
		{cost.Ceiling{Scope: JobScope("nightly"), Period: cost.Day}, int64(40 * cost.Cent)},
		{cost.Ceiling{Scope: JobScope("nightly"), Period: cost.Month, Meter: cost.Lookups}, 2},
		{cost.Ceiling{Scope: JobScope("run"), Period: cost.Month}, int64(15 * cost.Cent)},
		{cost.Ceiling{Scope: WorkspaceScope, Period: cost.Month}, int64(55 * cost.Cent)},
		{cost.Ceiling{Scope: WorkspaceScope, Period: cost.Day, Meter: cost.Lookups}, 3},
		{cost.Ceiling{Scope: RunScope("run")}, int64(55 * cost.Cent)},
		{cost.Ceiling{Scope: ScopeAll, Meter: cost.Lookups}, 3},
	} {
		c.ceiling.Name = "set now"
		for _, limit := range []int64{c.used, c.used + c.ceiling.Need(cost.Hold{Fields: email, Rates: rates}.Amounts())} {
			c.ceiling.Limit = limit
			job := "nightly"
			if c.ceiling.Scope == JobScope("run") {
				job = ""
			}
			decision := r.begin(onJob(person(9), email, job, c.ceiling))
			granted, fits := decision.(attempt.Granted)
			if want := limit > c.used; fits != want {
				t.Errorf("%s %s of %d: %T; want granted %t", c.ceiling.Scope, c.ceiling.Period.Of(start), limit, decision, want)
			}
			if fits {
				ticket, err := granted.Ticket()
				r.check(err)
				r.check(r.Release(ticket.ID, attempt.Release{Reason: "not sent"}))
			}
		}
	}
}

func TestACeilingOnAScopeOfNoCallIsAnError(t *testing.T) {
	r := newRig(t)
	for _, ceiling := range []cost.Ceiling{
		{Scope: "month/2026-11"},
		{Scope: WorkspaceScope},
		{Scope: JobScope("nightly")},
		{Scope: JobScope("other"), Period: cost.Day},
		{Scope: RunScope("other")},
		{Scope: RunScope("run"), Period: cost.Month},
		{Scope: r.HistoryScope(cost.Kind{Fields: v1.FindPhone.Fields()})},
		{},
	} {
		ceiling.Name, ceiling.Limit = "loose", int64(cost.Dollar)
		if decision, err := r.Begin(onJob(person(1), email, "nightly", ceiling)); err == nil {
			t.Errorf("a ceiling on %q with period %d: decision %#v", ceiling.Scope, ceiling.Period, decision)
		}
	}
	if got := r.Totals(ScopeAll); got != (cost.Totals{}) {
		t.Errorf("the sums are %+v, want none", got)
	}
}

func TestCeilingsOfADayOrMonthResetAtMidnightUTC(t *testing.T) {
	r := newRig(t)
	r.clock.at = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC).In(time.FixedZone("east", 5*3600))
	day := cost.Ceiling{Name: "daily", Scope: JobScope("nightly"), Period: cost.Day, Limit: int64(15 * cost.Cent)}
	month := cost.Ceiling{Name: "monthly", Scope: WorkspaceScope, Period: cost.Month, Meter: cost.Lookups, Limit: 2}
	late := r.grant(onJob(person(1), email, "nightly", day, month))
	r.want(r.begin(onJob(person(2), email, "nightly", day, month)), attempt.Blocked{})
	r.clock.at = r.clock.at.Add(time.Second)
	r.reopen() // the late one is in doubt, and holds in the month and the day that it began in
	first := r.grant(onJob(person(2), email, "nightly", day, month))
	r.settle(first, found)
	r.want(r.begin(onJob(person(3), email, "nightly", day, month)), attempt.Over{Ceiling: day, Need: int64(15 * cost.Cent)})
	r.grant(onJob(person(3), phone, "hourly", month))
	r.want(r.begin(onJob(person(4), phone, "hourly", month)), attempt.Blocked{})
	r.check(r.Assume(true, late.ID))
	for scope, want := range map[string]cost.Money{
		"job/nightly/2026-11-30": 15 * cost.Cent, "job/nightly/2026-12-01": 15 * cost.Cent,
		"workspace/2026-11": 15 * cost.Cent, "workspace/2026-12": 15 * cost.Cent,
	} {
		if got := r.Totals(scope).Settled.Money(); got != want {
			t.Errorf("settled in %s: %s, want %s", scope, got, want)
		}
	}
}

func TestALookupCeilingCountsOnlySentCalls(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(accountWith(9, 0))) // lookups that cost nothing count as well
	four := cost.Ceiling{Name: "four", Scope: RunScope("run"), Meter: cost.Lookups, Limit: 4}
	heldBack := r.grant(request(person(1), email, four))
	r.settle(r.grant(request(person(2), email, four)), v1.Answer{Status: enrich.NotFound})
	lost, charged := r.grant(request(person(3), email, four)), r.grant(request(person(4), email, four))
	r.want(r.begin(request(person(5), email, four)), attempt.Blocked{})
	r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.MarkInDoubt(charged.ID, attempt.LostCall{Cause: "lost"}))
	r.want(r.begin(request(person(5), email, four)), attempt.Blocked{})
	r.check(r.Release(heldBack.ID, attempt.Release{Reason: "held back"})) // not sent
	refused := r.grant(request(person(5), email, four))
	r.check(r.Release(refused.ID, attempt.Release{Reason: "conflict", Sent: true}))
	r.reopen()
	r.want(r.begin(request(person(6), email, four)), attempt.Over{Ceiling: four, Need: 1, Left: 0})
	r.check(r.Assume(false, lost.ID))
	r.check(r.Assume(true, charged.ID))
	r.want(r.begin(request(person(6), email, four)), attempt.Over{Ceiling: four, Need: 1, Left: 0})
	if got := r.Totals(four.Scope); got.Uncharged != 2 || got.Forfeited != 1 || got.Lookups != 1 || got.Open != 0 {
		t.Errorf("totals %+v; want 2 sent and not charged, 1 forfeited and 1 answered", got)
	}
	wantSound(t, r.store)
}

func TestHistoryCountsByOperationAndPattern(t *testing.T) {
	r := newRig(t)
	named := enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}
	r.settle(r.grant(request(person(1), email|phone)), found)
	r.settle(r.grant(request(person(2), email|phone)), v1.Answer{Status: enrich.Partial, WorkEmail: "a@b.example"})
	r.settle(r.grant(request(named, email)), found)
	if _, err := r.erase(Person{Identity: named}); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	both := r.Totals(r.HistoryScope(cost.Kind{Fields: v1.EnrichContact.Fields(), Pattern: enrich.ByProfile}))
	if both.Lookups != 2 || both.Whole != 1 || both.Returned != (enrich.ByField[int64]{2, 1}) {
		t.Errorf("by profile: %+v; want 2 lookups, 1 whole", both)
	}
	one := r.Totals(r.HistoryScope(cost.Kind{Fields: v1.FindWorkEmail.Fields(), Pattern: enrich.ByName}))
	if one.Lookups != 1 || one.Whole != 1 {
		t.Errorf("by name: %+v; want 1 whole lookup, erased or not", one)
	}
	if problems := problemsOf(t, r.store); len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
}

// walkFlight adds up the calls in flight one by one, as the ledger state does in passing. The allowances
// are those of each account.
func walkFlight(b *ledgerState) (inFlight map[string]cost.Totals, allowances []cost.Allowance) {
	inFlight, allowances = map[string]cost.Totals{}, make([]cost.Allowance, len(b.accounts))
	for n, of := range b.accounts {
		for f, rate := range of.Tariff.Rates {
			if m := rate.Allowance; m != cost.USD {
				allowances[n].Left[m] = of.Base.Free[f].Value - b.sums.Totals(of.Number.Scope(ScopeAccount)).Settled[m] - of.UsedByOthers[m]
			}
		}
	}
	for id, a := range b.open {
		if a.resolving {
			continue
		}
		of, allowance := b.accounts[a.Account], &allowances[a.Account]
		held := &allowance.Held
		if id < of.BaseFirst {
			held = new(cost.Amounts) // the base is net of what it used
		}
		if a.state == attempt.InDoubt && id >= of.BaseFirst {
			held = &allowance.Doubted
		}
		for f := range a.Hold.Free.Each() {
			held[rates[f].Allowance]++
		}
		if a.state == attempt.Intended {
			for _, scope := range a.Counts(of.Catalogue) {
				totals := inFlight[scope.Name]
				totals.Open++
				totals.Held = totals.Held.Plus(scope.Of(a.Hold.Amounts()))
				inFlight[scope.Name] = totals
			}
		}
	}
	return inFlight, allowances
}

// checkFlight compares the sums of calls in flight with a walk over them.
func checkFlight(t interface{ Errorf(string, ...any) }, j *Journal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	inFlight, allowances := walkFlight(j.state)
	for n, allowance := range allowances {
		got := j.state.accounts[n].Allowance()
		for _, amounts := range []*cost.Amounts{&got.Left, &got.Held, &got.Doubted} {
			amounts[cost.USD] = 0 // is no allowance
		}
		if got != allowance {
			t.Errorf("the allowance of account %d is %+v, and the open attempts make it %+v", n, got, allowance)
		}
	}
	for scope, sum := range j.state.sums.Scopes {
		if want := inFlight[scope]; sum.InFlight.Open != want.Open || sum.InFlight.Held != want.Held {
			t.Errorf("in flight in %s: %d hold %v, and the open attempts say %d hold %v",
				scope, sum.InFlight.Open, sum.InFlight.Held, want.Open, want.Held)
		}
		delete(inFlight, scope)
	}
	if len(inFlight) > 0 {
		t.Errorf("the sums do not have %v", inFlight)
	}
}

// TestCeilingsHoldForEveryOrderOfLookups runs lookups of two accounts from many goroutines at a time,
// over midnights and the end of a month, and watches every ceiling after every step.
func TestCeilingsHoldForEveryOrderOfLookups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := &tick{at: monthsEnd}
		journal, err := New(newMemStore(), Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}, Now: clock.now})
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		if _, err := journal.Account(secondID, AccountOptions{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}}); err != nil {
			t.Fatal(err)
		}
		for n := range journal.Accounts() {
			on, err := journal.For(n)
			account := accountWith(rapid.Int64Range(0, 4).Draw(t, "free emails"), rapid.Int64Range(0, 4).Draw(t, "free phones"))
			if err := cmp.Or(err, on.Rebase(account)); err != nil {
				t.Fatal(err)
			}
		}
		crowd := &crowd{Journal: journal, clock: clock, strict: rapid.Bool().Draw(t, "strict"), released: map[string]cost.Amounts{}}
		spend := rapid.Int64Range(0, int64(3*cost.Dollar))
		crowd.ceilings = []cost.Ceiling{
			{Name: "run", Scope: RunScope("run"), Limit: spend.Draw(t, "run")},
			{Name: "daily", Scope: JobScope("nightly"), Period: cost.Day, Limit: spend.Draw(t, "daily")},
			{Name: "monthly", Scope: WorkspaceScope, Period: cost.Month, Limit: spend.Draw(t, "monthly")},
			{Name: "lookups", Scope: JobScope("nightly"), Period: cost.Day, Meter: cost.Lookups, Limit: rapid.Int64Range(0, 20).Draw(t, "lookups")},
		}
		ends := rapid.SliceOfN(rapid.IntRange(0, 4), 24, 24).Draw(t, "ends")
		crowd.second = rapid.SliceOfN(rapid.Bool(), 24, 24).Draw(t, "of the second account")
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() { crowd.work(worker, ends) })
		}
		all.Wait()
		for _, text := range crowd.broken {
			t.Error(text)
		}
		checkFlight(t, journal)
		crowd.conserve(t)
	})
}

var monthsEnd = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// tick is a clock that goes on by an hour with every look.
type tick struct {
	mu sync.Mutex
	at time.Time
}

func (c *tick) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Hour)
	return c.at
}

// crowd are many workers on one journal.
type crowd struct {
	*Journal
	clock    *tick
	ceilings []cost.Ceiling
	strict   bool
	second   []bool // lookups of the second account

	mu       sync.Mutex
	broken   []string
	released map[string]cost.Amounts // by scope, what was held and not charged
}

func (c *crowd) work(worker int, ends []int) {
	for i := worker; i < len(ends); i += 8 {
		if err := c.lookUp(i, ends[i]); err != nil {
			c.breaks("%v", err)
		}
		c.watch()
	}
}

func (c *crowd) breaks(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, fmt.Sprintf(format, args...))
}

// lookUp sends one lookup, if it may, and lets it end in one of the ways.
func (c *crowd) lookUp(n, end int) error {
	req := onJob(person(n), enrich.Fields(1+n%3), "nightly", c.ceilings...)
	req.Strict = c.strict
	if c.second[n] {
		req.Account = 1
	}
	decision, err := c.Begin(req)
	granted, ok := decision.(attempt.Granted)
	if err != nil || !ok {
		return err
	}
	ticket, err := granted.Ticket()
	if err != nil {
		return err
	}
	c.watch()
	in, _, err := record.Load[record.Intent](c.store, record.IDKey(record.IntentPrefix, ticket.ID))
	if err != nil {
		return err
	}
	held := ticket.Hold.Amounts()
	var charge cost.Charge
	switch end {
	case 0:
		charge, err = c.Settle(ticket.ID, v1.EncodeAnswer(found))
	case 1:
		charge, err = c.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound}))
	case 2:
		err = c.Release(ticket.ID, attempt.Release{Reason: "conflict", Sent: true})
	case 3:
		if err = c.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}); err == nil {
			err = c.Assume(true, ticket.ID)
		}
		charge = ticket.Hold.Settle(ticket.Hold.Fields)
	case 4:
		charge.Amounts = held // goes on holding it
		err = c.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	catalogue := v1.Catalogue()
	if in.Account != 0 {
		catalogue.Operations = nil // of an account that was registered the journal knows the fields
	}
	for _, scope := range in.Counts(catalogue) {
		c.released[scope.Name] = c.released[scope.Name].Plus(scope.Of(held.Minus(charge.Amounts)))
	}
	return err
}

// watch fails when a ceiling does not hold at this moment, of any day or month.
func (c *crowd) watch() {
	c.Journal.mu.Lock()
	defer c.Journal.mu.Unlock()
	for _, ceiling := range c.ceilings {
		for day := range 10 {
			at := ceiling.At(monthsEnd.AddDate(0, 0, day))
			if totals := c.state.sums.Totals(at.Scope); at.Left(totals) < 0 {
				c.breaks("%s: %d of %d in %s", at.Name, at.Used(totals), at.Limit, at.Scope)
			}
		}
	}
}

// conserve checks that all that was ever held is settled, held or was released.
func (c *crowd) conserve(t *rapid.T) {
	for scope, sum := range c.state.sums.Scopes {
		totals := sum.Totals
		if totals.Settled.Plus(totals.Held).Plus(c.released[scope]) != totals.EverHeld {
			t.Errorf("%s: %v settled, %v held and %v released are not the %v ever held",
				scope, totals.Settled, totals.Held, c.released[scope], totals.EverHeld)
		}
	}
	all := c.Totals(ScopeAll)
	if sum := c.sumOf("workspace/2026-11", "workspace/2026-12"); sum != all {
		t.Errorf("the months add up to %+v, and all is %+v", sum, all)
	}
	if problems := problemsOf(t, c.store); len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
}

func (c *crowd) sumOf(scopes ...string) (sum cost.Totals) {
	for _, scope := range scopes {
		t := c.Totals(scope)
		sum.Settled, sum.Held, sum.EverHeld = sum.Settled.Plus(t.Settled), sum.Held.Plus(t.Held), sum.EverHeld.Plus(t.EverHeld)
		sum.Lookups, sum.Whole, sum.Open, sum.Forfeited = sum.Lookups+t.Lookups, sum.Whole+t.Whole, sum.Open+t.Open, sum.Forfeited+t.Forfeited
		sum.Uncharged += t.Uncharged
		for f := range enrich.MaxFields {
			sum.Charged[f] += t.Charged[f]
			sum.Asked[f] += t.Asked[f]
			sum.Returned[f] += t.Returned[f]
		}
	}
	return sum
}
