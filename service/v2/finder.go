package v2

import (
	"context"

	"payonce/enrich"
	"payonce/service/v2/calls"
	"payonce/service/v2/units"
)

// Finder sends lookups of the fields of v2fields, one field each.
type Finder struct {
	Client *Client
	// Reveal is the contact data that lookups of contacts ask for.
	Reveal units.Reveal
}

// Find sends the lookup in exactly one request, as Client.Send does.
func (f Finder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	return f.Client.Send(ctx, calls.Of(lookup, f.Reveal))
}
