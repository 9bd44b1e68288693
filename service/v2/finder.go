package v2

import (
	"context"

	"payonce/enrich"
	"payonce/service/v2/calls"
)

// Finder sends lookups of the fields of v2fields. The pattern of the identity decides which operation is called.
type Finder struct{ Client *Client }

// Find sends the lookup in exactly one request, as Client.Send does.
func (f Finder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	return f.Client.Send(ctx, calls.Of(lookup))
}
