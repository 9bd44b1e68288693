package v1

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"payonce/io/service"
)

// fakeMCP is an MCP endpoint whose every byte the test decides on. It counts what
// arrives.
type fakeMCP struct {
	t *testing.T
	// stream answers as a stream of events instead of plain JSON.
	stream bool
	// tools is the result of tools/list.
	tools string

	mu sync.Mutex
	// answers are those of methods in place of what this type does.
	answers  map[string]func(w http.ResponseWriter, r *http.Request, m message)
	sessions int
	ended    map[string]bool
	arrived  []string // methods, those of calls with the tool
	requests []sent
}

// message is a JSON-RPC message as it arrives.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	tool      string
	arguments json.RawMessage
}

const openSchema = `{"type":"object"}`

// toolList returns the result of tools/list with the four known tools, the data
// tools with the given input schema.
func toolList(schema string) string {
	meta := `"_meta":{"service/access":{"plans":["payg","core"],"available":true},
		"service/pricing":{"work_email_usd":"0.15","business_phone_usd":"0.25"}}`
	tools := []string{`{"name":"service_account_status","inputSchema":{"type":"object"}}`}
	for _, name := range paidTools() {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":%s,%s}`, name, schema, meta))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

func newFakeMCP(t *testing.T) *fakeMCP {
	return &fakeMCP{
		t: t, tools: toolList(openSchema), ended: map[string]bool{},
		answers: map[string]func(http.ResponseWriter, *http.Request, message){"tools/call": found},
	}
}

// on sets the answer to a method; nil is that of this type.
func (f *fakeMCP) on(method string, answer func(w http.ResponseWriter, r *http.Request, m message)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[method] = answer
}

// onCall sets the answer to the call of a tool.
func (f *fakeMCP) onCall(answer func(w http.ResponseWriter, r *http.Request, m message)) {
	f.on("tools/call", answer)
}

func (f *fakeMCP) answer(method string) func(w http.ResponseWriter, r *http.Request, m message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answers[method]
}

// found answers with a person found.
func found(w http.ResponseWriter, _ *http.Request, m message) {
	respondRPC(w, m.ID, toolResult(foundBoth))
}

// toolResult returns the result of a tool that worked.
func toolResult(structured string) string {
	return `{"content":[{"type":"text","text":"see structuredContent"}],"structuredContent":` + structured + `}`
}

// toolFailure returns the result of a tool that failed.
func toolFailure(serviceError string) string {
	return `{"content":[{"type":"text","text":"It did not work."}],"isError":true,"_meta":{"service/error":` + serviceError + `}}`
}

func rpcResult(id json.RawMessage, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func rpcError(id json.RawMessage, code int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"It did not work."}}`, id, code)
}

func respondJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func respondRPC(w http.ResponseWriter, id json.RawMessage, result string) {
	respondJSON(w, http.StatusOK, rpcResult(id, result))
}

func (f *fakeMCP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodDelete {
		f.note("DELETE", sent{})
		f.end(r.Header.Get("Mcp-Session-Id"))
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m := f.parse(body)
	f.note(strings.TrimSpace(m.Method+" "+m.tool), sent{r.Method, r.URL.Path, r.URL.RawQuery, r.Proto, r.Header.Clone(), string(body)})
	f.checkHeader(r, m)
	if f.stream && m.ID != nil {
		stream := &streamed{ResponseWriter: w}
		defer stream.flush()
		w = stream
	}
	answer := f.answer(m.Method)
	switch {
	case m.Method != "initialize" && f.isEnded(r.Header.Get("Mcp-Session-Id")):
		http.Error(w, "session not found", http.StatusNotFound)
	case answer != nil:
		answer(w, r, m)
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", f.begin())
		respondRPC(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case m.Method == "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		respondRPC(w, m.ID, f.tools)
	default:
		f.t.Errorf("%s arrived", m.Method)
	}
}

func (f *fakeMCP) parse(body []byte) message {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		f.t.Errorf("no message arrived: %v", err)
	}
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if m.Method == "tools/call" {
		if err := json.Unmarshal(m.Params, &params); err != nil {
			f.t.Errorf("parameters: %v", err)
		}
	}
	m.tool, m.arguments = params.Name, params.Arguments
	return m
}

// checkHeader checks what every request has to carry (specification v1, "MCP
// endpoint").
func (f *fakeMCP) checkHeader(r *http.Request, m message) {
	want := map[string]string{
		"Authorization": "Bearer " + testKey, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25",
	}
	if m.Method == "initialize" {
		want["Mcp-Protocol-Version"] = ""
	}
	for name, value := range want {
		if got := r.Header.Get(name); got != value {
			f.t.Errorf("%s: header %s is %q, want %q", m.Method, name, got, value)
		}
	}
}

func (f *fakeMCP) note(what string, request sent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived = append(f.arrived, what)
	f.requests = append(f.requests, request)
}

func (f *fakeMCP) begin() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions++
	return fmt.Sprint("session-", f.sessions)
}

func (f *fakeMCP) end(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended[session] = true
}

// restart forgets every session.
func (f *fakeMCP) restart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.sessions {
		f.ended[fmt.Sprint("session-", i+1)] = true
	}
}

func (f *fakeMCP) isEnded(session string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended[session]
}

func (f *fakeMCP) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.arrived)
}

// paid returns how many calls of paid tools have arrived.
func (f *fakeMCP) paid() int {
	n := 0
	for _, what := range f.seen() {
		if tool, ok := strings.CutPrefix(what, "tools/call"+" "); ok && tool != statusTool {
			n++
		}
	}
	return n
}

// streamed turns a plain JSON response into a stream of events, after what else may
// stand in one.
type streamed struct {
	http.ResponseWriter
	status int
	body   strings.Builder
	raw    bool // written as it is
}

func (s *streamed) WriteHeader(status int) { s.status = status }

func (s *streamed) Write(text []byte) (int, error) { return s.body.Write(text) }

func (s *streamed) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *streamed) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	s.raw = true
	return s.ResponseWriter.(http.Hijacker).Hijack()
}

func (s *streamed) flush() {
	if s.raw {
		return
	}
	if s.status >= 300 || !strings.HasPrefix(s.Header().Get("Content-Type"), "application/json") {
		if s.status != 0 {
			s.ResponseWriter.WriteHeader(s.status)
		}
		_, _ = io.WriteString(s.ResponseWriter, s.body.String())
		return
	}
	s.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(s.ResponseWriter, ": hello\n\nid: 1\ndata:\nretry: 1\n\n"+
		`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}`+"\n\n"+
		`data: {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n\n"+
		`data: {"jsonrpc":"2.0","id":"other","result":{}}`+"\n\n")
	fmt.Fprintf(s.ResponseWriter, "event: message\r\nid: 2\r\ndata: %s\r\n\r\n", strings.ReplaceAll(s.body.String(), "\n", "\r\ndata: "))
}

// mcpClient returns a client that speaks MCP to the endpoint.
func mcpClient(t *testing.T, f *fakeMCP) *Client {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return dialMCP(t, server.URL, service.SystemDialer())
}

func dialMCP(t *testing.T, address string, dial service.Dialer) *Client {
	t.Helper()
	return dialOver(t, MCP, address+"/api/v1", dial)
}

// bothWays runs a test against an endpoint that answers as JSON and one that streams.
func bothWays(t *testing.T, test func(t *testing.T, f *fakeMCP)) {
	for _, stream := range []bool{false, true} {
		t.Run(map[bool]string{false: "JSON", true: "stream"}[stream], func(t *testing.T) {
			f := newFakeMCP(t)
			f.stream = stream
			test(t, f)
		})
	}
}
