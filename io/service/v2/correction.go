package v2

import (
	"fmt"
	"maps"
	"slices"
)

// Correction returns the line of a configuration that makes the modules agree with what an answered call of an
// operation used: the units by the codenames of the service. It returns "" when they agree. It returns false when no
// line can make them agree, such as when several counters moved, or none did.
func (m Modules) Correction(o Operation, moved map[string]int64) (line string, known bool) {
	meter, counts := m.Meter(o)
	codenames := slices.Sorted(maps.Keys(moved))
	switch {
	case len(moved) == 0:
		// A service may count an answered call later. A line that says that the operation uses nothing would end
		// the limits on what it uses, so it is never proposed.
		return "", !counts
	case len(moved) > 1 || moved[codenames[0]] != 1:
		return "", false
	}
	found, shown := m.MeterOf(codenames[0])
	switch {
	case shown && counts && found == meter:
		return "", true
	case shown:
		return fmt.Sprintf("service-assumptions: {modules: {%s: %s}}", o, MeterName(found)), true
	case counts:
		return fmt.Sprintf("service-assumptions: {module-codenames: {%s: %s}}", MeterName(meter), codenames[0]), true
	}
	return "", false
}
