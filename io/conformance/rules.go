// This file has what the rules of both specifications share: what a rule is, the result of one rule, and the report
// about all of them.

package conformance

import (
	"fmt"
	"strings"
)

// Rule is one statement of a specification, in other words.
type Rule struct {
	Name    string // "group/what", unique among all rules
	Section string // of the specification; "Assumptions" where it says nothing
	Text    string
}

// newRule returns a rule.
func newRule(name, section, text string) Rule { return Rule{Name: name, Section: section, Text: text} }

// fromOutside looks at the group of a rule, which can begin with the name of an interface.
func fromOutside(name string) bool {
	group, _, _ := strings.Cut(name, "/")
	group = strings.TrimPrefix(group, "v2-")
	return group == "live" || group == "result"
}

// ruleTable reads rules from a table with a rule in each line: its name, section and text, with " | " between
// them. Other lines are left out.
func ruleTable(text string) []Rule {
	var rules []Rule
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) == 3 {
			rules = append(rules, Rule{Name: cells[0], Section: cells[1], Text: cells[2]})
		}
	}
	return rules
}

// View is the result of one check, before the rule is known.
type View struct {
	observed string
	result   Result
	why      string
}

// agree says that the service keeps the rule, and what was seen.
func agree(format string, args ...any) View { return View{fmt.Sprintf(format, args...), Agrees, ""} }

// differ says that the service breaks the rule, and what was seen.
func differ(format string, args ...any) View { return View{fmt.Sprintf(format, args...), Differs, ""} }

// untested says why the rule was not tried.
func untested(format string, args ...any) View {
	return View{"", NotTested, fmt.Sprintf(format, args...)}
}

// holds agrees or differs, with the same text for both.
func holds(ok bool, format string, args ...any) View {
	if ok {
		return agree(format, args...)
	}
	return differ(format, args...)
}

// result puts a rule and what was seen of it together.
func (r Rule) result(v View) RuleResult {
	return RuleResult{Rule: r.Name, Section: r.Section, Text: r.Text, Observed: v.observed, Result: v.result, Why: v.why}
}
