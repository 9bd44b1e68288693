package ledgertest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Compare drives two ledgers with the same random steps and fails when they decide, charge or
// count differently. The seed decides every step.
func Compare(t *testing.T, seed uint64, one, other New) {
	draw := rand.New(rand.NewPCG(seed, 0))
	var rates [accounts]decide.Rate
	for n := range rates {
		rates[n] = decide.Rate{Slots: 1 + draw.IntN(6), Window: time.Duration(1+draw.IntN(90)) * time.Second}
	}
	a, b := newRig(t, one, rates), newRig(t, other, rates)
	c := &comparison{rigs: [2]*rig{a, b}, draw: draw, t: t}
	for range 120 {
		c.step()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

type comparison struct {
	rigs     [2]*rig
	draw     *rand.Rand
	t        *testing.T
	inFlight []attempt.Ticket
	inDoubt  []attempt.ID
}

// both does the same to both ledgers and compares what comes back.
func both[T any](c *comparison, what string, do func(*rig) (T, error)) (T, bool) {
	first, firstErr := do(c.rigs[0])
	second, secondErr := do(c.rigs[1])
	if (firstErr == nil) != (secondErr == nil) {
		c.t.Errorf("%s: errors %v and %v", what, firstErr, secondErr)
	}
	if diff := cmp.Diff(first, second, decisions()); diff != "" {
		c.t.Errorf("%s (-one +other):\n%s", what, diff)
	}
	return first, firstErr == nil
}

func (c *comparison) step() {
	switch n := c.draw.IntN(20); {
	case n < 8:
		c.begin()
	case n < 14:
		c.end()
	case n < 16:
		c.assume()
	case n < 17:
		snapshot := account(c.draw.Int64N(4), c.draw.Int64N(3), cost.Money(c.draw.Int64N(3))*cost.Dollar)
		of := c.account()
		both(c, "rebase", func(r *rig) (bool, error) { return true, r.RebaseAccount(of, snapshot) })
	case n < 18:
		for _, r := range c.rigs {
			r.crash()
		}
		for _, ticket := range c.inFlight {
			c.inDoubt = append(c.inDoubt, ticket.ID)
		}
		c.inFlight = nil
	default:
		later := time.Duration(c.draw.Int64N(int64(time.Minute)))
		if c.draw.IntN(10) == 0 {
			later = time.Duration(c.draw.Int64N(int64(40 * 24 * time.Hour)))
		}
		for _, r := range c.rigs {
			r.pass(later)
		}
	}
	for _, scope := range []string{
		record.ScopeAll, record.ScopeAccount, record.RunScope("run"), second.Scope(record.ScopeAccount), second.Scope(record.RunScope("run")),
	} {
		both(c, scope, func(r *rig) (cost.Totals, error) { return r.Totals(scope), nil })
	}
	of, who := c.account(), person(c.draw.IntN(persons))
	both(c, "record", func(r *rig) (known attempt.Record, err error) {
		record, err := r.RecordIn(of, who)
		known.States, known.Attempts, known.Kept = record.States, record.Attempts, record.Kept
		return known, err
	})
}

// persons is how many persons are asked for.
const persons = 12

// account draws an account.
func (c *comparison) account() attempt.Account { return attempt.Account(c.draw.IntN(accounts)) }

func (c *comparison) begin() {
	req := of(c.account(), ask(c.draw.IntN(persons), enrich.Fields(1+c.draw.IntN(int(email|phone)))))
	if c.draw.IntN(2) == 0 {
		req.Ceilings = []cost.Ceiling{
			spend(record.WorkspaceScope, cost.Day, cost.Money(1+c.draw.Int64N(20))*10*cost.Cent),
			calls(record.RunScope("run"), 1+c.draw.Int64N(60)),
		}
	}
	if c.draw.IntN(4) == 0 {
		req.Rates = askUnits(0).Rates
		req.Lookup.Fields = email
		req.Ceilings = append(req.Ceilings, cost.Ceiling{Name: "units", Scope: record.RunScope("run"), Meter: units, Limit: c.draw.Int64N(20)})
	}
	req.Strict = c.draw.IntN(8) == 0
	req.OnlyFree = enrich.Fields(c.draw.IntN(int(email|phone)+1)) * enrich.Fields(c.draw.IntN(2))
	req.Reask.Forfeited = c.draw.IntN(3) == 0
	if c.draw.IntN(3) == 0 {
		req.Reask.Before = c.rigs[0].At
	}
	if c.draw.IntN(4) == 0 {
		req.Reask.UpTo = attempt.ID(c.draw.IntN(40))
	}
	decision, _ := both(c, "begin", func(r *rig) (attempt.Decision, error) { return r.Begin(req) })
	if _, ok := decision.(attempt.Granted); !ok {
		return
	}
	// Begin has returned the function of the first ledger. Both number their attempts alike.
	ticket, err := decision.(attempt.Granted).Ticket()
	if err != nil {
		c.t.Fatal(err)
	}
	c.inFlight = append(c.inFlight, ticket)
}

func (c *comparison) end() {
	if len(c.inFlight) == 0 {
		return
	}
	i := c.draw.IntN(len(c.inFlight))
	id := c.inFlight[i].ID
	c.inFlight = append(c.inFlight[:i:i], c.inFlight[i+1:]...)
	switch c.draw.IntN(4) {
	case 0:
		c.inDoubt = append(c.inDoubt, id)
		both(c, "doubt", func(r *rig) (bool, error) { return true, r.MarkInDoubt(id, attempt.LostCall{Cause: "lost"}) })
	case 1:
		v := attempt.Release{Reason: "refused", Sent: c.draw.IntN(2) == 0, Reject: c.draw.IntN(3) == 0}
		if c.draw.IntN(4) == 0 {
			v.PauseUntil = c.rigs[0].At.Add(time.Minute)
		}
		if c.draw.IntN(4) == 0 {
			until := c.rigs[0].At.Add(time.Duration(1+c.draw.Int64N(60)) * time.Minute)
			v.Limit = enrich.Limit{Meter: []string{"", "units"}[c.draw.IntN(2)], Module: "data", Until: until}
		}
		both(c, "release", func(r *rig) (bool, error) { return true, r.Release(id, v) })
	default:
		found := answer(enrich.Fields(c.draw.IntN(int(email|phone) + 1)))
		if c.draw.IntN(4) == 0 {
			found = reported(c.draw.Int64N(4))
		}
		both(c, "settle", func(r *rig) (cost.Charge, error) { return r.Settle(id, found) })
	}
}

func (c *comparison) assume() {
	if len(c.inDoubt) == 0 {
		return
	}
	i := c.draw.IntN(len(c.inDoubt))
	id := c.inDoubt[i]
	c.inDoubt = append(c.inDoubt[:i:i], c.inDoubt[i+1:]...)
	charged := c.draw.IntN(2) == 0
	both(c, "assume", func(r *rig) (bool, error) { return true, r.Assume(charged, id) })
}
