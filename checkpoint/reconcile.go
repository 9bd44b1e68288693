package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// Doubts returns the attempts of the account whose outcome is unknown, in the order of their Begin.
func (j *Journal) Doubts() []attempt.Doubt {
	j.lock() // a turn knows which processes may still send calls
	defer j.mu.Unlock()
	return j.withSenders(j.state.doubts(j.own()), j.shared.turn)
}

// DoubtsOfAll returns the attempts of all accounts whose outcome is unknown, in the order of their Begin.
func (j *Journal) DoubtsOfAll() []attempt.Doubt {
	j.look()
	defer j.mu.Unlock()
	return j.withSenders(j.state.doubts(nil), j.shared.turn)
}

// doubts returns the attempts whose outcome is unknown, of an account, or of all when of is nil.
func (l *ledgerState) doubts(of *accountState) []attempt.Doubt {
	var doubts []attempt.Doubt
	for id, a := range l.open {
		if a.state != attempt.InDoubt || a.resolving || of != nil && a.account != of {
			continue
		}
		doubts = append(doubts, attempt.Doubt{
			ID: id, Account: a.Account, Identity: a.Identity, Hold: a.Hold, Run: a.Run, Begun: a.At, Since: a.doubt.At,
			Cause: a.doubt.Cause, Movement: a.account.MovementOf(id),
			Decidable: id >= a.account.DecidableFrom && !a.account.Tariff.CanFall(a.Hold),
		})
	}
	slices.SortFunc(doubts, func(a, b attempt.Doubt) int { return cmp.Compare(a.ID, b.ID) })
	return doubts
}

// Doubt returns why an attempt is in doubt, and why the account did not decide it; "" when it is not in doubt.
func (j *Journal) Doubt(id attempt.ID) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	a := j.state.open[id]
	if a == nil || a.state != attempt.InDoubt {
		return ""
	}
	if sender := j.senderOf(a, j.shared.turn); sender != nil && sender.MaySend(j.shared.turn.Now) {
		return a.doubt.Cause + "; " + mayBeSent(sender.Holder, sender.Arrived)
	}
	if why := a.account.WhyInDoubt(id); why != "" {
		return a.doubt.Cause + "; " + why
	}
	return a.doubt.Cause
}

// LastEnded returns when the last call ended that may have reached the service. It notes as BeginReading that the
// account is about to be read.
func (j *Journal) LastEnded() time.Time {
	j.lock()
	defer j.mu.Unlock()
	j.noteQuiet()
	return j.own().LastEnded
}

// Base returns the account's last idle snapshot.
func (j *Journal) Base() cost.Account {
	j.look()
	defer j.mu.Unlock()
	return j.own().Base
}

// Reconcile decides what an idle snapshot of the account proves about the doubts,
// corrects provisional charges by it, and makes it the account's new base. The user says
// whether the account is exclusive. Doubts that the snapshot leaves undecided keep their
// holds and wait for Assume: later snapshots show nothing about them.
//
// There may be more doubts than one commit takes. Those that a crash leaves over are
// decided as before by the next snapshot: what the others were charged is booked by then.
func (j *Journal) Reconcile(now cost.Account, exclusive bool) (reconciled attempt.ReconcileResult, err error) {
	j.lock()
	if err := j.mayRebase(); err != nil {
		j.mu.Unlock()
		return reconciled, err
	}
	if !j.wasQuiet() {
		j.mu.Unlock()
		return attempt.ReconcileResult{Why: "other processes had calls in flight when the account was read"}, nil
	}
	doubts := j.withSenders(j.state.doubts(j.own()), j.own().reading)
	evidence := j.own().Evidence(now, exclusive, doubts)
	reconciled = reconcileDoubts(doubts, evidence)
	decided := slices.DeleteFunc(slices.Clone(reconciled.Cases), func(c attempt.Case) bool { return c.Result == cost.Undecided })
	for {
		some := decided[:min(len(decided), concludedAtOnce)]
		decided = decided[len(some):]
		writes, resolved := j.concludeAll(some)
		if len(decided) == 0 && !reconciled.MayBeSent() { // else the base is needed once more
			corrections, err := j.closePeriod(evidence, reconciled.Why)
			if err != nil {
				err = j.stop(err)
				j.mu.Unlock()
				return reconciled, err
			}
			writes = append(writes, corrections...)
			j.state.adjust()
			j.own().Rebase(j.state.persisted.NextID, now)
			if reconciled.Why != "" {
				j.reserve(nil).fill() // what Doubt returns has changed, and so has Version
			}
		}
		durable := j.enqueue(func() { j.leaveAll(resolved) }, writes...)
		j.mu.Unlock()
		if err := <-durable; err != nil || len(decided) == 0 {
			return reconciled, err
		}
		j.lock()
		err = j.mayRebase()
		if err == nil && !j.wasQuiet() { // its lease has ended, and so its drain
			err = fmt.Errorf("%w: %w", ErrFailed, record.ErrFenced)
		}
		if err != nil {
			j.mu.Unlock()
			return reconciled, err
		}
	}
}

