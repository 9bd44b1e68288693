package dispatch

import (
	"context"
	"errors"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// Arbiter is the part of the journal that decides about lost calls.
type Arbiter interface {
	// Doubts returns the attempts whose outcome is unknown.
	Doubts() []attempt.Doubt
	// LastEnded returns when the last call ended that may have been charged.
	LastEnded() time.Time
	// Drain lets no other process begin calls of the account until end is called, and waits for those in flight. It
	// drains nothing, and returns why, when they cannot be waited for.
	Drain(ctx context.Context) (end func() error, why string, err error)
	// Reconcile decides by an idle snapshot of the account what it can about the
	// doubts and about charges that may have been free, durably. The user says whether
	// the account is exclusive.
	Reconcile(now cost.Account, exclusive bool) (attempt.ReconcileResult, error)
}

// Reconciler finds out from the account what became of lost calls. It is used while no call is
// in flight.
type Reconciler struct {
	Arbiter Arbiter
	Status  StatusReader
	// SettleDelay is the least time between the end of the last call, lost or
	// answered, and the look at the account.
	SettleDelay time.Duration
	// Exclusive says that the user declares that nobody else uses the account.
	Exclusive bool
	Now       func() time.Time
	// Waits is called before each wait with the time until which it lasts; nil for none.
	Waits func(until time.Time)
}

// How often, and how many times, an account that still has reservations is read.
const (
	idlePolls        = 12
	idlePollInterval = 5 * time.Second
)

// Pending returns the doubts that a look at the account may decide.
func (r *Reconciler) Pending() int {
	pending := 0
	for _, d := range r.Arbiter.Doubts() {
		if d.Decidable {
			pending++
		}
	}
	return pending
}

// Reconcile waits until the calls of dead processes cannot arrive any more, no process has a call in flight, the settle
// delay has passed and the service reports no reservations, and lets the journal decide. In the last two waits no
// process begins a call of the account. When the account does not come to rest, or cannot be read, nothing is decided,
// there are no cases, and Why says so; a later call tries again. The error is the journal's, ctx's, or the service's refusal.
func (r *Reconciler) Reconcile(ctx context.Context) (result attempt.ReconcileResult, err error) {
	if err := r.sleep(ctx, r.arriving()); err != nil {
		return result, err
	}
	end, why, err := r.Arbiter.Drain(ctx)
	if err != nil || why != "" {
		return attempt.ReconcileResult{Why: why}, err
	}
	defer func() { err = errors.Join(err, end()) }()
	return r.compare(ctx)
}

// compare is Reconcile once the account is drained.
func (r *Reconciler) compare(ctx context.Context) (attempt.ReconcileResult, error) {
	if err := r.sleep(ctx, r.settled().Sub(r.Now())); err != nil {
		return attempt.ReconcileResult{}, err
	}
	why := ""
	for poll := range idlePolls {
		if poll > 0 {
			if err := r.sleep(ctx, idlePollInterval); err != nil {
				return attempt.ReconcileResult{}, err
			}
		}
		account, err := r.Status.Status(ctx)
		switch {
		case ctx.Err() != nil:
			return attempt.ReconcileResult{}, ctx.Err()
		case refusesUs(err):
			return attempt.ReconcileResult{}, err
		case err != nil:
			why = "the account status cannot be read: " + err.Error()
		case !account.Idle():
			why = "the service still reports reservations"
		default:
			return r.Arbiter.Reconcile(account, r.Exclusive)
		}
	}
	return attempt.ReconcileResult{Why: why}, nil
}

// arriving returns for how long calls may still arrive of processes that are known to send no more.
func (r *Reconciler) arriving() (longest time.Duration) {
	for _, d := range r.Arbiter.Doubts() {
		if d.Decidable && d.Sender != "" && !d.Arrived.IsZero() {
			longest = max(longest, d.Arrived.Sub(r.Now()))
		}
	}
	return longest
}

// settled returns the time when the settle delay has passed for every pending doubt
// and for the last answer: an account that lags behind an answer would hide a charge.
func (r *Reconciler) settled() time.Time {
	latest := r.Arbiter.LastEnded()
	for _, d := range r.Arbiter.Doubts() {
		for _, from := range []time.Time{d.Since, d.Arrived} {
			if d.Decidable && from.After(latest) {
				latest = from
			}
		}
	}
	// After the clock was set back a doubt may seem to lie in the future.
	if now := r.Now(); latest.After(now) {
		latest = now
	}
	return latest.Add(r.SettleDelay)
}

// refusesUs reports whether an error is the service's refusal of the key or the
// workspace, which waiting does not mend.
func refusesUs(err error) bool {
	var refusal interface{ Refused() bool }
	return errors.As(err, &refusal) && refusal.Refused()
}

func (r *Reconciler) sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	if r.Waits != nil {
		r.Waits(r.Now().Add(wait))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
