package dispatch

import (
	"context"
	"reflect"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Accountant keeps the account's side of the journal.
type Accountant interface {
	// Base returns the snapshot in which the account's totals begin.
	Base() cost.Account
	// Totals returns the sums of a scope.
	Totals(scope string) cost.Totals
	// NoteUsedByOthers says how many free units somebody else has used since the base.
	NoteUsedByOthers(units cost.Amounts) error
	// NoteReading notes what a reading of the account shows of the time since the base, unless there is another base
	// by now. Before are the totals since the base before the reading was asked for.
	NoteReading(base, reading cost.Account, before cost.Totals) error
}

// Monitor reads the account status while a run goes on.
//
// Between two readings others may take free units that the run counts on. A lookup
// that holds such a unit is then charged with money that no ceiling has set aside,
// and the journal books it as free. So what the service charges can exceed a
// ceiling, by at most the sum over the fields of their price times the units that
// others took. A single reading can hide as many of them as lookups under way or in
// doubt hold.
//
// After a reading the run no longer counts on the units that others took. The money shows as
// drift, because the account does not show who spent it. A run that counts on no free unit (Free
// is empty) never exceeds a ceiling.
//
// The same holds for a price. What a field costs shows only once its free units are
// used up, so a price in use that is too low may not show before the run begins. The
// first reading that shows it halts the run. Until then what is charged can exceed a
// ceiling by the difference of the prices times the fields of the lookups that began
// from when the free units were used up to that reading.
type Monitor struct {
	Status     StatusReader
	Accountant Accountant
	Scope      string // of the account's totals
	// Free are the fields whose free allowance the run counts on. While any of it is
	// left, the status is read more often.
	Free enrich.Fields
	// Tariff is that of the account's interface.
	Tariff cost.Tariff
	// Prices are those in use; nil compares none.
	Prices cost.Prices
	// Halt is called with the reason why the run must not go on; nil for none.
	Halt func(Stop)

	// booked is what was booked since the base of a time when the account was read last.
	booked  cost.Amounts
	booking time.Time
}

// How often the account status is read during a run, and while free units are
// counted on. Status checks do not count against the rate limit (specification v1,
// "Limits").
const (
	monitorInterval = time.Minute
	reliantInterval = 10 * time.Second
)

// Watch reads the status regularly until ctx is cancelled, and calls report with what the
// journal cannot explain. It skips a status that cannot be read: the status is advice, and the
// service enforces its own limits.
func (m *Monitor) Watch(ctx context.Context, report func(cost.Drift)) {
	var base cost.Account
	var latest, reported cost.Drift // latest is since base
	for {
		timer := time.NewTimer(m.interval(base, latest))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		since := m.Accountant.Base()
		drift, err := m.Read(ctx)
		if err != nil {
			continue
		}
		base, latest = since, drift
		if stop := m.StopOf(drift); stop != nil && m.Halt != nil {
			m.Halt(stop)
		}
		drift.Misplaced.Lasting = false // it is reported once
		if !drift.Zero() && drift != reported {
			reported = drift
			report(drift)
		}
	}
}

// interval returns the time until the next reading. The drift is that of the last
// one, since the base of then.
func (m *Monitor) interval(base cost.Account, drift cost.Drift) time.Duration {
	now, totals := m.Accountant.Base(), m.Accountant.Totals(m.Scope)
	if !reflect.DeepEqual(base, now) {
		drift = cost.Drift{}
	}
	left := m.Tariff.AllowanceUnits(m.Tariff.FreeUnits(now).Minus(totals.Settled).Minus(drift.Lost))
	for f := range m.Free.Each() {
		if left[f] > 0 {
			return reliantInterval
		}
	}
	return monitorInterval
}

// StopOf says why a run must not go on after a reading, nil when it may.
func (m *Monitor) StopOf(drift cost.Drift) Stop {
	for f, shown := range drift.Prices {
		if f := enrich.Field(f); shown > 0 {
			return PriceHigher{Field: f, InUse: m.Prices[f], Shown: shown}
		}
	}
	if drift.Misplaced.Lasting {
		return ServiceRefused{Code: CodeModuleDiffers, Message: drift.Misplaced.Describe(m.Tariff)}
	}
	return nil
}

// Read compares the account with the journal once. Free units that somebody else
// took are not counted on any more. The journal notes the reading: it can limit what later ones prove.
func (m *Monitor) Read(ctx context.Context) (cost.Drift, error) {
	base, before := m.Accountant.Base(), m.Accountant.Totals(m.Scope)
	now, err := m.Status.Status(ctx)
	if err != nil {
		return cost.Drift{}, err
	}
	if err := m.Accountant.NoteReading(base, now, before); err != nil {
		return cost.Drift{}, err
	}
	after := m.Accountant.Totals(m.Scope)
	higher := now.HigherPrices(m.Prices)
	if !reflect.DeepEqual(base, m.Accountant.Base()) {
		return cost.Drift{Prices: higher}, nil // a new base came in between
	}
	drift := cost.DriftOf(base, now, before, after, m.Tariff, m.Free == 0)
	drift.Prices = higher
	if m.booking.Equal(base.ReadAt) && !base.ReadAt.IsZero() {
		drift.Misplaced = drift.Misplaced.After(m.booked, before.Settled)
	}
	m.booked, m.booking = before.Settled, base.ReadAt
	taken := m.Tariff.AllowanceAmounts(m.Tariff.AllowanceUnits(drift.Lost))
	if taken == (cost.Amounts{}) {
		return drift, nil
	}
	return drift, m.Accountant.NoteUsedByOthers(taken)
}
