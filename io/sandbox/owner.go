package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// SetBudget sets the monthly cap on paid usage; zero permits none, nil removes it.
// What is reserved already is still charged.
func (l *Ledger) SetBudget(limit *cost.Money) error {
	if limit == nil {
		return l.change(LedgerEntry{Kind: budgetRemoved})
	}
	if *limit < 0 || *limit > cost.MaxMoney {
		return invalidf("a budget cap of %s; give 0 to permit no paid usage, and at most %s", *limit, cost.MaxMoney)
	}
	return l.change(LedgerEntry{Kind: budgetSet, Amount: *limit})
}

// SetState opens or closes the workspace.
func (l *Ledger) SetState(state State) error {
	if states := []State{Active, Inactive, Restricted}; !slices.Contains(states, state) {
		return invalidf("unknown state %q; the states are %q", state, states)
	}
	return l.change(LedgerEntry{Kind: stateSet, State: state})
}

// SetAttemptLimit sets the most lookups of a usage period; zero means no limit.
func (l *Ledger) SetAttemptLimit(limit int) error {
	if limit < 0 {
		return invalidf("an attempt limit of %d is below zero; give 0 for none", limit)
	}
	return l.change(LedgerEntry{Kind: attemptLimitSet, Limit: limit})
}

// SetPrice puts the price of a field in force until the plan changes. Without a
// price the field is not on the plan.
func (l *Ledger) SetPrice(field enrich.Field, price *cost.Money) error {
	if !v1.AllFields.Has(field) {
		return invalidf("there is no field %d", field)
	}
	e := LedgerEntry{Kind: priceRemoved, Fields: []enrich.Field{field}}
	if price != nil {
		if *price < 0 || *price > cost.MaxMoney {
			return invalidf("%s cannot be the price of %s", *price, field)
		}
		e.Kind, e.Amount = priceSet, *price
	}
	return l.change(e)
}

func (a *account) setPrices(e LedgerEntry) {
	a.prices = maps.Clone(a.prices) // a hold or a reader may have the old ones
	for _, field := range e.Fields {
		if e.Kind == priceSet {
			a.prices[field] = e.Amount
		} else {
			delete(a.prices, field)
		}
	}
}

// SetInputCondition makes the requests of an operation fulfil a JSON Schema, which
// the caller has checked; nil takes the condition away.
func (l *Ledger) SetInputCondition(operation v1.Operation, condition json.RawMessage) error {
	return l.change(LedgerEntry{Kind: conditionSet, Operation: operation.String(), Condition: condition})
}

// InputCondition returns the condition of an operation, nil when there is none.
func (l *Ledger) InputCondition(operation v1.Operation) json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conditions[operation]
}

func (l *Ledger) applyCondition(e LedgerEntry) error {
	for _, operation := range v1.Operations() {
		if operation.String() != e.Operation {
			continue
		}
		if e.Condition == nil {
			delete(l.conditions, operation)
		} else {
			l.conditions[operation] = e.Condition
		}
		return nil
	}
	return fmt.Errorf("%w operation %q", ErrUnknown, e.Operation)
}

// SpendElsewhere spends an amount in the name of somebody else in the workspace: the
// balance and the monthly budget move, and no lookup of ours is to blame. It spends
// no more than is available and returns what it spent.
func (l *Ledger) SpendElsewhere(amount cost.Money) (cost.Money, error) {
	if amount < 0 {
		return 0, invalidf("%s cannot be spent; give a positive amount", amount)
	}
	now := l.lock()
	defer l.mu.Unlock()
	amount = min(amount, l.account.left.total())
	if l.account.budget.limit != nil {
		amount = min(amount, l.account.remaining(now))
	}
	left := l.account.left
	from := left.draw(amount)
	if err := l.ledger.Record(LedgerEntry{Kind: creditSpent, At: now, Amount: amount, From: &from}); err != nil {
		return 0, err
	}
	return amount, nil
}

func (l *Ledger) applySpending(e LedgerEntry) {
	l.account.pay(l.account.sourceOf(e.Amount, e.From), e.At)
	l.account.move(Movement{At: e.At, Kind: UsedElsewhere, Amount: e.Amount})
}

// Usage is what somebody else in the workspace got.
type Usage struct {
	Free FieldUnits `json:"free"`
	Paid FieldUnits `json:"paid"`
	USD  cost.Money `json:"usd"`
}

// maxUnits bounds how much somebody else can take at once.
const maxUnits = 10_000

// UseElsewhere lets somebody else in the workspace have returned fields, paid as
// ours are: by the free allowance, then with money, as long as there is any. It
// returns what was taken.
func (l *Ledger) UseElsewhere(units FieldUnits) (Usage, error) {
	for field, wanted := range units {
		if wanted < 0 || wanted > maxUnits {
			return Usage{}, invalidf("%d fields of %s; give 0 to %d", wanted, enrich.Field(field), maxUnits)
		}
	}
	now := l.lock()
	defer l.mu.Unlock()
	rehearsal := l.account // of the sums; nothing else in it is touched
	rehearsal.budget.spent = maps.Clone(rehearsal.budget.spent)
	var taken []fieldCharge
	for field, wanted := range units {
		for range wanted {
			charge, ok := rehearsal.charge(enrich.Field(field), now)
			if !ok {
				break
			}
			taken = append(taken, charge)
		}
	}
	if len(taken) == 0 {
		return Usage{}, nil
	}
	return usageOf(taken), l.ledger.Record(LedgerEntry{Kind: usageTaken, At: now, Charges: taken})
}

// charge pays for one returned field at once, if there is anything to pay with.
func (a *account) charge(field enrich.Field, now time.Time) (fieldCharge, bool) {
	hold, code := a.quote(enrich.FieldsOf(field), now)
	switch {
	case code != "":
		return fieldCharge{}, false
	case hold.Free.Has(field):
		a.free[field]--
		return fieldCharge{Field: field, Free: true}, true
	}
	left := a.left
	from := left.draw(hold.Money())
	a.pay(from, now)
	return fieldCharge{Field: field, Amount: hold.Money(), From: &from}, true
}

func usageOf(taken []fieldCharge) Usage {
	var usage Usage
	for _, c := range taken {
		usage.USD += c.Amount
		if c.Free {
			usage.Free[c.Field]++
		} else {
			usage.Paid[c.Field]++
		}
	}
	return usage
}

func (l *Ledger) applyUsage(e LedgerEntry) {
	for _, c := range e.Charges {
		l.applyCharge(c, e.At)
	}
	usage := usageOf(e.Charges)
	l.account.move(Movement{At: e.At, Kind: UsedElsewhere, Amount: usage.USD, Free: usage.Free})
}
