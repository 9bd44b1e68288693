package v2rules

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"payonce/conformance/rules"
	"payonce/cost"
	"payonce/enrich"
	"payonce/service/jsonobject"
	"payonce/service/v2/answers"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// check is a rule that can be tried on a service that was not set up for it.
type check struct {
	rules.Rule
	look func(e *evidence) rules.View
}

// view compares a response with a rule. Breach returns how its body breaks the rule.
func (s shown) view(status int, breach func([]byte) string) rules.View {
	switch problem := ""; {
	case s.err != nil:
		return rules.Untested("%v", s.err)
	case s.HTTPStatus != status:
		return rules.Differ("HTTP %d", s.HTTPStatus)
	default:
		if problem = breach(s.Body); problem != "" {
			return rules.Differ("%s", problem)
		}
	}
	return rules.Agree("HTTP %d", s.HTTPStatus)
}

func ofShape(name string) func([]byte) string {
	return func(body []byte) string { return checkShape(name, body) }
}

func anything([]byte) string { return "" }

// messages returns why a body is not an object with messages for each field, "" when it is.
func messages(body []byte) string {
	object, isObject := jsonobject.Parse(body)
	if !isObject || len(object) == 0 {
		return "the answer is not an object with fields"
	}
	for name := range object {
		if len(object.Texts(name)) == 0 {
			return name + " is not a list of messages"
		}
	}
	return ""
}

// after returns a check that needs the usage.
func after(look func(*evidence) rules.View) func(*evidence) rules.View {
	return func(e *evidence) rules.View {
		if e.beforeErr != nil {
			return rules.Untested("the usage cannot be read")
		}
		return look(e)
	}
}

// freeChecks returns the checks that use no units.
func freeChecks() []check { return append(usageChecks(), otherChecks()...) }

// usageChecks returns the checks of the counters.
func usageChecks() []check {
	return []check{
		{
			rules.New("v2-live/metrics", "Metrics", "the usage is read with the key"),
			func(e *evidence) rules.View {
				if e.beforeErr != nil {
					return rules.Differ("%v", e.beforeErr)
				}
				return rules.Agree("%d modules", len(e.before.Modules))
			},
		},
		{
			rules.New("v2-live/metrics-members", "Usage metric", "usage groups and metrics have their members, with their types"),
			after(func(e *evidence) rules.View {
				return e.metrics.view(http.StatusOK, func(body []byte) string { return checkShapes("group", body) })
			}),
		},
		{
			rules.New("v2-live/modules", "Assumptions", "each of the six modules has one counter, under its codename"),
			after(modulesView),
		},
		{
			rules.New("v2-live/free", "Assumptions", "free calls use no units"),
			after(func(e *evidence) rules.View {
				if e.afterErr != nil {
					return rules.Untested("%v", e.afterErr)
				}
				change := e.after.Since(e.before)
				return rules.Holds(change.Used == cost.Amounts{}, "the counters show %s", unitsText(change.Used))
			}),
		},
		{
			rules.New("v2-live/contacts", "Metrics", "the counts of emails and phones in a time span are integers"),
			after(func(e *evidence) rules.View {
				return e.contacts.view(http.StatusOK, ofShape("counts"))
			}),
		},
	}
}

// otherChecks returns the checks of refusals and of what is watched.
func otherChecks() []check {
	return []check{
		{
			rules.New("v2-live/invalid-request", "Errors", "a time span without its ends is refused with messages for each field"),
			after(func(e *evidence) rules.View {
				return e.undated.view(http.StatusBadRequest, messages)
			}),
		},
		{
			rules.New("v2-live/unknown-route", "Assumptions", "an operation that the service does not have is not answered as nothing found is"),
			after(func(e *evidence) rules.View {
				if e.nowhere.err != nil {
					return rules.Untested("%v", e.nowhere.err)
				}
				return rules.Holds(!e.nowhereIsNotFound, "HTTP %d", e.nowhere.HTTPStatus)
			}),
		},
		{
			rules.New("v2-live/watched", "Watch", "the list of watched companies has its members, with their types"),
			after(func(e *evidence) rules.View {
				return e.watched.view(http.StatusOK, ofShape("watched"))
			}),
		},
		{
			rules.New("v2-live/callback", "Watch", "the callback URL can be read"),
			after(func(e *evidence) rules.View {
				return e.callback.view(http.StatusOK, func(body []byte) string {
					if _, isObject := jsonobject.Parse(body); !isObject {
						return "the answer is not an object"
					}
					return ""
				})
			}),
		},
		{
			rules.New("v2-live/invalid-key", "Assumptions", "an invalid key is refused with 401"),
			after(func(e *evidence) rules.View {
				return e.unknownKey.view(http.StatusUnauthorized, anything)
			}),
		},
		{
			rules.New("v2-live/invalid-key-detail", "Errors", "the refusal of an invalid key is an object with a detail"),
			after(func(e *evidence) rules.View {
				return e.unknownKey.view(e.unknownKey.HTTPStatus, ofShape("detail"))
			}),
		},
	}
}

