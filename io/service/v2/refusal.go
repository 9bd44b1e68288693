package v2

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/io/service"
)

// The codes of refusals. The service gives none but the guards of limits.
const (
	CodeInvalidKey     = "invalid_api_key"
	CodeInvalidRequest = "invalid_request"
	CodeRestricted     = "access_restricted" // of a free request
	CodeNotFound       = "not_found"         // of a free request
	CodeTooFast        = "rate_limited"
	CodeAskedToWait    = "asked_to_wait"
	CodeDailyLimit     = "limits.daily" // the service's guard
	CodeLimit          = "limit"        // the service's guard
	// CodeUnknownRoute is that of a lost response: the service may not have the operation at this address.
	CodeUnknownRoute = "unknown_route"
)

// DefaultNotFound is what the service is assumed to say when it finds nothing. Frameworks say "Not Found", with a
// capital F, of an address that they do not have.
const DefaultNotFound = "Not found."

// CheckNotFound says why a text cannot be what the service says when it finds nothing.
func CheckNotFound(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the text is empty")
	case len(text) > maxMessage:
		return fmt.Errorf("the text is longer than %d bytes", maxMessage)
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		return fmt.Errorf("write the text of the member detail alone, such as %q", DefaultNotFound)
	}
	return nil
}

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
	exact   bool // a limit has all of its members and no others, or a detail is alone
	detail  string
	message string
	guard   string   // of a limit
	module  string   // of a limit
	members []string // of an invalid request
}

// invalidToken is the detail of an invalid token, in lower case.
const invalidToken = "invalid token"

