package jobs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/notify"
	"payonce/io/service/v1"
	"payonce/pipeline/workspace"
)

// spending is a year of several jobs on one journal in virtual time. Each occurrence has a list of its own. The
// service fails, asks for pauses and has a monthly budget; the process crashes; the machine stops; its clock is set.
type spending struct {
	t       *testing.T
	random  *rand.Rand
	store   *memory
	journal *checkpoint.Journal
	now     time.Time
	jobs    []*Job
	limits  map[string][]cost.Ceiling // by job
	lists   map[string][]enrich.Identity
	people  int
	ends    map[string]int // how often an occurrence came to its end
	spent   map[string]cost.Money
	down    time.Time // the service fails until then
	waits   int       // occurrences that waited
	wentOn  int       // and went on
	stops   map[string]int
	happens map[string]int // what went wrong from outside
	told    *listeners
	month   *month // what else happens; nil for nothing
}

// The limits of the year. The money of a month does not suffice for the lists of a month.
const (
	dayLimit       = 60 * cost.Cent
	jobMonth       = 4_20 * cost.Cent
	workspaceMonth = 14_00 * cost.Cent
	serviceMonth   = 12_00 * cost.Cent
	price          = 15 * cost.Cent
)

func newSpending(t *testing.T, seed uint64) *spending {
	y := &spending{
		t: t, random: rand.New(rand.NewPCG(seed, 2)), store: newMemory(), now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		limits: map[string][]cost.Ceiling{}, lists: map[string][]enrich.Identity{}, ends: map[string]int{},
		spent: map[string]cost.Money{}, stops: map[string]int{}, happens: map[string]int{},
	}
	y.told = newListeners(t, y.random, y.store, func() time.Time { return y.now })
	for _, one := range []struct {
		name, times, zone string
		overlaps          bool
		catchUp           time.Duration
	}{
		{"berlin", "daily at 02:30", "Europe/Berlin", false, 36 * time.Hour},
		{"new-york", "0 */8 * * *", "America/New_York", true, 24 * time.Hour},
		{"utc", "30 1 * * 1-5", "UTC", false, 20 * 24 * time.Hour},
	} {
		zone, err := time.LoadLocation(one.zone)
		y.check(err)
		times, err := parseTimes(one.times)
		y.check(err)
		y.jobs = append(y.jobs, &Job{
			Name: one.name, Retention: 1000 * 24 * time.Hour, PauseAfter: 4, NoRunAfter: 50 * time.Hour, Alerts: y.told.channels(),
			Plan: SchedulePlan{Job: one.name, Times: times, Zone: zone, CatchUp: one.catchUp, Overlaps: one.overlaps, Jitter: 10 * time.Minute},
		})
		y.limits[one.name] = []cost.Ceiling{
			{Name: "daily", Scope: checkpoint.JobScope(one.name), Period: cost.Day, Limit: int64(dayLimit)},
			{Name: "monthly", Scope: checkpoint.JobScope(one.name), Period: cost.Month, Limit: int64(jobMonth)},
			{Name: "workspace-monthly", Scope: checkpoint.WorkspaceScope, Period: cost.Month, Limit: int64(workspaceMonth)},
		}
	}
	return y
}

func (y *spending) check(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatalf("at %s: %v", y.now, err)
	}
}

// pass lets time pass, up to a span.
func (y *spending) pass(most time.Duration) {
	y.now = y.now.Add(time.Duration(y.random.Int64N(int64(most))))
}

// list returns the persons of an occurrence, the same for each of its starts.
func (y *spending) list(job, at string) []enrich.Identity {
	key := job + "/" + at
	if _, made := y.lists[key]; !made {
		list := []enrich.Identity{}
		for range y.random.IntN(8) {
			y.people++
			list = append(list, enrich.Identity{ProfileURL: fmt.Sprintf("https://pro.example/in/p%d", y.people)})
		}
		y.lists[key] = list
	}
	return y.lists[key]
}

func nextMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

