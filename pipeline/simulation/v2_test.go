package simulation

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
)

// TestV2KeepsThePromises runs worlds that ask v2, alone and before v1, and fails for every promise broken in one.
func TestV2KeepsThePromises(t *testing.T) {
	var next atomic.Uint64
	var starts, calls, counted atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < uint64(*simV2Seeds); n = next.Add(1) - 1 {
					w := simulateV2(t, newV2Scenario(*simFirst+n), v2Mutation{})
					if len(w.found) == 0 {
						w.found = compareV2(w, simulateV2(t, w.scenario.undisturbed(), v2Mutation{}))
					}
					starts.Add(int64(w.starts))
					for _, r := range w.service.Second().Units().Records() {
						if r.Number > 0 {
							calls.Add(1)
							counted.Add(r.Units)
						}
					}
					w.report(t)
				}
			})
		}
	})
	t.Logf("%d seeds: %d starts, %d calls of v2, %d units", *simV2Seeds, starts.Load(), calls.Load(), counted.Load())
}

// report fails the test when a promise was broken.
func (w *v2World) report(t *testing.T) {
	t.Helper()
	if *simTrace {
		t.Logf("seed %d:\n%s", w.Seed, strings.Join(w.events, "\n"))
	}
	if len(w.found) > 0 {
		list := string(w.scenario.list)
		w.scenario.list = nil // the list is printed as text below
		t.Errorf("seed %d: %s\nscenario: %+v\nlist:\n%s", w.Seed, strings.Join(w.found, "\n"), w.scenario, list)
	}
}

// TestV2Repeats shows that a world is a pure function of its seed.
func TestV2Repeats(t *testing.T) {
	for n := range *simRepeats {
		seed := *simFirst + uint64(n)
		first, second := simulateV2(t, newV2Scenario(seed), v2Mutation{}), simulateV2(t, newV2Scenario(seed), v2Mutation{})
		if digest(first.events) != digest(second.events) {
			t.Errorf("seed %d: the second run differs: %s", seed, firstDifference(first.events, second.events))
		}
	}
}

// v2Mutation is one mistake that the program could make with the interface v2.
type v2Mutation struct {
	name    string
	promise string // that it breaks, as the checker's words begin
	world   func(*v2Scenario)
	ledger  func(*checkpoint.Journal) dispatch.Ledger
	finder  func(dispatch.Finder) dispatch.Finder
	account func(*checkpoint.Journal) output.StepAccount
	rate    func(checkpoint.Rate) checkpoint.Rate
	// service is what the program takes the responses of the service for.
	service func(http.Handler) http.Handler
	// tariff is what the program takes for the tariff of v2.
	tariff func(cost.Tariff) cost.Tariff
	// forget does to the disk what the mistake would do to it by the end of a start.
	forget func(*v2World)
	// identities says that the program does not learn which identities belong to one company.
	identities bool
	hasty      bool // the account is looked at without waiting for it to settle
}

// without holds nothing of some meters.
func without(meters ...cost.Meter) func(*checkpoint.Journal) dispatch.Ledger {
	return func(j *checkpoint.Journal) dispatch.Ledger { return &heldWithout{j, cost.MetersOf(meters...)} }
}

