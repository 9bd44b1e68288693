package simulation

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
)

// TestStepsKeepThePromises runs worlds of several accounts, meters and steps, and fails for every promise
// broken in one.
func TestStepsKeepThePromises(t *testing.T) {
	var next atomic.Uint64
	var starts, arrivals atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < uint64(*simSeeds); n = next.Add(1) - 1 {
					seed := *simFirst + n
					w := simulateSteps(t, newStepsScenario(seed), stepsMutation{})
					starts.Add(int64(w.starts))
					for _, s := range w.services {
						arrivals.Add(int64(len(s.arrivals)))
					}
					if *simTrace {
						t.Logf("seed %d:\n%s", seed, strings.Join(w.events, "\n"))
					}
					if len(w.found) > 0 {
						list := string(w.list)
						w.list = nil // numbers of bytes are nothing to read
						t.Errorf("seed %d: %s\nscenario: %+v\nlist:\n%s", seed, strings.Join(w.found, "\n"), w.stepsScenario, list)
					}
				}
			})
		}
	})
	t.Logf("%d seeds: %d starts, %d calls", *simSeeds, starts.Load(), arrivals.Load())
}

// TestStepsRepeat shows that a world is a pure function of its seed.
func TestStepsRepeat(t *testing.T) {
	for n := range *simRepeats {
		seed := *simFirst + uint64(n)
		first, second := simulateSteps(t, newStepsScenario(seed), stepsMutation{}), simulateSteps(t, newStepsScenario(seed), stepsMutation{})
		if digest(first.events) != digest(second.events) {
			t.Errorf("seed %d: the second run differs: %s", seed, firstDifference(first.events, second.events))
		}
	}
}

// stepsMutation is one mistake that the program could make with several accounts.
type stepsMutation struct {
	name    string
	promise string // that it breaks, as the checker's words begin
	// rate returns the limit that the journal keeps for an account.
	rate func(w *stepsWorld, account int) checkpoint.Rate
	// status returns the account whose status the doubts of an account are compared with.
	status func(w *stepsWorld, account int) int
	// account returns what a step reads.
	account func(p *stepsProcess, step int) output.StepAccount
	ledger  func(p *stepsProcess, account int) dispatch.Ledger
	// world makes the world of a seed one in which the mistake matters; nil for as it is.
	world func(*stepsScenario)
	// forget does to the disk what the mistake would do to it by the end of a start.
	forget func(w *stepsWorld)
}

func (m stepsMutation) rateOf(w *stepsWorld, account int) checkpoint.Rate {
	if m.rate != nil {
		return m.rate(w, account)
	}
	return w.Accounts[account].Window
}

func (m stepsMutation) statusOf(w *stepsWorld, account int) int {
	if m.status != nil {
		return m.status(w, account)
	}
	return account
}

func (m stepsMutation) accountOf(p *stepsProcess, step int) output.StepAccount {
	if m.account != nil {
		return m.account(p, step)
	}
	return p.journals[p.world.Steps[step].Account]
}

func (m stepsMutation) ledgerOf(p *stepsProcess, account int) dispatch.Ledger {
	if m.ledger != nil {
		return m.ledger(p, account)
	}
	return p.journals[account]
}

func (m stepsMutation) forgets(w *stepsWorld) {
	if m.forget != nil {
		m.forget(w)
	}
}

// ofMoney is a waterfall over accounts that all charge money, under a common ceiling.
func ofMoney(s *stepsScenario) {
	s.Steps = nil
	for n := range s.Accounts {
		a := &s.Accounts[n]
		a.Counts, a.Ceilings, a.Free, a.Known = false, nil, enrich.ByField[int64]{}, 0.5
		s.Steps = append(s.Steps, stepScenario{n, v1.AllFields})
	}
	s.list = drawStepsList(draws(s.Seed).of("list"), 12)
	s.Starts = append(s.Starts, stepsStart{})
	s.Ceilings = []cost.Ceiling{cost.SpendCeiling("max-spend", checkpoint.RunScope(runName), 2*cost.Dollar+cost.Money(s.Seed%8)*25*cost.Cent)}
}

