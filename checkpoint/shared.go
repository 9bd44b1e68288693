// This file shares a journal among several processes.
//
// Every process has the ledger state in its memory. A decision needs a turn. From the begin of a turn to its commit, no
// other process commits. At the begin, the process applies the records that others have committed since its last turn.
// So each decision uses everything that is durable. The decisions of a turn are committed together. During a commit no
// decision is made.

package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// sharing is the state of a ledger whose store is shared. The lock of the ledger guards it. Store is nil when no other
// process uses the store.
type sharing struct {
	store      record.Shared
	turn       record.Turn // the last one
	inTurn     bool        // from the begin of a turn until its commit starts
	committing bool
	clock      atomic.Pointer[turnClock]
	begun      time.Time    // the begin of the turn, by the clock of this process
	deciders   atomic.Int32 // goroutines that wait for the lock to decide
}

// turnClock is a reading of the database's clock, from the last turn or refresh.
type turnClock struct {
	shown           time.Time
	asked, received time.Time // by the clock of this process
}

// earliest returns the least time that it can be now.
func (c turnClock) earliest() time.Time { return c.shown.Add(time.Since(c.received)) }

// latest returns the greatest time that it can be now.
func (c turnClock) latest() time.Time { return c.shown.Add(time.Since(c.asked)) }

// FailedOver returns why the store of the journal may lack what was recorded in it; nil when it cannot. While it may, no
// call begins.
func (j *Journal) FailedOver() error {
	if j.shared.store == nil {
		return nil
	}
	return j.shared.store.FailedOver()
}

// AcceptFailover lets calls begin again. It serves a user who has compared the accounts with the journal. Every account
// pauses first: calls that the store has lost may have been sent a moment ago, and the window does not know them.
func (j *Journal) AcceptFailover() error {
	j.lock()
	now := j.nowAtMost()
	for _, a := range j.state.accounts {
		rate := Rate{Slots: int(a.RateSlots), Window: a.RateWindow}
		a.Pause(now, now.Add(rate.OnTheWay()+rate.Window))
	}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	if err := <-durable; err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.awaitTurn()
	if j.failure != nil {
		return j.failure
	}
	return j.shared.store.AcceptFailover()
}

// awaitTurn waits until no turn is open. The lock is held.
func (j *Journal) awaitTurn() {
	for (j.shared.inTurn || j.shared.committing) && j.failure == nil {
		j.drained.Wait()
	}
}

// OrFailedOver returns the error of a read of the journal. If the store may lack records, it returns that as the cause:
// the promoted server may never have received records that this process knows, or may have given their numbers to
// other calls.
func (j *Journal) OrFailedOver(err error) error {
	if j.shared.store == nil || err == nil || errors.Is(err, ErrFailed) || errors.Is(err, context.Canceled) {
		return err
	}
	j.look() // compares the server with what this process has seen
	defer j.mu.Unlock()
	if why := j.shared.store.FailedOver(); why != nil {
		return fmt.Errorf("%w: %w (%v)", ErrFailed, why, err)
	}
	return err
}

// Now returns the time by the clock on which the journal decides.
func (j *Journal) Now() time.Time { return j.now() }

// now returns the time of a decision. In a shared journal it is not later than that of the database.
func (j *ledger) now() time.Time {
	if j.clock != nil {
		return j.clock()
	}
	return j.shared.clock.Load().earliest()
}

// nowAtMost returns the time of the end of a call, whose slot must not be free too early. In a shared journal it is not
// earlier than that of the database.
func (j *ledger) nowAtMost() time.Time {
	if j.clock != nil {
		return j.clock()
	}
	return j.shared.clock.Load().latest()
}

// askAgain is the time between two tries of a decision that depends on a call of another process. The end of such a
// call is not signalled.
const askAgain = 200 * time.Millisecond

// pausePoll is the time after which a process asks again whether another one has ended a pause.
const pausePoll = time.Second

// longestGathering is the longest time in which decisions join one turn.
const longestGathering = 50 * time.Millisecond

