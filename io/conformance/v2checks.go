package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
	"payonce/io/service/v2"
)

// checkV2 is a rule that can be tried on a service that was not set up for it.
type checkV2 struct {
	Rule
	look func(e *evidenceV2) View
}

// view compares a response with a rule. Breach returns how its body breaks the rule.
func (s shownV2) view(status int, breach func([]byte) string) View {
	switch problem := ""; {
	case s.err != nil:
		return untested("%v", s.err)
	case s.HTTPStatus != status:
		return differ("HTTP %d", s.HTTPStatus)
	default:
		if problem = breach(s.Body); problem != "" {
			return differ("%s", problem)
		}
	}
	return agree("HTTP %d", s.HTTPStatus)
}

func ofShape(name string) func([]byte) string {
	return func(body []byte) string { return checkShape(name, body) }
}

func anythingV2([]byte) string { return "" }

// messages returns why a body is not an object with messages for each field, "" when it is.
func messages(body []byte) string {
	object, isObject := service.ParseObject(body)
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
func after(look func(*evidenceV2) View) func(*evidenceV2) View {
	return func(e *evidenceV2) View {
		if e.beforeErr != nil {
			return untested("the usage cannot be read")
		}
		return look(e)
	}
}

// freeChecksV2 returns the checks that use no units.
func freeChecksV2() []checkV2 { return append(usageChecks(), otherChecks()...) }

// usageChecks returns the checks of the counters.
func usageChecks() []checkV2 {
	return []checkV2{
		{
			newRule("v2-live/metrics", "Metrics", "the usage is read with the key"),
			func(e *evidenceV2) View {
				if e.beforeErr != nil {
					return differ("%v", e.beforeErr)
				}
				return agree("%d modules", len(e.before.Modules))
			},
		},
		{
			newRule("v2-live/metrics-members", "Usage metric", "usage groups and metrics have their members, with their types"),
			after(func(e *evidenceV2) View {
				return e.metrics.view(http.StatusOK, func(body []byte) string { return checkShapes("group", body) })
			}),
		},
		{
			newRule("v2-live/modules", "Assumptions", "each of the six modules has one counter, under its codename"),
			after(modulesView),
		},
		{
			newRule("v2-live/free", "Assumptions", "free calls use no units"),
			after(func(e *evidenceV2) View {
				if e.afterErr != nil {
					return untested("%v", e.afterErr)
				}
				change := e.after.Since(e.before)
				return holds(change.Used == cost.Amounts{}, "the counters show %s", unitsText(change.Used))
			}),
		},
		{
			newRule("v2-live/contacts", "Metrics", "the counts of emails and phones in a time span are integers"),
			after(func(e *evidenceV2) View {
				return e.contacts.view(http.StatusOK, ofShape("counts"))
			}),
		},
	}
}

// otherChecks returns the checks of refusals and of what is watched.
func otherChecks() []checkV2 {
	return []checkV2{
		{
			newRule("v2-live/invalid-request", "Errors", "a time span without its ends is refused with messages for each field"),
			after(func(e *evidenceV2) View {
				return e.undated.view(http.StatusBadRequest, messages)
			}),
		},
		{
			newRule("v2-live/unknown-route", "Assumptions", "the response to an operation that the service does not have is not that for nothing found"),
			after(func(e *evidenceV2) View {
				if e.nowhere.err != nil {
					return untested("%v", e.nowhere.err)
				}
				return holds(!e.nowhereIsNotFound, "HTTP %d", e.nowhere.HTTPStatus)
			}),
		},
		{
			newRule("v2-live/watched", "Watch", "the list of watched companies has its members, with their types"),
			after(func(e *evidenceV2) View {
				return e.watched.view(http.StatusOK, ofShape("watched"))
			}),
		},
		{
			newRule("v2-live/callback", "Watch", "the callback URL can be read"),
			after(func(e *evidenceV2) View {
				return e.callback.view(http.StatusOK, func(body []byte) string {
					if _, isObject := service.ParseObject(body); !isObject {
						return "the answer is not an object"
					}
					return ""
				})
			}),
		},
		{
			newRule("v2-live/invalid-key", "Assumptions", "an invalid key is refused with 401"),
			after(func(e *evidenceV2) View {
				return e.unknownKey.view(http.StatusUnauthorized, anythingV2)
			}),
		},
		{
			newRule("v2-live/invalid-key-detail", "Errors", "the refusal of an invalid key is an object with a detail"),
			after(func(e *evidenceV2) View {
				return e.unknownKey.view(e.unknownKey.HTTPStatus, ofShape("detail"))
			}),
		},
	}
}

func modulesView(e *evidenceV2) View {
	var missing []string
	for _, meter := range v2.Meters() {
		if _, shown := e.before.Of(meter); !shown {
			missing = append(missing, e.Modules.Codename(meter))
		}
	}
	if len(missing) > 0 {
		return differ("not shown, or more than once: %s", strings.Join(missing, ", "))
	}
	return agree("%d modules", len(v2.Meters()))
}

// unitsText writes amounts of units.
func unitsText(amounts cost.Amounts) string {
	var parts []string
	for _, meter := range v2.LimitedMeters() {
		if amounts[meter] != 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", amounts[meter], v2.MeterName(meter)))
		}
	}
	if parts == nil {
		return "no units"
	}
	return strings.Join(parts, ", ")
}

