// This file is the ledger of one workspace of the sandbox: its keys, its money and free allowance, its limits, and
// every arrival and charge. It knows no transport. A change is first an entry of the file and then applied to the
// memory. Opening the file again applies the same entries in the same way. Reservations are in memory alone.

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"payonce/cost"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// The errors of a call that the owner made. An error that wraps neither is one of the file of the
// ledger.
var (
	ErrUnknown = errors.New("there is no")
	ErrInvalid = errors.New("invalid")
)

// invalidError is an ErrInvalid that says nothing but what is wrong.
type invalidError string

func (e invalidError) Error() string        { return string(e) }
func (e invalidError) Is(target error) bool { return target == ErrInvalid }

func invalidf(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

// State is what the workspace is open for.
type State string

// The states of a workspace (specification v1, "Authentication"). What is inactive
// refuses lookups; what is restricted refuses the account status as well.
const (
	Active     State = "active"
	Inactive   State = "inactive"
	Restricted State = "restricted"
)

// Ledger is the ledger of one workspace. Its methods may be called from any
// goroutine.
type Ledger struct {
	clock   func() time.Time
	conceal func(identity string) string

	mu           sync.Mutex // guards what follows, and keeps entries in their order
	ledger       *kit.LedgerFile[LedgerEntry]
	account      account
	ring         keyRing
	state        State
	window       kit.RollingWindow
	attemptLimit int
	attempts     map[month]int
	conditions   map[v1.Operation]json.RawMessage
	payments     []Payment
	period       month // that the included balance is of

	open    map[int]reservation // by arrival number
	history history
	log     []LedgerEntry // of all that is not an arrival
}

// openLedger replays the file of the configuration into a new ledger.
func openLedger(config LedgerConfig) (*Ledger, error) {
	config, err := config.Prepare()
	if err != nil {
		return nil, err
	}
	account, err := newAccount(config)
	if err != nil {
		return nil, err
	}
	b := &Ledger{
		clock:        config.Now,
		conceal:      config.Conceal,
		account:      account,
		ring:         newKeyRing(config.Key),
		state:        Active,
		window:       kit.RollingWindow{Window: config.Window},
		attemptLimit: config.AttemptLimit,
		attempts:     map[month]int{},
		conditions:   map[v1.Operation]json.RawMessage{},
		open:         map[int]reservation{},
		history:      newHistory(config.KeepArrivals),
	}
	maps.Copy(b.conditions, config.InputConditions)
	if b.ledger, err = kit.OpenLedgerFile(config.LedgerPath, ledgerHeader, b.apply); err != nil {
		return nil, err
	}
	if b.period == (month{}) {
		b.period = monthOf(config.Now())
	}
	if b.account.overdrawn() {
		_ = b.ledger.Close()
		return nil, fmt.Errorf("ledger %s: it charges more than the account starts with;"+
			" configure at least as much as before, or name a new file", config.LedgerPath)
	}
	return b, nil
}

// ledgerHeader is the first line of every ledger.
const ledgerHeader = `{"kind":"sandbox_books","version":1}` + "\n"

// Close closes the file. Nothing is recorded any more.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ledger.Close()
}

// lock locks the ledger and applies what time has brought about. It returns the present time, as an entry
// gives it back.
func (l *Ledger) lock() time.Time {
	l.mu.Lock()
	now := l.clock().UTC().Round(0)
	l.advance(now)
	return now
}

// change records an entry that depends on nothing, with the present time.
func (l *Ledger) change(e LedgerEntry) error {
	e.At = l.lock()
	defer l.mu.Unlock()
	return l.ledger.Record(e)
}

// apply applies an entry to the state in memory.
func (l *Ledger) apply(e LedgerEntry) error {
	if at := monthOf(e.At); l.period.before(at) {
		l.period = at
	}
	switch e.Kind {
	case arrived:
		return l.applyArrival(e)
	case settled:
		return l.applySettlement(e)
	case refused:
		return l.applyRefusal(e)
	}
	if err := l.applyChange(e); err != nil {
		return err
	}
	e.Hash = ""
	l.log = append(l.log, e)
	return nil
}

// applyChange applies an entry that is not about an arrival.
func (l *Ledger) applyChange(e LedgerEntry) error {
	switch e.Kind {
	case keyCreated, keyRevoked, keyExpirySet:
		return l.applyKey(e)
	case checkedOut, confirmed, renewed, subscriptionEnded:
		return l.applyBilling(e)
	case creditSpent:
		l.applySpending(e)
	case usageTaken:
		l.applyUsage(e)
	case budgetSet:
		l.account.budget.limit = &e.Amount
	case budgetRemoved:
		l.account.budget.limit = nil
	case stateSet:
		l.state = e.State
	case attemptLimitSet:
		l.attemptLimit = e.Limit
	case priceSet, priceRemoved:
		l.account.setPrices(e)
	case conditionSet:
		return l.applyCondition(e)
	default:
		return fmt.Errorf("an entry of the unknown kind %q", e.Kind)
	}
	return nil
}

// Log returns the entries of everything that is not an arrival, oldest first: what the
// owner did, what others spent, and what time brought about.
func (l *Ledger) Log() []LedgerEntry {
	l.lock()
	defer l.mu.Unlock()
	return append([]LedgerEntry{}, l.log...)
}

// Terms returns the rate card and the prices in force.
func (l *Ledger) Terms() (cost.RateCard, cost.Prices) {
	l.lock()
	defer l.mu.Unlock()
	return l.account.card, l.account.prices
}
