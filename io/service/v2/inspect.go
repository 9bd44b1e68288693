package v2

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"payonce/io/service"
)

// Shown is the unchanged response to a free request.
type Shown struct {
	HTTPStatus int
	Body       []byte
}

// Inspect sends a free request that only reads, with any query, and returns the response unchanged. It refuses
// every other operation.
func (c *StatusClient) Inspect(ctx context.Context, o Operation, query url.Values) (Shown, error) {
	if o.Paid() || o.NeedsID() || o.Method() != http.MethodGet {
		return Shown{}, fmt.Errorf("%s is not a free reading of the account", o)
	}
	said, err := c.reader.Send(ctx, c.settings.base, service.Request{
		Method: o.Method(), Path: o.Path(""), Query: query, Limit: maxBody,
	})
	return Shown{said.Status, said.Body}, err
}

// nowhere is the path of an operation that no service has.
const nowhere = "no-such-operation"

// InspectNowhere asks for an operation that no service has, and returns the response unchanged. It reports whether the
// response says what the service says when it finds nothing: then an address that is wrong looks like an answer.
func (c *StatusClient) InspectNowhere(ctx context.Context) (shown Shown, isNotFound bool, err error) {
	said, err := c.reader.Send(ctx, c.settings.base, service.Request{Method: http.MethodGet, Path: nowhere, Limit: maxBody})
	isNotFound = said.Status == http.StatusNotFound && c.settings.isNotFound(c.settings.decodeComplaint(said.Body))
	return Shown{said.Status, said.Body}, isNotFound, err
}