// beginTurn begins a turn. The lock is held.
func (j *Journal) beginTurn() {
	s := &j.shared
	asked := time.Now()
	turn, err := s.store.Begin()
	if err != nil {
		j.fail(err)
		return
	}
	s.turn, s.inTurn, s.begun = turn, true, time.Now()
	s.clock.Store(&turnClock{turn.Now, asked, s.begun})
	j.wakeCommitter()
	if err := j.catchUp(turn.Changed); err != nil {
		j.fail(err)
		return
	}
	j.doubtLeftBehind()
}

// fail makes all further operations of the journal return the error. The lock is held.
func (j *ledger) fail(err error) {
	if j.failure == nil {
		j.failure = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	for _, op := range j.queue {
		op.durable <- j.failure
	}
	j.queue, j.queued = nil, 0
	j.drained.Broadcast()
	if j.shared.inTurn {
		j.wakeCommitter() // which ends the turn
	}
}

func (j *ledger) wakeCommitter() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// gather lets other goroutines that wait for the lock decide, so that one commit has all these decisions. The lock is
// held.
func (j *ledger) gather() {
	for j.shared.inTurn && j.shared.deciders.Load() > 0 && j.queued < maxQueue && j.failure == nil &&
		time.Since(j.shared.begun) < longestGathering {
		j.mu.Unlock()
		runtime.Gosched()
		j.mu.Lock()
	}
}

// look locks the journal for a caller that reads durable state. In a shared journal it first applies the records that
// others have committed.
func (j *Journal) look() {
	j.mu.Lock()
	s := &j.shared
	for s.committing && j.failure == nil {
		j.drained.Wait() // the commit may have ended on the server, and others may have committed since
	}
	if s.store == nil || s.inTurn || j.failure != nil {
		return
	}
	asked := time.Now()
	turn, err := s.store.Refresh()
	if err == nil {
		s.clock.Store(&turnClock{turn.Now, asked, time.Now()})
		err = j.catchUp(turn.Changed)
	}
	if err != nil {
		j.fail(err)
	}
}

// catchUp applies records that other processes have changed. The lock is held.
func (j *Journal) catchUp(changed []Write) error {
	if len(changed) == 0 {
		return nil
	}
	kinds := map[byte][]Write{}
	for _, w := range changed {
		kinds[w.Key[0]] = append(kinds[w.Key[0]], w)
	}
	for _, kind := range kinds {
		slices.SortFunc(kind, func(a, b Write) int { return slices.Compare(a.Key, b.Key) })
	}
	j.departBy(kinds)
	if err := j.catchUpAccounts(kinds); err != nil {
		return err
	}
	for _, of := range []struct {
		prefix byte
		apply  func(Write) error
	}{
		{record.IntentPrefix, j.applyIntent},
		{record.DoubtPrefix, j.applyDoubt},
		{record.ResolutionPrefix, j.applyResolution},
		{record.TotalsPrefix, j.applyTotals},
		{record.DayPrefix, j.applyDay},
	} {
		for _, w := range kinds[of.prefix] {
			if err := of.apply(w); err != nil {
				return err
			}
		}
	}
	j.state.sums.dropAdjustments()
	j.state.sums.LoadAdjustments(j.state.doubtful())
	return nil
}

// departBy notes the keys whose records have changed, for readers without the lock.
func (j *Journal) departBy(kinds map[byte][]Write) {
	for _, w := range kinds[record.FieldPrefix] {
		if field, ok := record.FieldOf(w.Key); ok {
			j.state.departures(field.Key).Add(1)
		}
	}
	if len(kinds[record.ForgottenPrefix]) > 0 {
		j.state.departAll()
	}
	learned := slices.Clone(j.formers())
	for _, w := range kinds[record.FormerPrefix] {
		if key, former, ok := record.FormerOf(w.Key); ok {
			learned = append(learned, formerKey{key, former})
			j.state.departures(key).Add(1)
		}
	}
	if len(kinds[record.FormerPrefix]) > 0 {
		slices.SortFunc(learned, formerKey.compare)
		learned = slices.Compact(learned)
		j.former.Store(&learned)
	}
}

// catchUpAccounts applies the ledger state, registrations of accounts, and the marks of the journal.
func (j *Journal) catchUpAccounts(kinds map[byte][]Write) error {
	registered := map[string]Write{}
	for _, w := range kinds[record.AccountPrefix] {
		registered[string(w.Key)] = w
	}
	for number := attempt.Account(1); len(registered) > 0; number++ {
		key := record.AccountKey(number)
		w, is := registered[string(key)]
		if !is && int64(number) >= int64(len(j.state.accounts)) {
			return fmt.Errorf("%w: account %d is missing", ErrCorrupt, number)
		}
		if !is {
			continue
		}
		delete(registered, string(key))
		var r record.Registration
		if err := record.Decode(key, w.Value, &r); err != nil {
			return err
		}
		if known := j.state.accountOf(number); known != nil {
			known.Catalogue = r.Catalogue()
		} else {
			j.state.addAccount(r.Catalogue())
		}
	}
	for _, w := range kinds[record.StateKey[0]] {
		switch string(w.Key) {
		case string(record.StateKey):
			var state record.State
			if err := record.DecodeComputed(w.Key, w.Value, &state); err != nil {
				return err
			}
			if 1+len(state.Others) != len(j.state.accounts) {
				return fmt.Errorf("%w: it has the states of %d accounts, and %d are known", ErrCorrupt, 1+len(state.Others), len(j.state.accounts))
			}
			j.state.persisted = state.Progress
			j.state.accounts[0].Account = state.Account
			for n, other := range state.Others {
				j.state.accounts[n+1].Account = other
			}
		case string(record.ChangeKey):
			if err := record.Decode(w.Key, w.Value, &j.change); err != nil {
				return err
			}
		case string(record.FormsKey):
			var forms record.Forms
			if err := record.Decode(w.Key, w.Value, &forms); err != nil {
				return err
			}
			j.formsNext = max(j.formsNext, forms.Next)
		}
	}
	return nil
}

func (j *Journal) applyIntent(w Write) error {
	var in record.Intent
	if err := record.Decode(w.Key, w.Value, &in); err != nil {
		return err
	}
	id := record.IDOf(w.Key)
	if in.Erased { // an older intent was written again without its identity
		if a := j.state.open[id]; a != nil {
			eraseIdentity(&a.Intent)
		}
		j.state.departAll()
		return nil
	}
	if j.state.accountOf(in.Account) == nil {
		return fmt.Errorf("%w: attempt %d is for account %d, which is missing", ErrCorrupt, id, in.Account)
	}
	a := j.state.newAttempt(in)
	j.state.enter(id, a)
	j.state.noteInFlight(a)
	return nil
}

func (j *Journal) applyDoubt(w Write) error {
	id := record.IDOf(w.Key)
	a := j.state.open[id]
	if a == nil || a.state != attempt.Intended {
		return fmt.Errorf("%w: attempt %d came into doubt and was not in flight", ErrCorrupt, id)
	}
	if err := record.Decode(w.Key, w.Value, &a.doubt); err != nil {
		return err
	}
	a.state = attempt.InDoubt
	j.state.noteEnded(id, a, true, freeFrom(a.doubt, a.account))
	return nil
}

func (j *Journal) applyResolution(w Write) error {
	id := record.IDOf(w.Key)
	a := j.state.open[id]
	if a == nil {
		return nil // a later change of it
	}
	var ended record.Ending
	if err := record.Decode(w.Key, w.Value, &ended); err != nil {
		return err
	}
	if a.state == attempt.Intended {
		j.state.noteEnded(id, a, ended.Sent, ended.At)
	}
	j.state.leave(id)
	return nil
}

func (j *Journal) applyTotals(w Write) error {
	var totals cost.Totals
	err := record.DecodeComputed(w.Key, w.Value, &totals)
	j.state.sums.Scope(string(w.Key[1:])).Totals = totals
	return err
}

func (j *Journal) applyDay(w Write) error {
	var span record.Span
	err := record.DecodeComputed(w.Key, w.Value, &span)
	j.state.sums.Days[string(w.Key[1:])] = span
	return err
}

// noteInFlight counts an attempt in flight of another process. The sums come from the records and include its hold.
func (l *ledgerState) noteInFlight(a *openAttempt) {
	FlyHold(a.sums, a.Hold)
	a.account.Window.take()
}

// noteEnded counts the end of an attempt that noteInFlight has counted. Its slot is free one window after a time.
func (l *ledgerState) noteEnded(id attempt.ID, a *openAttempt, sent bool, at time.Time) {
	LandHold(a.sums, a.Hold)
	a.account.Window.giveBack()
	if sent {
		a.account.Window.cool(Slot{id, at.Add(a.account.Window.Rate.Window)})
	}
}

// freeFrom returns the begin of the window for which the slot of a call in doubt stays taken.
func freeFrom(d record.Doubt, of *accountState) time.Time {
	if d.Crash {
		return d.At.Add(of.Window.Rate.OnTheWay())
	}
	return d.At
}

// doubtLeftBehind puts the calls in flight of ended epochs in doubt. The lock is held, in a turn.
func (j *Journal) doubtLeftBehind() {
	now := j.nowAtMost()
	for _, id := range slices.Clone(j.state.persisted.InFlight) {
		a := j.state.open[id]
		if a == nil || j.shared.turn.IsLive(a.Epoch) {
			continue
		}
		d := leftBehind(now)
		j.state.markLeftBehind(id, d)
		j.enqueue(nil, doubtWrites(id, d)...)
	}
}

// leftBehind returns the doubt of a call whose epoch has ended.
func leftBehind(now time.Time) record.Doubt {
	return record.Doubt{At: now, Cause: "the program ended before the answer was recorded", Crash: true}
}

// markLeftBehind puts an attempt of another process in doubt.
func (l *ledgerState) markLeftBehind(id attempt.ID, d record.Doubt) {
	a := l.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	l.land(id)
	a.account.Window.giveBack()
	a.account.Window.cool(Slot{id, freeFrom(d, a.account).Add(a.account.Window.Rate.Window)})
	a.account.LastEnded = d.At
}

// makeSharedReady is makeReady for an account that other processes may use at the same time.
func (j *Journal) makeSharedReady(number attempt.Account, options AccountOptions) error {
	j.lock()
	defer j.mu.Unlock()
	a := j.state.accountOf(number)
	if a == nil && j.failure == nil { // the connection broke in this turn, and another process registered the account then
		j.awaitTurn()
		j.beginTurn()
		a = j.state.accountOf(number)
	}
	if j.failure == nil && a == nil {
		return fmt.Errorf("%w: account %d is missing", ErrCorrupt, number)
	}
	if j.failure != nil || a.Ready {
		return j.failure
	}
	a.SetTerms(options.Rate, options.Tariff)
	a.Window.inFlight, a.Window.Cooling = j.state.countInFlight(a), nil
	if err := a.RecoverWindow(j.store, j.state.persisted.NextID, j.now(), len(j.state.accounts) > 1, j.openEnd); err != nil {
		return err
	}
	a.Ready = true
	return nil
}

// openEnd returns the end of a call that is open in the memory of this process; false for other calls. It is needed
// because the records of this turn's decisions are not in the store yet. The lock is held.
func (j *Journal) openEnd(id attempt.ID) (end callEnd, open bool) {
	a, now := j.state.open[id], j.nowAtMost()
	switch {
	case a == nil:
		return end, false
	case a.resolving:
		return callEnd{now, true, true}, true
	case a.state == attempt.InDoubt:
		return callEnd{freeFrom(a.doubt, a.account), true, true}, true
	}
	return callEnd{at: now, known: true}, true // its slot is counted as that of a call in flight
}

// countInFlight returns how many calls of an account are in flight.
func (l *ledgerState) countInFlight(of *accountState) (count int) {
	for _, id := range l.persisted.InFlight {
		if a := l.open[id]; a != nil && a.account == of && !a.resolving {
			count++
		}
	}
	return count
}

// othersInFlight reports whether calls of other processes are in flight. The lock is held.
func (j *Journal) othersInFlight() bool {
	return slices.ContainsFunc(j.state.persisted.InFlight, func(id attempt.ID) bool { return j.state.open[id].Epoch != j.shared.turn.Epoch })
}

// InFlight reports whether an attempt is a call of another process that is in flight. Its outcome is unknown only until
// it ends, and Begin waits for that. It is false for every attempt of a journal that is not shared.
func (j *Journal) InFlight(id attempt.ID) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	a := j.state.open[id]
	return a != nil && j.shared.store != nil && a.state == attempt.Intended && a.Epoch != j.shared.turn.Epoch
}

