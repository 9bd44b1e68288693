package v2

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"payonce/cost"
	"payonce/io/service"
)

// StatusClient reads what is free. It uses no units and changes nothing. It may be used by many
// goroutines at a time.
type StatusClient struct {
	settings settings
	reader   *service.Reader
}

// NewStatusClient returns a client for planning. An error says what is wrong with the
// configuration; nothing is sent.
func NewStatusClient(config Config) (*StatusClient, error) {
	checked, err := config.check()
	if err != nil {
		return nil, err
	}
	return &StatusClient{checked, service.NewReader(checked.Caller, config.dialer())}, nil
}

// request is one free request.
type request struct {
	operation Operation
	id        string
	query     url.Values
	body      []byte
}

// free sends a free request. The error is an *Error when the service answered with anything but
// success, and wraps the fault of the network or of the context when it did not answer.
func (c *StatusClient) free(ctx context.Context, ask request) (service.Response, error) {
	if ask.operation.NeedsID() {
		if err := checkID(ask.id); err != nil {
			return service.Response{}, fmt.Errorf("%s: %w", ask.operation, err)
		}
	}
	said, err := c.reader.Send(ctx, c.settings.base, service.Request{
		Method: ask.operation.Method(), Path: ask.operation.Path(ask.id), Query: ask.query, Body: ask.body,
		Limit: maxBody,
	})
	if err != nil {
		return said, fmt.Errorf("%s: %w", ask.operation, err)
	}
	if failure := c.settings.failure(ask.operation, said); failure != nil {
		return said, failure
	}
	return said, nil
}

// read sends a free request and reads its response.
func read[T any](
	ctx context.Context, c *StatusClient, ask request, decode func([]byte) (T, error),
) (value T, err error) {
	said, err := c.free(ctx, ask)
	if err != nil {
		return value, err
	}
	if value, err = decode(said.Body); err != nil {
		return value, unreadable(ask.operation, said.Status, err)
	}
	return value, nil
}

func pageQuery(p Paging) url.Values {
	query := url.Values{}
	if p.Page > 0 {
		query.Set("page", strconv.Itoa(p.Page))
	}
	if p.PerPage > 0 {
		query.Set("per_page", strconv.Itoa(p.PerPage))
	}
	return query
}

// setDate sets a day of a query, unless it is zero.
func setDate(query url.Values, name string, at time.Time) {
	if !at.IsZero() {
		query.Set(name, at.UTC().Format(time.DateOnly))
	}
}

// WatchedSince asks for the watched companies. What is zero is left out.
type WatchedSince struct {
	Date   time.Time // of its day, in UTC
	Fields []string
	Paging
}

// Watched returns a page of the companies that the account watches.
func (c *StatusClient) Watched(
	ctx context.Context, since WatchedSince,
) (Page[Watched], error) {
	query := pageQuery(since.Paging)
	setDate(query, "date", since.Date)
	setFields(query, since.Fields)
	return read(ctx, c, request{operation: OpWatched, query: query}, decodeWatched)
}

func setFields(query url.Values, fields []string) {
	if len(fields) > 0 {
		query["fields"] = fields
	}
}

// EventsBetween asks for changes of a watched company. Both days count, in UTC. What is zero is
// left out.
type EventsBetween struct {
	From, To time.Time
	Fields   []string
	Paging
}

// WatchEvents returns a page of the changes of a watched company, the newest first.
func (c *StatusClient) WatchEvents(
	ctx context.Context, id string, between EventsBetween,
) (Page[Event], error) {
	query := pageQuery(between.Paging)
	setDate(query, "from_date", between.From)
	setDate(query, "to_date", between.To)
	setFields(query, between.Fields)
	return read(ctx, c, request{operation: OpWatchEvents, id: id, query: query}, decodeEvents)
}

// WatchFields returns the watched fields of a company.
func (c *StatusClient) WatchFields(ctx context.Context, id string) ([]string, error) {
	return read(ctx, c, request{operation: OpWatchFields, id: id}, fieldNames)
}

func fieldNames(body []byte) ([]string, error) {
	names, _, err := decodeFieldNames(body)
	return names, err
}

// Callback returns the address that changes are posted to. It is not known when none is set.
func (c *StatusClient) Callback(ctx context.Context) (cost.Optional[string], error) {
	return read(ctx, c, request{operation: OpGetCallback}, decodeCallback)
}

// codeNoAnswer is the code of a successful response that cannot be read.
const codeNoAnswer = "unreadable"

// Error is a response to a free request that is not its answer.
type Error struct {
	Operation  Operation
	HTTPStatus int
	Code       string // one of this package's codes, or one derived from the HTTP status
	Message    string // may be empty
}

// Refused reports whether the service itself turned the key away: asking again unchanged does not
// help.
func (e *Error) Refused() bool { return e.Code == CodeInvalidKey || e.Code == CodeRestricted }

// MayPass reports whether the service may answer the same request later.
func (e *Error) MayPass() bool {
	return e.HTTPStatus == http.StatusTooManyRequests || e.HTTPStatus >= http.StatusInternalServerError
}

// NotFound reports whether the service knows nothing of what was asked for.
func (e *Error) NotFound() bool { return e.Code == CodeNotFound }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: HTTP %d %s", e.Operation, e.HTTPStatus, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// failure returns the error that a response to a free request is, nil when it is a success.
func (s settings) failure(o Operation, r service.Response) error {
	failure := &Error{Operation: o, HTTPStatus: r.Status, Code: fmt.Sprintf("http_%d", r.Status)}
	if r.Redirects() {
		failure.Message = s.Redirected(r.Header)
		return failure
	}
	said := s.decodeComplaint(r.Body)
	if r.Status == http.StatusOK && (said.shape == unknownShape || said.shape == inputShape) {
		return nil
	}
	failure.Message, failure.Code = said.message, cmp.Or(s.codeOf(said, r.Status), failure.Code)
	if r.Status == http.StatusNotFound && failure.Code != CodeNotFound {
		failure.Message = fmt.Sprintf("it came with %s: the service does not have %s at this address", s.saying(r.Body), o)
	}
	return failure
}