// concludedAtOnce is how many doubts are decided in one commit.
const concludedAtOnce = 512

// concludeAll decides doubts as the account shows them. It returns the writes and the
// attempts that leave the open ones when they are durable.
func (j *Journal) concludeAll(cases []attempt.Case) (writes []Write, resolved []attempt.ID) {
	for _, c := range cases {
		if a := j.state.open[c.ID]; a == nil || a.resolving {
			continue // somebody has decided it meanwhile
		}
		resolved = append(resolved, c.ID)
		writes = append(writes, j.conclude(c.Doubt, c.Charge, "the account shows it")...)
	}
	return writes, resolved
}

// Assume decides doubts by somebody's word: that each was charged for all its fields, or for
// none. It decides nothing when one of the attempts is not in doubt.
func (j *Journal) Assume(charged bool, ids ...attempt.ID) error {
	return j.say("somebody said so", charged, ids)
}

// Shown decides doubts as Assume does, by what the service shows of the thing that each call was to make: a lost start
// of a watch was charged when the company is watched.
func (j *Journal) Shown(charged bool, ids ...attempt.ID) error {
	return j.say("the service shows it", charged, ids)
}

// say decides doubts with a proof.
func (j *Journal) say(proof string, charged bool, ids []attempt.ID) error {
	j.lock()
	doubts := map[attempt.ID]attempt.Doubt{}
	for _, d := range j.state.doubts(nil) {
		doubts[d.ID] = d
	}
	for _, id := range ids {
		if _, found := doubts[id]; !found {
			failure := j.failure
			j.mu.Unlock()
			return cmp.Or(failure, fmt.Errorf("attempt %d is not in doubt", id))
		}
	}
	for {
		durable, rest, err := j.assumeSome(doubts, ids, charged, proof)
		j.mu.Unlock()
		if err == nil {
			err = <-durable
		}
		if err != nil || len(rest) == 0 {
			return err
		}
		ids = rest
		j.lock()
	}
}

// assumeSome decides as many doubts as go into one commit, and returns the others.
func (j *Journal) assumeSome(doubts map[attempt.ID]attempt.Doubt, ids []attempt.ID, charged bool, proof string) (durable <-chan error, rest []attempt.ID, err error) {
	var writes []Write
	var resolved []attempt.ID
	for corrected := false; len(ids) > 0 && len(resolved) < concludedAtOnce && !corrected; ids = ids[1:] {
		d := doubts[ids[0]]
		if a := j.state.open[d.ID]; a == nil || a.resolving {
			continue // it was decided meanwhile
		}
		var charge cost.Charge
		if charged {
			charge = d.Hold.Settle(d.Hold.Fields)
		}
		charge, corrections, err := j.settlePeriod(d, charge)
		if err != nil {
			return nil, nil, j.stop(err)
		}
		resolved = append(resolved, d.ID)
		writes = append(append(writes, j.conclude(d, charge, proof)...), corrections...)
		corrected = len(corrections) > 0 // the next correction reads this one in the store
		if d.Decidable {
			// The assumption may be wrong, and then the account proves something else
			// about the others.
			j.state.accounts[d.Account].DecidableFrom = j.state.persisted.NextID
		}
	}
	j.state.dropPeriods()
	j.state.adjust()
	return j.enqueue(func() { j.leaveAll(resolved) }, writes...), ids, nil
}

