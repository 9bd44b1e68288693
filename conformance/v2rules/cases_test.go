package v2rules

import (
	"slices"
)

// cases returns every case, in the order of the rules.
func cases() []rulesCase {
	return slices.Concat(
		keyCases(), errorCases(), unitCases(), revealCases(), metricsCases(), searchCases(), pagingCases(),
		recordCases(), enrichCases(), watchCases(), eventCases(), limitCases(), lossCases(),
	)
}

type object = map[string]any
