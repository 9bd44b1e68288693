package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Drift is what an account lost that the journal cannot explain.
type Drift struct {
	Money cost.Money    `json:"usd"`
	Free  Values[int64] `json:"free"`
	// Prices are those that the account shows where they are higher than the ones that
	// the run counted with.
	Prices Values[cost.Money] `json:"higher_prices_usd,omitempty"`
	// Units are those that others used of each meter.
	Units map[string]int64 `json:"units,omitempty"`
	// Misplaced are units that the service counted on other modules than this program assumes.
	Misplaced []Misplaced `json:"misplaced,omitempty"`
}

// Misplaced are units that were booked on a module and counted on others.
type Misplaced struct {
	Module    string `json:"module"`
	Units     int64  `json:"units"`
	CountedOn string `json:"counted_on"`
}

// DriftOf shows the drift of an account, nil for none.
func DriftOf(c enrich.Catalogue, tariff cost.Tariff, drift cost.Drift) *Drift {
	if drift.Zero() {
		return nil
	}
	view := &Drift{Money: drift.Lost.Money(), Free: FreeUnits(c, tariff, drift.Lost)}
	for f := range c.All().Each() {
		if shown := drift.Prices[f]; shown > 0 {
			view.Prices = append(view.Prices, Value[cost.Money]{Name: c.Name(f), Value: shown})
		}
	}
	for m, info := range tariff.Meters {
		if lost := drift.Lost[m]; lost > 0 && m != int(cost.USD) && !tariff.IsAllowance(cost.Meter(m)) {
			if view.Units == nil {
				view.Units = map[string]int64{}
			}
			view.Units[info.Name] = lost
		}
		if units := drift.Misplaced.Units[m]; units > 0 {
			view.Misplaced = append(view.Misplaced, Misplaced{info.Name, units, drift.Misplaced.On})
		}
	}
	return view
}

// DriftIn shows what a run recorded of the drift of an account, nil for none.
func DriftIn(run checkpoint.Run, account attempt.Account, terms AccountTerms) *Drift {
	if account == 0 {
		return DriftOf(terms.Catalogue, terms.Tariff, run.Drift)
	}
	drift := &Drift{Free: Values[int64]{}}
	for _, d := range run.ModuleDrifts {
		switch {
		case d.Account != account:
		case d.CountedOn != "":
			drift.Misplaced = append(drift.Misplaced, Misplaced{Module: d.Module, Units: d.Units, CountedOn: d.CountedOn})
		case drift.Units == nil:
			drift.Units = map[string]int64{d.Module: d.Units}
		default:
			drift.Units[d.Module] += d.Units
		}
	}
	if len(drift.Units)+len(drift.Misplaced) == 0 {
		return nil
	}
	return drift
}

// plus returns two drifts together. Either may be nil.
func (d *Drift) plus(other *Drift) *Drift {
	if d == nil || other == nil {
		return cmp.Or(d, other)
	}
	sum := &Drift{
		Money: d.Money + other.Money, Free: slices.Clone(d.Free), Prices: slices.Concat(d.Prices, other.Prices), Units: maps.Clone(d.Units),
		Misplaced: slices.Concat(d.Misplaced, other.Misplaced),
	}
	for _, one := range other.Free {
		sum.Free = AddCount(sum.Free, one.Name, one.Value)
	}
	for meter, units := range other.Units {
		if sum.Units == nil {
			sum.Units = map[string]int64{}
		}
		sum.Units[meter] += units
	}
	return sum
}

func (d *Drift) String() string {
	var texts []string
	if len(d.Free) > 0 || d.Money > 0 || len(d.Units) > 0 || len(d.Prices) > 0 {
		texts = append(texts, d.lost())
	}
	var booked []string
	for i, m := range d.Misplaced {
		booked = append(booked, Textf("%d of %s", m.Units, m.Module))
		if i+1 == len(d.Misplaced) || d.Misplaced[i+1].CountedOn != m.CountedOn {
			texts = append(texts, cost.DescribeMisplaced(strings.Join(booked, " and "), m.CountedOn))
			booked = nil
		}
	}
	return strings.Join(texts, "; ")
}

// lost says what the account lost, and that it shows higher prices.
func (d *Drift) lost() string {
	var lost []string
	if len(d.Free) > 0 || d.Money > 0 {
		lost = append(lost, "$"+d.Money.String())
	}
	if len(d.Free) > 0 {
		lost = append(lost, Counts(d.Free))
	}
	for _, meter := range slices.Sorted(maps.Keys(d.Units)) {
		lost = append(lost, Textf("%s of %s", Counted(d.Units[meter], "unit"), meter))
	}
	text := "the account lost " + strings.Join(lost, " and ") + " that this journal did not use"
	switch {
	case len(d.Prices) > 0:
	case len(d.Free) == 0 && d.Money == 0:
		return text + "; others use it"
	default:
		return text + "; others use the workspace"
	}
	var prices []string
	for _, one := range d.Prices {
		prices = append(prices, Textf("$%s for a %s", one.Value, one.Name))
	}
	return Textf("the service charges more than was counted, %s by the account; %s", strings.Join(prices, " and "), text)
}
