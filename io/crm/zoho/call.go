package zoho

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"payonce/enrich"
	"payonce/io/crm"
	"payonce/io/service"
)

const (
	maxReads      = 3               // times that a read is sent when its answer is lost
	maxTurnedAway = 4               // times that a call is sent when the CRM does not process it because of a limit
	firstBackoff  = 2 * time.Second // doubles; when the CRM does not say how long to wait
	creditsPause  = time.Hour       // until the credits are checked again; they are restored within 24 hours ("API Limits")
	creditsOfCall = 3               // the most that one call of this package costs ("Query API - An Overview")
	maxRead       = 16 << 20        // bytes of an answer to a read; a query gives 2,000 records
	maxCode       = 60              // bytes of a code or a name in an answer
)

// answer is the response of the CRM, or of a gateway in front of it.
type answer struct {
	service.Response
	code, field string // of an error of the CRM; "" when the answer is not one
	details     service.Object
	permissions bool // the error names permissions that the user of the client lacks
	requestID   string
	lost        error // the request may have arrived, and there is no answer; the status is 0
}

func newAnswer(said service.Response) answer {
	a := answer{Response: said, requestID: word(said.Header.Get("X-Request-Id"))}
	problem, ok := service.ParseObject(said.Body)
	if !ok {
		return a
	}
	service.EachElement(problem["data"], func(first []byte) bool { // the answer to a change wraps the error of its record
		if wrapped, isObject := service.ParseObject(first); isObject && wrapped.Text("code") != "" {
			problem = wrapped
		}
		return false
	})
	if problem.Text("status") == "error" {
		a.code = word(problem.Text("code"))
		a.details, _ = problem.Object("details")
		a.field = word(a.details.Text("api_name"))
		a.permissions = len(a.details.Texts("permissions")) > 0
	}
	return a
}

// word returns a code, a name or an id from an answer. It returns "" for any other text, which could be a value of a
// record.
func word(text string) string {
	strange := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '_' && r != '-'
	}
	if len(text) > maxCode || strings.ContainsFunc(text, strange) {
		return ""
	}
	return text
}

func (a answer) succeeded() bool { return a.Status >= 200 && a.Status <= 299 }

// refusesToken reports whether the access token is not (or no longer) valid.
func (a answer) refusesToken() bool {
	return a.Status == http.StatusUnauthorized && (a.code == "INVALID_TOKEN" || a.code == "INVALID_OAUTHTOKEN")
}

// limited reports whether the CRM itself refused the call because of a limit.
func (a answer) limited() bool { return a.Status == http.StatusTooManyRequests && a.code != "" }

// problem is the error of an answer that is not what was asked for.
func (a answer) problem(record string) *crm.Error {
	e := &crm.Error{Code: a.code, Status: a.Status, Record: record, RequestID: a.requestID}
	switch {
	case a.lost != nil:
		e.Problem, e.Err = crm.Unreachable, a.lost
	case a.Status == http.StatusTooManyRequests:
		e.Problem, e.Err = crm.Exhausted, errors.New("a limit of the CRM account is reached")
	case a.code == "OAUTH_SCOPE_MISMATCH":
		e.Problem, e.Err = crm.Refused, errors.New("the CRM refuses the call: the refresh token does not have its scope")
	case a.code == "AUTHENTICATION_FAILURE", a.permissions, a.code != "" && a.Status == http.StatusUnauthorized:
		e.Problem, e.Err = crm.Refused, errors.New("the CRM refuses the credentials or the permissions of their user")
	case a.Redirects():
		e.Problem, e.Err = crm.Unreachable, errors.New("the CRM redirects the call, which is not followed")
	case a.code != "" && a.Status < http.StatusInternalServerError:
		e.Problem, e.Err = crm.Invalid, errors.New("the CRM rejects the call")
	default:
		e.Problem, e.Err = crm.Unreachable, errors.New("the answer does not come from the CRM, or the CRM failed")
	}
	return e
}

// unreadable is the error of an answer in another form than the CRM's. The cause contains no values.
func (a answer) unreadable(cause error) error {
	return &crm.Error{Problem: crm.Unreachable, Status: a.Status, RequestID: a.requestID, Err: fmt.Errorf("the CRM's answer cannot be read: %w", cause)}
}

