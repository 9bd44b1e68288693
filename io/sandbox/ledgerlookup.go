package sandbox

import (
	"fmt"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// LookupRequest is a lookup as it arrives, on whatever transport.
type LookupRequest struct {
	Path      string // of the operation over REST
	Transport string // "rest", "mcp"
	Key       string // the ID of the key; empty when it was none
	Identity  string // enrich.Identity.Canonical; empty when the request named nobody
	Fields    enrich.Fields
}

// Admission is what the ledger says to an arrival.
type Admission struct {
	Number int
	Code   ErrorCode     // why it is refused at the door; empty when it is not
	Why    string        // with ServiceMisconfigured, what is wrong with the ledger
	Wait   time.Duration // with RateLimited, until a place in the window is free
}

// Arrive numbers a lookup and counts it against the limits, unless it is refused
// at the door: such an arrival takes no place.
func (b *Ledger) Arrive(r LookupRequest) Admission {
	now := b.lock()
	defer b.mu.Unlock()
	a := Admission{Number: b.history.next()}
	wait := b.window.Wait(now)
	a.Code = b.closed(r.Key, now)
	switch {
	case a.Code != "":
	case b.attemptsUsedUp(now):
		a.Code = AttemptLimitReached
	case wait > 0:
		a.Code, a.Wait = RateLimited, wait
	}
	err := b.ledger.Record(LedgerEntry{
		Kind: arrived, At: now, Number: a.Number, Path: r.Path, Transport: r.Transport, Key: r.Key,
		Identity: b.conceal(r.Identity), Fields: fieldList(r.Fields), Code: a.Code,
	})
	if err != nil {
		a.Code, a.Why = ServiceMisconfigured, err.Error()
	}
	return a
}

// closed returns why the workspace is closed to a key, "" when it is open.
func (b *Ledger) closed(key string, now time.Time) ErrorCode {
	switch {
	case !b.validKey(key, now):
		return InvalidAPIKey
	case b.state == Inactive:
		return WorkspaceInactive
	case b.state == Restricted:
		return AccessRestricted
	}
	return ""
}

// attemptsUsedUp reports whether the attempt limit of the usage period is reached.
func (b *Ledger) attemptsUsedUp(now time.Time) bool {
	return b.attemptLimit > 0 && b.attempts[monthOf(now)] >= b.attemptLimit
}

// Reserve sets aside what the lookup can cost. An empty code means that it has, and
// that exactly one of Settle and Release has to follow.
func (b *Ledger) Reserve(number int, fields enrich.Fields) ErrorCode {
	now := b.lock()
	defer b.mu.Unlock()
	arrival, err := b.history.find(number)
	if err != nil || arrival == nil { // Config.KeepArrivals is too low
		return ServiceMisconfigured
	}
	if code := b.closed(arrival.Key, now); code != "" {
		return code
	}
	hold, code := b.account.quote(fields, now)
	if code == "" {
		b.open[number] = b.account.reserve(hold)
	}
	return code
}

// Release gives a reservation back without a charge.
func (b *Ledger) Release(number int) {
	b.lock()
	defer b.mu.Unlock()
	b.release(number)
}

func (b *Ledger) release(number int) (cost.Hold, cost.Money) {
	r := b.open[number]
	delete(b.open, number)
	return r.hold, b.account.release(r)
}

// Settle ends a reservation by charging the returned fields. When it reports an
// error nothing was charged, and the result must not be shown.
func (b *Ledger) Settle(number int, requestID string, returned enrich.Fields) error {
	now := b.lock()
	defer b.mu.Unlock()
	hold, expired := b.release(number)
	return b.ledger.Record(LedgerEntry{
		Kind: settled, At: now, Number: number, RequestID: requestID,
		Charges: charges(hold.Settle(returned), hold.Rates.Prices(), expired, b.account.left),
	})
}

// Refuse notes that an arrival was refused after all.
func (b *Ledger) Refuse(number int, code ErrorCode) error {
	return b.change(LedgerEntry{Kind: refused, Number: number, Code: code})
}

func (b *Ledger) applyArrival(e LedgerEntry) error {
	if next := b.history.next(); e.Number != next {
		return fmt.Errorf("arrival %d where %d was to come", e.Number, next)
	}
	b.history.arrive(Arrival{
		Number: e.Number, At: e.At, Path: e.Path, Transport: e.Transport, Key: e.Key,
		Identity: e.Identity, Fields: enrich.FieldsOf(e.Fields...), Code: e.Code,
	})
	if e.Code == "" {
		b.window.Count(e.At)
		b.attempts[monthOf(e.At)]++
	}
	return nil
}

func (b *Ledger) applySettlement(e LedgerEntry) error {
	arrival, err := b.history.find(e.Number)
	if err != nil {
		return err
	}
	identity := ""
	if arrival != nil {
		identity = arrival.Identity
	}
	for _, c := range e.Charges {
		from := b.applyCharge(c, e.At)
		b.history.charge(Charge{
			Arrival: e.Number, Identity: identity, Field: c.Field,
			Amount: c.Amount, Free: c.Free, From: from, RequestID: e.RequestID, At: e.At,
		})
	}
	return nil
}

// applyCharge charges a field, and returns what it was paid from.
func (b *Ledger) applyCharge(c fieldCharge, at time.Time) Source {
	if c.Free {
		b.account.free[c.Field]--
		return Source{}
	}
	from := b.account.sourceOf(c.Amount, c.From)
	b.account.pay(from, at)
	return from
}

// sourceOf returns what an amount is paid from: what its entry says, or the order
// of use when that is an older one, which says nothing.
func (a *account) sourceOf(amount cost.Money, said *Source) Source {
	if said != nil {
		return *said
	}
	left := a.left
	return left.draw(amount)
}

func (b *Ledger) applyRefusal(e LedgerEntry) error {
	return b.history.refuse(e.Number, e.Code)
}
