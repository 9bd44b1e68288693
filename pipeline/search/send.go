package search

import (
	"context"
	"io"
	"sync"

	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
)

// lookupsOf returns what yields the lookups of calls.
func lookupsOf(needed []v2.Call) func() (enrich.Lookup, error) {
	return func() (enrich.Lookup, error) {
		if len(needed) == 0 {
			return enrich.Lookup{}, io.EOF
		}
		call := needed[0]
		needed = needed[1:]
		return call.Lookup()
	}
}

// refusals remembers what the service said when it refused a call as invalid. Journals keep only the code.
type refusals struct {
	mu      sync.Mutex // guards message
	message string
}

// hear returns a finder that remembers refusals.
func (r *refusals) hear(finder dispatch.Finder) dispatch.Finder { return hearing{finder, r} }

func (r *refusals) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.message
}

type hearing struct {
	dispatch.Finder
	refusals *refusals
}

// Find implements dispatch.Finder.
func (h hearing) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := h.Finder.Find(ctx, lookup)
	if refused, is := verdict.(enrich.Refused); is && refused.Class == enrich.InvalidInput {
		h.refusals.mu.Lock()
		defer h.refusals.mu.Unlock()
		h.refusals.message = refused.Message
	}
	return verdict
}
