package v1

import (
	"context"

	"payonce/enrich"
	"payonce/io/service"
)

// Client sends lookups, which are paid for. Its StatusClient is the part that
// spends nothing. It may be used by many goroutines at a time.
type Client struct {
	*StatusClient
	lookups lookups
	wait    service.Wait
}

// lookups is the way in which lookups are sent.
type lookups interface {
	// send sends the question in at most one POST, whatever becomes of it. It returns
	// what the service said, or the verdict when it said nothing. The end of ctx does
	// end it; it has its own time-out.
	send(ctx context.Context, q question) (reply, enrich.Verdict)
	// close lets go of what is idle.
	close()
}

// NewClient returns a client for a run. An error says what is wrong with the
// configuration; nothing is sent.
func NewClient(config Config) (*Client, error) {
	checked, err := config.check()
	if err != nil {
		return nil, err
	}
	client := &Client{StatusClient: newStatusClient(checked, config.dialer())}
	sender := service.NewSender(checked.Caller, config.dialer(), config.MaxConnections)
	if checked.transport == MCP {
		client.lookups = newMCPLookups(checked, sender)
	} else {
		client.lookups = &restLookups{checked, sender}
	}
	return client, nil
}

// Close closes the connections that are idle and ends the sessions that are. It
// takes a few seconds at most. Lookups under way go on.
func (c *Client) Close() { c.lookups.close() }

// Find sends the lookup in exactly one POST and returns what became of it. The
// end of ctx does not cut it short, since a response that nobody waits for may
// be paid for all the same: it ends with the response or with the time-out.
//
// A lookup that does not fulfil what the service says of its input, as far as the
// last Status and OpenAPI of this client have shown it, is not sent: it is
// enrich.Refused and Unsent. So is one within the wait that a lost response asked for.
func (c *Client) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	q, err := c.settings.question(lookup)
	if err != nil {
		return enrich.NotSent{Err: err}
	}
	if unfit := c.inputs.check(q); unfit != nil {
		return unfit.refused()
	}
	if left := c.wait.Left(c.settings.Now()); left > 0 {
		return askedToWait("asked_to_wait", left)
	}
	said, verdict := c.lookups.send(context.WithoutCancel(ctx), q)
	if verdict == nil {
		verdict = c.settings.verdict(said)
	}
	if lost, ok := verdict.(enrich.Lost); ok {
		c.wait.Begin(lost.RetryAfter, c.settings.Now())
	}
	return verdict
}
