package v2

import (
	"context"

	"payonce/cost"
	"payonce/enrich"
)

// Finder sends lookups of the fields of v2fields. The pattern of the identity decides which operation is called.
type Finder struct {
	Client *Client
	// Prices say what units cost the user. Answers then report this money among what they used up.
	Prices Prices
}

// Find sends the lookup in exactly one request, as Client.Send does.
func (f Finder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := f.Client.Send(ctx, CallOf(lookup))
	if answered, ok := verdict.(enrich.Answered); ok && len(f.Prices) > 0 {
		var used cost.Amounts
		copy(used[:], answered.Consumed)
		answered.Consumed = Consumed(f.Prices.Priced(used))
		return answered
	}
	return verdict
}
