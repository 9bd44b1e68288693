package v1

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"payonce/enrich"
)

// mark is a byte order mark, which editors and gateways put before a text.
const mark = "\uFEFF"

// TestAnAnswerIsReadBelowAByteOrderMark puts a byte order mark before every text in which an answer can come.
func TestAnAnswerIsReadBelowAByteOrderMark(t *testing.T) {
	line := strings.Join(strings.Fields(foundBoth), " ")
	text := strings.ReplaceAll(line, `"`, `\"`)
	overMCP := func(answer func(w http.ResponseWriter, m message)) func(*testing.T) *Client {
		return func(t *testing.T) *Client {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { answer(w, m) })
			return mcpClient(t, f)
		}
	}
	event := func(prefix string) func(*testing.T) *Client {
		return overMCP(func(w http.ResponseWriter, m message) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, prefix, rpcResult(m.ID, toolResult(line)))
		})
	}
	for name, client := range map[string]func(*testing.T) *Client{
		"REST": func(t *testing.T) *Client { return clientOf(t, serve(t, respond(http.StatusOK, mark+foundBoth))) },
		"REST, twice, as text": func(t *testing.T) *Client {
			return clientOf(t, serve(t, respond(http.StatusOK, mark+mark+foundBoth, "Content-Type", "text/plain")))
		},
		"MCP message": overMCP(func(w http.ResponseWriter, m message) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, mark+rpcResult(m.ID, toolResult(line)))
		}),
		"MCP stream": event(mark + "data: %s\n\n"),
		"MCP event":  event("data: " + mark + "%s\n\n"),
		"MCP text": overMCP(func(w http.ResponseWriter, m message) {
			respondRPC(w, m.ID, `{"content":[{"type":"text","text":"`+mark+text+`"}]}`)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			if answer := wantAnswered(t, find(client(t))); answer.WorkEmail != "ada@example.com" {
				t.Errorf("answer %+v", answer)
			}
		})
	}
}

// TestARefusalIsReadBelowAByteOrderMark: the code below the mark decides.
func TestARefusalIsReadBelowAByteOrderMark(t *testing.T) {
	server := serve(t, respond(http.StatusServiceUnavailable, mark+errorBody("temporarily_unavailable", "true")))
	refused, ok := find(clientOf(t, server)).(enrich.Refused)
	if !ok || refused.Code != "temporarily_unavailable" || refused.Class != enrich.TryAgain {
		t.Errorf("verdict %+v", refused)
	}
}

// TestTheCauseOfALostLookupSaysWhatCame looks at the reasons that are kept with a lookup in doubt.
func TestTheCauseOfALostLookupSaysWhatCame(t *testing.T) {
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{200, "\xFF\xFE{\x00}\x00", "HTTP 200 with a text in UTF-16, which is not an enrichment result: the body is not a JSON object"},
		{504, `{"errors":["ada@example.com"]}`, "HTTP 504 with a JSON object with errors, which is not an error of the service"},
	} {
		err := wantLost(t, find(clientOf(t, serve(t, respond(test.status, test.body)))))
		if err.Error() != test.want {
			t.Errorf("%s, want %s", err, test.want)
		}
	}
}