func v2Mutations() []v2Mutation {
	companies := func(s *v2Scenario) { s.of(0); s.Ceilings = nil }
	several := func(s *v2Scenario) {
		companies(s)
		s.Several = true
		s.list = s.drawList(draws(s.Seed).of("list"))
	}
	contacts := func(s *v2Scenario) { s.of(3); s.Ceilings = nil }
	lossy := func(s *v2Scenario) { s.of(0); s.Faults = append(s.Faults, "lost-after:p=0.30") }
	limited := func(s *v2Scenario) {
		s.of(0)
		s.Daily = map[kit.Module]int64{kit.Companies: 2, kit.Financials: 1}
		s.Ceilings, s.Dawn, s.Faults = nil, 0, nil
		s.Starts = []stepsStart{{}, {}, {}}
	}
	return []v2Mutation{
		{name: "a module is not held", promise: "P2", world: companies, ledger: without(v2.MeterCompanies)},
		{name: "a module of a GET is not held", promise: "P2", world: companies, ledger: without(v2.MeterFinancials)},
		{name: "an email is not held", promise: "P2", world: contacts, ledger: without(v2.MeterEmails)},
		{name: "a phone is not held", promise: "P2", world: contacts, ledger: without(v2.MeterPhones)},
		{name: "a GET is sent twice after a lost response", promise: "P1", world: lossy, finder: func(f dispatch.Finder) dispatch.Finder { return repeatingGETs{f} }},
		{name: "the hold of a lost call is released", promise: "P2", world: lossy, ledger: func(j *checkpoint.Journal) dispatch.Ledger { return &releasing{j} }},
		{name: "a lost GET is taken for one that was not sent", promise: "P1", world: lossy, finder: func(f dispatch.Finder) dispatch.Finder { return harmlessGETs{f} }},
		{name: "a limit is forgotten until the next day", promise: "P4", world: limited, forget: forgetV2Limits},
		{name: "a limit does not bind the calls after it", promise: "P4", world: limited, ledger: func(j *checkpoint.Journal) dispatch.Ledger { return &forgettingLimits{j} }},
		{name: "units of an answer are not booked", promise: "P2", world: companies, ledger: func(j *checkpoint.Journal) dispatch.Ledger {
			return &bookedWithout{j, cost.MetersOf(v2.MeterCompanies, v2.MeterFinancials)}
		}},
		{name: "emails of an answer are not booked", promise: "P2", world: contacts, ledger: func(j *checkpoint.Journal) dispatch.Ledger {
			return &bookedWithout{j, cost.MetersOf(v2.MeterEmails)}
		}},
		{name: "a ceiling on units ignores what is held", promise: "P2", world: func(s *v2Scenario) {
			s.of(0)
			s.Concurrency, s.Sparing, s.Window.Limit = 6, false, 60
			s.Ceilings = []cost.Ceiling{{Name: "companies", Scope: checkpoint.RunScope(runName), Meter: v2.MeterCompanies, Limit: 2}}
			s.Starts = append(s.Starts, stepsStart{})
		}, ledger: func(j *checkpoint.Journal) dispatch.Ledger { return &generousUnits{j} }},
		{name: "v1 is asked while a call of v2 is in doubt", promise: "P1", world: func(s *v2Scenario) {
			s.of(5)
			s.Faults = append(s.Faults, "lost-after:p=0.30")
		}, account: func(j *checkpoint.Journal) output.StepAccount { return doubtless{j} }},
		{name: "no settle delay", promise: "P1", hasty: true, world: func(s *v2Scenario) {
			s.of(0)
			s.Faults = []string{"lost-after:p=0.30,delay=50s"} // the client gives up after 45 s
			s.above(50_000)
			s.Starts = nil
			for at := 5; at < 60; at += 5 {
				s.Starts = append(s.Starts, stepsStart{Ending: crash, At: at, Down: 1})
			}
		}},
		{name: "a counter that began again is taken for one that goes on", promise: "P1", tariff: endless, world: func(s *v2Scenario) {
			lossy(s)
			s.above(0)
			s.Exclusive, s.Resets, s.Eager = false, 4, true
		}},
		{name: "an assumed module is taken for a fact", promise: "P1", forget: confirmAll, world: func(s *v2Scenario) {
			lossy(s)
			s.above(50_000)
			s.Modules = map[string]kit.Module{"GET /financial/{id}": kit.Companies, "GET /ownership/{id}": kit.Insights}
			s.Starts = append(s.Starts, stepsStart{Ending: crash, At: 40}, stepsStart{Ending: crash, At: 60})
		}},
		{name: "a gateway's error in JSON counts as a refusal", promise: "P2", world: gateway("gateway-json:happened=true,p=0.30"), service: refusingGateways},
		{name: "an error in JSON with HTTP 200 counts as a refusal", promise: "P2", world: gateway("gateway-json:happened=true,status=200,p=0.30"), service: refusingGateways},
		{name: "an unknown route counts as nothing found", promise: "P2", world: gateway("gateway-json:happened=true,status=404,p=0.30"), service: findingNothing},
		{name: "an answer below a byte order mark is dropped", promise: "P3", world: gateway("byte-order-mark:p=0.30"), service: droppingMarks},
		{name: "an assumed module is taken for a fact in what is booked", promise: "P2", forget: forgetAnswered, world: func(s *v2Scenario) {
			// A call by id is lost; when that is settled, the module of calls by id is confirmed. Then a call by website is
			// answered, which another counter counts, and a call by id is lost that falls back from a website. The program
			// crashes before that is settled: the call does not seem to have been charged. Within one step it does not
			// happen, because losses of calls by one identity are settled before calls by the next one begin.
			s.of(1)
			s.Wanted.Fields, s.Fallback, s.list = []string{"company"}, true, s.listOf(6, 1, 10)
			s.above(50_000)
			s.Others, s.Dawn, s.Ceilings, s.Modules = 0, 0, nil, map[string]kit.Module{"POST /enrichment/url": kit.Contacts}
			s.Concurrency, s.Window.Limit, s.Sparing, s.Faults = 1, 60, false, []string{"lost-after:at=2+18"}
			s.Starts = []stepsStart{{Ending: crash, At: 120 + draws(s.Seed).of("crash").IntN(30)}, {}}
		}},
		{name: "a website is asked for a company that is known by its number", promise: "P1", identities: true, world: several},
		{name: "what an answer names is not kept", promise: "P1", world: several, ledger: func(j *checkpoint.Journal) dispatch.Ledger {
			return &nameless{j}
		}},
		{name: "the window is ignored", promise: "P4", rate: func(r checkpoint.Rate) checkpoint.Rate { r.Slots = 1 << 20; return r }},
	}
}

// above makes the counters begin at a number and go on, in the modules that are assumed.
func (s *v2Scenario) above(used int64) {
	s.Resets, s.Daily, s.Modules = 0, nil, nil
	for _, m := range assumedModules() {
		s.Totals[m], s.Used[m] = 100_000, used
	}
}

