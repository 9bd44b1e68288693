package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"payonce/io/sandbox/kit"
)

// exchange is one HTTP request to the MCP endpoint. The SDK words its response;
// the exchange spoils that response as the fault of the lookup wants.
type exchange struct {
	ctx   context.Context // of the HTTP request
	key   string          // the ID of the client's key
	reply atomic.Pointer[outcome]
}

type exchangeContext struct{}

// serveMCP serves one request of a client whose key is valid.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, key string) {
	if r.Method != http.MethodPost {
		s.mcp.front.ServeHTTP(w, s.carry(r, &exchange{ctx: r.Context(), key: key})) // a stream, or the end of a session
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeRPCError(w, http.StatusBadRequest, nil, invalidRequest, "the message cannot be read, or is too long")
		return
	}
	if r.Header.Get("MCP-Protocol-Version") != protocolVersion && !beginsSession(body) {
		writeRPCError(w, http.StatusBadRequest, nil, invalidRequest, "after initialization every request carries the header MCP-Protocol-Version: "+protocolVersion)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e := &exchange{ctx: r.Context(), key: key}
	recorded := &recorder{header: http.Header{}, status: http.StatusOK}
	s.mcp.front.ServeHTTP(recorded, s.carry(r, e))
	if id, unknown := unknownMethod(body); unknown && recorded.status == http.StatusBadRequest {
		// The SDK refuses it in plain text, which no client can match with its call.
		writeRPCError(w, http.StatusOK, id, methodNotFound, "the method is unknown; there are tools/list and tools/call")
		return
	}
	s.release(w, r, recorded, e.reply.Load())
}

func (s *Server) carry(r *http.Request, e *exchange) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), exchangeContext{}, e))
}

// release sends what the SDK wrote, in the way that the fault of the lookup wants.
func (s *Server) release(w http.ResponseWriter, r *http.Request, recorded *recorder, said *outcome) {
	maps.Copy(w.Header(), recorded.header)
	whole := kit.Reply{
		Status: recorded.status, ContentType: recorded.header.Get("Content-Type"), Body: recorded.body.Bytes(),
	}
	if said == nil { // no lookup
		whole.Write(w)
		return
	}
	s.setRetryAfter(w, *said)
	whole.Spoil(w, r, s.closed, said.fault)
}

// beginsSession reports whether a message is the one that may come without a
// negotiated protocol version, because it negotiates one. What is not a message is
// left to the SDK to refuse.
func beginsSession(body []byte) bool {
	var message struct{ Method string }
	return json.Unmarshal(body, &message) != nil || message.Method == "initialize"
}

// unknownMethod returns the ID of a call whose method the endpoint does not have; false
// for every other message.
func unknownMethod(body []byte) (id json.RawMessage, unknown bool) {
	var call struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(body, &call) != nil || len(call.ID) == 0 || string(call.ID) == "null" || call.Method == "" {
		return nil, false
	}
	return call.ID, !slices.Contains([]string{"initialize", "ping", "tools/list", "tools/call"}, call.Method)
}

// The JSON-RPC codes of messages that do not reach the tools.
const (
	invalidRequest = -32600
	methodNotFound = -32601
)

// writeRPCError refuses a message before it reached the tools. The ID is that of the
// call, nil when it is not known.
func writeRPCError(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	writeJSON(w, status, map[string]any{
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": message},
	})
}

// recorder keeps a response back until it is known what the client gets of it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header            { return r.header }
func (r *recorder) WriteHeader(status int)         { r.status = status }
func (r *recorder) Write(text []byte) (int, error) { return r.body.Write(text) }
func (r *recorder) Flush()                         {} // nothing goes out before its time
