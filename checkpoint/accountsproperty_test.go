package checkpoint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestTheGuaranteesHoldForEveryAccount plays runs of two accounts against services whose ledgers are kept
// apart, with lost calls, crashes, refusals, pauses and snapshots. It checks after every step that nothing
// is paid twice (P1), that no ceiling is exceeded (P2) and that no window has too many calls (P4).
func TestTheGuaranteesHoldForEveryAccount(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			w := newTwoServices(t, seed)
			for range 150 {
				w.step()
				w.checkCeilings()
				if t.Failed() {
					t.FailNow()
				}
			}
			w.reopen()
			w.settleAll()
			w.reopen()
			wantSound(t, w.r.store)
		})
	}
}

// twoServices is a journal with two accounts and what their services know.
type twoServices struct {
	t        *testing.T
	draw     *rand.Rand
	r        *rig
	on       []*rig // by account
	services [2]service
	ceilings []cost.Ceiling
	charged  cost.Money // by both services, as nobody but they know
	assumed  bool       // a doubt was decided by somebody's word
}

// service is what one service knows and sees.
type service struct {
	rate    Rate
	balance cost.Money
	free    int64               // emails
	paid    map[int]bool        // the persons whose email was charged
	sent    map[attempt.ID]call // calls that were granted
	lost    map[attempt.ID]bool // of them, those whose answer the journal does not have
}

// call is a call that took a slot.
type call struct {
	who   int
	begun time.Time
	ended time.Time // zero while it is in flight
	given bool      // it gave its slot back
}

func newTwoServices(t *testing.T, seed uint64) *twoServices {
	w := &twoServices{t: t, draw: rand.New(rand.NewPCG(seed, 1)), r: newRig(t)}
	for n := range w.services {
		w.services[n] = service{
			rate: Rate{Slots: 1 + w.draw.IntN(4), Window: time.Duration(10+w.draw.IntN(60)) * time.Second}, balance: 50 * cost.Dollar,
			free: w.draw.Int64N(4), paid: map[int]bool{}, sent: map[attempt.ID]call{}, lost: map[attempt.ID]bool{},
		}
	}
	w.ceilings = []cost.Ceiling{
		cost.SpendCeiling("run", RunScope("run"), cost.Money(1+w.draw.Int64N(40))*15*cost.Cent),
		{Name: "workspace", Scope: WorkspaceScope, Period: cost.Day, Limit: int64(cost.Money(1+w.draw.Int64N(40)) * 15 * cost.Cent)},
		{Name: "lookups", Scope: RunScope("run"), Meter: cost.Lookups, Limit: 20 + w.draw.Int64N(80)},
	}
	w.reopen()
	for n, on := range w.on {
		w.r.check(on.Rebase(w.services[n].status(w.r.clock.at)))
	}
	return w
}

// reopen opens the journal as after a crash.
func (w *twoServices) reopen() {
	w.r.rate = w.services[0].rate
	w.r.reopen()
	second, err := w.r.Account(secondID, AccountOptions{Rate: w.services[1].rate, Catalogue: v1.Catalogue()})
	w.r.check(err)
	on, err := w.r.For(second)
	w.r.check(err)
	w.on = []*rig{w.r, {Journal: on, t: w.t, store: w.r.store, clock: w.r.clock}}
	for n := range w.services {
		for id, c := range w.services[n].sent {
			if c.ended.IsZero() && !c.given {
				w.end(n, id, w.draw.IntN(2) == 0)
			}
		}
	}
}

// status is what the service says of the account.
func (s *service) status(at time.Time) cost.Account {
	account := paidAccount(s.balance)
	account.Free[v1.WorkEmail] = cost.Known(s.free)
	account.ReadAt = at
	return account
}

// serve charges for an email as the service does. Nobody but the service knows that it did.
func (w *twoServices) serve(n, who int) {
	s := &w.services[n]
	if s.paid[who] {
		w.t.Fatalf("P1: account %d pays twice for person %d", n, who)
	}
	s.paid[who] = true
	if s.free > 0 {
		s.free--
		return
	}
	s.balance -= 15 * cost.Cent
	w.charged += 15 * cost.Cent
}

// end ends a call in flight that the journal knows nothing of. The service may have charged it.
func (w *twoServices) end(n int, id attempt.ID, charged bool) {
	s := &w.services[n]
	c := s.sent[id]
	c.ended = w.r.clock.at
	s.sent[id], s.lost[id] = c, true
	if charged {
		w.serve(n, c.who)
	}
}

func (w *twoServices) step() {
	n := w.draw.IntN(len(w.on))
	switch k := w.draw.IntN(24); {
	case k < 12:
		w.begin(n)
	case k < 19:
		w.finish(n)
	case k < 20:
		w.reopen()
	case k < 21:
		w.reconcile(n)
	case k < 22:
		w.assume(n, 1)
	default:
		w.r.clock.at = w.r.clock.at.Add(time.Duration(w.draw.Int64N(int64(40 * time.Second))))
	}
}

