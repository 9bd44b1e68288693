package v2

import (
	"context"
	"net/http"
	"sync"
	"time"

	"payonce/enrich"
	"payonce/io/service"
)

// Client makes the calls that use units. Its WatchClient is the part that uses none. It may be
// used by many goroutines at a time.
type Client struct {
	*WatchClient
	sender *service.Sender
	wait   service.Wait
	large  sync.Mutex // held while a large response is decoded
}

// NewClient returns a client for a run. An error says what is wrong with the configuration;
// nothing is sent.
func NewClient(config Config) (*Client, error) {
	free, err := NewWatchClient(config)
	if err != nil {
		return nil, err
	}
	sender := service.NewSender(free.settings.Caller, config.dialer(), config.MaxConnections)
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
func (c *Client) Send(ctx context.Context, call Call) enrich.Verdict {
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
	said, verdict := c.sender.Send(context.WithoutCancel(ctx), c.settings.base, service.Request{
		Method: call.Operation.Method(), Path: call.Path(), Query: call.Query, Body: call.Body, Limit: maxBody,
	})
	if verdict == nil {
		verdict = c.verdict(call, said, asked)
	}
	if lost, ok := verdict.(enrich.Lost); ok {
		c.wait.Begin(lost.RetryAfter, c.settings.Now())
	}
	return verdict
}

// largeBody is the size, in bytes, from which responses are decoded one at a time. The values of a response take
// many times its size.
const largeBody = 1 << 20

// verdict returns what a response says of its call.
func (c *Client) verdict(call Call, said service.Response, asked time.Time) enrich.Verdict {
	if len(said.Body) >= largeBody {
		c.large.Lock()
		defer c.large.Unlock()
	}
	return c.settings.verdict(call, said, asked)
}

// ask sends a call and reads its answer. The value is zero unless the verdict is an answer.
func ask[T any](
	ctx context.Context, c *Client, call Call, read func(Answer) (T, error),
) (value T, verdict enrich.Verdict) {
	verdict = c.Send(ctx, call)
	if answered, ok := verdict.(enrich.Answered); ok {
		// What verdict took for an answer can be read.
		value, _ = Read(answered, read)
	}
	return value, verdict
}

// Prospecting searches companies by filters.
func (c *Client) Prospecting(
	ctx context.Context, filters CompanyFilters, page Paging,
) (Page[CompanyItem], enrich.Verdict) {
	return ask(ctx, c, ProspectingCall(filters, page), Answer.Companies)
}

// Overview searches companies by what names them.
func (c *Client) Overview(
	ctx context.Context, search CompanySearch,
) (Page[CompanyItem], enrich.Verdict) {
	return ask(ctx, c, OverviewCall(search), Answer.Companies)
}

// Company returns a company by its identifier.
func (c *Client) Company(ctx context.Context, id string) (Company, enrich.Verdict) {
	return ask(ctx, c, CompanyCall(id), Answer.Company)
}

// CompanyByURL enriches the company of a website.
func (c *Client) CompanyByURL(ctx context.Context, website string) (Company, enrich.Verdict) {
	return ask(ctx, c, CompanyByURLCall(website), Answer.Company)
}

// CompanyByProfile enriches the company of a profile URL.
func (c *Client) CompanyByProfile(ctx context.Context, address string) (Company, enrich.Verdict) {
	return ask(ctx, c, CompanyByProfileCall(address), Answer.Company)
}

// CompanyByNumber enriches the company with a registration or VAT number.
func (c *Client) CompanyByNumber(
	ctx context.Context, numbers CompanyNumbers,
) (Company, enrich.Verdict) {
	return ask(ctx, c, CompanyByNumberCall(numbers), Answer.Company)
}

// Autocomplete lets the service choose the company that is meant.
func (c *Client) Autocomplete(
	ctx context.Context, known PartialCompany,
) (Company, enrich.Verdict) {
	return ask(ctx, c, AutocompleteCall(known), Answer.Company)
}

// Employees searches the employees of a company.
func (c *Client) Employees(
	ctx context.Context, filters EmployeeFilters, page Paging,
) (Page[EmployeeItem], enrich.Verdict) {
	return ask(ctx, c, EmployeesCall(filters, page), Answer.Employees)
}

// Employee returns an employee by its identifier, with all contact data.
func (c *Client) Employee(ctx context.Context, id string) (Employee, enrich.Verdict) {
	return ask(ctx, c, EmployeeCall(id), Answer.Employee)
}

// ContactByEmail enriches the contact with an email.
func (c *Client) ContactByEmail(
	ctx context.Context, email string, revealPhone bool,
) (Employee, enrich.Verdict) {
	return ask(ctx, c, ContactByEmailCall(email, revealPhone), Answer.Employee)
}

// ContactByProfile enriches the contact with a profile URL.
func (c *Client) ContactByProfile(
	ctx context.Context, address string, reveal Reveal,
) (Employee, enrich.Verdict) {
	return ask(ctx, c, ContactByProfileCall(address, reveal), Answer.Employee)
}

// Contact enriches the contact that is named in any way.
func (c *Client) Contact(
	ctx context.Context, known PartialContact, reveal Reveal,
) (Employee, enrich.Verdict) {
	return ask(ctx, c, ContactCall(known, reveal), Answer.Employee)
}

// People searches people by their companies, places and seniorities.
func (c *Client) People(
	ctx context.Context, search PeopleSearch,
) (Page[Person], enrich.Verdict) {
	return ask(ctx, c, PeopleCall(search), Answer.People)
}

// Financials returns the financial figures of a company, of all years when year is 0.
func (c *Client) Financials(ctx context.Context, id string, year int) (Financials, enrich.Verdict) {
	return ask(ctx, c, FinancialsCall(id, year), Answer.Financials)
}

// InsightsSearch finds the companies that have digital insights.
func (c *Client) InsightsSearch(
	ctx context.Context, named NamedCompany,
) (Page[CompanyItem], enrich.Verdict) {
	return ask(ctx, c, InsightsSearchCall(named), Answer.Candidates)
}

// Insights returns the digital insights of a company.
func (c *Client) Insights(ctx context.Context, id string) (Insights, enrich.Verdict) {
	return ask(ctx, c, InsightsCall(id), Answer.Insights)
}

// OwnershipSearch finds the companies whose ownership is known.
func (c *Client) OwnershipSearch(
	ctx context.Context, named NamedCompany,
) (Page[CompanyItem], enrich.Verdict) {
	return ask(ctx, c, OwnershipSearchCall(named), Answer.Candidates)
}

// Ownership returns the shareholders and the group of a company.
func (c *Client) Ownership(ctx context.Context, id string) (Ownership, enrich.Verdict) {
	return ask(ctx, c, OwnershipCall(id), Answer.Ownership)
}

// WatchStart watches fields of a company. It uses a unit while the company is watched.
func (c *Client) WatchStart(ctx context.Context, id string, fields []string) enrich.Verdict {
	return c.Send(ctx, WatchStartCall(id, fields))
}

// isSuccess reports whether an HTTP status is that of a successful response (specification v2, "Endpoints").
func isSuccess(o Operation, status int) bool {
	if o == OpWatchStart {
		return status == http.StatusCreated
	}
	return status == http.StatusOK
}