// paidChecksV2 returns the checks that need calls that use units.
func paidChecksV2() []checkV2 {
	all := []checkV2{
		{
			newRule("v2-live/answered", "What the service does", "calls are answered"),
			func(e *evidenceV2) View {
				for _, s := range e.sent {
					if _, answered := s.Verdict.(enrich.Answered); !answered {
						return differ("%s: %s", s.Operation, describeVerdict(s.Verdict))
					}
				}
				if len(e.sent) == 0 {
					return untested("%s", e.reason())
				}
				return agree("%d of %d", len(e.sent), len(e.sent))
			},
		},
		{
			newRule("v2-live/booked", "Assumptions", "the counters of the modules show for every call what the journal booked"),
			bookedViewV2,
		},
	}
	for _, r := range []struct {
		o               v2.Operation
		section, record string
		breach          func([]byte) string
	}{
		{v2.OpProspecting, "Prospecting", "prospects", ofShape("prospects")},
		{v2.OpGetCompany, "Company record", "company", ofShape("company")},
		{v2.OpGetFinancials, "Financial figures", "financials", checkFigures},
		{v2.OpGetInsights, "Digital insights record", "insights", ofShape("insights")},
		{v2.OpGetOwnership, "Ownership record", "ownership", ofShape("ownership")},
		{v2.OpEnrichEmployeeSearch, "Employee search item", "people", ofShape("people")},
		{v2.OpEnrichEmployee, "Employee record", "employee", ofShape("employee")},
	} {
		rule := newRule("v2-result/"+r.record, r.section, "an answer of "+r.o.String()+" has its members, with their types")
		all = append(all, checkV2{rule, func(e *evidenceV2) View { return e.resultView(r.o, r.breach) }})
	}
	return all
}

// resultView checks the answer to an operation.
func (e *evidenceV2) resultView(o v2.Operation, breach func([]byte) string) View {
	for _, s := range e.sent {
		answered, is := s.Verdict.(enrich.Answered)
		if s.Operation != o || !is {
			continue
		}
		answer, err := v2.DecodeAnswer(answered)
		switch {
		case err != nil:
			return differ("%v", err)
		case len(answer.Body) == 0:
			return untested("nothing was found")
		}
		if problem := breach(answer.Body); problem != "" {
			return differ("%s", problem)
		}
		return agree("it has")
	}
	if e.why[o] != "" {
		return untested("%s", e.why[o])
	}
	return untested("%s", e.reason())
}

// reason says why no call was sent.
func (e *evidenceV2) reason() string {
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

// bookedViewV2 compares the counters around each call with the journal.
func bookedViewV2(e *evidenceV2) View {
	tried := 0
	for _, s := range e.sent {
		if _, lost := s.Verdict.(enrich.Lost); !s.Read || lost { // nobody knows whether a lost one was counted
			continue
		}
		tried++
		if used := e.booked(s); used != "" {
			return differ("%s", used)
		}
	}
	if tried == 0 {
		return untested("%s", e.reason())
	}
	return agree("%d of %d", tried, len(e.sent))
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
func (e *evidenceV2) booked(s SentV2) string {
	want := map[string]int64{}
	for _, meter := range v2.Meters() {
		if s.Booked[meter] != 0 {
			want[e.Modules.Codename(meter)] = s.Booked[meter]
		}
	}
	if fmt.Sprint(want) == fmt.Sprint(s.Used) {
		return ""
	}
	text := fmt.Sprintf("%s: the counters show %s, the journal booked %s", s.Operation, countsText(s.Used), countsText(want))
	if e.Shared {
		text += "; others may have used the account meanwhile"
	}
	if _, answered := s.Verdict.(enrich.Answered); answered {
		if line, known := e.Modules.Correction(s.Operation, s.Used); known && line != "" {
			text += "; this line of the configuration makes them equal: " + line
		}
	}
	return text
}