func modulesView(e *evidence) rules.View {
	var missing []string
	for _, meter := range units.Meters() {
		if _, shown := e.before.Of(meter); !shown {
			missing = append(missing, e.Modules.Codename(meter))
		}
	}
	if len(missing) > 0 {
		return rules.Differ("not shown, or more than once: %s", strings.Join(missing, ", "))
	}
	return rules.Agree("%d modules", len(units.Meters()))
}

// unitsText writes amounts of units.
func unitsText(amounts cost.Amounts) string {
	var parts []string
	for _, meter := range units.Limited() {
		if amounts[meter] != 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", amounts[meter], units.Name(meter)))
		}
	}
	if parts == nil {
		return "no units"
	}
	return strings.Join(parts, ", ")
}

// paidChecks returns the checks that need calls that use units.
func paidChecks() []check {
	all := []check{
		{
			rules.New("v2-live/answered", "What the service does", "calls are answered"),
			func(e *evidence) rules.View {
				for _, s := range e.sent {
					if _, answered := s.Verdict.(enrich.Answered); !answered {
						return rules.Differ("%s: %s", s.Operation, rules.Describe(s.Verdict))
					}
				}
				if len(e.sent) == 0 {
					return rules.Untested("%s", e.reason())
				}
				return rules.Agree("%d of %d", len(e.sent), len(e.sent))
			},
		},
		{
			rules.New("v2-live/booked", "Assumptions", "the counters of the modules show for every call what the journal booked"),
			bookedView,
		},
	}
	for _, r := range []struct {
		o               v2fields.Operation
		section, record string
		breach          func([]byte) string
	}{
		{v2fields.Prospecting, "Prospecting", "prospects", ofShape("prospects")},
		{v2fields.GetCompany, "Company record", "company", ofShape("company")},
		{v2fields.GetFinancials, "Financial figures", "financials", checkFigures},
		{v2fields.GetInsights, "Digital insights record", "insights", ofShape("insights")},
		{v2fields.GetOwnership, "Ownership record", "ownership", ofShape("ownership")},
		{v2fields.EnrichEmployeeSearch, "Employee search item", "people", ofShape("people")},
		{v2fields.EnrichEmployeeProfile, "Employee record", "employee", ofShape("employee")},
	} {
		rule := rules.New("v2-result/"+r.record, r.section, "an answer of "+r.o.String()+" has its members, with their types")
		all = append(all, check{rule, func(e *evidence) rules.View { return e.resultView(r.o, r.breach) }})
	}
	return all
}

// resultView checks the answer to an operation.
func (e *evidence) resultView(o v2fields.Operation, breach func([]byte) string) rules.View {
	for _, s := range e.sent {
		answered, is := s.Verdict.(enrich.Answered)
		if s.Operation != o || !is {
			continue
		}
		answer, err := answers.Decode(answered)
		switch {
		case err != nil:
			return rules.Differ("%v", err)
		case len(answer.Body) == 0:
			return rules.Untested("nothing was found")
		}
		if problem := breach(answer.Body); problem != "" {
			return rules.Differ("%s", problem)
		}
		return rules.Agree("it has")
	}
	if e.why[o] != "" {
		return rules.Untested("%s", e.why[o])
	}
	return rules.Untested("%s", e.reason())
}

// reason says why no call was sent.
func (e *evidence) reason() string {
	switch {
	case e.Sender == nil && e.Why != "":
		return e.Why
	case e.beforeErr != nil:
		return "the usage could not be read, so nothing was sent"
	}
	for _, why := range e.why {
		return why
	}
	return "no earlier call returned what this call needs"
}

// bookedView compares the counters around each call with the journal.
func bookedView(e *evidence) rules.View {
	tried := 0
	for _, s := range e.sent {
		if _, lost := s.Verdict.(enrich.Lost); !s.Read || lost { // nobody knows whether a lost one was counted
			continue
		}
		tried++
		if used := e.booked(s); used != "" {
			return rules.Differ("%s", used)
		}
	}
	if tried == 0 {
		return rules.Untested("%s", e.reason())
	}
	return rules.Agree("%d of %d", tried, len(e.sent))
}

// countsText writes what counters show, by their codenames.
func countsText(counts map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d of %s", counts[name], name))
	}
	if parts == nil {
		return "no units"
	}
	return strings.Join(parts, ", ")
}

// booked returns how the counters differ from what the journal booked for a call, and which line of the
// configuration makes them equal. It returns "" when they are equal.
func (e *evidence) booked(s Sent) string {
	want := map[string]int64{}
	for _, meter := range units.Meters() {
		if s.Booked[meter] != 0 {
			want[e.Modules.Codename(meter)] = s.Booked[meter]
		}
	}
	if fmt.Sprint(want) == fmt.Sprint(s.Used) {
		return ""
	}
	text := fmt.Sprintf("%s: the counters show %s, the journal booked %s", s.Operation, countsText(s.Used), countsText(want))
	if e.Shared {
		text += "; somebody else may have used the account meanwhile"
	}
	if _, answered := s.Verdict.(enrich.Answered); answered {
		if line, known := e.Modules.Correction(s.Operation, s.Used); known && line != "" {
			text += "; this line of the configuration makes them equal: " + line
		}
	}
	return text
}