// decodeComplaint recognises the body of a failure by its shape. A body that names a member twice has none.
func (s settings) decodeComplaint(body []byte) complaint {
	object, repeated, _ := service.ParseRepeatedObject(body)
	if len(repeated) > 0 {
		return complaint{}
	}
	if guard := object.Text("error_guard"); guard != "" {
		access, _ := object.Object("access")
		return complaint{
			shape: limitShape, exact: isLimit(object), guard: s.Plain(guard, maxName), module: s.Plain(access.Text("module"), maxName),
			message: s.Plain(object.Text("message_guard"), maxMessage),
		}
	}
	if detail := object.String("detail"); detail.Known {
		c := complaint{
			shape: detailShape, exact: len(object) == 1, detail: detail.Value, message: s.Plain(detail.Value, maxMessage),
		}
		if c.exact && strings.Trim(strings.ToLower(detail.Value), " .") == invalidToken {
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

// isLimit reports whether an object has the members of a LimitError and no others.
func isLimit(object service.Object) bool {
	access, repeated, _ := service.ParseRepeatedObject(object["access"])
	return len(repeated) == 0 && hasTexts(object, "error_guard", "message_guard") && len(object) == 3 &&
		hasTexts(access, "permission", "permission_name", "module", "module_name", "app", "app_name") && len(access) == 6
}

// hasTexts reports whether an object has members that are texts.
func hasTexts(object service.Object, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !object.String(name).Known })
}

// messagesOf returns the messages of an object whose members are all lists of messages, each with
// the name of its member.
func messagesOf(object service.Object) (messages []string, ok bool) {
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
func textsOf(object service.Object, name string) ([]string, bool) {
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

// verdict is the verdict on the response to a call. It is a refusal, or an answer that used nothing, only if its status
// and its shape are the service's own. Gateways and frameworks on the way answer in JSON too, after the call may have
// been counted.
func (s settings) verdict(call Call, r service.Response, asked time.Time) enrich.Verdict {
	if r.Redirects() {
		return s.lost(r, fmt.Errorf("HTTP %d %s", r.Status, s.Redirected(r.Header)))
	}
	if isSuccess(call.Operation, r.Status) {
		answered, err := ReadAnswer(call.Operation, r.Body, sentAt(r, asked), call.Reveal, s.modules, call.About)
		if err != nil {
			return s.lost(r, fmt.Errorf("HTTP %d with %s, which is not an answer: %w", r.Status, s.Describe(r.Body), err))
		}
		return answered
	}
	said := s.decodeComplaint(r.Body)
	if r.Status == http.StatusNotFound && s.isNotFound(said) {
		return NothingFound(call.Operation, sentAt(r, asked))
	}
	if refused, ok := s.refusal(call, said, r, asked); ok {
		return refused
	}
	came := s.came(call, r)
	if r.Status == http.StatusNotFound {
		lost := s.lost(r, fmt.Errorf(
			"%s: the service does not have %s at this address, or says in other words that it found nothing", came, call.Operation,
		))
		lost.Stop = CodeUnknownRoute
		return lost
	}
	return s.lost(r, fmt.Errorf("%s, which is neither an answer nor a refusal of the service", came))
}

// isNotFound reports whether a body says that nothing was found.
func (s settings) isNotFound(said complaint) bool {
	return said.shape == detailShape && said.exact && said.detail == s.notFound
}

// came describes a response that proves nothing, with what it says in words. It repeats no value of the request,
// because it is kept as the reason why the call is in doubt.
func (s settings) came(call Call, r service.Response) string {
	text := s.saying(r.Body)
	if call.Mentions(text) {
		text = s.Describe(r.Body)
	}
	return fmt.Sprintf("HTTP %d with %s", r.Status, text)
}

// saying describes a body, with what it says in words.
func (s settings) saying(body []byte) string {
	text := s.Describe(body)
	if words := s.Plain(wordsOfError(body), maxQuoted); words != "" {
		text += fmt.Sprintf(" (%q)", words)
	}
	return text
}

// wordsOfError returns what the error of a gateway, a framework or the service says in words; "" when it does not.
func wordsOfError(body []byte) string {
	object, _ := service.ParseObject(body)
	for _, name := range []string{"detail", "message", "error", "title"} {
		if text := object.Text(name); text != "" {
			return text
		}
	}
	return strings.Join(object.Texts("errors"), " ")
}

// lost is the verdict on a response that proves nothing. It may ask to wait all the same.
func (s settings) lost(r service.Response, err error) enrich.Lost {
	return enrich.Lost{Err: err, RetryAfter: s.RetryAfter(r.Header)}
}

// refusal reads the response to a call as the service's no. It reports false when it is none: the call may then
// have been counted.
func (s settings) refusal(
	call Call, said complaint, r service.Response, asked time.Time,
) (enrich.Refused, bool) {
	refused := enrich.Refused{HTTPStatus: r.Status, Message: said.message}
	isInvalid := r.Status == http.StatusBadRequest || r.Status == http.StatusUnprocessableEntity
	switch {
	case said.shape == limitShape && (r.Status == http.StatusTooManyRequests || said.exact && isNo(r.Status)):
		// The wait of a limit is for its module alone, so the response's Retry-After does not count.
		refused.Class, refused.Code = enrich.StopRun, said.guard
		refused.Limit = s.limit(said, asked)
	case r.Status == http.StatusUnauthorized:
		refused.Class, refused.Code = enrich.StopRun, CodeInvalidKey
	case r.Status == http.StatusTooManyRequests:
		refused.Class, refused.Code = enrich.SlowDown, CodeTooFast
		refused.Pause, refused.RetryAfter = true, s.RetryAfter(r.Header)
	case said.shape == inputShape && isInvalid && !slices.ContainsFunc(said.members, isForeign(call)):
		refused.Class, refused.Code = enrich.InvalidInput, CodeInvalidRequest
	default:
		return enrich.Refused{}, false
	}
	return refused, true
}

// isForeign returns whether a name is not that of a parameter of a call.
func isForeign(call Call) func(string) bool {
	return func(name string) bool { return !call.Takes(name) }
}

// isNo reports whether a status can be that of a limit: one that says that the request is at fault. A request that
// timed out may have been counted.
func isNo(status int) bool {
	return status >= 400 && status <= 499 && status != http.StatusRequestTimeout
}

// codeOf returns the code of a failed free request, "" for one that is not known. A free request uses nothing, so
// the shape or the status alone decides.
func (s settings) codeOf(said complaint, status int) string {
	switch {
	case status == http.StatusNotFound && s.isNotFound(said):
		return CodeNotFound
	case said.shape == limitShape:
		return said.guard
	case said.shape == tokenShape, status == http.StatusUnauthorized:
		return CodeInvalidKey
	case said.shape == inputShape, status == http.StatusBadRequest:
		return CodeInvalidRequest
	case status == http.StatusForbidden:
		return CodeRestricted
	case status == http.StatusTooManyRequests:
		return CodeTooFast
	}
	return ""
}

// limit returns what a limit says. A daily one ends at the 00:00 UTC that follows the start of the call: a refusal that
// arrives just after it may be about the day before. When that is wrong, the next call is refused once more, which
// costs nothing.
func (s settings) limit(said complaint, asked time.Time) enrich.Limit {
	limit := enrich.Limit{Module: said.module}
	if meter, known := s.modules.MeterOf(said.module); known {
		limit.Meter = MeterName(meter)
	}
	if said.guard == CodeDailyLimit {
		const day = 24 * time.Hour
		limit.Until = asked.UTC().Truncate(day).Add(day)
	}
	return limit
}
