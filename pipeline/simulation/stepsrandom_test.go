package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// randomWaterfall is a run of two steps of which a seed decides everything: the list, what the accounts know,
// what gets lost, the ceiling, and when the run is interrupted.
type randomWaterfall struct {
	*waterfall
	*rand.Rand
	seed uint64

	mu        sync.Mutex
	charged   map[string]int // calls that were charged, by account, person and field
	interrupt func()
}

// randomList returns a list of some persons, several of them twice, and of values that it has already.
func randomList(r *rand.Rand) csvList {
	var list strings.Builder
	list.WriteString("profile url,email,phone\n")
	cell := func(value string) string {
		if r.IntN(4) == 0 {
			return value
		}
		return ""
	}
	for range 2 + r.IntN(8) {
		fmt.Fprintf(&list, "%s%s,%s,%s\n", profiles, name(r.IntN(6)), cell("a@own.example"), cell("+1 555"))
	}
	return csvList(list.String())
}

// script returns what an account makes of calls: the same for all calls about one person, but for a response
// that is lost at the first one.
func (w *randomWaterfall) script(account int) func(call) reply {
	return func(c call) reply {
		if account == 1 {
			w.checkSecond(c)
		}
		w.mu.Lock()
		if w.IntN(8) == 0 && w.interrupt != nil {
			w.interrupt()
		}
		w.mu.Unlock()
		person := rand.New(rand.NewPCG(w.seed, uint64(account)<<32|uint64(c.who[1])))
		took := time.Duration(1+person.IntN(3)) * time.Second
		returned := c.fields & enrich.Fields(person.IntN(4))
		r := answersWith(took, returned)
		charged := returned
		switch person.IntN(6) {
		case 0:
			return refuses(took, enrich.InvalidInput, "invalid_identifiers")
		case 1:
			if c.try == 1 {
				charged = c.fields & enrich.Fields(person.IntN(4))
				r = loses(took, charged)
			}
		case 2:
			r, charged = reply{took: took, verdict: v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound})}, 0
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for f := range charged.Each() {
			key := fmt.Sprint(account, " ", c.who, " ", v1.Catalogue().Name(f))
			if w.charged[key]++; w.charged[key] > 1 {
				w.t.Errorf("seed %d: %s was charged twice", w.seed, key)
			}
		}
		return r
	}
}

// checkSecond fails when the second account is asked for what the first one may still find.
func (w *randomWaterfall) checkSecond(c call) {
	known, err := w.accounts[0].Record(identity(c.who))
	if err != nil {
		w.t.Fatal(err)
	}
	for f := range c.fields.Each() {
		if state := known.States[f]; state != attempt.Missing && state != attempt.Rejected {
			w.t.Errorf("seed %d: the second account is asked for %s of %s, whose state in the first is %d",
				w.seed, v1.Catalogue().Name(f), c.who, state)
		}
	}
}

// start runs the steps once, and compares the ledger with each other.
func (w *randomWaterfall) start(ctx context.Context, limit cost.Money) {
	w.t.Helper()
	w.run(ctx)
	out := w.output()
	run := checkpoint.RunScope("run")
	second := w.journal.Totals(attempt.Account(1).Scope(run)).Settled.Money()
	ledger := []cost.Money{w.journal.Totals(run).Settled.Money() - second, second}
	for i, column := range []string{"enrich_charge_usd_first", "enrich_charge_usd_second"} {
		var sum cost.Money
		for _, cell := range out.column(w.t, column) {
			var charge cost.Money
			if cell != "" && charge.UnmarshalText([]byte(cell)) != nil {
				w.t.Errorf("the charge %q", cell)
			}
			sum += charge
		}
		if sum != ledger[i] {
			w.t.Errorf("seed %d: account %d settled %s, the output has %s\n%s", w.seed, i, ledger[i], sum, out.text)
		}
	}
	if spent := w.service.charged + w.second.charged; spent > limit {
		w.t.Errorf("seed %d: %s was spent, and the ceiling is %s", w.seed, spent, limit)
	}
}

// TestARandomWaterfallPaysNothingTwiceAndKeepsItsCeiling runs waterfalls that are interrupted at random, each
// start in a new process.
func TestARandomWaterfallPaysNothingTwiceAndKeepsItsCeiling(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	asked := uint64(0)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 0))
		list := randomList(r)
		random := &randomWaterfall{Rand: r, seed: seed, charged: map[string]int{}}
		withWaterfall(t, list, random.script(0), random.script(1), func(t *testing.T, w *waterfall) {
			random.waterfall = w
			w.shared, w.concurrency = r.IntN(2) == 0, 1+r.IntN(3)
			limit := cost.Money(20+r.IntN(300)) * cost.Cent
			w.maxSpend(limit)
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				random.interrupt = cancel
				random.start(ctx, limit)
				cancel()
				w.reopen()
			}
			random.interrupt = nil
			random.start(t.Context(), limit)
			asked += uint64(len(w.second.calls))
		})
	}
	if asked < seeds/2 {
		t.Errorf("the second accounts were asked %d times in %d runs", asked, seeds)
	}
}
