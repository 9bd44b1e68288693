package v1

import (
	"context"
	"encoding/json"
	"net/http"

	"payonce/enrich"
	"payonce/io/service"
)

// restLookups sends lookups over REST.
type restLookups struct {
	settings
	sender *service.Sender
}

// send sends the question in exactly one POST.
func (r *restLookups) send(ctx context.Context, q question) (reply, enrich.Verdict) {
	body, err := json.Marshal(q.body)
	if err != nil {
		return reply{}, enrich.NotSent{Err: err}
	}
	said, verdict := r.sender.Post(ctx, r.base, r.names.path(q.operation), body)
	if verdict != nil {
		return reply{}, verdict
	}
	if said.Status == http.StatusOK {
		return reply{Response: said}, nil // a result, which complains of nothing
	}
	return r.replyOf(said), nil
}

func (r *restLookups) close() { r.sender.Close() }