// open opens the journal, if it is not open since the last crash.
func (y *spending) open() *checkpoint.Journal {
	if y.journal == nil {
		var err error
		y.journal, err = checkpoint.New(y.store, checkpoint.Options{
			Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1000, Window: time.Minute}, Now: func() time.Time { return y.now },
		})
		y.check(err)
	}
	return y.journal
}

// run looks up the list of an occurrence. It returns false when the process is killed in the middle.
func (y *spending) run(job *Job, at string) (outcome RunOutcome, alive bool) {
	began := y.now.UTC()
	if y.month != nil {
		if outcome, fails := y.month.fails(y, job, at); fails {
			return outcome, true
		}
	}
	journal := y.open()
	stop := func(exit int, reason string, until time.Time) (RunOutcome, bool) {
		y.stops[reason]++
		outcome.Exit, outcome.Reason, outcome.Until = exit, reason, until
		return outcome, true
	}
	kill := -1
	if y.random.IntN(15) == 0 {
		kill = y.random.IntN(4)
	}
	for i, who := range y.list(job.Name, at) {
		y.pass(20 * time.Second)
		if y.now.Before(y.down) {
			return stop(4, "service:unreachable", time.Time{})
		}
		decision, err := journal.Begin(attempt.Request{
			Lookup: enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v1.WorkEmail)}, Run: job.Name + "-" + at, Job: job.Name, Strict: true,
			Rates: v1.Tariff().At(cost.Prices{v1.WorkEmail: price}), Ceilings: y.limits[job.Name],
		})
		y.check(err)
		switch decision := decision.(type) {
		case attempt.Known, attempt.Unsettled:
			continue
		case attempt.Later:
			return stop(4, "service:asked_to_wait", decision.Until)
		case attempt.Over:
			until := nextMonth(began)
			if decision.Ceiling.Period == cost.Day {
				until = began.Truncate(24 * time.Hour).Add(24 * time.Hour)
			}
			return stop(exitCeiling, "ceiling:"+decision.Ceiling.Name, until)
		case attempt.Granted:
			ticket, err := decision.Ticket()
			y.check(err)
			if y.spent["service "+y.now.UTC().Format("2006-01")]+price > serviceMonth {
				y.check(journal.Release(ticket.ID, attempt.Release{Reason: v1.CodeBudgetReached, Sent: true}))
				return stop(4, v1.CodeBudgetReached, nextMonth(began))
			}
			if i == kill {
				y.charge(job.Name) // the response is lost with the process
				y.journal = nil
				return outcome, false
			}
			if y.random.IntN(60) == 0 {
				until := y.now.Add(time.Duration(1+y.random.IntN(40)) * time.Hour)
				y.check(journal.Release(ticket.ID, attempt.Release{Reason: "rate_limited", Sent: true, PauseUntil: until}))
				return stop(4, "service:asked_to_wait", until)
			}
			charge, err := journal.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", RequestID: "r"}))
			y.check(err)
			if charge.Money() != price {
				y.t.Fatalf("charged $%s", charge.Money())
			}
			y.charge(job.Name)
			totals := journal.Totals(checkpoint.RunScope(job.Name + "-" + at))
			outcome.OfRun = &RunSums{Found: totals.Returned[v1.WorkEmail], Lookups: totals.Calls(), Spent: totals.Settled.Money()}
		default:
			y.t.Fatalf("decision %#v", decision)
		}
	}
	return outcome, true
}

// charge enters what the service charges now into its own ledger, and compares it with every ceiling.
func (y *spending) charge(job string) {
	day, month := y.now.UTC().Format(time.DateOnly), y.now.UTC().Format("2006-01")
	for scope, limit := range map[string]cost.Money{
		job + " " + day: dayLimit, job + " " + month: jobMonth, "workspace " + month: workspaceMonth, "service " + month: serviceMonth,
	} {
		if y.spent[scope] += price; y.spent[scope] > limit {
			y.t.Fatalf("at %s %s has spent $%s of $%s", y.now, scope, y.spent[scope], limit)
		}
	}
}

// start starts a job as a timer does, until nothing is due. It returns when to look again.
func (y *spending) start(job *Job) time.Time { return y.startFor(job, RunRequest{}) }

