package sandbox

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// life is a workspace that lives through random events.
type life struct {
	*Ledger
	config LedgerConfig
	now    time.Time
	open   []int    // arrivals with a reservation
	keys   []string // IDs
	pays   []string
}

// TestTheLedgerPassesItsAuditAfterRandomUse drives the ledger with random lookups, owners, payments and
// passing months, over a random account, and kills and reopens it now and then.
func TestTheLedgerPassesItsAuditAfterRandomUse(t *testing.T) {
	directory := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		l := &life{now: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), keys: []string{ConfiguredKey}}
		l.config = drawConfig(t)
		l.config.Now = func() time.Time { return l.now }
		l.config.LedgerPath = filepath.Join(directory, time.Duration(run).String())
		l.Ledger = openLedgerOn(t, l.config)
		t.Repeat(map[string]func(*rapid.T){
			"":             func(t *rapid.T) { checkBalance(t, l.Ledger) },
			"ask":          l.ask,
			"settle":       l.settle,
			"release":      func(t *rapid.T) { l.Release(l.take(t)) },
			"spend":        l.spend,
			"use":          l.use,
			"budget":       l.budget,
			"price":        l.price,
			"workspace":    l.workspace,
			"create key":   l.createKey,
			"change key":   l.changeKey,
			"checkout":     l.checkout,
			"confirm":      l.confirm,
			"end the plan": func(t *rapid.T) { expect(t, l.EndSubscription(), ErrInvalid) },
			"wait":         l.wait,
			"kill":         l.kill,
		})
		_ = l.Close()
		checkSums(t, l.config, rapid.IntRange(1, 5).Draw(t, "kept"))
	})
}

// checkSums opens a closed ledger twice. One that keeps few arrivals has the sums of one that
// keeps all.
func checkSums(t *rapid.T, config LedgerConfig, keep int) {
	config.KeepArrivals = 0
	all := openLedgerOn(t, config)
	defer all.Close()
	config.KeepArrivals = keep
	few := openLedgerOn(t, config)
	defer few.Close()
	want, got := all.Snapshot(), few.Snapshot()
	if len(got.Arrivals) >= 2*keep || got.Older+len(got.Arrivals) != len(want.Arrivals) {
		t.Fatalf("%d arrivals are kept and %d are older, of %d", len(got.Arrivals), got.Older, len(want.Arrivals))
	}
	for _, c := range got.Charges {
		if c.Arrival <= got.Older {
			t.Fatalf("the charge of arrival %d is kept, but the arrival is not", c.Arrival)
		}
	}
	if diff := cmp.Diff(want.Arrivals[got.Older:], got.Arrivals, cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Snapshot{}, "Older", "Arrivals", "Charges")); diff != "" {
		t.Fatal(diff)
	}
	if err := few.Audit(); err != nil {
		t.Fatal(err)
	}
}

func drawConfig(t *rapid.T) LedgerConfig {
	config := someConfig()
	config.Free = enrich.ByField[int64]{rapid.Int64Range(0, 3).Draw(t, "free emails"), rapid.Int64Range(0, 3).Draw(t, "free phones")}
	config.IncludedCents = rapid.Int64Range(0, 100).Draw(t, "included")
	config.PrepaidCents = rapid.Int64Range(0, 100).Draw(t, "prepaid")
	config.KeepArrivals = rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "kept arrivals")
	config.AttemptLimit = rapid.IntRange(0, 30).Draw(t, "attempt limit")
	config.Window.Limit = rapid.IntRange(1, 10).Draw(t, "window")
	config.ReservationConflicts = rapid.Bool().Draw(t, "conflicts")
	config.Plan = rapid.SampledFrom([]string{"payg", "core", "small"}).Draw(t, "plan")
	config.Card = RateCard()
	config.Card.Options = append(config.Card.Options, cost.Option{
		Name: "small", MonthlyIncluded: 40 * cost.Cent, Prices: cost.Prices{v1.WorkEmail: 123_456, v1.BusinessPhone: 20 * cost.Cent},
	})
	if !rapid.Bool().Draw(t, "capped") {
		config.BudgetCapCents = nil
	} else {
		*config.BudgetCapCents = rapid.Int64Range(0, 150).Draw(t, "cap")
	}
	if rapid.Bool().Draw(t, "special prices") {
		config.Prices = cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: cost.Money(rapid.Int64Range(0, 333_333).Draw(t, "phone price"))}
	}
	return config
}

