package conformance

// RulesV1 returns every rule, in the order in which they are reported.
func RulesV1() []Rule {
	var all []Rule
	for _, c := range freeChecksV1() {
		all = append(all, c.Rule)
	}
	for _, c := range paidChecksV1() {
		all = append(all, c.Rule)
	}
	for _, i := range invariants() {
		all = append(all, i.Rule)
	}
	return append(all, caseRulesV1()...)
}

// RulesV2 returns every rule, in the order in which they are reported.
func RulesV2() []Rule {
	var all []Rule
	for _, c := range append(freeChecksV2(), paidChecksV2()...) {
		all = append(all, c.Rule)
	}
	return append(all, caseRulesV2()...)
}
