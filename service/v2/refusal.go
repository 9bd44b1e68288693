package v2

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/service/jsonobject"
	"payonce/service/paidhttp"
	"payonce/service/v2/answers"
	"payonce/service/v2/calls"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// The codes of refusals. The service gives none but the guards of limits.
const (
	CodeInvalidKey     = "invalid_api_key"
	CodeInvalidRequest = "invalid_request"
	CodeRestricted     = "access_restricted"
	CodeNotFound       = "not_found"
	CodeTooFast        = "rate_limited"
	CodeAskedToWait    = "asked_to_wait"
	CodeDailyLimit     = "limits.daily" // the service's guard
	CodeLimit          = "limit"        // the service's guard
)

// shape is what the body of a response looks like (specification v2, "Errors").
type shape uint8

const (
	unknownShape shape = iota
	limitShape         // a limit is reached
	tokenShape         // the token is invalid
	inputShape         // the request is invalid
	detailShape        // a detail; the status says of what
)

// complaint is what a body says of a failure.
type complaint struct {
	shape   shape
	message string
	guard   string   // of a limit
	module  string   // of a limit
	members []string // of an invalid request
}

// invalidToken is the detail of an invalid token, in lower case.
const invalidToken = "invalid token"

// decodeComplaint recognises the body of a failure by its shape.
func (s settings) decodeComplaint(body []byte) complaint {
	object, _ := jsonobject.Parse(body)
	if guard := object.Text("error_guard"); guard != "" {
		access, _ := object.Object("access")
		return complaint{
			shape: limitShape, guard: s.Plain(guard, maxName), module: s.Plain(access.Text("module"), maxName),
			message: s.Plain(object.Text("message_guard"), maxMessage),
		}
	}
	if detail := object.String("detail"); detail.Known {
		c := complaint{shape: detailShape, message: s.Plain(detail.Value, maxMessage)}
		if len(object) == 1 && strings.Trim(strings.ToLower(detail.Value), " .") == invalidToken {
			c.shape = tokenShape
		}
		return c
	}
	if messages, ok := messagesOf(object); ok {
		return complaint{
			shape: inputShape, message: s.Plain(strings.Join(messages, "; "), maxMessage),
			members: slices.Sorted(maps.Keys(object)),
		}
	}
	return complaint{}
}

// messagesOf returns the messages of an object whose members are all lists of messages, each with
// the name of its member.
func messagesOf(object jsonobject.Object) (messages []string, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		texts, ok := textsOf(object, name)
		if !ok {
			return nil, false
		}
		messages = append(messages, name+": "+strings.Join(texts, " "))
	}
	return messages, len(object) > 0
}

// textsOf returns the messages of a member: a list of texts, or the one text of the member that is
// about missing fields.
func textsOf(object jsonobject.Object, name string) ([]string, bool) {
	switch object[name][0] {
	case '"':
		return []string{object.Text(name)}, name == "fields"
	case '[':
		var elements []json.RawMessage
		texts := object.Texts(name)
		isList := json.Unmarshal(object[name], &elements) == nil
		return texts, isList && len(texts) > 0 && len(texts) == len(elements)
	}
	return nil, false
}

// judge is the verdict on the response to a call.
func (s settings) judge(call calls.Call, r paidhttp.Response, asked time.Time) enrich.Verdict {
	if r.Redirects() {
		return s.lost(r, fmt.Errorf("HTTP %d %s", r.Status, s.Redirected(r.Header)))
	}
	success := isSuccess(call.Operation, r.Status)
	said := s.decodeComplaint(r.Body)
	if said.shape == inputShape && success && isRecord(call.Operation, said.members) {
		said = complaint{}
	}
	if said.shape == detailShape && r.Status == http.StatusNotFound {
		return answers.NothingFound(call.Operation, sentAt(r, asked))
	}
	if refused, ok := s.refusal(said, r, asked); ok {
		return refused
	}
	if !success {
		return s.lost(r, fmt.Errorf("HTTP %d without an answer or a refusal of the service", r.Status))
	}
	answered, err := answers.ReadAbout(call.Operation, r.Body, sentAt(r, asked), call.Reveal, s.modules, call.About)
	if err != nil {
		return s.lost(r, fmt.Errorf("HTTP %d without an answer: %w", r.Status, err))
	}
	return answered
}

// isRecord reports whether members that hold lists of texts alone are those of a record of the
// operation, and not the names of what is wrong with a request.
func isRecord(o v2fields.Operation, members []string) bool {
	f, found := o.Field()
	if !found {
		return false
	}
	lists := map[enrich.Field][]string{
		v2fields.Contact:   {"seniority_level", "department"},
		v2fields.Company:   {"company_phone", "company_email", "company_fax"},
		v2fields.Insights:  {"mx_list", "referrals", "keywords", "referrals_destination"},
		v2fields.Ownership: {"data"},
	}
	return slices.ContainsFunc(members, func(member string) bool { return slices.Contains(lists[f], member) })
}

// lost is the verdict on a response that proves nothing. It may ask to wait all the same.
func (s settings) lost(r paidhttp.Response, err error) enrich.Lost {
	return enrich.Lost{Err: err, RetryAfter: s.RetryAfter(r.Header)}
}

// refusal reads a response as the service's no. It reports false when it is none: the call may
// then have been counted.
func (s settings) refusal(said complaint, r paidhttp.Response, asked time.Time) (enrich.Refused, bool) {
	refused := enrich.Refused{HTTPStatus: r.Status, Message: said.message}
	switch said.shape {
	case limitShape:
		// The wait of a limit is for its module alone, so the response's Retry-After does not count.
		refused.Class, refused.Code = enrich.StopRun, said.guard
		refused.Limit = s.limit(said, asked)
		return refused, true
	case tokenShape:
		refused.Class, refused.Code = enrich.StopRun, CodeInvalidKey
		return refused, true
	case inputShape:
		refused.Class, refused.Code = enrich.InvalidInput, CodeInvalidRequest
		return refused, true
	}
	class, code, says := meaningOf(r.Status)
	refused.Class, refused.Code = class, code
	if class == enrich.SlowDown {
		refused.Pause, refused.RetryAfter = true, s.RetryAfter(r.Header)
	}
	return refused, says
}

// meaningOf returns what an HTTP status says when the body does not; false when it does not say
// that the call was refused.
func meaningOf(status int) (class enrich.RefusalClass, code string, says bool) {
	switch status {
	case http.StatusBadRequest:
		return enrich.InvalidInput, CodeInvalidRequest, true
	case http.StatusUnauthorized:
		return enrich.StopRun, CodeInvalidKey, true
	case http.StatusForbidden:
		return enrich.StopRun, CodeRestricted, true
	case http.StatusTooManyRequests:
		return enrich.SlowDown, CodeTooFast, true
	}
	return 0, "", false
}

// limit returns what a limit says. A daily one ends at the 00:00 UTC that follows the start of the call: a refusal that
// arrives just after it may be about the day before. When that is wrong, the next call is refused once more, which
// costs nothing.
func (s settings) limit(said complaint, asked time.Time) enrich.Limit {
	limit := enrich.Limit{Module: said.module}
	if meter, known := s.modules.MeterOf(said.module); known {
		limit.Meter = units.Name(meter)
	}
	if said.guard == CodeDailyLimit {
		const day = 24 * time.Hour
		limit.Until = asked.UTC().Truncate(day).Add(day)
	}
	return limit
}
