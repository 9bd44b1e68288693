package sandbox

import (
	"fmt"
	"sync"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// books are everything that the service remembers: the account, the limits, and
// every arrival and charge. A change is first an entry in the ledger and then
// applied to the memory; opening the ledger again applies the same entries in the
// same way. Reservations live in memory alone.
type books struct {
	now          func() time.Time
	attemptLimit int

	mu        sync.Mutex // guards what follows, and keeps entries in their order
	ledger    *ledger
	account   account
	window    rollingWindow
	attempts  map[month]int
	revoked   bool
	open      map[int]cost.Hold // reservations by arrival number
	arrivals  []Arrival         // arrival number n is at n-1
	charges   []Charge
	elsewhere cost.Money
}

// openBooks replays the configuration's ledger into new books.
func openBooks(config Config) (*books, error) {
	b := &books{
		now:          config.Now,
		attemptLimit: config.AttemptLimit,
		account:      newAccount(config),
		window:       rollingWindow{Window: config.Window},
		attempts:     map[month]int{},
		open:         map[int]cost.Hold{},
	}
	ledger, err := openLedger(config.BooksPath, b.apply)
	if err != nil {
		return nil, err
	}
	b.ledger = ledger
	if b.account.overdrawn() {
		_ = ledger.close()
		return nil, fmt.Errorf("books %s: they charge more than the account starts with;"+
			" configure at least as much as before, or name a new file", config.BooksPath)
	}
	return b, nil
}

func (b *books) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ledger.close()
}

// stamp returns the time of an entry as the ledger gives it back.
func (b *books) stamp() time.Time { return b.now().UTC().Round(0) }

// record makes an entry durable and then true. The write is the commit point: what
// dies before it never happened, what dies after it happened and was not answered.
func (b *books) record(e entry) error {
	if err := b.ledger.append(e); err != nil {
		return err
	}
	return b.apply(e)
}

// apply makes an entry true.
func (b *books) apply(e entry) error {
	switch e.Kind {
	case arrived:
		return b.applyArrival(e)
	case settled:
		return b.applySettlement(e)
	case refused:
		return b.applyRefusal(e)
	case creditSpent:
		b.account.pay(e.Amount, e.At)
		b.elsewhere += e.Amount
	case budgetSet:
		b.account.budget.set(e.Amount)
	case keyRevoked:
		b.revoked = true
	default:
		return fmt.Errorf("an entry of the unknown kind %q", e.Kind)
	}
	return nil
}

func (b *books) applyArrival(e entry) error {
	if e.Number != len(b.arrivals)+1 {
		return fmt.Errorf("arrival %d where %d was to come", e.Number, len(b.arrivals)+1)
	}
	b.arrivals = append(b.arrivals, Arrival{
		Number: e.Number, At: e.At, Path: e.Path, Identity: e.Identity, Fields: fieldsOf(e.Fields), Code: e.Code,
	})
	if e.Code == "" {
		b.window.count(e.At)
		b.attempts[monthOf(e.At)]++
	}
	return nil
}

func (b *books) applySettlement(e entry) error {
	arrival, err := b.arrival(e.Number)
	if err != nil {
		return err
	}
	for _, c := range e.Charges {
		field := enrich.Field(c.Field)
		if c.Free {
			b.account.useFree(field)
		} else {
			b.account.pay(c.Amount, e.At)
		}
		b.charges = append(b.charges, Charge{
			Arrival: e.Number, Identity: arrival.Identity, Field: field,
			Amount: c.Amount, Free: c.Free, RequestID: e.RequestID, At: e.At,
		})
	}
	return nil
}

func (b *books) applyRefusal(e entry) error {
	arrival, err := b.arrival(e.Number)
	if err != nil {
		return err
	}
	arrival.Code = e.Code
	return nil
}

func (b *books) arrival(number int) (*Arrival, error) {
	if number < 1 || number > len(b.arrivals) {
		return nil, fmt.Errorf("arrival %d has not arrived", number)
	}
	return &b.arrivals[number-1], nil
}

// admission is what the books say to an arrival.
type admission struct {
	number int
	code   ErrorCode     // why it is refused at the door; empty when it is not
	wait   time.Duration // with RateLimited, until a place in the window is free
}

// arrive numbers a lookup and counts it against the limits, unless it is refused
// by them: neither a refused nor an unauthorized arrival takes a place.
func (b *books) arrive(q question, authorized bool) admission {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.stamp()
	a := admission{number: len(b.arrivals) + 1}
	wait := b.window.wait(now)
	switch {
	case !authorized || b.revoked:
		a.code = InvalidAPIKey
	case b.attemptsUsedUp(now):
		a.code = AttemptLimitReached
	case wait > 0:
		a.code, a.wait = RateLimited, wait
	}
	err := b.record(entry{
		Kind: arrived, At: now, Number: a.number, Path: q.path(), Identity: q.canonical(),
		Fields: namesOf(q.fields), Code: a.code,
	})
	if err != nil {
		a.code = ServiceMisconfigured
	}
	return a
}

// keyIsRevoked reports whether the key stopped being valid.
func (b *books) keyIsRevoked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.revoked
}

// attemptsUsedUp reports whether the attempt limit of the usage period is reached.
func (b *books) attemptsUsedUp(now time.Time) bool {
	return b.attemptLimit > 0 && b.attempts[monthOf(now)] >= b.attemptLimit
}

// reserve sets aside what the lookup can cost. An empty code means that it has,
// and that exactly one of settle and release has to follow.
func (b *books) reserve(number int, fields enrich.Fields) ErrorCode {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.revoked {
		return InvalidAPIKey
	}
	hold, code := b.account.quote(fields, b.now())
	if code == "" {
		b.account.reserve(hold)
		b.open[number] = hold
	}
	return code
}

// release gives a reservation back without a charge.
func (b *books) release(number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releaseLocked(number)
}

func (b *books) releaseLocked(number int) cost.Hold {
	hold := b.open[number]
	delete(b.open, number)
	b.account.release(hold)
	return hold
}

// settle ends a reservation by charging the returned fields. When it reports an
// error nothing was charged, and the result must not be shown.
func (b *books) settle(number int, requestID string, returned enrich.Fields) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	hold := b.releaseLocked(number)
	return b.record(entry{
		Kind: settled, At: b.stamp(), Number: number, RequestID: requestID,
		Charges: chargesOf(hold.Settle(returned), hold.Prices),
	})
}

// refuse notes that an arrival was refused after all.
func (b *books) refuse(number int, code ErrorCode) error {
	return b.change(entry{Kind: refused, Number: number, Code: code})
}

// change records an entry that depends on nothing, with the present time.
func (b *books) change(e entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.At = b.stamp()
	return b.record(e)
}

// spendElsewhere charges up to amount to the account without a lookup of ours,
// and returns how much it was.
func (b *books) spendElsewhere(amount cost.Money) (cost.Money, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.stamp()
	amount = min(amount, b.account.available())
	if b.account.budget.capped {
		amount = min(amount, b.account.remaining(now))
	}
	if err := b.record(entry{Kind: creditSpent, At: now, Amount: amount}); err != nil {
		return 0, err
	}
	return amount, nil
}
