package v2

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"payonce/cost"
)

// NoMeter is the word for an operation that uses no unit of any module.
const NoMeter = "none"

// Modules says on which module the service counts each operation, where that differs from what is
// assumed, and what the service calls the modules. The zero value is what is assumed. The counters
// of the account show whether it is right.
type Modules struct {
	// Operations are the meters of operations. cost.USD stands for none.
	Operations map[Operation]cost.Meter
	// Codenames are the service's names of the modules of meters.
	Codenames map[cost.Meter]string
}

// ParseModules reads the modules of a configuration. Both maps have names as their keys: those of
// operations and those of meters. The module of an operation is the name of a meter or "none".
func ParseModules(operations, codenames map[string]string) (Modules, error) {
	modules := Modules{Operations: map[Operation]cost.Meter{}, Codenames: map[cost.Meter]string{}}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		o, found := OperationNamed(name)
		if !found || !o.Paid() {
			problems = append(problems, fmt.Errorf("%q is not the name of an operation that uses units", name))
			continue
		}
		meter, found := named(operations[name])
		if !found && operations[name] != NoMeter {
			problems = append(problems, fmt.Errorf("operation %s: %w", name, noModule(operations[name])))
			continue
		}
		modules.Operations[o] = meter
	}
	for _, name := range slices.Sorted(maps.Keys(codenames)) {
		meter, found := named(name)
		if !found {
			problems = append(problems, noModule(name))
			continue
		}
		modules.Codenames[meter] = codenames[name]
	}
	return modules, errors.Join(append(problems, modules.Check())...)
}

func noModule(name string) error {
	all := []string{NoMeter}
	for _, m := range Meters() {
		all = append(all, MeterName(m))
	}
	return fmt.Errorf("%q is not a module; the modules are %q", name, all)
}

// CheckModule refuses a name that is not that of a module.
func CheckModule(name string) error {
	if _, found := named(name); !found {
		return noModule(name)
	}
	return nil
}

// Check says what is wrong with the modules.
func (m Modules) Check() error {
	var problems []error
	for o, meter := range m.Operations {
		if !o.Paid() {
			problems = append(problems, fmt.Errorf("operation %s is free and has no module", o))
		}
		if meter != cost.USD && !slices.Contains(Meters(), meter) {
			problems = append(problems, fmt.Errorf("operation %s: meter %d is not a module", o, meter))
		}
	}
	seen := map[string]cost.Meter{}
	for _, meter := range Meters() {
		codename := m.Codename(meter)
		if codename == "" {
			problems = append(problems, fmt.Errorf("module %s has an empty codename", MeterName(meter)))
		}
		if other, twice := seen[codename]; twice {
			err := fmt.Errorf("modules %s and %s have one codename, %q", MeterName(other), MeterName(meter), codename)
			problems = append(problems, err)
		}
		seen[codename] = meter
	}
	return errors.Join(problems...)
}

// Meter returns the meter that an operation counts on; false when it counts on none.
func (m Modules) Meter(o Operation) (cost.Meter, bool) {
	meter, given := m.Operations[o]
	if !given {
		meter = assumed(o)
	}
	return meter, meter != cost.USD
}

// assumed returns the meter that an operation is assumed to count on, cost.USD for none.
func assumed(o Operation) cost.Meter {
	switch o {
	case OpProspecting, OpOverview, OpAutocomplete, OpGetCompany,
		OpEnrichURL, OpEnrichCompanyProfile, OpEnrichCompany:
		return MeterCompanies
	case OpEmployees, OpGetEmployee, OpEnrichEmail, OpEnrichEmployeeProfile,
		OpEnrichEmployee, OpEnrichEmployeeSearch:
		return MeterContacts
	case OpGetFinancials:
		return MeterFinancials
	case OpInsightsSearch, OpGetInsights:
		return MeterDigitalInsights
	case OpOwnershipSearch, OpGetOwnership:
		return MeterOwnership
	case OpWatchStart:
		return MeterWatch
	}
	return cost.USD
}

// Codename returns what the service calls the module of a meter.
func (m Modules) Codename(meter cost.Meter) string {
	if codename, given := m.Codenames[meter]; given {
		return codename
	}
	return MeterName(meter)
}

// MeterOf returns the meter of a module that the service names.
func (m Modules) MeterOf(codename string) (cost.Meter, bool) {
	for _, meter := range Meters() {
		if m.Codename(meter) == codename {
			return meter, true
		}
	}
	return 0, false
}
