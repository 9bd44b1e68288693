package v1

import (
	"context"
	"fmt"
	"net/http"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// StatusClient makes the calls that are free. It has no method that spends. It may
// be used by many goroutines at a time.
type StatusClient struct {
	settings settings
	reader   *service.Reader
	mcp      *mcpReads
	inputs   *inputs
}

// NewStatusClient returns a client for planning. An error says what is wrong with
// the configuration; nothing is sent.
func NewStatusClient(config Config) (*StatusClient, error) {
	checked, err := config.check()
	if err != nil {
		return nil, err
	}
	return newStatusClient(checked, config.dialer()), nil
}

func newStatusClient(checked settings, dial service.Dialer) *StatusClient {
	reader := service.NewReader(checked.Caller, dial)
	return &StatusClient{
		settings: checked,
		reader:   reader,
		mcp:      newMCPReads(checked, reader),
		inputs:   new(inputs),
	}
}

// Status returns a snapshot of the account. An error is a *StatusError when the
// service answered with anything else, and wraps the fault of the network or of
// the context when it did not answer.
func (c *StatusClient) Status(ctx context.Context) (cost.Account, error) {
	account, _, _, err := c.readStatus(ctx)
	return account, err
}

// readStatus returns the account, the status object that it stands in and the reply
// that brought it. It keeps the conditions of the status for later lookups.
func (c *StatusClient) readStatus(ctx context.Context) (cost.Account, service.Object, reply, error) {
	asked := c.settings.Now()
	said, err := c.askStatus(ctx)
	if err != nil {
		return cost.Account{}, nil, reply{}, fmt.Errorf("account status: %w", err)
	}
	account, status, err := c.settings.account(said)
	if err != nil {
		return cost.Account{}, nil, said, err
	}
	account.ReadAt = said.sentAt(asked)
	c.inputs.learnConditions(status)
	return account, status, said, nil
}

func (c *StatusClient) askStatus(ctx context.Context) (reply, error) {
	if c.settings.transport == MCP {
		return c.mcp.status(ctx)
	}
	return c.get(ctx, c.settings.names.AccountStatus, true, service.MaxBody)
}

// get reads a free resource of at most limit bytes.
func (c *StatusClient) get(ctx context.Context, path string, signed bool, limit int64) (reply, error) {
	said, err := c.reader.Get(ctx, c.settings.base, path, signed, limit)
	if err != nil {
		return reply{}, err
	}
	return c.settings.replyOf(said), nil
}

// Accepts says why a lookup is not sent because it does not fulfil what the service
// says of its input, as far as the last Status and OpenAPI of this client have
// shown it; nil when nothing speaks against it. Nothing is sent.
func (c *StatusClient) Accepts(lookup enrich.Lookup) error {
	q, err := c.settings.question(lookup)
	if err != nil {
		return err
	}
	if unfit := c.inputs.check(q); unfit != nil {
		return unfit
	}
	return nil
}

// StatusError is a response to the status request that is not an account status.
type StatusError struct {
	Address    string // the name of the address that was asked
	HTTPStatus int    // 0 when a failed MCP tool does not give one
	Code       string // the service's error code, or one derived from the HTTP status
	Message    string // may be empty
	RequestID  string // may be empty
}

// Refused reports whether the service itself turned the key or the workspace
// away (specification v1, "Authentication"): asking again unchanged does not help.
func (e *StatusError) Refused() bool {
	return e.HTTPStatus == http.StatusUnauthorized || e.HTTPStatus == http.StatusForbidden
}

func (e *StatusError) Error() string {
	text := "account status: " + e.Code
	if e.HTTPStatus != 0 {
		text = fmt.Sprintf("account status: HTTP %d %s", e.HTTPStatus, e.Code)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}
