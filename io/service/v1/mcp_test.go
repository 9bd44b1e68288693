package v1

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// The sequence of the specification, with all that it sends.
func TestMCPMessagesFollowTheSequenceOfTheSpecification(t *testing.T) {
	f := newFakeMCP(t)
	client := mcpClient(t, f)
	wantAnswered(t, find(client))
	wantAnswered(t, find(client))
	client.Close()
	want := []string{
		"initialize", "notifications/initialized", "tools/list",
		"tools/call service_enrich_contact", "tools/call service_enrich_contact", "DELETE",
	}
	if diff := cmp.Diff(want, f.seen()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	bodies := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"payonce","version":"unknown"},"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"service_enrich_contact","arguments":{"company_domain":"example.com","first_name":"Ada",` +
			`"include_email":true,"include_phone":true,"include_profile":false,"last_name":"Lovelace"}}}`,
	}
	for i, body := range bodies {
		if diff := cmp.Diff(body, f.requests[i].Body); diff != "" {
			t.Errorf("message %d (-want +got):\n%s", i, diff)
		}
	}
	// The whole set of headers: one that calls the request idempotent lets net/http
	// and proxies send it again.
	header := f.requests[3].Header
	header.Del("Content-Length")
	wantHeader := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + testKey}, "Content-Type": {"application/json"},
		"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {"session-1"}, "User-Agent": {"payonce"},
	}
	if diff := cmp.Diff(wantHeader, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

func TestMCPCallsTheNarrowestTool(t *testing.T) {
	for fields, want := range map[enrich.Fields]string{
		enrich.FieldsOf(WorkEmail):     "tools/call service_find_work_email",
		enrich.FieldsOf(BusinessPhone): "tools/call service_find_phone",
		AllFields:                      "tools/call service_enrich_contact",
	} {
		f := newFakeMCP(t)
		lookup := ada()
		lookup.Fields = fields
		wantAnswered(t, mcpClient(t, f).Find(t.Context(), lookup))
		if got := f.seen()[3]; got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
}

// What the pipeline sees does not depend on the transport.
func TestMCPAnswersAsREST(t *testing.T) {
	for name, result := range map[string]string{
		"found":     foundBoth,
		"not found": `{"object":"enrichment_result","status":"not_found","data":null,"unresolved_fields":["person"]}`,
		"profile":   `{"object":"enrichment_result","status":"partial","data":{"full_name":"Ada","profile":{"big": 12345678901234567890, "a":"<&>"}}}`,
	} {
		want := find(clientOf(t, serve(t, respond(http.StatusOK, result))))
		bothWays(t, func(t *testing.T, f *fakeMCP) {
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
				respondRPC(w, m.ID, toolResult(strings.ReplaceAll(result, "\n", " ")))
			})
			if diff := cmp.Diff(want, find(mcpClient(t, f))); diff != "" {
				t.Errorf("%s: verdict (-REST +MCP):\n%s", name, diff)
			}
		})
	}
}

// An answer that was paid for is not thrown away over what stands around it.
func TestMCPAnsweredLeniently(t *testing.T) {
	text := strings.ReplaceAll(foundBoth, `"`, `\"`)
	text = strings.Join(strings.Fields(text), " ")
	for name, result := range map[string]string{
		"unknown kind of content": `{"content":[{"type":"hologram","x":1}],"structuredContent":` + foundBoth + `}`,
		"no content":              `{"structuredContent":` + foundBoth + `}`,
		"content is not a list":   `{"content":"none","structuredContent":` + foundBoth + `}`,
		"text alone":              `{"content":[{"type":"image"},{"type":"text","text":"` + text + `"}]}`,
		"structured is null":      `{"content":[{"type":"text","text":"` + text + `"}],"structuredContent":null}`,
		"isError null":            `{"isError":null,"structuredContent":` + foundBoth + `}`,
		"isError false":           `{"isError":false,"structuredContent":` + foundBoth + `}`,
		"asks for input":          `{"resultType":"input_required","inputRequests":{},"structuredContent":` + foundBoth + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, result) })
			client := mcpClient(t, f)
			if answer := wantAnswered(t, find(client)); answer.WorkEmail != "ada@example.com" {
				t.Errorf("answer %+v", answer)
			}
			f.onCall(found)
			wantAnswered(t, find(client)) // whatever the SDK made of the first
			if f.paid() != 2 {
				t.Errorf("%d calls arrived for 2 lookups", f.paid())
			}
		})
	}
	t.Run("no content type", func(t *testing.T) {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, rpcResult(m.ID, toolResult(foundBoth)))
		})
		wantAnswered(t, find(mcpClient(t, f)))
	})
}
