package pipeline

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// StatusReader reads the account status. It has no method that spends.
type StatusReader interface {
	Status(ctx context.Context) (cost.Account, error)
}

// readinessNames are the service's names for the kinds of lookups (specification
// v1, "Account status").
var readinessNames = map[enrich.Operation]string{
	enrich.FindWorkEmail: "email",
	enrich.FindPhone:     "phone",
	enrich.EnrichContact: "both",
}

// Precheck says whether the account allows the lookups that a survey counted; nil
// when it does, or when the snapshot does not tell.
func Precheck(account cost.Account, counts Counts) Stop {
	if account.KeyValid.Known && !account.KeyValid.Value {
		return ServiceRefused{Code: "invalid_api_key", Message: "the service calls the key invalid"}
	}
	for _, operation := range slices.Sorted(maps.Keys(counts.Lookups)) {
		readiness := account.Readiness[readinessNames[operation]]
		if counts.Lookups[operation] > 0 && readiness.CanCall.Known && !readiness.CanCall.Value {
			code := readiness.Reason
			if code == "" {
				code = "not_ready"
			}
			return ServiceRefused{Code: code, Message: fmt.Sprintf("the service does not allow %s now", operation)}
		}
	}
	return nil
}

// CheckPrices compares the prices with the most that the service says it may
// charge. A service that is dearer than the rate card would break every ceiling.
func CheckPrices(account cost.Account, prices cost.Prices, wanted enrich.Fields) error {
	for f := range wanted.Each() {
		price, known := prices.Of(f)
		if !known {
			return fmt.Errorf("the price of %s is unknown; name it in the rate card", f)
		}
		name := readinessNames[enrich.FieldsOf(f).Operation()]
		if most := account.Readiness[name].MaximumCharge; most.Known && most.Value > price {
			return fmt.Errorf("the service may charge $%s for a %s, the rate card says $%s; choose the right option with --rate-option",
				most.Value, f, price)
		}
	}
	return nil
}

// CheaperPrices says where the service charges less than the rate card says: every
// ceiling holds then, but the run counts more than it spends.
func CheaperPrices(account cost.Account, prices cost.Prices, wanted enrich.Fields) []string {
	var notes []string
	for f := range wanted.Each() {
		shown := account.PriceShown(f)
		if price, known := prices.Of(f); known && shown.Known && shown.Value < price {
			notes = append(notes, fmt.Sprintf("the service charges $%s for a %s, the rate card says $%s; choose the right option with --rate-option",
				shown.Value, f, price))
		}
	}
	return notes
}

// Accountant keeps the account's side of the journal.
type Accountant interface {
	// Base returns the snapshot in which the account's totals begin.
	Base() cost.Account
	// Totals returns the sums of a scope.
	Totals(scope string) cost.Totals
	// Forgo says how many free units somebody else has used since the base.
	Forgo(units [enrich.NumFields]int64) error
}

// Monitor reads the account status while a run goes on.
type Monitor struct {
	Status     StatusReader
	Accountant Accountant
	Scope      string // of the account's totals
}

// monitorInterval is how often the account status is read during a run.
const monitorInterval = time.Minute

// Watch reads the status every minute until ctx is cancelled, and hands what the
// journal cannot explain to report. A status that cannot be read is skipped: it
// is advice, and the service enforces its own limits.
func (m *Monitor) Watch(ctx context.Context, report func(cost.Drift)) {
	ticker := time.NewTicker(monitorInterval)
	defer ticker.Stop()
	var reported cost.Drift
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if drift, err := m.Read(ctx); err == nil && !drift.Zero() && drift != reported {
			reported = drift
			report(drift)
		}
	}
}

// Read compares the account with the journal once. Free units that somebody else
// took are not counted on any more.
func (m *Monitor) Read(ctx context.Context) (cost.Drift, error) {
	base, before := m.Accountant.Base(), m.Accountant.Totals(m.Scope)
	now, err := m.Status.Status(ctx)
	if err != nil {
		return cost.Drift{}, err
	}
	after := m.Accountant.Totals(m.Scope)
	if !reflect.DeepEqual(base, m.Accountant.Base()) {
		return cost.Drift{}, nil // a new base came in between
	}
	drift := cost.DriftOf(base, now, before, after)
	if drift.Free == ([enrich.NumFields]int64{}) {
		return drift, nil
	}
	return drift, m.Accountant.Forgo(drift.Free)
}