func stepsMutations() []stepsMutation {
	return []stepsMutation{
		{
			name: "an answer of one account counts for another", promise: "P3",
			account: func(p *stepsProcess, _ int) output.StepAccount { return p.journals[0] },
		},
		{
			name: "a later step asks while an earlier call is in doubt", promise: "P1",
			account: func(p *stepsProcess, step int) output.StepAccount {
				return doubtless{p.journals[p.world.Steps[step].Account]}
			},
		},
		{
			name: "a ceiling ignores other accounts", promise: "P2", world: ofMoney,
			ledger: func(p *stepsProcess, account int) dispatch.Ledger { return &selfish{p.journals[account]} },
		},
		{
			name: "the window of an account is that of another", promise: "P4",
			rate: func(w *stepsWorld, account int) checkpoint.Rate {
				return w.Accounts[(account+1)%len(w.Accounts)].Window
			},
		},
		{
			name: "the window of an account is ignored", promise: "P4",
			rate: func(w *stepsWorld, account int) (rate checkpoint.Rate) {
				if rate = w.Accounts[account].Window; account > 0 {
					rate.Slots = 1 << 20
				}
				return rate
			},
		},
		{
			name: "a charge is booked on another account", promise: "P1",
			ledger: func(p *stepsProcess, account int) dispatch.Ledger {
				return &misdirected{p.journals[0], attempt.Account((account + 1) % len(p.journals))}
			},
		},
		{
			name: "the doubts of an account are decided by the status of another", promise: "P2", world: ofMoney,
			status: func(w *stepsWorld, account int) int { return (account + 1) % len(w.Accounts) },
		},
		{name: "holds of units are not released", promise: "P2", forget: holdUnits},
		{name: "a reached limit is forgotten at a restart", promise: "P4", world: ofLimits, forget: forgetLimits},
		{
			name: "a reached limit does not bind later steps", promise: "P4", world: ofLimits,
			ledger: func(p *stepsProcess, account int) dispatch.Ledger { return &limitless{Journal: p.journals[account]} },
		},
		{
			name: "a step asks for what a later one has found", promise: "P1", world: ofPassing,
			account: func(p *stepsProcess, step int) output.StepAccount {
				account := p.journals[p.world.Steps[step].Account]
				if step > 0 {
					return unread{account}
				}
				return account
			},
		},
		{
			name: "units are not held", promise: "P2",
			ledger: func(p *stepsProcess, account int) dispatch.Ledger { return &unitless{p.journals[account]} },
		},
	}
}

// TestMutationsOfSteps shows that the checker finds each mistake by the promise that it breaks.
func TestMutationsOfSteps(t *testing.T) {
	for _, m := range stepsMutations() {
		findMutation(t, m.name, m.promise, func(t *testing.T, seed uint64) []string {
			scenario := newStepsScenario(seed)
			if m.world != nil {
				m.world(&scenario)
			}
			return simulateSteps(t, scenario, m).found
		})
	}
}

// doubtless takes a call in doubt for one that found nothing.
type doubtless struct{ *checkpoint.Journal }

func (d doubtless) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	known, err := d.Journal.RecordOf(key, fields)
	return d.certain(known), err
}

func (d doubtless) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return d.Journal.Records(first, last, func(key enrich.Key, recall func() (attempt.Record, error)) error {
		return visit(key, func() (attempt.Record, error) {
			known, err := recall()
			return d.certain(known), err
		})
	})
}

func (doubtless) certain(known attempt.Record) attempt.Record {
	for f, state := range known.States {
		if state == attempt.OutcomeUnknown {
			known.States[f] = attempt.Rejected
		}
	}
	return known
}

// selfish lets ceilings of all accounts bound the calls of its own alone.
type selfish struct{ *checkpoint.Journal }

func (s *selfish) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Ceilings = slices.Clone(req.Ceilings)
	for i, ceiling := range req.Ceilings {
		if ceiling.Meter != cost.USD {
			continue
		}
		scope := ceiling.At(time.Now()).Scope
		all, own := s.Totals(scope), s.Totals(s.Number().Scope(scope))
		req.Ceilings[i].Limit += int64(all.Settled.Plus(all.Held).Money() - own.Settled.Plus(own.Held).Money())
	}
	return s.Journal.Begin(req)
}

// misdirected books calls on another account than the one that is asked.
type misdirected struct {
	*checkpoint.Journal // of the account 0
	account             attempt.Account
}

func (m *misdirected) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Account = m.account
	return m.Journal.Begin(req)
}

// unitless holds no units.
type unitless struct{ *checkpoint.Journal }

func (u *unitless) Begin(req attempt.Request) (attempt.Decision, error) {
	rates := cost.Rates{}
	for f, rate := range req.Rates {
		rate.Uses[meterCalls], rate.Uses[meterFiles] = 0, 0
		rates[f] = rate
	}
	req.Rates = rates
	return u.Journal.Begin(req)
}