// waitForOthers sets when to ask again, because other processes do not signal the end of a call, of a drain or of a
// pause. The lock is held.
func (j *Journal) waitForOthers(decision attempt.Decision) attempt.Decision {
	if j.shared.store == nil {
		return decision
	}
	switch d := decision.(type) {
	case attempt.Blocked:
		switch {
		case d.Drained:
			d.Until = j.now().Add(drainPoll)
			by, _ := j.shared.turn.Process(j.own().DrainedBy)
			d.LeaseEnds = by.LeaseEnds
		case j.othersInFlight():
			d.Until = j.now().Add(askAgain)
		}
		return d
	case attempt.Later:
		if d.Asked {
			d.AskAgain = j.now().Add(pausePoll)
		}
		return d
	}
	return decision
}

// permission returns the check of a ticket right before its request is sent; nil when none is needed.
func (j *ledger) permission() func() error {
	if j.shared.store == nil {
		return nil
	}
	return j.shared.store.MaySend
}

// idleHere reports whether this process has no call of the account in flight. The lock is held.
func (j *Journal) idleHere() bool {
	for _, a := range j.state.open {
		if a.state == attempt.Intended && a.account == j.own() && a.Epoch == j.shared.turn.Epoch {
			return false
		}
	}
	return true
}

// BeginReading notes that the caller is about to read the account. If another process has a call in flight during the
// reading, the reading is not evidence, and Reconcile and Rebase change nothing.
func (j *Journal) BeginReading() {
	j.lock()
	defer j.mu.Unlock()
	j.noteQuiet()
}