// expect fails for an error of another kind: one of the file, say.
func expect(t *rapid.T, err error, kinds ...error) {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (l *life) ask(t *rapid.T) {
	r := lookupIn(enrich.Fields(rapid.IntRange(1, 3).Draw(t, "fields")), "Ada")
	r.Key = rapid.SampledFrom(append(l.keys, "")).Draw(t, "key")
	if a := l.Arrive(r); a.Code == "" && l.Reserve(a.Number, r.Fields) == "" {
		l.open = append(l.open, a.Number)
	}
}

// take returns one of the arrivals under way.
func (l *life) take(t *rapid.T) int {
	if len(l.open) == 0 {
		t.Skip("nothing is reserved")
	}
	i := rapid.IntRange(0, len(l.open)-1).Draw(t, "reservation")
	number := l.open[i]
	l.open = append(l.open[:i], l.open[i+1:]...)
	return number
}

func (l *life) settle(t *rapid.T) {
	number, returned := l.take(t), enrich.Fields(rapid.IntRange(0, 3).Draw(t, "returned"))
	expect(t, l.Settle(number, "req", returned))
}

func (l *life) spend(t *rapid.T) {
	_, err := l.SpendElsewhere(cost.Money(rapid.Int64Range(0, 500_000).Draw(t, "amount")))
	expect(t, err)
}

func (l *life) use(t *rapid.T) {
	wanted := enrich.ByField[int64]{rapid.Int64Range(0, 4).Draw(t, "emails"), rapid.Int64Range(0, 4).Draw(t, "phones")}
	used, err := l.UseElsewhere(FieldUnits(wanted))
	expect(t, err)
	for f := range wanted {
		if used.Free[f]+used.Paid[f] > wanted[f] {
			t.Fatalf("wanted %v, used %+v", wanted, used)
		}
	}
}

func (l *life) budget(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "no cap") == 0 {
		expect(t, l.SetBudget(nil))
		return
	}
	expect(t, l.SetBudget(new(cost.Cents(rapid.Int64Range(0, 200).Draw(t, "new cap")))))
}

func (l *life) price(t *rapid.T) {
	field := rapid.SampledFrom([]enrich.Field{v1.WorkEmail, v1.BusinessPhone}).Draw(t, "field")
	if rapid.IntRange(0, 4).Draw(t, "no price") == 0 {
		expect(t, l.SetPrice(field, nil))
		return
	}
	expect(t, l.SetPrice(field, new(cost.Money(rapid.Int64Range(0, 300_000).Draw(t, "new price")))))
}

func (l *life) workspace(t *rapid.T) {
	expect(t, l.SetState(rapid.SampledFrom([]State{Active, Active, Inactive, Restricted}).Draw(t, "state")))
	expect(t, l.SetAttemptLimit(rapid.IntRange(0, 30).Draw(t, "attempts")))
	condition := json.RawMessage(rapid.SampledFrom([]string{"", "false", `{"type":"object"}`}).Draw(t, "condition"))
	if len(condition) == 0 {
		condition = nil
	}
	expect(t, l.SetInputCondition(v1.FindPhone, condition))
}

func (l *life) createKey(t *rapid.T) {
	k := NewKey{Name: "agent", Legacy: rapid.Bool().Draw(t, "legacy")}
	if rapid.Bool().Draw(t, "expires") {
		k.Expires = l.now.Add(time.Duration(rapid.IntRange(1, 500_000).Draw(t, "lifetime")) * time.Second)
	}
	key, value, err := l.CreateKey(k)
	expect(t, err)
	if found, valid := l.Identify(value); !valid || found != key {
		t.Fatalf("the new key %+v is %+v, valid %t", key, found, valid)
	}
	l.keys = append(l.keys, key.ID)
}

func (l *life) changeKey(t *rapid.T) {
	id := rapid.SampledFrom(l.keys).Draw(t, "key to change")
	if rapid.IntRange(0, 3).Draw(t, "revoke") == 0 {
		expect(t, l.RevokeKey(id))
		return
	}
	expect(t, l.ExpireKey(id, l.now.Add(time.Duration(rapid.IntRange(0, 500_000).Draw(t, "lifetime"))*time.Second)), ErrInvalid)
}

func (l *life) checkout(t *rapid.T) {
	var o Order
	switch rapid.IntRange(0, 2).Draw(t, "order") {
	case 0:
		o.Plan = rapid.SampledFrom([]string{"small", "core", "payg"}).Draw(t, "new plan")
	default:
		o.Deposit = cost.Money(rapid.Int64Range(24_000_000, 27_000_000).Draw(t, "deposit"))
	}
	if rapid.Bool().Draw(t, "by itself") {
		o.ConfirmAfter = new(time.Duration(rapid.IntRange(0, 300_000).Draw(t, "delay")) * time.Second)
	}
	before := l.Snapshot().Available
	p, err := l.Checkout(o)
	expect(t, err, ErrInvalid)
	if err == nil {
		l.pays = append(l.pays, p.ID)
		if after := l.Snapshot().Available; p.Confirmed.IsZero() && after != before {
			t.Fatalf("a checkout moved the balance from %s to %s", before, after)
		}
	}
}

func (l *life) confirm(t *rapid.T) {
	if len(l.pays) == 0 {
		t.Skip("nothing was paid")
	}
	_, err := l.Confirm(rapid.SampledFrom(l.pays).Draw(t, "payment"))
	expect(t, err, ErrInvalid)
}

func (l *life) wait(t *rapid.T) {
	l.now = l.now.Add(time.Duration(rapid.IntRange(1, 900_000).Draw(t, "seconds")) * time.Second)
}

// kill opens the file again, as after the death of the process. The dead reserve
// nothing.
func (l *life) kill(t *rapid.T) {
	for _, number := range l.open {
		l.Release(number)
	}
	l.open = nil
	reopened := openLedgerOn(t, l.config)
	checkSame(t, l.Ledger, reopened)
	_ = l.Close()
	l.Ledger = reopened
}
