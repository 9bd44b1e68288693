package simulation

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// mutation is one mistake that the program could make. Each stands between the
// parts of the program, so that no code of theirs knows of it.
type mutation struct {
	name    string
	promise string // that it breaks, as the checker's words begin
	noSync  bool   // the disk loses commits that it has acknowledged
	// amnesic: a reopened journal knows of no lookup that ended of late, and so still
	// occupies a slot.
	amnesic bool
	// forgets: intents of a dead process are taken for calls that were not charged.
	forgets bool
	// hasty: the account is looked at without waiting for it to settle.
	hasty  bool
	finder func(dispatch.Finder) dispatch.Finder
	ledger func(*job) dispatch.Ledger
	// trusting: free units that others take are counted on to the end.
	trusting bool
	// exclusive: the account is taken for exclusive, although others use it.
	exclusive bool
	// uncorrecting: a reopened journal knows of no charge that may have been free.
	uncorrecting bool
	// slots: the journal's own window is out of the way, the mutation's counts.
	slots bool
	// overlooks: a failover of the database is not detected.
	overlooks bool
	// guesses: a commit whose reply is lost counts as durable, and is not looked up.
	guesses bool
}

func mutations() []mutation {
	return []mutation{
		{name: "no sync", promise: "P1", noSync: true},
		{name: "retry on lost", promise: "P1", finder: func(f dispatch.Finder) dispatch.Finder { return retrying{f} }},
		{name: "hold released at loss", promise: "P2", ledger: func(j *job) dispatch.Ledger { return &releasing{j.journal} }},
		{name: "window counted at send", promise: "P4", slots: true, ledger: func(j *job) dispatch.Ledger { return &countingAtSend{Journal: j.journal, job: j} }},
		{name: "window forgotten at restart", promise: "P4", amnesic: true},
		{name: "answer used before durable", promise: "P3", ledger: func(j *job) dispatch.Ledger { return &hurried{j.journal, j} }},
		{name: "pause ignored after 429", promise: "P4", finder: func(f dispatch.Finder) dispatch.Finder { return impatient{f} }},
		{name: "ceiling without holds", promise: "P2", ledger: func(j *job) dispatch.Ledger { return &generous{j.journal, j.now} }},
		{name: "reopening forgets intents", promise: "P1", forgets: true},
		{name: "no settle delay", promise: "P1", hasty: true},
		{name: "exact explanation on a shared account", promise: "P1", exclusive: true},
		{name: "corrections are never made", promise: "P2", uncorrecting: true},
		{name: "a hold without the money of phones", promise: "P2", ledger: func(j *job) dispatch.Ledger { return &forgetful{j.journal} }},
		{name: "lookups counted when answered", promise: "P2", ledger: func(j *job) dispatch.Ledger { return &uncounting{j.journal, j.now} }},
		{name: "a day's ceiling forgotten at a restart", promise: "P2", ledger: func(j *job) dispatch.Ledger { return newForgetting(j) }},
		{name: "others' free units counted on", promise: "P2", trusting: true},
	}
}

func (m mutation) wrapLedger(j *job) dispatch.Ledger {
	if m.ledger == nil {
		return j.journal
	}
	return m.ledger(j)
}

func (m mutation) wrapFinder(f dispatch.Finder) dispatch.Finder {
	if m.finder == nil {
		return f
	}
	return m.finder(f)
}

func (m mutation) wrapAccountant(a dispatch.Accountant) dispatch.Accountant {
	if m.trusting {
		return trusting{a}
	}
	return a
}

func (m mutation) rateOf(w *world) checkpoint.Rate {
	if m.slots {
		return checkpoint.Rate{Slots: 1 << 30, Window: time.Minute}
	}
	return checkpoint.Rate{Slots: w.Window.Limit, Window: w.Window.Per}
}

func (m mutation) settleDelay() time.Duration {
	if m.hasty {
		return 0
	}
	return time.Minute
}

