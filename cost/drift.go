package cost

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/enrich"
)

// Drift is how much more of the account was used since a snapshot than the journal allowed.
// Somebody else may be using the workspace, or the service charged more for a call than it may cost. Only certain
// differences count, because the account may be ahead of the journal while calls are in flight.
type Drift struct {
	Lost Amounts
	// Prices are those that the account shows and that are higher than the ones in
	// use: then it was this journal that used more than it counts. Zero elsewhere.
	Prices enrich.ByField[Money] `json:",omitzero"`
	// Misplaced are units that the journal booked on modules, and that the service counted on others. They
	// are not part of Lost.
	Misplaced Misplaced `json:",omitzero"`
}

// Misplaced are units of modules that the service counted elsewhere: the assumed modules are not those of the
// service. The snapshots show the same when the counters began again and others used the account until they
// were above the earlier ones.
type Misplaced struct {
	Units Amounts // by the meter that they were booked on
	On    string  // the names of the counters that rose instead
	// Lasting says that an earlier reading since the same snapshot came after they were booked. So the counters are not
	// merely late.
	Lasting bool
}

// After returns the units with what an earlier reading shows: what was booked before it, and before this one.
func (p Misplaced) After(earlier, booked Amounts) Misplaced {
	p.Lasting = p.Units.Minus(booked.Minus(earlier)).Meters() != 0
	return p
}

// Describe says which units were counted elsewhere, and where.
func (p Misplaced) Describe(tariff Tariff) string {
	var booked []string
	for m := range p.Units.Meters().Each() {
		booked = append(booked, fmt.Sprintf("%d of %s", p.Units[m], tariff.Meters[m].Name))
	}
	return DescribeMisplaced(strings.Join(booked, " and "), p.On)
}

// DescribeMisplaced says that booked units were counted on other counters.
func DescribeMisplaced(booked, on string) string {
	return fmt.Sprintf("units that were booked as %s were counted on %s: the service counts these calls on another module "+
		"than is assumed, unless its counters began again and somebody else used it since", booked, on)
}

// Zero reports whether everything is explained.
func (d Drift) Zero() bool { return d == Drift{} }

// MarshalJSON writes the amount of money, and those of the other meters as units.
func (d Drift) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Money     Money
		Free      []int64
		Prices    enrich.ByField[Money] `json:",omitzero"`
		Misplaced Misplaced             `json:",omitzero"`
	}{d.Lost.Money(), d.Lost.units(leastUnits), d.Prices, d.Misplaced})
}

// DriftOf compares a snapshot of the account with an earlier one. The totals are
// those of the account's scope, which began at the base: as they stood before the
// snapshot was asked for, and after it had come. A journal that is strict
// books no free units, so that every field that was charged may have used one.
func DriftOf(base, now Account, before, after Totals, tariff Tariff, strict bool) Drift {
	// The most that this journal can have used of the account at the snapshot: everything
	// that was ever held, except what was released before. What a service charged beyond a hold is
	// drift, because no hold allowed it.
	givenBack := before.EverHeld.Minus(before.Held).Minus(before.Settled.Minus(before.Exceeded))
	ours := after.EverHeld.Minus(givenBack)
	if strict {
		for f, rate := range tariff.Rates {
			if m := rate.Allowance; m != USD {
				ours[m] = max(ours[m], after.Charged[f]+after.Open)
			}
		}
	}
	var drift Drift
	for m := range tariff.Shown().Each() {
		then, left := tariff.between(base, now, m)
		if then.Known && left.Known {
			drift.Lost[m] = max(then.Value-left.Value-ours[m], 0)
		}
	}
	drift.place(base, now, before.Settled, tariff)
	return drift
}

// place finds the units that were booked on modules whose counters did not rise by them while others rose without
// explanation. If those rose by as much, it takes the units out of what was lost. Settled is what was booked before the
// reading.
func (d *Drift) place(base, now Account, settled Amounts, tariff Tariff) {
	var units Amounts
	var missing int64
	for m := range tariff.counted(CountsPeriod).Each() {
		before, after := base.Used[m], now.Used[m]
		if !before.Known || !after.Known {
			continue
		}
		if after.Value < before.Value {
			return // the counters began again
		}
		units[m] = max(settled[m]-(after.Value-before.Value), 0)
		missing += units[m]
	}
	var on []string
	lost, left := d.Lost, missing
	for m := range tariff.counted(CountsPeriod).Each() {
		if found := min(left, lost[m]); found > 0 {
			lost[m] -= found
			left -= found
			on = append(on, tariff.Meters[m].Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.OtherUsed)) {
		if before, shown := base.OtherUsed[name]; shown && left > 0 && now.OtherUsed[name] > before {
			left -= min(left, now.OtherUsed[name]-before)
			on = append(on, name)
		}
	}
	if left == 0 && missing > 0 {
		d.Lost, d.Misplaced = lost, Misplaced{Units: units, On: strings.Join(on, ", ")}
	}
}
