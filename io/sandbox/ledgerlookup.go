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
func (l *Ledger) Arrive(r LookupRequest) Admission {
	now := l.lock()
	defer l.mu.Unlock()
	a := Admission{Number: l.history.next()}
	wait := l.window.Wait(now)
	a.Code = l.closed(r.Key, now)
	switch {
	case a.Code != "":
	case l.attemptsUsedUp(now):
		a.Code = AttemptLimitReached
	case wait > 0:
		a.Code, a.Wait = RateLimited, wait
	}
	err := l.ledger.Record(LedgerEntry{
		Kind: arrived, At: now, Number: a.Number, Path: r.Path, Transport: r.Transport, Key: r.Key,
		Identity: l.conceal(r.Identity), Fields: fieldList(r.Fields), Code: a.Code,
	})
	if err != nil {
		a.Code, a.Why = ServiceMisconfigured, err.Error()
	}
	return a
}

// closed returns why the workspace is closed to a key, "" when it is open.
func (l *Ledger) closed(key string, now time.Time) ErrorCode {
	switch {
	case !l.validKey(key, now):
		return InvalidAPIKey
	case l.state == Inactive:
		return WorkspaceInactive
	case l.state == Restricted:
		return AccessRestricted
	}
	return ""
}

// attemptsUsedUp reports whether the attempt limit of the usage period is reached.
func (l *Ledger) attemptsUsedUp(now time.Time) bool {
	return l.attemptLimit > 0 && l.attempts[monthOf(now)] >= l.attemptLimit
}

// Reserve sets aside what the lookup can cost. An empty code means that it has, and
// that exactly one of Settle and Release has to follow.
func (l *Ledger) Reserve(number int, fields enrich.Fields) ErrorCode {
	now := l.lock()
	defer l.mu.Unlock()
	arrival, err := l.history.find(number)
	if err != nil || arrival == nil { // Config.KeepArrivals is too low
		return ServiceMisconfigured
	}
	if code := l.closed(arrival.Key, now); code != "" {
		return code
	}
	hold, code := l.account.quote(fields, now)
	if code == "" {
		l.open[number] = l.account.reserve(hold)
	}
	return code
}

// Release gives a reservation back without a charge.
func (l *Ledger) Release(number int) {
	l.lock()
	defer l.mu.Unlock()
	l.release(number)
}

func (l *Ledger) release(number int) (cost.Hold, cost.Money) {
	r := l.open[number]
	delete(l.open, number)
	return r.hold, l.account.release(r)
}

// Settle ends a reservation by charging the returned fields. When it reports an
// error nothing was charged, and the result must not be shown.
func (l *Ledger) Settle(number int, requestID string, returned enrich.Fields) error {
	now := l.lock()
	defer l.mu.Unlock()
	hold, expired := l.release(number)
	return l.ledger.Record(LedgerEntry{
		Kind: settled, At: now, Number: number, RequestID: requestID,
		Charges: charges(hold.Settle(returned), hold.Rates.Prices(), expired, l.account.left),
	})
}

// Refuse notes that an arrival was refused after all.
func (l *Ledger) Refuse(number int, code ErrorCode) error {
	return l.change(LedgerEntry{Kind: refused, Number: number, Code: code})
}

func (l *Ledger) applyArrival(e LedgerEntry) error {
	if next := l.history.next(); e.Number != next {
		return fmt.Errorf("arrival %d where %d was to come", e.Number, next)
	}
	l.history.arrive(Arrival{
		Number: e.Number, At: e.At, Path: e.Path, Transport: e.Transport, Key: e.Key,
		Identity: e.Identity, Fields: enrich.FieldsOf(e.Fields...), Code: e.Code,
	})
	if e.Code == "" {
		l.window.Count(e.At)
		l.attempts[monthOf(e.At)]++
	}
	return nil
}

func (l *Ledger) applySettlement(e LedgerEntry) error {
	arrival, err := l.history.find(e.Number)
	if err != nil {
		return err
	}
	identity := ""
	if arrival != nil {
		identity = arrival.Identity
	}
	for _, c := range e.Charges {
		from := l.applyCharge(c, e.At)
		l.history.charge(Charge{
			Arrival: e.Number, Identity: identity, Field: c.Field,
			Amount: c.Amount, Free: c.Free, From: from, RequestID: e.RequestID, At: e.At,
		})
	}
	return nil
}

// applyCharge charges a field, and returns what it was paid from.
func (l *Ledger) applyCharge(c fieldCharge, at time.Time) Source {
	if c.Free {
		l.account.free[c.Field]--
		return Source{}
	}
	from := l.account.sourceOf(c.Amount, c.From)
	l.account.pay(from, at)
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

func (l *Ledger) applyRefusal(e LedgerEntry) error {
	return l.history.refuse(e.Number, e.Code)
}