// scenario returns the world of a seed in which the mutation is looked for. Haste
// shows only where a request outlives its process on the way, so there it often does;
// trust shows only where somebody else takes what is counted on; an exact explanation
// misleads only where somebody else spends between a loss and its settlement.
func (m mutation) scenario(seed uint64) scenario {
	s := newScenario(seed)
	if m.hasty {
		s.stalls = 0.3
		for i := range s.Starts {
			s.Starts[i].Down = time.Millisecond
		}
	}
	if m.trusting {
		s.Askers, s.Strict = 40, false
	}
	if m.exclusive {
		s.Followers = []follower{{Share: 0.5, Delay: span{time.Microsecond, time.Second}, Amount: 10 * cost.Cent}}
		s.Faults, s.Wanted, s.Free = append(s.Faults, "lost-after:p=0.30"), v1.AllFields, enrich.ByField[int64]{}
	}
	if m.uncorrecting {
		s.Faults, s.Strict, s.Askers, s.Free = append(s.Faults, "lost-before:p=0.30"), false, 0, enrich.ByField[int64]{3, 3}
		s.Followers = nil
	}
	return s
}

// forget does to the disk what the reopening of a forgetful journal would.
func (m mutation) forget(w *world) {
	if m.forgets {
		for _, in := range w.check.intents(true) {
			m.forgetIntent(w, in)
		}
	}
	if m.uncorrecting && w.disk.has(string(record.StateKey)) {
		rewrite(w, string(record.StateKey), func(state *record.State) {
			state.Provisional = nil
			for i := range state.Closed {
				state.Closed[i].Provisional = nil
			}
		})
	}
	if m.amnesic {
		for _, in := range w.check.intents(false) {
			rewrite(w, recordKey('r', in.ID), func(ended *attempt.Resolution) { ended.At = time.Time{} })
			rewrite(w, recordKey('d', in.ID), func(doubted *record.Doubt) { doubted.At = time.Time{} })
		}
	}
}

// forgetIntent resolves an intent of a dead process as not charged.
func (m mutation) forgetIntent(w *world, in intent) {
	if w.disk.get(recordKey('d', in.ID)) != nil {
		return
	}
	w.disk.apply([]checkpoint.Write{
		{Key: []byte(recordKey('r', in.ID)), Value: record.Encode(&attempt.Resolution{State: attempt.Released, At: time.Now(), Sent: true})},
		{Key: []byte(recordKey('o', in.ID))},
	})
	rewrite(w, string(record.StateKey), func(state *record.State) {
		state.Resolved++
		state.InFlight = slices.DeleteFunc(state.InFlight, func(id attempt.ID) bool { return id == in.ID })
	})
	for _, scope := range in.scopes() {
		totals := w.check.totals(scope)
		totals.Release(in.Hold.Amounts(), cost.Charge{})
		w.disk.apply([]checkpoint.Write{{Key: []byte("c" + scope), Value: record.Encode(&totals)}})
	}
}

// rewrite changes a record on the disk, if it is there.
func rewrite[T record.Record](w *world, key string, change func(*T)) {
	value, err := read[T](w.disk, key)
	if err != nil {
		return
	}
	change(&value)
	w.disk.apply([]checkpoint.Write{{Key: []byte(key), Value: record.Encode(&value)}})
}

// retrying sends a lost lookup once more.
type retrying struct{ dispatch.Finder }

func (r retrying) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := r.Finder.Find(ctx, lookup)
	if _, lost := verdict.(enrich.Lost); lost {
		return r.Finder.Find(ctx, lookup)
	}
	return verdict
}

// impatient takes a request to slow down for a passing fault.
type impatient struct{ dispatch.Finder }

func (i impatient) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := i.Finder.Find(ctx, lookup)
	if refused, ok := verdict.(enrich.Refused); ok && refused.Class == enrich.SlowDown {
		refused.Class, refused.RetryAfter = enrich.TryAgain, 0
		return refused
	}
	return verdict
}

