package simulation

import (
	"context"
	"math/rand/v2"
	"time"

	"payonce/cost"
	"payonce/io/sandbox"
)

// follower is another user of the workspace who does something after lookups of ours:
// also between the loss of a response and its settlement.
type follower struct {
	Share  float64    // of the lookups that are followed
	Delay  span       // after the service has answered
	Amount cost.Money // that is spent
	Asks   bool       // a lookup is sent instead, which may use a free unit
}

// deposit is prepaid credit that the workspace's owner buys.
type deposit struct {
	After  time.Duration // since the world began
	Amount cost.Money
}

// drawAccount draws what moves the account besides our lookups. Amounts are those that
// the service's own prices and others come to.
func (s *scenario) drawAccount(r *rand.Rand) {
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(2) {
			s.Followers = append(s.Followers, drawFollower(r))
		}
	}
	if r.IntN(5) == 0 {
		for range 1 + r.IntN(3) {
			s.Deposits = append(s.Deposits, deposit{
				After: span{0, 5 * time.Minute}.draw(r), Amount: sandbox.MinimumDeposit + cost.Cents(r.Int64N(500)),
			})
		}
	}
	if s.Budget == nil && r.IntN(6) == 0 {
		s.Included = []int64{10, 40, 300, 4900}[r.IntN(4)]
		s.Dawn = 31*24*time.Hour - span{0, 5 * time.Minute}.draw(r)
	}
}

func drawFollower(r *rand.Rand) follower {
	f := follower{Share: 0.2 + 0.8*r.Float64(), Delay: span{time.Microsecond, time.Second}}
	if r.IntN(2) == 0 {
		f.Delay.most = 90 * time.Second
	}
	if f.Asks = r.IntN(3) == 0; !f.Asks {
		f.Amount = cost.Cents([]int64{5, 10, 10, 15, 25, 40, 1 + r.Int64N(60)}[r.IntN(7)])
	}
	return f
}

// followed lets the other users do what they do after a lookup that has arrived.
func (w *world) followed(arrival int) {
	for i, f := range w.Followers {
		r := w.draws.of("follower", i, arrival)
		if r.Float64() >= f.Share {
			continue
		}
		delay := f.Delay.draw(r)
		w.strangers.Go(func() {
			w.clock.pass(delay)
			if f.Asks {
				w.askOnce(followerLookups*(i+1) + arrival)
				return
			}
			spent, err := w.service.Workspace().SpendElsewhere(f.Amount)
			w.trace("somebody else spends $%s after arrival %d, %v", spent, arrival, err)
		})
	}
}

// followerLookups is more than any user sends lookups: it keeps their numbers apart.
const followerLookups = 1_000_000

// deposit is the workspace's owner, who buys credit.
func (w *world) deposit(ctx context.Context) {
	for _, d := range w.Deposits {
		w.strangers.Go(func() {
			w.clock.pass(d.After)
			if ctx.Err() != nil {
				return
			}
			payment, err := w.service.Workspace().Checkout(sandbox.Order{Deposit: d.Amount})
			w.must(err)
			_, err = w.service.Workspace().Confirm(payment.ID)
			w.must(err)
			w.trace("the owner buys credit of $%s", d.Amount)
		})
	}
}