// stop makes the journal refuse everything after an error that came when its state was
// changed and nothing was written yet; reopening decides. The lock is held.
func (j *Journal) stop(err error) error {
	j.fail(err)
	return j.failure
}

// conclude resolves a doubt: the charged fields are forfeited, the others may be
// asked again.
func (j *Journal) conclude(d attempt.Doubt, charge cost.Charge, proof string) []Write {
	now := j.now()
	res := attempt.Resolution{State: attempt.Released, At: now, Run: d.Run, Sent: true, Reason: "response lost, not charged: " + proof}
	var states fieldStates
	if charged := charge.Fields(); charged != 0 {
		res.State, res.Charge = attempt.Forfeited, charge
		res.Reason = "response lost, charged: " + proof
		for f := range charged.Each() {
			states[f] = attempt.PaidAndGone
		}
	}
	j.state.resolve(d.ID, res, now)
	return j.state.open[d.ID].resolutionWrites(d.ID, res, states)
}

func (j *Journal) leaveAll(ids []attempt.ID) {
	for _, id := range ids {
		j.state.leave(id)
	}
}

// Rebase makes a snapshot of the account, read while no call was in flight, the
// one in which the account's totals and the free allowance begin. Doubts from
// before it are not decidable afterwards, and provisional charges are not corrected:
// while AwaitsAccount reports true, Reconcile comes first. In a shared journal it changes nothing when other
// processes had calls in flight since BeginReading: what they were charged may be in the snapshot or not.
func (j *Journal) Rebase(snapshot cost.Account) error {
	j.lock()
	if err := j.mayRebase(); err != nil {
		j.mu.Unlock()
		return err
	}
	if !j.wasQuiet() {
		j.mu.Unlock()
		return nil
	}
	j.own().Provisional = nil
	j.own().Rebase(j.state.persisted.NextID, snapshot)
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}

// NoteReading notes a reading of the account that was made after the base, while calls may have been in flight.
// Credit that was added and counters that may have begun again limit what the next snapshot proves. Before are the
// account's totals before the reading was asked for. It returns when what limits it is durable. It does nothing when
// there is another base by now.
func (j *Journal) NoteReading(base, reading cost.Account, before cost.Totals) error {
	j.lock()
	if j.failure != nil || !j.own().Ready || !reflect.DeepEqual(base, j.own().Base) {
		failure := j.failure
		j.mu.Unlock()
		return failure
	}
	if !j.own().Read(reading, before) && j.shared.store == nil {
		j.mu.Unlock()
		return nil // the next commit writes it; in a shared journal that may be one of another process, which does not know it
	}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}

func (j *Journal) mayRebase() error {
	if j.failure != nil {
		return j.failure
	}
	if !j.own().Ready {
		return j.notOpened() // without its tariff a snapshot would prove too much
	}
	if !j.idleHere() {
		return errors.New("the account's snapshot was taken while calls were in flight")
	}
	return nil
}

// InDoubt returns how many attempts of a run, or of all runs when it is "", have no known outcome,
// and what they hold: no more than all of them together can have been charged.
func (j *Journal) InDoubt(run string) (count int, held cost.Money) {
	open := j.OpenCalls()
	counts := func(call OpenCall) bool { return call.InDoubt && (run == "" || call.Run == run) }
	for _, doubts := range open.InDoubt(counts) {
		count += int(doubts)
	}
	for _, amounts := range open.Held(counts) {
		held += amounts.Money()
	}
	return count, held
}