// releasing gives the hold of a lost lookup back.
type releasing struct{ *checkpoint.Journal }

func (r *releasing) MarkInDoubt(id attempt.ID, why attempt.LostCall) error {
	return r.Release(id, attempt.Release{Reason: why.Cause, Sent: true})
}

// hurried calls an answer settled while it is on its way to the disk.
type hurried struct {
	*checkpoint.Journal
	job *job
}

func (h *hurried) Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error) {
	go func() {
		if _, err := h.Journal.Settle(id, answer); err != nil {
			h.job.world.trace("too late: %v", err)
		}
	}()
	return cost.Charge{}, nil
}

// generous lets a ceiling bound what is settled alone.
type generous struct {
	*checkpoint.Journal
	now func() time.Time
}

func (g *generous) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Ceilings = append([]cost.Ceiling(nil), req.Ceilings...)
	for i, ceiling := range req.Ceilings {
		if ceiling.Meter == cost.USD {
			req.Ceilings[i].Limit += g.Totals(ceiling.At(g.now()).Scope).Held[cost.USD]
		}
	}
	return g.Journal.Begin(req)
}

// forgetful forgets a meter in the holds of phones: they hold no money.
type forgetful struct{ *checkpoint.Journal }

func (f *forgetful) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Rates = maps.Clone(req.Rates)
	phone := req.Rates[v1.BusinessPhone]
	phone.Uses[cost.USD] = 0
	req.Rates[v1.BusinessPhone] = phone
	return f.Journal.Begin(req)
}

// countingAtSend frees a slot one window after the lookup was begun.
type countingAtSend struct {
	*checkpoint.Journal
	job *job
	mu  sync.Mutex
}

func (c *countingAtSend) Begin(req attempt.Request) (attempt.Decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.job.world
	limit, now := w.Window.Limit, time.Now()
	if n := len(w.begun); n >= limit {
		if free := w.begun[n-limit].Add(w.Window.Per); free.After(now) {
			return attempt.Later{Until: free.Add(-w.setBack)}, nil
		}
	}
	decision, err := c.Journal.Begin(req)
	if _, granted := decision.(attempt.Granted); granted && err == nil {
		w.begun = append(w.begun, now)
	}
	return decision, err
}

// uncounting lets a ceiling on lookups bound those that have ended alone.
type uncounting struct {
	*checkpoint.Journal
	now func() time.Time
}

func (u *uncounting) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Ceilings = append([]cost.Ceiling(nil), req.Ceilings...)
	for i, ceiling := range req.Ceilings {
		if ceiling.Meter == cost.Lookups {
			req.Ceilings[i].Limit += u.Totals(ceiling.At(u.now()).Scope).Open
		}
	}
	return u.Journal.Begin(req)
}

// forgetting counts under a ceiling of a period from the start of the process on.
type forgetting struct {
	*checkpoint.Journal
	before map[string]int64 // used by ceiling
	now    func() time.Time
}

func newForgetting(j *job) *forgetting {
	f := &forgetting{Journal: j.journal, before: map[string]int64{}, now: j.now}
	for _, ceiling := range j.start.ceilings() {
		if at := ceiling.At(j.now()); ceiling.Period != cost.Ever {
			f.before[at.Scope] = at.Used(j.journal.Totals(at.Scope))
		}
	}
	return f
}

func (f *forgetting) Begin(req attempt.Request) (attempt.Decision, error) {
	req.Ceilings = append([]cost.Ceiling(nil), req.Ceilings...)
	for i, ceiling := range req.Ceilings {
		req.Ceilings[i].Limit += f.before[ceiling.At(f.now()).Scope]
	}
	return f.Journal.Begin(req)
}

// trusting does not hear of what others took.
type trusting struct{ dispatch.Accountant }

func (trusting) NoteUsedByOthers(cost.Amounts) error { return nil }