// of makes the scenario one of the runs of v2Runs, with a list that fits.
func (s *v2Scenario) of(run int) {
	s.Subject, s.Wanted, s.Several, s.Named = v2Runs()[run].Subject, v2Runs()[run].Wanted, false, false
	s.list = s.drawList(draws(s.Seed).of("list"))
}

// TestMutationsOfV2 shows that the checker finds each mistake by the promise that it breaks.
func TestMutationsOfV2(t *testing.T) {
	for _, m := range v2Mutations() {
		findMutation(t, m.name, m.promise, func(t *testing.T, seed uint64) []string {
			scenario := newV2Scenario(seed)
			if m.world != nil {
				m.world(&scenario)
			}
			return simulateV2(t, scenario, m).found
		})
	}
}

// heldWithout holds nothing of some meters.
type heldWithout struct {
	*checkpoint.Journal
	meters cost.Meters
}

func (h *heldWithout) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Rates = maps.Clone(req.Rates)
	for f, rate := range req.Rates {
		for m := range h.meters.Each() {
			rate.Call[m], rate.Uses[m] = 0, 0
		}
		req.Rates[f] = rate
	}
	return h.Journal.Begin(req)
}

// bookedWithout books nothing of some meters.
type bookedWithout struct {
	*checkpoint.Journal
	meters cost.Meters
}

func (b *bookedWithout) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	answer.Consumed = slices.Clone(answer.Consumed)
	for m := range b.meters.Each() {
		answer.Consumed[m] = 0
	}
	return b.Journal.Settle(id, answer)
}

// nameless does not keep which identities an answer names.
type nameless struct{ *checkpoint.Journal }

func (n *nameless) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	answer.Names = nil
	return n.Journal.Settle(id, answer)
}

// generousUnits compares a ceiling on units with what is settled alone.
type generousUnits struct{ *checkpoint.Journal }

func (g *generousUnits) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Ceilings = slices.Clone(req.Ceilings)
	held := g.Totals(g.Number().Scope(checkpoint.ScopeAll)).Held
	for i, ceiling := range req.Ceilings {
		if ceiling.Meter != cost.USD && ceiling.Meter != cost.Lookups {
			req.Ceilings[i].Limit += held[ceiling.Meter]
		}
	}
	return g.Journal.Begin(req)
}

// forgettingLimits ends the limits of the account before each call.
type forgettingLimits struct{ *checkpoint.Journal }

func (f *forgettingLimits) Begin(req attempt.Request) (attempt.Decision, error) {
	if _, err := f.EndLimits(); err != nil {
		return nil, err
	}
	return f.Journal.Begin(req)
}

// endless takes the counters of modules for counters that never begin again.
func endless(tariff cost.Tariff) cost.Tariff {
	tariff.Meters = slices.Clone(tariff.Meters)
	for m, info := range tariff.Meters {
		if info.Counting == cost.CountsPeriod {
			tariff.Meters[m].Counting = cost.CountsLeft
		}
	}
	return tariff
}

// confirmAll takes every operation for one whose module an answer has confirmed.
func confirmAll(w *v2World) {
	state, err := read[record.State](w.disk, string(record.StateKey))
	if err != nil {
		return
	}
	for i := range state.Others {
		for _, o := range v2.Operations() {
			if m, counts := (v2.Modules{}).Meter(o); counts {
				state.Others[i].Confirmed = append(state.Others[i].Confirmed, cost.Operation{Name: o.String(), Meters: cost.MetersOf(m)})
			}
		}
	}
	w.disk.apply([]checkpoint.Write{{Key: record.StateKey, Value: record.Encode(&state)}})
}

// forgetAnswered forgets that the modules of answered calls were not confirmed.
func forgetAnswered(w *v2World) {
	state, err := read[record.State](w.disk, string(record.StateKey))
	if err != nil {
		return
	}
	for i := range state.Others {
		state.Others[i].Answered = nil
	}
	w.disk.apply([]checkpoint.Write{{Key: record.StateKey, Value: record.Encode(&state)}})
}

// forgetV2Limits forgets the limits at the end of a start.
func forgetV2Limits(w *v2World) { forgetLimits(w.stepsWorld) }

// repeatingGETs sends a GET again whose response was lost, as net/http does on a connection that breaks.
type repeatingGETs struct{ dispatch.Finder }

func (r repeatingGETs) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := r.Finder.Find(ctx, lookup)
	if _, lost := verdict.(enrich.Lost); lost && v2.CallOf(lookup).Operation.Method() == "GET" {
		return r.Finder.Find(ctx, lookup)
	}
	return verdict
}

// harmlessGETs takes a GET whose response was lost for one that was not sent.
type harmlessGETs struct{ dispatch.Finder }

func (h harmlessGETs) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := h.Finder.Find(ctx, lookup)
	if lost, is := verdict.(enrich.Lost); is && v2.CallOf(lookup).Operation.Method() == "GET" {
		return enrich.NotSent{Err: lost.Err}
	}
	return verdict
}
