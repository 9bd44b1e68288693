package table

import (
	"fmt"
	"slices"
)

// Distinct returns the names of a list's columns for a format in which all names differ, also from those of
// the appended columns. A name that stood before gets a number that makes it unlike all others.
func Distinct(names []string, appended []Column) []string {
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	for _, column := range appended {
		taken[column.Name] = true
	}
	names, before := slices.Clone(names), map[string]bool{}
	for i, name := range names {
		for n := 2; before[name] && (n == 2 || taken[names[i]]); n++ {
			names[i] = fmt.Sprintf("%s_%d", name, n)
		}
		before[name], taken[names[i]] = true, true
	}
	return names
}
