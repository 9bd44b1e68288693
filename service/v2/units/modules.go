package units

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"payonce/cost"
	"payonce/service/v2/v2fields"
)

// None is the word for an operation that uses no unit of any module.
const None = "none"

// Modules says on which module the service counts each operation, where that differs from what is
// assumed, and what the service calls the modules. The zero value is what is assumed. The counters
// of the account show whether it is right.
type Modules struct {
	// Operations are the meters of operations. cost.USD stands for none.
	Operations map[v2fields.Operation]cost.Meter
	// Codenames are the service's names of the modules of meters.
	Codenames map[cost.Meter]string
}

// ParseModules reads the modules of a configuration. Both maps have names as their keys: those of
// operations and those of meters. The module of an operation is the name of a meter or "none".
func ParseModules(operations, codenames map[string]string) (Modules, error) {
	modules := Modules{Operations: map[v2fields.Operation]cost.Meter{}, Codenames: map[cost.Meter]string{}}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		o, found := v2fields.OperationNamed(name)
		if !found || !o.Paid() {
			problems = append(problems, fmt.Errorf("%q is not the name of an operation that uses units", name))
			continue
		}
		meter, found := named(operations[name])
		if !found && operations[name] != None {
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
	all := []string{None}
	for _, m := range Meters() {
		all = append(all, Name(m))
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
			problems = append(problems, fmt.Errorf("module %s has an empty codename", Name(meter)))
		}
		if other, twice := seen[codename]; twice {
			err := fmt.Errorf("modules %s and %s have one codename, %q", Name(other), Name(meter), codename)
			problems = append(problems, err)
		}
		seen[codename] = meter
	}
	return errors.Join(problems...)
}

// Meter returns the meter that an operation counts on; false when it counts on none.
func (m Modules) Meter(o v2fields.Operation) (cost.Meter, bool) {
	meter, given := m.Operations[o]
	if !given {
		meter = assumed(o)
	}
	return meter, meter != cost.USD
}

// assumed returns the meter that an operation is assumed to count on, cost.USD for none.
func assumed(o v2fields.Operation) cost.Meter {
	switch o {
	case v2fields.Prospecting, v2fields.Overview, v2fields.Autocomplete, v2fields.GetCompany,
		v2fields.EnrichURL, v2fields.EnrichCompanyProfile, v2fields.EnrichCompany:
		return Companies
	case v2fields.Employees, v2fields.GetEmployee, v2fields.EnrichEmail, v2fields.EnrichEmployeeProfile,
		v2fields.EnrichEmployee, v2fields.EnrichEmployeeSearch:
		return Contacts
	case v2fields.GetFinancials:
		return Financials
	case v2fields.InsightsSearch, v2fields.GetInsights:
		return DigitalInsights
	case v2fields.OwnershipSearch, v2fields.GetOwnership:
		return Ownership
	case v2fields.WatchStart:
		return Watch
	}
	return cost.USD
}

// Codename returns what the service calls the module of a meter.
func (m Modules) Codename(meter cost.Meter) string {
	if codename, given := m.Codenames[meter]; given {
		return codename
	}
	return Name(meter)
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
