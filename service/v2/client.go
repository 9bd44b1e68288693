package v2

import (
	"context"
	"net/http"
	"sync"
	"time"

	"payonce/enrich"
	"payonce/service/paidhttp"
	"payonce/service/v2/answers"
	"payonce/service/v2/calls"
	"payonce/service/v2/records"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// Client makes the calls that use units. Its WatchClient is the part that uses none. It may be
// used by many goroutines at a time.
type Client struct {
	*WatchClient
	sender *paidhttp.Sender
	wait   paidhttp.Wait
	large  sync.Mutex // held while a large response is decoded
}

// NewClient returns a client for a run. An error says what is wrong with the configuration;
// nothing is sent.
func NewClient(config Config) (*Client, error) {
	free, err := NewWatchClient(config)
	if err != nil {
		return nil, err
	}
	sender := paidhttp.NewSender(free.settings.Caller, config.dialer(), config.MaxConnections)
	return &Client{WatchClient: free, sender: sender}, nil
}

// Close closes the connections that are idle. Calls under way go on.
func (c *Client) Close() { c.sender.Close() }

// Send sends a call in exactly one request and returns what became of it. The end of ctx does not
// cut it short, since a response that nobody waits for may be counted all the same: it ends with
// the response or with the time-out.
//
// A call that the service would refuse is not sent: it is enrich.Refused and Unsent. So is one
// within the wait that a lost response asked for.
func (c *Client) Send(ctx context.Context, call calls.Call) enrich.Verdict {
	if err := call.Check(); err != nil {
		return enrich.Refused{
			Class: enrich.InvalidInput, Unsent: true, Code: CodeInvalidRequest, Message: err.Error(),
		}
	}
	asked := c.settings.Now()
	if left := c.wait.Left(asked); left > 0 {
		return enrich.Refused{
			Class: enrich.SlowDown, Unsent: true, Code: CodeAskedToWait, RetryAfter: left,
			Message: "a gateway of the service asks to wait",
		}
	}
	said, verdict := c.sender.Send(context.WithoutCancel(ctx), c.settings.base, paidhttp.Request{
		Method: call.Operation.Method(), Path: call.Path(), Query: call.Query, Body: call.Body, Limit: MaxBody,
	})
	if verdict == nil {
		verdict = c.judge(call, said, asked)
	}
	if lost, ok := verdict.(enrich.Lost); ok {
		c.wait.Begin(lost.RetryAfter, c.settings.Now())
	}
	return verdict
}

// largeBody is the size, in bytes, from which responses are decoded one at a time. The values of a response take
// many times its size.
const largeBody = 1 << 20

// judge returns what a response says of its call.
func (c *Client) judge(call calls.Call, said paidhttp.Response, asked time.Time) enrich.Verdict {
	if len(said.Body) >= largeBody {
		c.large.Lock()
		defer c.large.Unlock()
	}
	return c.settings.judge(call, said, asked)
}

// ask sends a call and reads its answer. The value is zero unless the verdict is an answer.
func ask[T any](
	ctx context.Context, c *Client, call calls.Call, read func(enrich.Answered) (T, error),
) (value T, verdict enrich.Verdict) {
	verdict = c.Send(ctx, call)
	if answered, ok := verdict.(enrich.Answered); ok {
		// What judge took for an answer can be read.
		value, _ = read(answered)
	}
	return value, verdict
}

// Prospecting searches companies by filters.
func (c *Client) Prospecting(
	ctx context.Context, filters calls.CompanyFilters, page calls.Paging,
) (records.Page[records.CompanyItem], enrich.Verdict) {
	return ask(ctx, c, calls.Prospecting(filters, page), answers.Companies)
}

// Overview searches companies by what names them.
func (c *Client) Overview(
	ctx context.Context, search calls.CompanySearch,
) (records.Page[records.CompanyItem], enrich.Verdict) {
	return ask(ctx, c, calls.Overview(search), answers.Companies)
}

// Company returns a company by its identifier.
func (c *Client) Company(ctx context.Context, id string) (records.Company, enrich.Verdict) {
	return ask(ctx, c, calls.Company(id), answers.Company)
}

// CompanyByURL enriches the company of a website.
func (c *Client) CompanyByURL(ctx context.Context, website string) (records.Company, enrich.Verdict) {
	return ask(ctx, c, calls.CompanyByURL(website), answers.Company)
}

// CompanyByProfile enriches the company of a profile URL.
func (c *Client) CompanyByProfile(ctx context.Context, address string) (records.Company, enrich.Verdict) {
	return ask(ctx, c, calls.CompanyByProfile(address), answers.Company)
}

// CompanyByNumber enriches the company with a registration or VAT number.
func (c *Client) CompanyByNumber(
	ctx context.Context, numbers calls.CompanyNumbers,
) (records.Company, enrich.Verdict) {
	return ask(ctx, c, calls.CompanyByNumber(numbers), answers.Company)
}

// Autocomplete lets the service choose the company that is meant.
func (c *Client) Autocomplete(
	ctx context.Context, known calls.PartialCompany,
) (records.Company, enrich.Verdict) {
	return ask(ctx, c, calls.Autocomplete(known), answers.Company)
}

// Employees searches the employees of a company.
func (c *Client) Employees(
	ctx context.Context, filters calls.EmployeeFilters, page calls.Paging,
) (records.Page[records.EmployeeItem], enrich.Verdict) {
	return ask(ctx, c, calls.Employees(filters, page), answers.Employees)
}

// Employee returns an employee by its identifier, with all contact data.
func (c *Client) Employee(ctx context.Context, id string) (records.Employee, enrich.Verdict) {
	return ask(ctx, c, calls.Employee(id), answers.Employee)
}

// ContactByEmail enriches the contact with an email.
func (c *Client) ContactByEmail(
	ctx context.Context, email string, revealPhone bool,
) (records.Employee, enrich.Verdict) {
	return ask(ctx, c, calls.ContactByEmail(email, revealPhone), answers.Employee)
}

// ContactByProfile enriches the contact with a profile URL.
func (c *Client) ContactByProfile(
	ctx context.Context, address string, reveal units.Reveal,
) (records.Employee, enrich.Verdict) {
	return ask(ctx, c, calls.ContactByProfile(address, reveal), answers.Employee)
}

// Contact enriches the contact that is named in any way.
func (c *Client) Contact(
	ctx context.Context, known calls.PartialContact, reveal units.Reveal,
) (records.Employee, enrich.Verdict) {
	return ask(ctx, c, calls.Contact(known, reveal), answers.Employee)
}

// People searches people by their companies, places and seniorities.
func (c *Client) People(
	ctx context.Context, search calls.PeopleSearch,
) (records.Page[records.Person], enrich.Verdict) {
	return ask(ctx, c, calls.People(search), answers.People)
}

// Financials returns the financial figures of a company, of all years when year is 0.
func (c *Client) Financials(ctx context.Context, id string, year int) (records.Financials, enrich.Verdict) {
	return ask(ctx, c, calls.Financials(id, year), answers.Financials)
}

// InsightsSearch finds the companies that have digital insights.
func (c *Client) InsightsSearch(
	ctx context.Context, named calls.NamedCompany,
) (records.Page[records.CompanyItem], enrich.Verdict) {
	return ask(ctx, c, calls.InsightsSearch(named), answers.Candidates)
}

// Insights returns the digital insights of a company.
func (c *Client) Insights(ctx context.Context, id string) (records.Insights, enrich.Verdict) {
	return ask(ctx, c, calls.Insights(id), answers.Insights)
}

// OwnershipSearch finds the companies whose ownership is known.
func (c *Client) OwnershipSearch(
	ctx context.Context, named calls.NamedCompany,
) (records.Page[records.CompanyItem], enrich.Verdict) {
	return ask(ctx, c, calls.OwnershipSearch(named), answers.Candidates)
}

// Ownership returns the shareholders and the group of a company.
func (c *Client) Ownership(ctx context.Context, id string) (records.Ownership, enrich.Verdict) {
	return ask(ctx, c, calls.Ownership(id), answers.Ownership)
}

// WatchStart watches fields of a company. It uses a unit while the company is watched.
func (c *Client) WatchStart(ctx context.Context, id string, fields []string) enrich.Verdict {
	return c.Send(ctx, calls.WatchStart(id, fields))
}

// isSuccess reports whether an HTTP status is that of a successful response (specification v2, "Endpoints").
func isSuccess(o v2fields.Operation, status int) bool {
	if o == v2fields.WatchStart {
		return status == http.StatusCreated
	}
	return status == http.StatusOK
}
