package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// Answered wants a result. Every invariant of results is checked besides.
type Answered struct {
	Status     enrich.Status
	Returned   enrich.Fields
	Unresolved []string
	Profile    bool // with the profile's data
}

func (Answered) arrivals(v1.Transport) int { return 1 }

func (w Answered) check(f found) error {
	answered, ok := f.Verdict.(enrich.Answered)
	if !ok {
		return fmt.Errorf("got %s, want an answer", describeVerdict(f.Verdict))
	}
	a, err := v1.DecodeAnswer(answered)
	if err != nil {
		return err
	}
	var problems []error
	if a.Status != w.Status || a.Returned() != w.Returned || !slices.Equal(a.Unresolved, w.Unresolved) {
		problems = append(problems, fmt.Errorf("%s, returned [%s], unresolved %q; want %s, [%s], %q",
			a.Status, a.Returned(), a.Unresolved, w.Status, w.Returned, w.Unresolved))
	}
	if (a.Profile != "") != w.Profile {
		problems = append(problems, fmt.Errorf("the profile is %q", a.Profile))
	}
	for _, invariant := range invariants() {
		if breach := invariant.breach(f.Observation); breach != "" {
			problems = append(problems, fmt.Errorf("%s: %s", invariant.Name, breach))
		}
	}
	for _, sent := range f.sent {
		problems = append(problems, w.checkWire(sent, a))
	}
	return errors.Join(problems...)
}

// checkWire checks the result as it was sent (specification v1, "Enrichment result"):
// what was not found is left out and not null, and without a person there is no data.
func (w Answered) checkWire(sent sentLookup, a v1.Answer) error {
	result := sent.result()
	want := members{
		"object": "enrichment_result", "status": string(w.Status), "request_id": a.RequestID,
		"unresolved_fields": fmt.Sprint(w.Unresolved), "grounding.source_provenance": present{},
		"grounding.retrieved_at": a.RetrievedAt.UTC().Format(time.RFC3339),
	}
	if w.Status == enrich.NotFound {
		want["data"] = nil
	} else {
		want["data.full_name"] = a.FullName
		for f := range v1.AllFields.Each() {
			if want["data."+f.String()] = a.Value(f); !w.Returned.Has(f) {
				want["data."+f.String()] = absent{}
			}
		}
	}
	list, isList := result["unresolved_fields"].([]any)
	if !isList {
		return errors.New("unresolved_fields is not an array")
	}
	result["unresolved_fields"] = fmt.Sprint(list)
	if status := sent.status; status != http.StatusOK {
		return fmt.Errorf("HTTP %d of an answer, want 200", status)
	}
	return want.check(result)
}

// result returns the enrichment result of a response.
func (s sentLookup) result() objectV1 {
	body := said(s.answerHeader, s.answer)
	if s.over == v1.MCP {
		return body.object("result.structuredContent")
	}
	return body
}

// Refused wants a refusal, which costs nothing.
type Refused struct {
	Class      enrich.RefusalClass
	HTTP       int
	Code       string
	Retryable  bool
	RetryAfter time.Duration // zero: none is named
	AsDate     bool          // the Retry-After is a date
	// AtDoor says that it is the key that is refused: over MCP that comes before any
	// tool, so that no lookup arrives.
	AtDoor bool
}

func (w Refused) arrivals(over v1.Transport) int {
	if w.AtDoor && over == v1.MCP {
		return 0
	}
	return 1
}

func (w Refused) check(f found) error {
	refused, ok := f.Verdict.(enrich.Refused)
	if !ok {
		return fmt.Errorf("got %s, want a refusal with %s", describeVerdict(f.Verdict), w.Code)
	}
	var problems []error
	differs := func(what string, got, want any) {
		if got != want {
			problems = append(problems, fmt.Errorf("%s is %v, want %v", what, got, want))
		}
	}
	differs("the code", refused.Code, w.Code)
	differs("the class", refused.Class, w.Class)
	differs("the HTTP status", refused.HTTPStatus, w.HTTP)
	differs("the wait", refused.RetryAfter, w.RetryAfter)
	if !w.AtDoor {
		differs("whether it was sent", len(f.sent), 1)
	}
	for _, sent := range f.sent {
		problems = append(problems, w.checkWire(sent))
	}
	return errors.Join(problems...)
}

// checkWire checks the error as it was sent: in the body, or beside the result of a
// failed tool.
func (w Refused) checkWire(sent sentLookup) error {
	body := said(sent.answerHeader, sent.answer)
	want := members{"error.code": w.Code, "error.message": present{}, "error.retryable": w.Retryable, "request_id": present{}}
	failed := sent.over == v1.MCP && body["error"] == nil
	if failed {
		const meta = "result._meta.service/error."
		want = members{
			"result.isError": true, meta + "code": w.Code, meta + "retryable": w.Retryable,
			meta + "http_status": w.HTTP, meta + "request_id": present{},
		}
	}
	problems := []error{want.check(body)}
	if status := sent.status; !failed && status != w.HTTP || failed && status != http.StatusOK {
		problems = append(problems, fmt.Errorf("HTTP %d", status))
	}
	header := sent.answerHeader.Get("Retry-After")
	if wanted := w.retryAfter(sent); header != wanted {
		problems = append(problems, fmt.Errorf("the Retry-After header is %q, want %q", header, wanted))
	}
	return errors.Join(problems...)
}

// retryAfter returns the header as it has to be.
func (w Refused) retryAfter(sent sentLookup) string {
	if w.RetryAfter == 0 {
		return ""
	}
	if w.AsDate {
		date, err := http.ParseTime(sent.answerHeader.Get("Date"))
		if err != nil {
			return "a date after that of the response"
		}
		return date.Add(w.RetryAfter).UTC().Format(http.TimeFormat)
	}
	return strconv.Itoa(int(w.RetryAfter / time.Second))
}

// Lost wants a response that cannot be told: the lookup arrived once, and may have
// been charged.
type Lost struct{}

func (Lost) arrivals(v1.Transport) int { return 1 }

func (Lost) check(f found) error {
	if _, lost := f.Verdict.(enrich.Lost); !lost {
		return fmt.Errorf("got %s, want a lost response", describeVerdict(f.Verdict))
	}
	if len(f.sent) != 1 {
		return fmt.Errorf("%d requests on the wire, want 1", len(f.sent))
	}
	return nil
}

// Unsent wants a lookup that the client keeps to itself, because the service would
// refuse it.
type Unsent struct{ Code string }

func (Unsent) arrivals(v1.Transport) int { return 0 }

func (w Unsent) check(f found) error {
	refused, ok := f.Verdict.(enrich.Refused)
	if !ok || !refused.Unsent || refused.Code != w.Code || len(f.sent) != 0 {
		return fmt.Errorf("got %s and %d requests, want %s and none", describeVerdict(f.Verdict), len(f.sent), w.Code)
	}
	return nil
}

// SessionOver wants a lookup that an MCP session no longer takes: no tool is called, and
// it can be tried again.
type SessionOver struct{}

func (SessionOver) arrivals(v1.Transport) int { return 0 }

func (SessionOver) check(f found) error {
	refused, ok := f.Verdict.(enrich.Refused)
	if !ok || refused.Class != enrich.TryAgain || refused.HTTPStatus != http.StatusNotFound {
		return fmt.Errorf("got %s, want a session that is over", describeVerdict(f.Verdict))
	}
	return nil
}