func (w *twoServices) begin(n int) {
	who := w.draw.IntN(30)
	req := request(person(who), email, w.ceilings...)
	req.Account = attempt.Account(n)
	on := w.r
	if w.draw.IntN(2) == 0 { // asks the journal of the account instead
		on, req.Account = w.on[n], 0
	}
	granted, ok := on.begin(req).(attempt.Granted)
	if !ok {
		return
	}
	ticket, err := granted.Ticket()
	w.r.check(err)
	s, now := &w.services[n], w.r.clock.at
	taken := 1
	for _, c := range s.sent {
		if !c.given && (c.ended.IsZero() || c.ended.Add(s.rate.Window).After(now)) {
			taken++
		}
	}
	if taken > s.rate.Slots {
		w.t.Errorf("P4: account %d has %d calls in a window of %d", n, taken, s.rate.Slots)
	}
	if s.paid[who] {
		w.t.Errorf("P1: account %d asks again for person %d, who was charged", n, who)
	}
	s.sent[ticket.ID] = call{who: who, begun: now}
}

// finish ends a call in flight of an account.
func (w *twoServices) finish(n int) {
	s := &w.services[n]
	var flying []attempt.ID
	for _, id := range slices.Sorted(maps.Keys(s.sent)) {
		if c := s.sent[id]; c.ended.IsZero() && !c.given {
			flying = append(flying, id)
		}
	}
	if len(flying) == 0 {
		return
	}
	id := flying[w.draw.IntN(len(flying))]
	c := s.sent[id]
	c.ended = w.r.clock.at
	switch w.draw.IntN(6) {
	case 0:
		w.r.check(w.r.MarkInDoubt(id, attempt.LostCall{Cause: "lost"}))
		w.end(n, id, w.draw.IntN(2) == 0)
		return
	case 1:
		c.given = true
		w.r.check(w.r.Release(id, attempt.Release{Reason: "not sent"}))
	case 2:
		w.r.check(w.r.Release(id, attempt.Release{Reason: "refused", Sent: true}))
	case 3:
		w.r.settle(attempt.Ticket{ID: id}, v1.Answer{Status: enrich.NotFound})
	default:
		w.serve(n, c.who)
		w.r.settle(attempt.Ticket{ID: id}, found)
	}
	s.sent[id] = c
}

// reconcile compares an account with its service, while no call of the account is in flight.
func (w *twoServices) reconcile(n int) {
	for _, c := range w.services[n].sent {
		if c.ended.IsZero() && !c.given {
			return
		}
	}
	reconciled, err := w.on[n].Reconcile(w.services[n].status(w.r.clock.at), true)
	w.r.check(err)
	for _, found := range reconciled.Cases {
		charged := w.services[n].paid[w.services[n].sent[found.ID].who]
		if found.Account != attempt.Account(n) {
			w.t.Errorf("account %d decides about a call of account %d", n, found.Account)
		}
		if found.Result == cost.NotCharged && charged || found.Result == cost.Charged && !charged {
			w.t.Errorf("account %d says that attempt %d was %s", n, found.ID, found.Result)
		}
	}
}

// assume decides some doubts of an account as they are.
func (w *twoServices) assume(n, most int) {
	for _, d := range w.on[n].Doubts() {
		if most--; most < 0 {
			return
		}
		w.assumed = true
		w.r.check(w.r.Assume(w.services[n].paid[w.services[n].sent[d.ID].who], d.ID))
	}
}

// settleAll decides everything. The ledger is then what the services charged. Where somebody's word has
// decided, a charge can stay booked that a free unit paid for, because the word may be wrong.
func (w *twoServices) settleAll() {
	for n := range w.on {
		w.reconcile(n)
		w.assume(n, 1<<20)
		w.reconcile(n)
	}
	totals := w.r.Totals(RunScope("run"))
	if totals.Held != (cost.Amounts{}) || totals.Settled.Money() < w.charged || !w.assumed && totals.Settled.Money() > w.charged {
		w.t.Errorf("the ledger says $%s and holds %v, and the services charged $%s", totals.Settled.Money(), totals.Held, w.charged)
	}
}

// checkCeilings checks P2, by what the journal counts and by what the services charged.
func (w *twoServices) checkCeilings() {
	for _, ceiling := range w.ceilings {
		at := ceiling.At(w.r.clock.at)
		if totals := w.r.Totals(at.Scope); at.Left(totals) < 0 {
			w.t.Errorf("P2: %s: %d of %d", at.Name, at.Used(totals), at.Limit)
		}
	}
	totals := w.r.Totals(RunScope("run"))
	if most := totals.Settled.Money() + totals.Held.Money(); w.charged > most {
		w.t.Errorf("P2: the services charged $%s, and the run counts $%s", w.charged, most)
	}
}