// call sends a request once. It sends it again only after the CRM said that it did not process it, because of the access
// token, which is checked first, or of a limit. After an error, the request did not arrive or was refused. An answer can
// be lost.
func (c *Connector) call(ctx context.Context, ask service.Request) (answer, error) {
	refused, backoff := "", firstBackoff
	for turned := 1; ; turned++ {
		if err := c.ready(ctx); err != nil {
			return answer{}, err
		}
		token, err := c.tokens.get(ctx, refused)
		if err != nil {
			return answer{}, err
		}
		said, err := c.once(ctx, token, ask)
		switch {
		case err != nil:
			return answer{}, err
		case said.refusesToken() && refused == "":
			refused = token.Access
		case said.refusesToken():
			return answer{}, said.problem("")
		case said.limited():
			wait := max(c.retryAfter(said), backoff)
			c.pause.Begin(wait, c.config.Now())
			if turned >= maxTurnedAway {
				e := said.problem("")
				e.Until = c.config.Now().Add(wait)
				return answer{}, e
			}
			backoff *= 2
		default:
			return said, nil
		}
	}
}

func (c *Connector) retryAfter(said answer) time.Duration {
	return service.Caller{Now: c.config.Now}.RetryAfter(said.Header)
}

// once sends a request once.
func (c *Connector) once(ctx context.Context, token token, ask service.Request) (answer, error) {
	at, err := c.apiAt(token.API)
	if err != nil {
		return answer{}, err
	}
	if err := c.places.take(ctx); err != nil {
		return answer{}, err
	}
	defer c.places.leave()
	if ask.Method == http.MethodPut { // an interrupt ends no change that is under way
		ctx = context.WithoutCancel(ctx)
	}
	response, verdict := c.sender.WithKey(token.Access).Send(ctx, at, ask)
	switch v := verdict.(type) {
	case nil:
	case enrich.Lost:
		if v.RetryAfter > 0 {
			c.pause.Begin(v.RetryAfter, c.config.Now())
		}
		return answer{lost: v.Err}, nil
	default:
		return answer{}, unanswered(v)
	}
	c.limits.note(response.Header, c.config.Now())
	return newAnswer(response), nil
}

// ready waits for the end of a limit. It returns an error when that takes longer than MaxWait.
func (c *Connector) ready(ctx context.Context) error {
	now := c.config.Now()
	if until := c.limits.until(c.config.Concurrency); until.After(now) {
		return &crm.Error{Problem: crm.Exhausted, Until: until, Err: fmt.Errorf(
			"the CRM account has few API credits left, and %d of them are reserved for others", c.config.CreditReserve)}
	}
	left := c.pause.Left(now)
	if left > c.config.MaxWait {
		return &crm.Error{Problem: crm.Exhausted, Until: now.Add(left), Err: errors.New("the CRM asks to wait")}
	}
	return sleep(ctx, left)
}

// places is a semaphore that can be waited for with a context.
type places chan struct{}

func (p places) take(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p places) leave() { <-p }

func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// read sends a request that changes nothing. It sends it again when the answer is lost or is not the CRM's own.
func (c *Connector) read(ctx context.Context, ask service.Request) (answer, error) {
	ask.Limit = maxRead
	for attempt := 1; ; attempt++ {
		said, err := c.call(ctx, ask)
		if err != nil || said.succeeded() {
			return said, err
		}
		problem := said.problem("")
		if problem.Problem != crm.Unreachable || attempt == maxReads || ctx.Err() != nil {
			return answer{}, problem
		}
		if err := sleep(ctx, max(c.retryAfter(said), time.Duration(attempt)*time.Second)); err != nil {
			return answer{}, err
		}
	}
}

// credits are the API credits of the account, as its answers show them.
type credits struct {
	reserve int64
	mu      sync.Mutex
	known   bool
	left    int64
	seen    time.Time
}

// note reads the number of credits left, if the answer has it.
func (c *credits) note(header http.Header, now time.Time) {
	left, err := strconv.ParseInt(header.Get("X-Api-Credits-Remaining"), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.left, c.seen = true, left, now
}

// until returns the time before which nothing is sent, so that calls in progress do not use the reserve.
func (c *credits) until(calls int) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || c.reserve == 0 || c.left >= c.reserve+int64(calls)*creditsOfCall {
		return time.Time{}
	}
	return c.seen.Add(creditsPause)
}
