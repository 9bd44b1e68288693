package checkpoint

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// ledgerState is the part of the journal that decisions are made on. It lies in memory and is
// guarded by the journal's lock. Every commit writes persisted, the accounts and the changed sums. So opening a
// journal does not read its answers.
type ledgerState struct {
	persisted record.Progress
	accounts  []*accountState // by number
	sums      Sums
	open      map[attempt.ID]*openAttempt
	byField   map[record.KeyedField]attempt.ID
	moveNext  attempt.ID // the attempt whose Begin moves the horizon next
	opened    attempt.ID // the first attempt since the journal was opened
	// left counts the attempts that were removed from open, by the first byte of their
	// keys. It is read without the lock.
	left [256]atomic.Uint32
}

// openAttempt is an attempt without a durable resolution.
type openAttempt struct {
	record.Intent
	account *accountState
	sums    []SumCount    // that it counts in
	state   attempt.State // Intended or InDoubt
	doubt   record.Doubt
	// resolving says that a resolution is decided and not durable yet.
	resolving bool
}

func newLedgerState() *ledgerState {
	return &ledgerState{
		persisted: record.Progress{NextID: 1},
		sums:      NewSums(),
		open:      map[attempt.ID]*openAttempt{},
		byField:   map[record.KeyedField]attempt.ID{},
	}
}

// addAccount adds the account with the next number.
func (l *ledgerState) addAccount(catalogue enrich.Catalogue) *accountState {
	a := newAccountState(attempt.Account(len(l.accounts)), catalogue, &l.sums, l.persisted.NextID)
	l.accounts = append(l.accounts, a)
	return a
}

// accountOf returns an account, nil when there is none with the number.
func (l *ledgerState) accountOf(number attempt.Account) *accountState {
	if int64(number) >= int64(len(l.accounts)) {
		return nil
	}
	return l.accounts[number]
}

// record returns the record of the state.
func (l *ledgerState) record() *record.State {
	state := &record.State{Progress: l.persisted, Account: l.accounts[0].Account}
	for _, a := range l.accounts[1:] {
		state.Others = append(state.Others, a.Account)
	}
	return state
}

// newAttempt returns an attempt that is in flight once it is applied.
func (l *ledgerState) newAttempt(in record.Intent) *openAttempt {
	of := l.accounts[in.Account]
	return &openAttempt{Intent: in, account: of, sums: l.sums.Of(in, of.Catalogue), state: attempt.Intended}
}

// view returns what a decision about a new attempt is made on: what is known of its subject,
// its scopes and the account.
func (l *ledgerState) view(known attempt.Record, a *openAttempt) decide.View {
	scopes := make([]*decide.Scope, len(a.sums))
	for i, sum := range a.sums {
		scopes[i] = &sum.Sum.Scope
	}
	return decide.View{Now: a.At, Subject: l.subject(known, a.Hold.Fields), Scopes: scopes, Account: a.account.View(a.At)}
}

// subject returns what is known of a subject, with the fields that are in flight.
func (l *ledgerState) subject(known attempt.Record, fields enrich.Fields) decide.Subject {
	subject := decide.Subject{Record: known}
	for f := range fields.Each() {
		if earlier := l.open[known.Attempts[f]]; earlier != nil && earlier.state == attempt.Intended {
			subject.InFlight = subject.InFlight.With(f)
		}
	}
	return subject
}

// apply applies the changes of a decision that grants an attempt.
func (l *ledgerState) apply(a *openAttempt, changes *decide.Changes) attempt.ID {
	a.Hold, a.Earlier, a.Before, a.UpTo = changes.Hold, changes.Earlier, changes.Before, changes.UpTo
	id := l.persisted.NextID
	l.persisted.NextID++
	l.enter(id, a)
	l.persisted.InFlight = append(l.persisted.InFlight, id)
	a.account.Begin(changes)
	l.sums.Hold(a.sums, a.Hold)
	if id >= l.moveNext {
		l.moveHorizon()
	}
	return id
}

// idle reports whether no call of an account is in flight, or of any account when of is nil.
func (l *ledgerState) idle(of *accountState) bool {
	for _, a := range l.open {
		if a.state == attempt.Intended && (of == nil || a.account == of) {
			return false
		}
	}
	return true
}

// enter adds an attempt to the open ones.
func (l *ledgerState) enter(id attempt.ID, a *openAttempt) {
	l.open[id] = a
	a.account.last = max(a.account.last, id)
	for f := range a.Hold.Fields.Each() {
		l.byField[record.KeyedField{Key: a.Key, Field: f}] = id
	}
}