// noteQuiet notes the next attempt if no call of the account is in flight. The lock is held.
func (j *Journal) noteQuiet() {
	j.own().quiet, j.own().reading = 0, j.shared.turn
	j.own().reading.Changed = nil
	if j.state.idle(j.own()) {
		j.own().quiet = j.state.persisted.NextID
	}
}

// withSenders completes doubts by what a turn knew of the processes that began the calls. The lock is held.
func (j *ledger) withSenders(doubts []attempt.Doubt, turn record.Turn) []attempt.Doubt {
	for i, d := range doubts {
		if sender := j.senderOf(j.state.open[d.ID], turn); sender != nil {
			doubts[i].Arrived = sender.Arrived
			if sender.MaySend(turn.Now) {
				doubts[i].Sender = sender.Holder
			}
		}
	}
	return doubts
}

// senderOf returns the process that began a call in doubt, when others have ended its epoch and its calls may still
// arrive, or could until a short time ago; nil for none. A call that the process itself has lost was sent.
func (j *ledger) senderOf(a *openAttempt, turn record.Turn) *record.Sender {
	at := slices.IndexFunc(turn.Senders, func(s record.Sender) bool { return s.Epoch == a.Epoch })
	if at < 0 || !a.doubt.Crash {
		return nil
	}
	return &turn.Senders[at]
}

// Quiet reports whether no call of the account has been in flight since BeginReading. It is always true when the
// journal is not shared.
func (j *Journal) Quiet() bool {
	j.look()
	defer j.mu.Unlock()
	return j.wasQuiet()
}

// wasQuiet reports whether no call of an account has been in flight since BeginReading. The lock is held.
func (j *Journal) wasQuiet() bool {
	if j.shared.store == nil {
		return true
	}
	a := j.own()
	return a.quiet > a.last && j.state.idle(a)
}
