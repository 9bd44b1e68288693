// This file drains accounts of shared journals: no process begins calls of an account until the drain ends.

package checkpoint

import (
	"context"
	"errors"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
)

// drainPoll is the time after which a process asks again whether another one still drains the account.
const drainPoll = time.Second

// notDrained says why an account cannot be compared now.
const notDrained = "a process that stopped has calls in flight; a few minutes after it was seen last they are in doubt, and can be decided with the others"

// Drain waits until no process has calls of the account in flight. Until end is called, or the lease of this process
// ends, no process begins one. Only one process at a time drains an account; others wait for it. When a process has
// stopped with calls in flight, Drain does not wait for them, because that takes minutes: it ends the drain and returns
// why. The caller must have no calls of the account in flight. In a journal that is not shared, Drain does nothing.
func (j *Journal) Drain(ctx context.Context) (end func() error, why string, err error) {
	if j.shared.store == nil {
		return func() error { return nil }, "", nil
	}
	for taken := false; !taken; {
		if taken, why, err = j.beginDrain(); why != "" || err != nil {
			return nil, why, err
		}
		if !taken {
			err = sleep(ctx, drainPoll)
		}
		if err != nil {
			return nil, "", err
		}
	}
	for {
		idle, left, err := j.drainedYet()
		if err == nil && idle {
			return j.endDrain, "", nil
		}
		if err == nil && !left {
			err = sleep(ctx, askAgain)
		}
		if err != nil || left {
			return nil, notDrained, errors.Join(err, j.endDrain())
		}
	}
}

// DrainAll drains all accounts for as long as this process has the journal open. It also waits for the calls of
// processes that have stopped.
func (j *Journal) DrainAll(ctx context.Context) error {
	// In the same order in each process, which prevents a deadlock. Meanwhile others may register accounts.
	for number := attempt.Account(0); number < j.Accounts(); number++ {
		account, err := j.For(number)
		if err != nil {
			return err
		}
		for why := "not yet"; why != ""; {
			if _, why, err = account.Drain(ctx); err == nil && why != "" {
				err = sleep(ctx, drainPoll)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// beginDrain begins a drain of the account, unless another process drains it, or a process has stopped with calls of it
// in flight.
func (j *Journal) beginDrain() (taken bool, why string, err error) {
	j.lock()
	switch {
	case j.failure != nil:
		err = j.failure
	case j.drainedByAnother():
	case j.stoppedInFlight():
		why = notDrained
	default:
		taken, j.own().DrainedBy, j.own().drains = true, j.shared.turn.Epoch, true
	}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	if err == nil {
		err = <-durable
	}
	return taken, why, err
}

// endDrain lets all processes begin calls of the account again, and of accounts that were registered meanwhile.
func (j *Journal) endDrain() error {
	j.lock()
	j.own().drains = false
	for _, a := range j.state.accounts {
		if a.DrainedBy == j.shared.turn.Epoch && !a.drains {
			a.DrainedBy = 0
		}
	}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}

// drainedYet reports whether no call of the account is in flight, and whether a process has stopped with calls of it in
// flight.
func (j *Journal) drainedYet() (idle, left bool, err error) {
	j.lock() // a turn puts the calls of ended epochs in doubt
	defer j.mu.Unlock()
	return j.state.idle(j.own()), j.stoppedInFlight(), j.failure
}

// drainedByAnother reports whether another process drains the account, whose lease has not ended. The lock is held, in
// a turn. A process whose lease has ended compares and erases nothing.
func (j *Journal) drainedByAnother() bool {
	by, turn := j.own().DrainedBy, j.shared.turn
	return by != 0 && by != turn.Epoch && turn.IsLive(by) && !turn.IsSilent(by)
}

// drainsAll returns the process that drains every account; 0 when there is none. It may be about to erase, so it drains
// an account that is registered now, too. The lock is held, in a turn.
func (j *Journal) drainsAll() (by uint64) {
	by = j.state.accounts[0].DrainedBy
	for _, a := range j.state.accounts {
		if a.DrainedBy != by {
			return 0
		}
	}
	return by
}

// stoppedInFlight reports whether a process whose lease has ended has calls of the account in flight. The lock is held,
// in a turn.
func (j *Journal) stoppedInFlight() bool {
	return slices.ContainsFunc(j.state.persisted.InFlight, func(id attempt.ID) bool {
		a := j.state.open[id]
		return a != nil && a.account == j.own() && j.shared.turn.IsSilent(a.Epoch)
	})
}

// sleep waits for a time, or until ctx is cancelled.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