func (y *spending) startFor(job *Job, q RunRequest) time.Time {
	result := &StartResult{causes: map[string]bool{}}
	for range 1000 {
		c := newClaim(job, q, y.now)
		was, err := checkpoint.JobRecord(y.store, job.Name)
		y.check(err)
		y.check(c.decide(y.store))
		y.told.expectDecided(was, c)
		y.told.send(job)
		if c.claimed == nil {
			return c.wake
		}
		if q == (RunRequest{}) { // a person may start an old one
			checkInTime(y.t, job, c)
		}
		if y.killed("killed after the claim") {
			return y.now.Add(time.Minute)
		}
		if y.stopped(job, c.claimed.At) {
			y.wentOn++
		}
		at, err := parseLocalTime(c.claimed.At)
		y.check(err)
		outcome, alive := y.run(job, c.claimed.At)
		if !alive {
			y.happens["killed in a call"]++
			return y.now.Add(time.Minute)
		}
		if y.killed("killed before the end is recorded") {
			return y.now.Add(time.Minute)
		}
		ended, noFailure := conclude(job.Plan, *c.claimed, at, outcome, y.now)
		if ended.Until.IsZero() {
			y.ends[job.Name+"/"+ended.At]++
		} else {
			y.waits++
			y.lists["waited "+job.Name+"/"+ended.At] = nil
		}
		y.expect(ended, noFailure)
		e := ending{job: job, ended: ended, noFailure: noFailure, note: func(string) {}}
		y.check(result.record(y.store, &e, outcome))
		if y.month != nil {
			y.month.ended(y, e.ended)
		}
		if y.killed("killed before the alerts are sent") {
			return y.now.Add(time.Minute)
		}
		y.told.send(job)
		if q != (RunRequest{}) {
			return time.Time{}
		}
	}
	y.t.Fatalf("at %s the job %s starts again and again", y.now, job.Name)
	return time.Time{}
}

// killed reports whether the process is killed now. Its journal is opened again by the next one.
func (y *spending) killed(when string) bool {
	if y.random.IntN(40) > 0 {
		return false
	}
	y.happens[when]++
	y.journal = nil
	return true
}

// expect says what the channels must hear of the end of a start.
func (y *spending) expect(ended record.Occurrence, noFailure bool) {
	switch {
	case strings.HasPrefix(ended.Reason, "ceiling:") || ended.Reason == v1.CodeBudgetReached:
		y.told.expect(ended, notify.Ceiling)
	case noFailure && ended.Until.IsZero() && !notify.CameToEnd(ended):
		y.told.expect(ended, notify.Ceiling)
	case ended.Exit == exitApproval:
		y.told.expect(ended, notify.Approval)
	case !noFailure:
		y.told.expect(ended, notify.Failure)
	}
	if noFailure && ended.Until.IsZero() {
		y.told.expect(ended, notify.Success)
	}
}

// stopped reports whether an occurrence has waited.
func (y *spending) stopped(job *Job, at string) bool {
	_, waited := y.lists["waited "+job.Name+"/"+at]
	return waited
}

// resumeJob lets a paused job start again, as a person does.
func (y *spending) resumeJob(job *Job, known record.Job) {
	c := newClaim(job, RunRequest{}, y.now)
	y.check(c.decide(y.store))
	y.told.expectDecided(known, c)
	_, err := resume(y.store, job, "", y.now, workspace.Peers{})
	y.check(err)
}

// live lets time pass until an end.
func (y *spending) live(end time.Time) {
	for y.now.Before(end) {
		if y.month != nil && !y.month.calm {
			y.month.people(y)
		}
		next := y.now.Add(24 * time.Hour)
		for _, job := range y.jobs {
			if known, err := checkpoint.JobRecord(y.store, job.Name); err == nil && !known.PausedAt.IsZero() && y.random.IntN(4) == 0 {
				y.resumeJob(job, known)
			}
			if wake := y.start(job); !wake.IsZero() && wake.Before(next) {
				next = wake
			}
		}
		if next.After(y.now) {
			y.now = next
		}
		switch y.random.IntN(60) {
		case 0: // the machine is off
			y.happens["the machine is off"]++
			y.pass(80 * time.Hour)
		case 1: // the clock is set forward
			y.happens["the clock is set forward"]++
			y.pass(3 * time.Hour)
		case 2: // the clock is set back
			y.happens["the clock is set back"]++
			y.now = y.now.Add(-time.Duration(y.random.IntN(180)) * time.Minute)
		case 3: // the service fails for some days
			y.happens["the service fails"]++
			y.down = y.now.Add(time.Duration(y.random.IntN(72)) * time.Hour)
		case 4:
			y.happens["a channel fails"]++
			y.told.goDown()
		default:
			y.pass(time.Minute)
		}
	}
}