// resolve replaces the hold of an attempt that ended by its charge. The attempt stays open until
// its resolution is durable and leave is called.
func (l *ledgerState) resolve(id attempt.ID, res attempt.Resolution, now time.Time) {
	a := l.open[id]
	a.resolving = true
	l.persisted.Resolved++
	l.sums.EndOn(res.At, id)
	l.sums.Release(a.sums, a.Hold, res, id < a.account.BaseFirst)
	if a.state != attempt.Intended {
		return
	}
	l.land(id)
	a.account.NoteProvisional(id, a.Hold, res.Charge)
	if res.State == attempt.Settled {
		a.account.Answer(a.Identity, a.Hold.Fields, res.Charge.Amounts)
	}
	a.account.End(id, res.Sent, now)
}

// markInDoubt puts an attempt in doubt. Its hold stays.
func (l *ledgerState) markInDoubt(id attempt.ID, d record.Doubt, now time.Time) {
	a := l.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	l.land(id)
	a.account.End(id, true, now)
}

// land notes that an attempt is no longer in flight.
func (l *ledgerState) land(id attempt.ID) {
	LandHold(l.open[id].sums, l.open[id].Hold)
	if at, found := slices.BinarySearch(l.persisted.InFlight, id); found {
		l.persisted.InFlight = slices.Delete(l.persisted.InFlight, at, at+1)
	}
}

// leave removes an attempt whose resolution is durable from the open ones. In a shared journal, a later attempt of
// another process for the same fields may be open already.
func (l *ledgerState) leave(id attempt.ID) {
	a := l.open[id]
	for f := range a.Hold.Fields.Each() {
		if field := (record.KeyedField{Key: a.Key, Field: f}); l.byField[field] == id {
			delete(l.byField, field)
		}
	}
	delete(l.open, id)
	l.departures(a.Key).Add(1)
}

// departures returns the counter of removed attempts for a key. While it stays the same, no
// resolution about this identity has become durable.
func (l *ledgerState) departures(key enrich.Key) *atomic.Uint32 { return &l.left[key[0]] }

// departed adds up the counters of some keys. The counters only grow, so an equal sum says that none has changed.
func (l *ledgerState) departed(keys []enrich.Key) (sum uint64) {
	for _, key := range keys {
		sum += uint64(l.departures(key).Load())
	}
	return sum
}

// departAll notes that records of any identity may have changed.
func (l *ledgerState) departAll() {
	for i := range l.left {
		l.left[i].Add(1)
	}
}

// horizonShare limits the cost of moving the horizons, which looks at every slot: they
// move at most once in slots/horizonShare attempts.
const horizonShare = 16

// moveHorizon moves the horizon of each account to the first attempt that occupies a slot of it.
func (l *ledgerState) moveHorizon() {
	slots := len(l.open)
	for _, a := range l.accounts {
		if a.Ready { // else its slots are not known
			slots += a.MoveHorizon(l.firstInFlight(a))
		}
	}
	l.moveNext = l.persisted.NextID + attempt.ID(max(horizonStep, slots/horizonShare))
}

// firstInFlight returns the first attempt of an account in flight, or the next attempt of all.
func (l *ledgerState) firstInFlight(of *accountState) attempt.ID {
	for _, id := range l.persisted.InFlight {
		if l.open[id].account == of {
			return id
		}
	}
	return l.persisted.NextID
}

// doubtful returns the closed periods of each account and its calls in doubt, in the order of their
// Begin.
func (l *ledgerState) doubtful() []AccountSums {
	all := make([]AccountSums, len(l.accounts))
	for n, a := range l.accounts {
		all[n].Periods = a.Closed
	}
	for id, a := range l.open {
		if a.state == attempt.InDoubt && !a.resolving {
			of := &all[a.account.Number]
			of.Doubts = append(of.Doubts, SumDoubt{ID: id, Sums: a.sums, Held: a.Hold.Amounts()})
		}
	}
	for n := range all {
		slices.SortFunc(all[n].Doubts, func(a, b SumDoubt) int { return cmp.Compare(a.ID, b.ID) })
	}
	return all
}

// adjust reduces the holds of calls in doubt to what they can have been charged together.
func (l *ledgerState) adjust() { l.sums.AdjustHolds(l.doubtful()) }

// dropPeriods drops the closed periods of which no call is in doubt any more.
func (l *ledgerState) dropPeriods() {
	for _, of := range l.accounts {
		if len(of.Closed) == 0 {
			continue
		}
		var unresolved []attempt.ID
		for id, a := range l.open {
			if a.account == of && !a.resolving {
				unresolved = append(unresolved, id)
			}
		}
		of.DropPeriods(unresolved)
	}
}

// provisional returns the fields whose charge is provisional, by attempt.
func (l *ledgerState) provisional() map[attempt.ID]enrich.Fields {
	fields := map[attempt.ID]enrich.Fields{}
	for _, a := range l.accounts {
		a.ProvisionalFields(fields)
	}
	return fields
}
