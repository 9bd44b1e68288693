package conformance

// Result is the result of trying a rule.
type Result string

// The results.
const (
	Agrees    Result = "agrees"
	Differs   Result = "differs"
	NotTested Result = "not tested"
)

// RuleResult is what a service showed of one rule.
type RuleResult struct {
	Rule     string `json:"rule"`
	Section  string `json:"section"`
	Text     string `json:"text"`
	Observed string `json:"observed,omitempty"`
	Result   Result `json:"result"`
	Why      string `json:"why,omitempty"` // it was not tested
}

// FromOutside reports whether the rule can be tried on a service that was not set up for it.
func (r RuleResult) FromOutside() bool { return fromOutside(r.Rule) }

// Report is what a service showed of all rules, in their order.
type Report []RuleResult

// Count returns how many rules have a result.
func (r Report) Count(result Result) int {
	n := 0
	for _, f := range r {
		if f.Result == result {
			n++
		}
	}
	return n
}