// verify checks that every occurrence came to its end once or has a reason.
func (y *spending) verify() (ran int) {
	for _, job := range y.jobs {
		known, err := checkpoint.JobRecord(y.store, job.Name)
		y.check(err)
		history, err := checkpoint.JobHistory(y.store, job.Name)
		y.check(err)
		reasons := map[string]bool{}
		for _, one := range history {
			from, err := parseLocalTime(one.At)
			y.check(err)
			if one.Count > 1 {
				from, err = parseLocalTime(one.First)
				y.check(err)
			}
			for at := from; at.String() <= one.At; at = job.Plan.Times.Next(at) {
				reasons[at.String()] = one.Reason != "" || one.At == known.Unfinished
			}
		}
		first := history[0].At
		if history[0].Count > 1 {
			first = history[0].First
		}
		at, err := parseLocalTime(first)
		y.check(err)
		for ; at.String() <= known.Decided; at = job.Plan.Times.Next(at) {
			switch ends := y.ends[job.Name+"/"+at.String()]; {
			case ends > 1:
				y.t.Errorf("%s of %s came to its end %d times", at, job.Name, ends)
			case ends == 1:
				ran++
			case !reasons[at.String()]:
				y.t.Errorf("%s of %s did not come to its end, and there is no reason", at, job.Name)
			}
		}
	}
	return ran
}

// TestInAYearNoCeilingIsPassed lives through a year in which the money of most months is used up. Every alert reaches
// its channels, as in TestInAYearEveryOccurrenceRanOnceOrHasAReason.
func TestInAYearNoCeilingIsPassed(t *testing.T) {
	t.Parallel()
	first := yearSeed()
	for i := range uint64(2) {
		seed := first + i
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d; repeat both with -year.seed=%d", seed, first)
			y := newSpending(t, seed)
			if i > 0 { // alerts take the test long
				y.told.deaf = true
				for _, job := range y.jobs {
					job.Alerts = nil
				}
			}
			y.live(y.now.AddDate(1, 0, 0))
			ran := y.verify()
			for range 100 {
				y.now = y.now.Add(6 * time.Hour)
				for _, job := range y.jobs {
					y.told.send(job)
				}
			}
			heard := y.told.verify()
			t.Logf("%d alerts reached their channels, %d again, after %d refusals: %v", heard, y.told.dropped, y.told.refused, y.told.kinds())
			t.Logf("seed %d: %d occurrences ran, %d waits, %d went on; stops %v", seed, ran, y.waits, y.wentOn, y.stops)
			t.Logf("what happened: %v", y.happens)
			if len(y.happens) != 9 {
				t.Errorf("some things never happened: %v", y.happens)
			}
			if ran < 100 || y.waits < 20 || y.wentOn < 10 {
				t.Errorf("%d occurrences ran, %d waited, %d went on", ran, y.waits, y.wentOn)
			}
			if kinds := y.told.kinds(); i == 0 {
				for _, kind := range []notify.Kind{notify.Failure, notify.Missed, notify.Ceiling, notify.Success, notify.NoRun} {
					if kinds[string(kind)] == 0 {
						t.Errorf("no alert of the kind %s was sent: %v", kind, kinds)
					}
				}
			}
			for _, stop := range []string{"ceiling:daily", "ceiling:monthly", "service:unreachable", "service:asked_to_wait"} {
				if y.stops[stop] == 0 {
					t.Errorf("no run was stopped by %s: %v", stop, slices.Sorted(maps.Keys(y.stops)))
				}
			}
		})
	}
}