// holdUnits keeps the units of answered calls held.
func holdUnits(w *stepsWorld) {
	for n, account := range w.Accounts {
		if !account.Counts {
			continue
		}
		key := "c" + attempt.Account(n).Scope(checkpoint.ScopeAll)
		totals, err := read[cost.Totals](w.disk, key)
		if err != nil {
			continue
		}
		totals.Held = totals.Held.Plus(totals.Settled)
		w.disk.apply([]checkpoint.Write{{Key: []byte(key), Value: record.Encode(&totals)}})
	}
}

// ofLimits is a run of two steps that ask the same account, whose limit is reached now and then.
func ofLimits(s *stepsScenario) {
	s.Accounts = append(s.Accounts[:1:1], drawAccountScenario(draws(s.Seed).of("account", 1), 1))
	a := &s.Accounts[1]
	a.Counts, a.Limited, a.Ceilings, a.Free, a.Known = true, 0.3, nil, enrich.ByField[int64]{}, 0.5
	a.Allotted = cost.Amounts{meterCalls: 10_000, meterFiles: 10_000}
	s.Steps = []stepScenario{{1, enrich.FieldsOf(v1.BusinessPhone)}, {1, v1.AllFields}}
	s.Starts = append(s.Starts, stepsStart{Down: time.Second}, stepsStart{Down: time.Second})
}

// forgetLimits forgets the limits of the accounts that are reached.
func forgetLimits(w *stepsWorld) {
	state, err := read[record.State](w.disk, string(record.StateKey))
	if err != nil {
		return
	}
	for i := range state.Others {
		state.Others[i].Limits = nil
	}
	w.disk.apply([]checkpoint.Write{{Key: record.StateKey, Value: record.Encode(&state)}})
}

// ofPassing is a run that asks an account with few units first, and then one that takes money.
func ofPassing(s *stepsScenario) {
	s.Accounts = append(s.Accounts[:1:1], drawAccountScenario(draws(s.Seed).of("account", 1), 1))
	a := &s.Accounts[1]
	a.Counts, a.Free, a.Known = true, enrich.ByField[int64]{}, 0.5
	if s.Seed%2 == 0 {
		a.Limited = 0.3
	}
	a.Allotted = cost.Amounts{meterCalls: 10_000, meterFiles: 10_000}
	a.Ceilings = []cost.Ceiling{
		{Name: "calls", Scope: checkpoint.RunScope(runName), Meter: meterCalls, Limit: int64(s.Seed % 7)},
		{Name: "files", Scope: checkpoint.WorkspaceScope, Period: cost.Month, Meter: meterFiles, Limit: int64(s.Seed % 11)},
	}
	s.Accounts[0].Known = 0.5
	s.Steps = []stepScenario{{1, v1.AllFields}, {0, v1.AllFields}}
	if s.Seed%3 == 0 {
		s.Steps[0].Wanted = enrich.FieldsOf(v1.BusinessPhone)
	}
	s.list = drawStepsList(draws(s.Seed).of("list"), 12)
	s.Starts = append(s.Starts, stepsStart{Down: time.Second}, stepsStart{Down: time.Second})
}

// TestFieldsNotSentBecauseOfALimitGoToTheNextStep runs worlds in which the first account has few units.
func TestFieldsNotSentBecauseOfALimitGoToTheNextStep(t *testing.T) {
	worlds := 0
	for n := range *simSeeds {
		s := newStepsScenario(*simFirst + uint64(n))
		ofPassing(&s)
		w := simulateSteps(t, s, stepsMutation{})
		if len(w.found) > 0 {
			t.Errorf("seed %d: %s\n%s", s.Seed, strings.Join(w.found, "\n"), strings.Join(w.events, "\n"))
		}
		if w.passed > 0 {
			worlds++
		}
	}
	if worlds < *simSeeds/4 {
		t.Errorf("in %d of %d worlds the second account was asked because of a limit of the first", worlds, *simSeeds)
	}
	t.Logf("in %d of %d worlds", worlds, *simSeeds)
}

// unread knows nothing of a single person.
type unread struct{ *checkpoint.Journal }

func (unread) RecordOf(enrich.Key, enrich.Fields) (attempt.Record, error) {
	return attempt.Record{}, nil
}

// limitless ends the limits of its account when a step begins.
type limitless struct {
	*checkpoint.Journal
	begun bool
}

func (l *limitless) Begin(req attempt.Request) (attempt.Decision, error) {
	if !l.begun {
		l.begun = true
		if _, err := l.EndLimits(); err != nil {
			return nil, err
		}
	}
	return l.Journal.Begin(req)
}
