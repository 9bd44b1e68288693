package v1

import (
	"net/http"
	"testing"

	"payonce/enrich"
)

// condition returns a status with an input condition on enrich.
func condition(schema string) string {
	return `{"key_valid":true,"operations":{"contact_enrichment":{"available_on_plan":true,"input_condition":` + schema + `}}}`
}

// What the account does not allow is not sent, over either transport, and what it
// allows again is.
func TestInputCondition(t *testing.T) {
	const byProfile = `{"required":["pro_network_url"]}`
	var status string
	posts := 0
	rest := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(status))
			return
		}
		posts++
		_, _ = w.Write([]byte(foundBoth))
	})
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
		if m.tool == statusTool {
			respondRPC(w, m.ID, toolResult(status))
			return
		}
		posts++
		found(w, r, m)
	})
	for name, client := range map[string]*Client{"REST": clientOf(t, rest), "MCP": mcpClient(t, f)} {
		for _, step := range []struct {
			status  string
			refuses bool
		}{
			{condition(byProfile), true},
			{condition("null"), false},
			{condition("false"), true},
			{condition(`{"$ref":"https://example.com/schema"}`), false}, // cannot be applied: the service decides
			{condition(byProfile), true},
			{`{}`, false},
		} {
			status = step.status
			if _, err := client.Status(t.Context()); err != nil {
				t.Fatal(err)
			}
			posts = 0
			verdict, accepted := find(client), client.Accepts(ada())
			if !step.refuses {
				wantAnswered(t, verdict)
				if posts != 1 || accepted != nil {
					t.Errorf("%s: %d lookups were sent, accepted %v; want 1", name, posts, accepted)
				}
				continue
			}
			refused, ok := verdict.(enrich.Refused)
			if !ok || refused.Class != enrich.InvalidInput || refused.Code != "input_condition" || !refused.Unsent || posts != 0 {
				t.Errorf("%s: verdict %+v after %d lookups, want it refused", name, verdict, posts)
			}
			if accepted == nil || accepted.Error() != refused.Message {
				t.Errorf("%s: accepted %v, want %q", name, accepted, refused.Message)
			}
			email := ada()
			email.Fields = enrich.FieldsOf(WorkEmail)
			wantAnswered(t, client.Find(t.Context(), email)) // the condition is on enrich alone
		}
	}
}
