package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/problem"
	"payonce/internal/workspace"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// CeilingUnits begins the names of the ceilings on units that the user sets.
const CeilingUnits = "max-units "

// rates returns what a page of a search uses up.
func rates(o v2fields.Operation, service workspace.V2) cost.Rates {
	field, _ := o.SearchField() // a Kind has one
	return service.Prices.Rates(cost.Rates{field: cost.Rate{Uses: service.Modules.Hold(o, units.Reveal{})}})
}

// usedMeters returns the meters that a page of a search uses up.
func usedMeters(o v2fields.Operation, modules units.Modules) (meters []cost.Meter) {
	held := modules.Hold(o, units.Reveal{})
	for _, meter := range units.Meters() {
		if held[meter] > 0 {
			meters = append(meters, meter)
		}
	}
	return meters
}

// checkUnits refuses a search that could use up units without a limit. A limit on money limits units with a price.
func (o Options) checkUnits(service workspace.V2) error {
	for _, meter := range usedMeters(o.Order.Kind.Operation, service.Modules) {
		_, limited := o.Units[meter]
		if inMoney := service.Prices[meter] > 0 && o.Shared.MaxSpend != nil; !limited && !inMoney {
			return problem.Coded("max_units_missing",
				"a search needs the most units of the module %s that it may use; nothing was sent", units.Name(meter)).With(units.Name(meter))
		}
	}
	return nil
}

// ceilings returns the limits that the user set.
func (o Options) ceilings(run string) (ceilings []cost.Ceiling) {
	for _, meter := range units.Meters() {
		if limit, limited := o.Units[meter]; limited {
			ceilings = append(ceilings, cost.Ceiling{
				Name: CeilingUnits + units.Name(meter), Scope: checkpoint.RunScope(run), Meter: meter, Limit: limit,
			})
		}
	}
	return append(ceilings, o.Shared.Ceilings(run, cmp.Or(o.Job, run))...)
}

// ParseUnits reads limits that are written as MODULE=N. A limit on a module that is given twice is an error.
func ParseUnits(texts []string) (map[cost.Meter]int64, error) {
	limits := map[cost.Meter]int64{}
	for _, text := range texts {
		name, number, _ := strings.Cut(text, "=")
		meters := units.Meters()
		at := slices.IndexFunc(meters, func(m cost.Meter) bool { return units.Name(m) == strings.TrimSpace(name) })
		if at < 0 {
			var names []string
			for _, m := range meters {
				names = append(names, units.Name(m))
			}
			return nil, fmt.Errorf("%q names no module; the modules are %s", text, strings.Join(names, ", "))
		}
		var limit int64
		if _, err := fmt.Sscanf(number, "%d", &limit); err != nil || fmt.Sprint(limit) != strings.TrimSpace(number) || limit < 0 {
			return nil, fmt.Errorf("%q: write MODULE=N, such as companies=500", text)
		}
		if _, twice := limits[meters[at]]; twice {
			return nil, fmt.Errorf("%q: the module has a limit already", text)
		}
		limits[meters[at]] = limit
	}
	return limits, nil
}
