package v1

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"payonce/enrich"
)

// called returns what the service said to the call of a tool, or the verdict when
// it said nothing. cut is the error of the call's context.
func (m mcpEndpoint) called(e *exchange, cut error) (reply, enrich.Verdict) {
	switch {
	case !e.called:
		return reply{}, enrich.NotSent{Err: errors.Join(errors.New("the MCP session was over before anything was sent"), cut)}
	case e.err != nil && e.reply.status == 0:
		return reply{}, e.flight.unanswered(m.mcpPlace(), e.err)
	case e.err != nil:
		return reply{}, m.brokenOff(e.reply, e.err)
	case e.succeeded():
		return m.toolReply(e.message, e.reply.header)
	}
	if refused, ok := m.refusedByProtocol(e); ok {
		return reply{}, refused
	}
	return e.reply, nil
}

// refusedByProtocol reads a response that is no success as the endpoint's refusal to
// pass the call on to the tool.
func (m mcpEndpoint) refusedByProtocol(e *exchange) (enrich.Refused, bool) {
	status := e.reply.status
	if e.reply.said.isServices(status) || refusesAlone(status) && status != http.StatusBadRequest {
		return enrich.Refused{}, false // the service's own words, or its status, say more
	}
	refused, ok := m.refusedByRPC(e.message, status)
	// MCP, "Session Management": an endpoint that does not know a session says 404 to
	// every message in it. Others say 400, and call the request invalid.
	unknown := status == http.StatusNotFound && e.inSession
	if unknown || status == http.StatusBadRequest && (!ok || refused.Code == codeInvalidRequest) {
		refused, ok = enrich.Refused{
			Class: enrich.TryAgain, HTTPStatus: status, Code: "mcp_session_ended",
			Message: "the endpoint does not take the message in this session",
		}, true
	}
	refused.RetryAfter = retryAfter(e.reply.header, m.now())
	return refused, ok
}

// The errors of JSON-RPC that come before a method runs. Any other, such as the
// internal error, may come after the tool has done its work. So may invalid
// parameters: servers answer with it as well when a tool's result does not fit its
// output schema. Only the HTTP status 400 says that the message went no further.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcUnknownMethod  = -32601
	rpcInvalidParams  = -32602

	codeInvalidRequest = "mcp_invalid_request"
)

// refusedByRPC reads a JSON-RPC error as a refusal to run the tool; false when it is
// none.
func (m mcpEndpoint) refusedByRPC(message object, status int) (enrich.Refused, bool) {
	fault, _ := message.object("error")
	refused := enrich.Refused{Class: enrich.StopRun, HTTPStatus: status, Message: m.plain(fault.text("message"), maxMessage)}
	code := fault.integer("code").Value
	if code == rpcInvalidParams && status != http.StatusBadRequest {
		return enrich.Refused{}, false
	}
	switch code {
	case rpcParseError:
		refused.Code = "mcp_parse_error"
	case rpcInvalidRequest:
		refused.Code = codeInvalidRequest
	case rpcUnknownMethod:
		refused.Code = "mcp_method_not_found"
	case rpcInvalidParams:
		refused.Code, refused.Class = "mcp_invalid_params", enrich.InvalidInput
	default:
		return enrich.Refused{}, false
	}
	return refused, true
}

// toolReply reads the JSON-RPC response to the call of a tool: an error of the
// protocol first, then whether the tool failed, then its result (specification v1,
// "MCP endpoint").
func (m mcpEndpoint) toolReply(message object, header http.Header) (reply, enrich.Verdict) {
	if _, failed := message.object("error"); failed {
		if refused, ok := m.refusedByRPC(message, http.StatusOK); ok {
			refused.RetryAfter = retryAfter(header, m.now())
			return reply{}, refused
		}
		fault, _ := message.object("error")
		return reply{}, m.lost(reply{header: header}, fmt.Errorf("JSON-RPC error %d, which may come after the tool has run", fault.integer("code").Value))
	}
	result, ok := message.object("result")
	if !ok {
		return reply{}, m.lost(reply{header: header}, errors.New("the JSON-RPC response has no result"))
	}
	failed := result.boolean("isError")
	if _, said := result["isError"]; said && !failed.Known && !result.isNull("isError") {
		return reply{}, m.lost(reply{header: header}, errors.New("the result does not say whether the tool failed"))
	}
	if failed.Value {
		return m.failedTool(result, header), nil
	}
	return reply{status: http.StatusOK, header: header, body: structured(result)}, nil
}

// failedTool reads the error of a failed tool. One without an HTTP status that says
// so is judged with less trust, as a status that is not known.
func (m mcpEndpoint) failedTool(result object, header http.Header) reply {
	meta, _ := result.object("_meta")
	fault, _ := meta.object(metaError)
	r := reply{header: header, said: complaint{
		code:      m.plain(fault.text("code"), maxName),
		message:   m.plain(firstText(result), maxMessage),
		retryable: fault.boolean("retryable"),
		requestID: m.plain(fault.text("request_id"), maxName),
	}}
	if text := fault.text("message"); text != "" {
		r.said.message = m.plain(text, maxMessage)
	}
	if status := fault.integer("http_status").Value; status >= 400 && status <= 599 {
		r.status = int(status)
	}
	if seconds := fault.integer("retry_after").Value; seconds > 0 {
		r.said.wait = min(time.Duration(min(seconds, int64(maxRetryAfter/time.Second)))*time.Second, maxRetryAfter)
	}
	return r
}

// structured returns the structured result, or what the first text holds where there
// is none: both are the same (MCP, "Structured Content").
func structured(result object) []byte {
	if _, ok := result.object("structuredContent"); ok {
		return result["structuredContent"]
	}
	return []byte(firstText(result))
}

// firstText returns the first text of a result's content, "" for none.
func firstText(result object) string {
	var content []json.RawMessage
	if json.Unmarshal(result["content"], &content) != nil {
		return ""
	}
	for _, part := range content {
		block, _ := parseObject(part)
		if block.string("type").Value == "text" {
			return block.string("text").Value
		}
	}
	return ""
}
