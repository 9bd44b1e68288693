package simulation_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// booking is an account and the ledger of a program that counts on two modules.
type booking struct {
	base, shown cost.Account
	totals      cost.Totals
	// next changes the account and the ledger before a reading.
	next func(reading int)
	read int
}

func (b *booking) Base() cost.Account                                 { return b.base }
func (b *booking) Totals(string) cost.Totals                          { return b.totals }
func (b *booking) NoteUsedByOthers(cost.Amounts) error                { return nil }
func (b *booking) NoteReading(_, _ cost.Account, _ cost.Totals) error { return nil }
func (b *booking) Status(context.Context) (shown cost.Account, err error) {
	b.shown.ReadAt = time.Now()
	shown = b.shown
	b.read++
	b.next(b.read)
	return shown, nil
}

// book books units of the first module, and counts them on a meter.
func (b *booking) book(units int64, on cost.Meter) {
	b.totals.Settled[1] += units
	b.totals.EverHeld[1] += units
	b.shown.Used[on].Value += units
}

// TestTheMonitorHaltsARunWhoseUnitsAreCountedElsewhere: not when the counters are only late.
func TestTheMonitorHaltsARunWhoseUnitsAreCountedElsewhere(t *testing.T) {
	for name, test := range map[string]struct {
		next  func(b *booking, reading int)
		halts int // the reading that halts; 0 for none
	}{
		"as is assumed":     {func(b *booking, _ int) { b.book(3, 1) }, 0},
		"on another module": {func(b *booking, _ int) { b.book(3, 2) }, 3}, // the second one may be ahead of its counters
		"late, and others use another module": {func(b *booking, _ int) {
			b.totals.Settled[1] += 3
			b.totals.EverHeld[1] += 3
			b.shown.Used[1].Value = b.totals.Settled[1] - 3
			b.shown.Used[2].Value += 5
		}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := &booking{}
			b.base.ReadAt = time.Now()
			b.base.Used[1], b.base.Used[2] = cost.Known[int64](0), cost.Known[int64](0)
			b.shown = b.base
			b.next = func(reading int) { test.next(b, reading) }
			tariff := cost.Tariff{Meters: []cost.MeterInfo{
				{Hidden: true}, {Name: "first", Counting: cost.CountsPeriod}, {Name: "second", Counting: cost.CountsPeriod},
			}}
			var stop dispatch.Stop
			halted := 0
			m := &dispatch.Monitor{Status: b, Accountant: b, Tariff: tariff, Halt: func(s dispatch.Stop) {
				if halted == 0 {
					stop, halted = s, b.read
				}
			}}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			m.Watch(ctx, func(cost.Drift) {})
			if halted != test.halts {
				t.Errorf("%s: halted by reading %d, want %d", name, halted, test.halts)
			}
			if refused, is := stop.(dispatch.ServiceRefused); test.halts > 0 && (!is || refused.Code != dispatch.CodeModuleDiffers) {
				t.Errorf("%s: stopped by %+v", name, stop)
			}
		})
	}
}
