package simulation

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// TestChargesStayBoundedWhenOthersUseTheFreeUnits runs worlds in which somebody else uses up the allowance
// while the program counts on it: then the service can charge more than the journal
// knows of, within the bound that the checker watches, and never when every lookup
// holds its full price.
func TestChargesStayBoundedWhenOthersUseTheFreeUnits(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict %t", strict), func(t *testing.T) {
			t.Parallel()
			converted := 0
			for seed := range uint64(max(60/slowdown, 10)) {
				s := newScenario(1 + seed)
				s.Strict, s.Askers, s.Faults, s.unreachable = strict, 60, nil, 0
				s.Free = enrich.ByField[int64]{4, 4}
				s.Starts = []start{{MaxSpend: ample}}
				r := simulate(t, s, mutation{})
				for _, text := range r.broken {
					t.Errorf("seed %d: %s", s.Seed, text)
				}
				converted += r.tallies.converted
			}
			if strict != (converted == 0) {
				t.Errorf("%d lookups counted on free units and were charged with money", converted)
			}
			t.Logf("%d lookups counted on free units and were charged with money", converted)
		})
	}
}

// elsewhere begins the names of the people that the workspace's other user asks for.
const elsewhere = "https://pro.example/in/elsewhere-"

// isElsewhere reports whether a canonical identity is one of the other user's.
func isElsewhere(canonical string) bool { return strings.Contains(canonical, "elsewhere-") }

// spendElsewhere is the workspace's other user, who spends its credit.
func (w *world) spendElsewhere(ctx context.Context) {
	for _, amount := range w.Elsewhere {
		select {
		case <-ctx.Done():
			return
		case <-time.After(span{20 * time.Second, 80 * time.Second}.draw(w.draws.of("elsewhere", amount))):
		}
		spent, err := w.service.Workspace().SpendElsewhere(amount)
		w.trace("somebody else spends $%s, %v", spent, err)
	}
}

// askElsewhere is the other user who sends lookups, and so takes free units.
func (w *world) askElsewhere(ctx context.Context) {
	for n := range w.Askers {
		w.clock.pass(span{time.Second / 5, 3 * time.Second}.draw(w.draws.of("asker", n)))
		if ctx.Err() != nil {
			return
		}
		w.strangers.Go(func() { w.askOnce(n) })
	}
}

// askOnce sends one lookup past the network and the checker: it is none of the
// program's. This world ignores the answer.
func (w *world) askOnce(n int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	operation := v1.FindWorkEmail
	if w.draws.of("asks", n).IntN(2) == 0 {
		operation = v1.FindPhone
	}
	body := fmt.Sprintf(`{"pro_network_url":"%s%d"}`, elsewhere, n)
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/contacts/"+operation.String(), strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	defer func() {
		_ = recover() // the service breaks a connection off by a panic
		w.trace("somebody else asks %s: %d", operation, response.Code)
	}()
	w.service.Handler().ServeHTTP(response, request)
}

// ours returns the ledger of the service without what the other user did.
func ours(ledger sandbox.Snapshot) sandbox.Snapshot {
	all := ledger
	ledger.Arrivals, ledger.Charges, ledger.Charged = nil, nil, 0
	for _, arrival := range all.Arrivals {
		if !isElsewhere(arrival.Identity) {
			ledger.Arrivals = append(ledger.Arrivals, arrival)
		}
	}
	for _, charge := range all.Charges {
		if !isElsewhere(charge.Identity) {
			ledger.Charges = append(ledger.Charges, charge)
			ledger.Charged += charge.Amount
		}
	}
	return ledger
}

// take is a free unit that the other user may have held or used from some time on.
type take struct {
	field enrich.Field
	at    time.Time
}

// taken returns what the other user may have taken: a unit for every field asked for
// by a lookup that was let in. It counts from the arrival on, for the service sets it
// aside then, and gives it back when the lookup comes to nothing.
func taken(ledger sandbox.Snapshot) (takes []take) {
	for _, arrival := range ledger.Arrivals {
		if !isElsewhere(arrival.Identity) || arrival.Code == sandbox.RateLimited {
			continue
		}
		for f := range arrival.Fields.Each() {
			takes = append(takes, take{f, arrival.At})
		}
	}
	return takes
}

// hidden returns the money by which the service may charge more than the journal
// knows of: each free unit that somebody else took can have been counted on by one
// lookup, unless every lookup holds its full price.
func (c *checker) hidden(ledger sandbox.Snapshot) (most cost.Money) {
	if c.world.Strict {
		return 0
	}
	for _, take := range taken(ledger) {
		most += c.world.prices()[take.field]
	}
	return most
}

// reading is one look of a process at the account.
type reading struct {
	from, to time.Time
	// blur is how many units the look can hide: those held by lookups under way or in
	// doubt, of which nobody can tell whether the service has used them.
	blur enrich.ByField[int64]
}

// look notes a reading that the process acts on, with the journal's sums before and
// after it.
func (p *process) look(from time.Time, before, after cost.Totals) {
	r := reading{from: from, to: time.Now()}
	r.blur = v1.Tariff().AllowanceUnits(before.Held.Plus(after.EverHeld).Minus(before.EverHeld))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readings = append(p.readings, r)
}

// knows reports whether a reading had told the process before a time that a unit was
// taken.
func (p *process) knows(t take, before time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.readings {
		if r.from.After(t.at) && r.to.Before(before) && r.blur[t.field] == 0 {
			return true
		}
	}
	return false
}

// began is who began an attempt, and when.
type began struct {
	process *process
	at      time.Time
}

// begins notes who begins an attempt.
func (c *checker) begins(p *process, id attempt.ID, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[id] = began{p, at}
}

// takenAway checks the bound of what others can do to a ceiling: a lookup that
// counted on a free unit and was charged with money began before a reading of the
// account could tell that somebody had taken the unit. A reading tells of it unless
// lookups under way can have used as much.
func (c *checker) takenAway(ledger sandbox.Snapshot) {
	all := taken(c.world.service.Ledger())
	paid := map[string]sandbox.Charge{}
	for _, charge := range ledger.Charges {
		if !charge.Free {
			paid[charge.RequestID+charge.Field.String()] = charge
		}
	}
	converted := 0
	for _, in := range c.intents(false) {
		res, resolved := c.resolution(in.ID)
		if !resolved || res.State != attempt.Settled {
			continue
		}
		// A corrected charge says how many answers were free, not which.
		for f := range (res.Charge.Free & in.Hold.Free).Each() {
			charge, with := paid[res.RequestID+f.String()]
			if !with {
				continue
			}
			converted++
			if !c.excused(in, charge, all) && len(c.world.database.lostCalls(false)) == 0 {
				c.broken("P2: attempt %d counted on a free %s and was charged $%s, though the account had been looked at since somebody took it", in.ID, f, charge.Amount)
			}
		}
	}
	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	c.world.converted = converted
}

// excused reports whether somebody took a unit that the process which began the
// attempt could not know of yet.
func (c *checker) excused(in intent, charge sandbox.Charge, all []take) bool {
	c.mu.Lock()
	began, known := c.begun[in.ID]
	c.mu.Unlock()
	for _, take := range all {
		if take.field == charge.Field && take.at.Before(charge.At) && (!known || !began.process.knows(take, began.at)) {
			return true
		}
	}
	return false
}
