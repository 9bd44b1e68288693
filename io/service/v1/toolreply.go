package v1

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/io/service"
)

// called returns what the service said to the call of a tool, or the verdict when
// it said nothing. cut is the error of the call's context.
func (m mcpEndpoint) called(call *service.MCPCall, cut error) (reply, enrich.Verdict) {
	switch {
	case !call.Sent:
		return reply{}, enrich.NotSent{Err: errors.Join(errors.New("the MCP session was over before anything was sent"), cut)}
	case call.Err != nil && call.Response.Status == 0:
		return reply{}, call.Flight.Unanswered(m.mcp, call.Err)
	case call.Err != nil:
		return reply{}, m.BrokenOff(call.Response, call.Err)
	case call.Succeeded():
		return m.toolReply(call.Message, call.Response.Header)
	}
	said := m.replyOf(call.Response)
	if refused, ok := m.refusedByProtocol(call, said); ok {
		return reply{}, refused
	}
	return said, nil
}

// refusedByProtocol reads a response that is not a success as the endpoint's refusal to
// pass the call on to the tool.
func (m mcpEndpoint) refusedByProtocol(call *service.MCPCall, r reply) (enrich.Refused, bool) {
	status := r.Status
	if r.said.isServices(status) || refusesAlone(status) && status != http.StatusBadRequest {
		return enrich.Refused{}, false // the service's own words, or its status, say more
	}
	refused, ok := m.refusedByRPC(call.Message, status)
	// MCP, "Session Management": an endpoint that does not know a session says 404 to
	// every message in it. Others say 400, and call the request invalid.
	unknown := status == http.StatusNotFound && call.InSession
	if unknown || status == http.StatusBadRequest && (!ok || refused.Code == codeInvalidRequest) {
		refused, ok = enrich.Refused{
			Class: enrich.TryAgain, HTTPStatus: status, Code: "mcp_session_ended",
			Message: "the endpoint does not take the message in this session",
		}, true
	}
	refused.RetryAfter = m.RetryAfter(r.Header)
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
func (m mcpEndpoint) refusedByRPC(message service.Object, status int) (enrich.Refused, bool) {
	fault, _ := message.Object("error")
	refused := enrich.Refused{Class: enrich.StopRun, HTTPStatus: status, Message: m.Plain(fault.Text("message"), maxMessage)}
	code := fault.Integer("code").Value
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
func (m mcpEndpoint) toolReply(message service.Object, header http.Header) (reply, enrich.Verdict) {
	if _, failed := message.Object("error"); failed {
		if refused, ok := m.refusedByRPC(message, http.StatusOK); ok {
			refused.RetryAfter = m.RetryAfter(header)
			return reply{}, refused
		}
		fault, _ := message.Object("error")
		return reply{}, m.lost(reply{Response: service.Response{Header: header}}, fmt.Errorf("JSON-RPC error %d, which may come after the tool has run", fault.Integer("code").Value))
	}
	result, ok := message.Object("result")
	if !ok {
		return reply{}, m.lost(reply{Response: service.Response{Header: header}}, errors.New("the JSON-RPC response has no result"))
	}
	failed := result.Bool("isError")
	if _, said := result["isError"]; said && !failed.Known && !result.IsNull("isError") {
		return reply{}, m.lost(reply{Response: service.Response{Header: header}}, errors.New("the result does not say whether the tool failed"))
	}
	if failed.Value {
		return m.failedTool(result, header), nil
	}
	return reply{Response: service.Response{Status: http.StatusOK, Header: header, Body: structured(result)}}, nil
}

// failedTool reads the error of a failed tool. One without an HTTP status that says
// so is treated as a status that is not known.
func (m mcpEndpoint) failedTool(result service.Object, header http.Header) reply {
	meta, _ := result.Object("_meta")
	fault, _ := meta.Object(metaError)
	r := reply{Response: service.Response{Header: header}, said: complaint{
		code:      m.Plain(fault.Text("code"), maxName),
		message:   m.Plain(firstText(result), maxMessage),
		retryable: fault.Bool("retryable"),
		requestID: m.Plain(fault.Text("request_id"), maxName),
	}}
	if text := fault.Text("message"); text != "" {
		r.said.message = m.Plain(text, maxMessage)
	}
	if status := fault.Integer("http_status").Value; status >= 400 && status <= 599 {
		r.Status = int(status)
	}
	if seconds := fault.Integer("retry_after").Value; seconds > 0 {
		r.said.wait = min(time.Duration(min(seconds, int64(service.MaxRetryAfter/time.Second)))*time.Second, service.MaxRetryAfter)
	}
	return r
}

// structured returns the structured result, or what the first text holds where there
// is none: both are the same (MCP, "Structured Content").
func structured(result service.Object) []byte {
	if _, ok := result.Object("structuredContent"); ok {
		return result["structuredContent"]
	}
	return []byte(strings.TrimLeft(firstText(result), "\uFEFF"))
}

// firstText returns the first text of a result's content, "" for none.
func firstText(result service.Object) string {
	var content []json.RawMessage
	if json.Unmarshal(result["content"], &content) != nil {
		return ""
	}
	for _, part := range content {
		block, _ := service.ParseObject(part)
		if block.String("type").Value == "text" {
			return block.String("text").Value
		}
	}
	return ""
}
