package units

import (
	"fmt"
	"maps"
	"slices"

	"payonce/service/v2/v2fields"
)

// Correction says which line of a configuration makes the modules fit to what an answered call of an operation
// moved: the units by the codenames of the service. It returns "" when they fit. It returns false when no line
// can, as when several counters moved.
func (m Modules) Correction(o v2fields.Operation, moved map[string]int64) (line string, known bool) {
	meter, counts := m.Meter(o)
	codenames := slices.Sorted(maps.Keys(moved))
	switch {
	case len(moved) == 0 && !counts:
		return "", true
	case len(moved) == 0:
		return fmt.Sprintf("modules: {%s: %s}", o, None), true
	case len(moved) > 1 || moved[codenames[0]] != 1:
		return "", false
	}
	found, shown := m.MeterOf(codenames[0])
	switch {
	case shown && counts && found == meter:
		return "", true
	case shown:
		return fmt.Sprintf("modules: {%s: %s}", o, Name(found)), true
	case counts:
		return fmt.Sprintf("module-codenames: {%s: %s}", Name(meter), codenames[0]), true
	}
	return "", false
}
