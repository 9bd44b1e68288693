package conformance

import (
	"slices"
)

// cases returns every case, in the order of the rules.
func cases() []rulesCase {
	return slices.Concat(
		keyCasesV2(), errorCasesV2(), unitCases(), revealCases(), metricsCases(), searchCases(), pagingCases(),
		recordCases(), enrichCases(), watchCases(), eventCases(), limitCasesV2(), lossCasesV2(),
	)
}

type objectV2 = map[string]any
