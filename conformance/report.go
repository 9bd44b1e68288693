package conformance

import "fmt"

// Result is what trying a rule has come to.
type Result string

// The results.
const (
	Agrees    Result = "agrees"
	Differs   Result = "differs"
	NotTested Result = "not tested"
)

// Finding is what a service showed of one rule.
type Finding struct {
	Rule     string `json:"rule"`
	Section  string `json:"section"`
	Text     string `json:"text"`
	Observed string `json:"observed,omitempty"`
	Result   Result `json:"result"`
	Why      string `json:"why,omitempty"` // it was not tested
}

// Report is what a service showed of all rules, in their order.
type Report []Finding

// Count returns how many rules have come to a result.
func (r Report) Count(result Result) int {
	n := 0
	for _, f := range r {
		if f.Result == result {
			n++
		}
	}
	return n
}

// view is the result of one check, before the rule is known.
type view struct {
	observed string
	result   Result
	why      string
}

func agrees(format string, args ...any) view { return view{fmt.Sprintf(format, args...), Agrees, ""} }

func differs(format string, args ...any) view { return view{fmt.Sprintf(format, args...), Differs, ""} }

func untested(format string, args ...any) view {
	return view{"", NotTested, fmt.Sprintf(format, args...)}
}

// holds agrees or differs with the same words.
func holds(ok bool, format string, args ...any) view {
	if ok {
		return agrees(format, args...)
	}
	return differs(format, args...)
}

// check is a rule that a service can be put to without being set up for it.
type check struct {
	Rule
	look func(e *evidence) view
}

// finding puts a rule and what was seen of it together.
func (r Rule) finding(v view) Finding {
	return Finding{Rule: r.Name, Section: r.Section, Text: r.Text, Observed: v.observed, Result: v.result, Why: v.why}
}

// Rules returns every rule, in the order in which they are reported.
func Rules() []Rule {
	var rules []Rule
	for _, c := range freeChecks() {
		rules = append(rules, c.Rule)
	}
	for _, c := range paidChecks() {
		rules = append(rules, c.Rule)
	}
	for _, i := range invariants() {
		rules = append(rules, i.Rule)
	}
	return append(rules, caseRules()...)
}
